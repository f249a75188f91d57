// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: programming guide: atomicAdd_block is atomic for the threads of the block only; blocks share the counter
#include "../checks.h"

__global__ void count_large(const int *in, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 50) atomicAdd_block(count, 1); // BUG
}

int main()
{
    const int n = 512;
    int host[n], *in, *count;
    for (int i = 0; i < n; i++) host[i] = i % 100;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    count_large<<<4, 128>>>(in, count, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(count));
    return 0;
}
