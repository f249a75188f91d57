// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: a half that was never written decides which branch runs
#include "../array.h"
#include <cuda_fp16.h>

__global__ void relu(const __half *in, int *out)
{
    if (__hgt(in[threadIdx.x], __float2half(0.0f))) // BUG
        atomicAdd(out, 1);
}

int main()
{
    array<__half> in(32);
    array<int> out(1);
    out.zero();
    CHECK(cudaMemset(in, 0, 16 * sizeof(__half))); /* half of them */
    relu<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
