// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: accesses beyond a __device__ variable, here into the one after it
#include "../checks.h"

__device__ int counts[30];
__device__ int total[2];

__global__ void classify(const int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[values[i]], 1); // BUG
    if (i == 0) atomicAdd(&total[0], n);
}

int main()
{
    const int n = 256;
    int host[n], *values, sums[2];
    for (int i = 0; i < n; i++) host[i] = i % 31;
    CHECK(cudaMalloc(&values, sizeof host));
    CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    classify<<<2, 128>>>(values, n);
    CHECK(cudaMemcpyFromSymbol(sums, total, sizeof sums));
    CHECK(cudaFree(values));
    return verdict(sums[0] >= n);
}
