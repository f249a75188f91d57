// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: no
// why: blocks increment the same words of global memory without atomics
#include "../checks.h"

__global__ void degrees(const int *edges, int *degree, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < n) degree[edges[e]] += 1; // BUG
}

int main()
{
    const int n = 256;
    int host[n], *edges, *degree;
    for (int i = 0; i < n; i++) host[i] = i % 32; /* each block has each vertex once */
    CHECK(cudaMalloc(&edges, sizeof host));
    CHECK(cudaMalloc(&degree, 32 * sizeof(int)));
    CHECK(cudaMemset(degree, 0, 32 * sizeof(int)));
    CHECK(cudaMemcpy(edges, host, sizeof host, cudaMemcpyHostToDevice));
    degrees<<<n / 32, 32>>>(edges, degree, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(edges));
    CHECK(cudaFree(degree));
    return 0;
}
