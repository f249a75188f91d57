// SPDX-License-Identifier: Apache-2.0
// expect: error|warning race
// silent: yes
// why: thread_block_tile<16>::sync() orders the 16 threads of a tile only; data come from the other tile of the warp
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void exchange(int *data)
{
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = data[t] * 3; // BUG
    tile.sync();
    data[t] = s[t ^ 16]; // BUG
}

int main()
{
    array<int> data(random_ints(64, 100));
    exchange<<<1, 64>>>(data);
    return verdict(data.get()[0] >= 0);
}
