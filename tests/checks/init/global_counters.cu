// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: initcheck: an atomic on device memory that nothing wrote; cudaMalloc does not clear
#include "../checks.h"

__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u); // BUG
}

int main()
{
    const int n = 2000;
    static unsigned char host[n];
    unsigned char *in;
    unsigned *bins, counts[256], state = 3;
    for (int i = 0; i < n; i++) host[i] = (unsigned char)next_random(&state);
    CHECK(cudaMalloc(&in, n));
    CHECK(cudaMalloc(&bins, sizeof counts));
    CHECK(cudaMemcpy(in, host, n, cudaMemcpyHostToDevice));
    histogram<<<8, 256>>>(in, bins, n);
    CHECK(cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(bins));
    return verdict(true);
}
