// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: out of bounds atomic; values are clamped to 256 instead of 255
#include "../checks.h"

__global__ void histogram(const int *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[min(max(in[i], 0), 256)], 1u); // BUG
}

int main()
{
    const int n = 1000;
    int host[n], *in;
    unsigned *bins, counts[256], state = 1;
    for (int i = 0; i < n; i++) host[i] = (int)(next_random(&state) % 300);
    CHECK(cudaMalloc(&bins, sizeof counts));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMemset(bins, 0, sizeof counts));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    histogram<<<4, 256>>>(in, bins, n);
    CHECK(cudaMemcpy(counts, bins, sizeof counts, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(bins));
    return verdict(true);
}
