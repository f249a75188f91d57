// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: a stale pointer whose address a later allocation of the same size has got
#include "../checks.h"

__global__ void fill(int *out, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value; // BUG
}

int main()
{
    const int n = 1024;
    int *old_grid, *new_grid, host[n];
    CHECK(cudaMalloc(&old_grid, n * sizeof(int)));
    fill<<<4, 256>>>(old_grid, n, 1);
    CHECK(cudaFree(old_grid));
    CHECK(cudaMalloc(&new_grid, n * sizeof(int)));
    fill<<<4, 256>>>(new_grid, n, 2);
    fill<<<4, 256>>>(old_grid, n, 3); /* was meant for new_grid */
    cudaError_t error = cudaMemcpy(host, new_grid, sizeof host, cudaMemcpyDeviceToHost);
    puts(cudaGetErrorName(error));
    cudaFree(new_grid);
    return 0;
}
