// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: all threads of the grid must come to grid.sync(); the blocks beyond the data have returned
#include "../checks.h"
#include <cooperative_groups.h>

__global__ void phases(int *data, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    if (blockIdx.x * blockDim.x >= n) return;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i;
    grid.sync(); // BUG
    if (i + 1 < n) atomicAdd(&data[i], 1);
}

int main()
{
    int *data, n = 64;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    void *arguments[] = {&data, &n};
    CHECK(cudaLaunchCooperativeKernel((void *)phases, dim3(4), dim3(32), arguments, 0, 0));
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
