// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: cooperative groups: grid.sync() needs cudaLaunchCooperativeKernel
#include "../checks.h"
#include <cooperative_groups.h>

__global__ void phases(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    data[i] = i;
    grid.sync(); // BUG
    int next = data[(i + 40) % n];
    grid.sync(); // BUG
    data[i] = next;
}

int main()
{
    int *data;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    phases<<<4, 32>>>(data); // BUG
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
