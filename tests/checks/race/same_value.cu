// SPDX-License-Identifier: Apache-2.0
// expect: note race
// silent: yes
// why: issue: the same value written twice is a note
#include "../checks.h"

__global__ void contains(const int *in, int wanted, int *found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] == wanted) *found = 1; // BUG
}

int main()
{
    const int n = 512;
    int host[n], *in, *found, result;
    for (int i = 0; i < n; i++) host[i] = i % 10;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&found, sizeof(int)));
    CHECK(cudaMemset(found, 0, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    contains<<<4, 128>>>(in, 7, found, n);
    CHECK(cudaMemcpy(&result, found, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(found));
    return verdict(result == 1);
}
