// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: cudaMemset takes bytes: three quarters of the counters stay uninitialised
#include "../array.h"
__global__ void histogram(const int *in, int *bins, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1); // BUG
}

int main()
{
    array<int> in(random_ints(1000, 64)), bins(64);
    CHECK(cudaMemset(bins, 0, 64));
    histogram<<<1, 128>>>(in, bins, 1000);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
