// SPDX-License-Identifier: Apache-2.0
// Compiled with -dc: relocatable code, with a function in a section of its own.
extern __device__ int helper(int x, int *p);
__constant__ int factors[4] = {1, 2, 3, 4};
__device__ int (*functions[1])(int, int *) = {helper};

__device__ __noinline__ int twice(int x, int *p)
{
    return x * 2 + p[1];
}

extern "C" __global__ void caller(int *p, int i)
{
    p[i] = helper(p[i], p) + twice(i, p) * factors[i & 3] + functions[0](i, p);
}
