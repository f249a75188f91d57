// SPDX-License-Identifier: Apache-2.0
/* A grid whose blocks wait for each other, and groups within a block. */
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void rounds(int *values, int *sums, int count)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int round = 0; round < count; round++) {
        int next = values[(i + 1) % grid.size()];
        grid.sync();
        values[i] = next + 1;
        grid.sync();
    }
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int sum = values[i];
    for (int delta = 8; delta; delta /= 2)
        sum += tile.shfl_down(sum, delta);
    if (tile.thread_rank() == 0) sums[i / 16] = sum;
}

int main()
{
    const int blocks = 6, threads = 64, n = blocks * threads;
    int *values, *sums, count = 5;
    CHECK(cudaMallocManaged(&values, n * sizeof(int)));
    CHECK(cudaMallocManaged(&sums, n / 16 * sizeof(int)));
    for (int i = 0; i < n; i++)
        values[i] = i * i;
    void *arguments[] = {&values, &sums, &count};
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    CHECK(cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks), dim3(threads), arguments));
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    /* Ten waits of all blocks, each a few round trips to memory of half a microsecond: what blocks
     * spend on polling meanwhile must not look like work. */
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    bool ok = milliseconds < 0.1f;
    for (int t = 0; t < n / 16; t++) {
        int sum = 0;
        for (int i = 16 * t; i < 16 * t + 16; i++) {
            int from = (i + count) % n;
            ok &= values[i] == from * from + count;
            sum += values[i];
        }
        ok &= sums[t] == sum;
    }
    cudaError_t error =
        cudaLaunchCooperativeKernel((void *)rounds, dim3(100000), dim3(threads), arguments);
    ok &= error == cudaErrorCooperativeLaunchTooLarge;
    return verdict(ok);
}
