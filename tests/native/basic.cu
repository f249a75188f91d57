// SPDX-License-Identifier: Apache-2.0
// Whatever a cubin can hold, little of each: parameters, constants, static and dynamic shared memory, globals with
// pointers, a switch, a function that is called, printf, limits on threads.
#include <cstdio>

__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int counters[8];
__device__ int initial[4] = {10, 20, 30, 40};
__device__ int *pointers[2] = {&counters[3], initial};

__device__ __noinline__ int triangle(int n)
{
    return n <= 0 ? 0 : n + triangle(n - 1);
}

extern "C" __global__ void __launch_bounds__(256) choose(int *p, short which, long long n)
{
    int v = p[threadIdx.x];
    switch (which) {
    case 0: v = p[1] * 3; break;
    case 1: p[7] = 2; break;
    case 2: v = triangle(v); break;
    case 3: p[3] = v; break;
    case 4: v ^= p[4]; break;
    case 5: v = p[p[v]]; break;
    case 6: p[9]++; break;
    case 7: v -= p[n]; break;
    }
    p[threadIdx.x] = v + table[which];
}

extern "C" __global__ void exchange(float *p)
{
    __shared__ float all[64];
    extern __shared__ float more[];
    all[threadIdx.x] = p[threadIdx.x];
    more[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = all[63 - threadIdx.x] + more[0];
}

extern "C" __global__ void tell(int i)
{
    printf("%d\n", *pointers[i & 1]);
}
