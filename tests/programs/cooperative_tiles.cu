// SPDX-License-Identifier: Apache-2.0
/* Tiles of several warps: from sm_80 on their scratch is in the shared memory that the system reserves, beside
 * the kernel's own. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;
constexpr int threads = 256, tile_size = 64;

__global__ void tiles(int *kept, int *dynamic_kept, int *sums, int *last)
{
    __shared__ int own[threads];
    extern __shared__ int more[];
    int i = threadIdx.x;
    own[i] = i * 10 + 1;
    more[i] = i * 7 + 3;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<tile_size>(block);
    block.sync();
    sums[i] = cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>());
    last[i] = tile.shfl(i, tile_size - 1);
    block.sync();
    kept[i] = own[i];
    dynamic_kept[i] = more[i];
}

int main()
{
    int *values;
    CHECK(cudaMallocManaged(&values, 4 * threads * sizeof(int)));
    tiles<<<1, threads, threads * sizeof(int)>>>(values, values + threads, values + 2 * threads,
                                                 values + 3 * threads);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < threads; i++)
        ok &= values[i] == i * 10 + 1 && values[threads + i] == i * 7 + 3 &&
              values[2 * threads + i] == tile_size * (tile_size - 1) / 2 &&
              values[3 * threads + i] == i / tile_size * tile_size + tile_size - 1;
    return verdict(ok);
}
