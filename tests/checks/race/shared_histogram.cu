// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: no
// why: racecheck: increments of shared bins by several threads are not atomic
#include "../checks.h"

__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[64];
    int t = threadIdx.x;
    if (t < 64) local[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) local[in[i] & 63]++; // BUG
    __syncthreads();
    if (t < 64) atomicAdd(&bins[t], local[t]);
}

int main()
{
    const int n = 1024;
    static unsigned char host[n];
    unsigned char *in;
    unsigned *bins, state = 5;
    for (int i = 0; i < n; i++) host[i] = (unsigned char)next_random(&state);
    CHECK(cudaMalloc(&in, n));
    CHECK(cudaMalloc(&bins, 64 * sizeof(unsigned)));
    CHECK(cudaMemset(bins, 0, 64 * sizeof(unsigned)));
    CHECK(cudaMemcpy(in, host, n, cudaMemcpyHostToDevice));
    histogram<<<1, 128>>>(in, bins, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(bins));
    return 0;
}
