// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// missed: nothing says where arrays end that a kernel carves (doc/checks.md, Memory, Kernels)
// why: a kernel carves two arrays out of its dynamic shared memory and overruns the first
#include "../array.h"
__global__ void two(int *out, int over)
{
    extern __shared__ int s[];
    int *a = s, *b = s + 32;
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    __syncthreads();
    if (threadIdx.x == 0) a[31 + over] = 5; // BUG
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main()
{
    array<int> out(32);
    two<<<1, 32, 256>>>(out, 1);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
