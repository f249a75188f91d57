// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: out of bounds; cudaMalloc takes bytes
#include "../checks.h"
__global__ void iota(double *p, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = i; // BUG
}

int main()
{
    double *p;
    const int n = 1000;
    CHECK(cudaMalloc(&p, n));
    iota<<<4, 64>>>(p, n); // ALSO
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(p);
    return 0;
}
