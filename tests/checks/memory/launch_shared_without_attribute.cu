// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: more than 48 KB of dynamic shared memory need cudaFuncSetAttribute
#include "../array.h"
__global__ void tile(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[255 - threadIdx.x];
}

int main()
{
    array<int> p(256);
    p.zero();
    tile<<<1, 256, 64 * 1024>>>(p); // BUG
    cudaDeviceSynchronize();
    return 0;
}
