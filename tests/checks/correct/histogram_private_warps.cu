// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: private histograms by warp, a barrier, then merged into global bins by atomics
#include "../array.h"

__global__ void histogram(const unsigned char *in, int *bins, int n)
{
    __shared__ int part[4][64];
    int warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 4 * 64; i += blockDim.x) (&part[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[warp][in[i] % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64) {
        int sum = 0;
        for (int w = 0; w < 4; w++) sum += part[w][threadIdx.x];
        if (sum) atomicAdd(&bins[threadIdx.x], sum);
    }
}

int main()
{
    std::vector<unsigned char> host(3000);
    std::vector<int> wanted(64);
    unsigned state = 4;
    for (auto &one : host) one = (unsigned char)next_random(&state), wanted[one % 64]++;
    array<unsigned char> in(host);
    array<int> bins(64);
    bins.zero();
    histogram<<<3, 128>>>(in, bins, 3000);
    return verdict(bins.get() == wanted);
}
