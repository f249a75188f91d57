// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: programming guide: each lane named in the mask must execute the same intrinsic; the others are in no branch that has it
#include "../checks.h"

__global__ void sum_selected(const int *in, int *out)
{
    int lane = threadIdx.x, value = in[lane];
    if (lane < 20) {
        for (int k = 16; k > 0; k /= 2) value += __shfl_down_sync(0xffffffffu, value, k); // BUG
        if (lane == 0) out[0] = value;
    } else {
        out[lane] = value;
    }
}

int main()
{
    int host[32], *in, *out;
    for (int i = 0; i < 32; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sum_selected<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
