// SPDX-License-Identifier: Apache-2.0
/* Atomics in shared and global memory, and copies that fill memory. */
#include "check.h"

enum { BINS = 64 };

__global__ void count(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i] % BINS], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[i], local[i]);
}

int main()
{
    const int n = 200000;
    std::vector<unsigned char> in(n);
    unsigned expected[BINS] = {0}, bins[BINS], state = 11, *dbins;
    for (unsigned char &x : in) {
        x = (unsigned char)next_random(&state);
        expected[x % BINS]++;
    }
    unsigned char *din;
    CHECK(cudaMalloc(&din, n));
    CHECK(cudaMalloc(&dbins, sizeof bins));
    CHECK(cudaMemcpy(din, in.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dbins, 0, sizeof bins));
    count<<<40, 128>>>(din, dbins, n);
    CHECK(cudaMemcpy(bins, dbins, sizeof bins, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < BINS; i++)
        ok &= bins[i] == expected[i];
    return verdict(ok);
}
