// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a tile of 32 threads is synchronised, but the neighbour's tile is read
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void rotate(int *data)
{
    __shared__ int s[128];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = data[t] + 1; // BUG
    tile.sync();
    data[t] = s[(t + 1) % 128]; // BUG
}

int main()
{
    array<int> data(random_ints(128, 100));
    rotate<<<1, 128>>>(data);
    return verdict(data.get()[0] >= 0);
}
