// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: programming guide: __constant__ variables are read-only in device code; the host hands out the address
#include "../checks.h"

__constant__ int settings[4];

__device__ __noinline__ void adapt(int *p, int value)
{
    *p = value; // BUG
}

__global__ void tune(int *all, int *out)
{
    if (threadIdx.x == 0) adapt(&all[1], 7);
    out[threadIdx.x] = settings[threadIdx.x % 4];
}

int main()
{
    int host[4] = {1, 2, 3, 4}, *out, *all;
    CHECK(cudaMemcpyToSymbol(settings, host, sizeof host));
    CHECK(cudaGetSymbolAddress((void **)&all, settings));
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    tune<<<1, 32>>>(all, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
