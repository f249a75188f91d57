// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: memcheck: invalid program counter: a call through a null function pointer
#include "../array.h"
typedef int (*operation)(int, int);
__device__ __noinline__ int plus(int a, int b)
{
    return a + b;
}
__device__ __noinline__ int minus(int a, int b)
{
    return a - b;
}
__device__ operation table[4] = {plus, minus};

__global__ void run(const int *codes, int *out)
{
    int i = threadIdx.x;
    out[i] = table[codes[i]](i, 2); // BUG
}

int main()
{
    array<int> codes(random_ints(32, 4)), out(32);
    run<<<1, 32>>>(codes, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
