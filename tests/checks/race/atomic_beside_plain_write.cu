// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: PTX memory model: an atomic and a weak write of the same word are a race
#include "../checks.h"

__global__ void count_and_reset(const int *in, int *counter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *counter = 0; // BUG
    if (i < n && in[i] % 2) atomicAdd(counter, 1); // BUG
}

int main()
{
    const int n = 512;
    int host[n], *in, *counter;
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    CHECK(cudaMemset(counter, 1, 1));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    count_and_reset<<<4, 128>>>(in, counter, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(counter));
    return 0;
}
