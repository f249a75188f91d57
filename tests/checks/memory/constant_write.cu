// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: __constant__ variables are read-only in device code; constness was cast away
#include "../checks.h"

__constant__ int settings[4];

__device__ __noinline__ void adapt(const int *p, int value)
{
    *const_cast<int *>(p) = value; // BUG
}

__global__ void tune(int *out)
{
    if (threadIdx.x == 0) adapt(&settings[1], 7);
    out[threadIdx.x] = settings[threadIdx.x % 4];
}

int main()
{
    int host[4] = {1, 2, 3, 4}, *out;
    CHECK(cudaMemcpyToSymbol(settings, host, sizeof host));
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    tune<<<1, 32>>>(out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
