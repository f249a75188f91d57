// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: cooperative groups: all threads of a group must call its collective operations
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sums(const int *in, int *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int value = in[threadIdx.x];
    if (tile.thread_rank() < 10) {
        for (int k = 8; k > 0; k /= 2) value += tile.shfl_down(value, k); // BUG
    }
    tile.sync();
    out[threadIdx.x] = value; // ALSO
}

int main()
{
    array<int> in(random_ints(64, 100)), out(64);
    sums<<<1, 64>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
