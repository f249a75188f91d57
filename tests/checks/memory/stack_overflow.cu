// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: memcheck: stack overflow; recursion without a bound exceeds the stack of 1 KiB a thread
#include "../array.h"
__device__ __noinline__ int depth(const int *next, int at)
{
    int seen[16];
    for (int i = 0; i < 16; i++) seen[i] = next[(at + i) % 64];
    return seen[at % 16] < 0 ? 0 : 1 + depth(next, seen[at % 16]) + seen[(at + 3) % 16] % 2; // BUG
}

__global__ void walk(const int *next, int *out)
{
    out[threadIdx.x] = depth(next, threadIdx.x); // ALSO
}

int main()
{
    array<int> next(random_ints(64, 64)), out(32); /* no end: no entry is negative */
    walk<<<1, 32>>>(next, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
