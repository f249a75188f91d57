// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: programming guide: "if the target thread is inactive, the retrieved value is undefined"; lane 31 is not in the mask
#include "../checks.h"

__global__ void last_value(const int *in, int *out, int n)
{
    int lane = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, lane < n);
    if (lane < n) out[lane] = __shfl_sync(mask, in[lane], 31); // BUG
}

int main()
{
    int host[32], *in, *out;
    for (int i = 0; i < 32; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    last_value<<<1, 32>>>(in, out, 27);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
