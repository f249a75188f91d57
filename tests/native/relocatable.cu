// SPDX-License-Identifier: Apache-2.0
// Compiled with -dc for sm_80 and not linked: functions, tables, constants and extern shared memory of its own.
extern __shared__ int dynamic[];
__device__ int table[4] = {1, 2, 3, 4};
__constant__ int factors[4] = {7, 8, 9, 10};

__device__ __noinline__ int square(int x)
{
    return x * x + 5;
}

__device__ __noinline__ int less(int x)
{
    return x - 3;
}

__device__ int (*functions[2])(int) = {square, less};

extern "C" __global__ void relocatable(int *out, int n)
{
    __shared__ int own[64];
    own[threadIdx.x] = square(threadIdx.x) + table[threadIdx.x & 3] + factors[n & 3];
    dynamic[threadIdx.x] = 100 * n;
    __syncthreads();
    out[threadIdx.x] = own[63 - threadIdx.x] + functions[n & 1](n) + dynamic[n];
}
