// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: programming guide: blocks run in any order; block b reads what block b - 1 is assumed to have written
#include "../checks.h"

__global__ void running_sum(const int *in, int *offsets)
{
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < 32; i++) sum += in[blockIdx.x * 32 + i];
        offsets[blockIdx.x + 1] = offsets[blockIdx.x] + sum; // BUG
    }
}

int main()
{
    int host[256], *in, *offsets;
    for (int i = 0; i < 256; i++) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&offsets, 9 * sizeof(int)));
    CHECK(cudaMemset(offsets, 0, 9 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    running_sum<<<8, 32>>>(in, offsets);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(offsets));
    return 0;
}
