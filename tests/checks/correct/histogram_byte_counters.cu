// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: histogram64 of cuda-samples: each thread counts in bytes of its own, side by side in shared words
#include "../array.h"

__global__ void histogram(const unsigned *in, unsigned *bins, int words)
{
    __shared__ unsigned char counts[64 * 64];
    __shared__ unsigned sums[64];
    int t = threadIdx.x;
    for (int i = 0; i < 16; i++) ((unsigned *)counts)[t + 64 * i] = 0;
    sums[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + t; i < words; i += gridDim.x * 64) {
        unsigned four = in[i];
        counts[t + (four & 63) * 64]++;
        counts[t + (four >> 8 & 63) * 64]++;
        counts[t + (four >> 16 & 63) * 64]++;
        counts[t + (four >> 24 & 63) * 64]++;
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 64; i++) sum += counts[t * 64 + (i + t) % 64];
    atomicAdd(&bins[t], sum);
}

int main()
{
    const int words = 500;
    std::vector<unsigned> host(words), wanted(64);
    unsigned state = 4;
    for (unsigned &one : host) one = next_random(&state) * 256 + next_random(&state) % 256;
    array<unsigned> in(host), bins(64);
    bins.zero();
    histogram<<<2, 64>>>(in, bins, words);
    for (unsigned one : host)
        for (int k = 0; k < 32; k += 8) wanted[one >> k & 63]++;
    return verdict(bins.get() == wanted);
}
