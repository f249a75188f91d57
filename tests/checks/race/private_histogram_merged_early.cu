// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: private histograms by warp are added up while other warps still count
#include "../array.h"

__global__ void histogram(const unsigned char *in, int *bins, int n)
{
    __shared__ int part[4][64];
    int warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 4 * 64; i += blockDim.x) (&part[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&part[warp][in[i] % 64], 1); // BUG
    if (threadIdx.x < 64) {
        int sum = 0;
        for (int w = 0; w < 4; w++) sum += part[w][threadIdx.x]; // BUG
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

int main()
{
    std::vector<unsigned char> host(2000);
    unsigned state = 4;
    for (auto &one : host) one = (unsigned char)next_random(&state);
    array<unsigned char> in(host);
    array<int> bins(64);
    bins.zero();
    histogram<<<2, 128>>>(in, bins, 2000);
    return verdict(bins.get()[0] >= 0);
}
