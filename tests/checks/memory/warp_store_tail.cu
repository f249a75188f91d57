// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: vector stores of four numbers, and a length that is not a multiple of four
#include "../array.h"
__global__ void fill(float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 < n) out[i] = make_float4(1, 2, 3, 4); // BUG
}

int main()
{
    const int n = 1023;
    array<float> out(n);
    fill<<<2, 128>>>((float4 *)(float *)out, n);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
