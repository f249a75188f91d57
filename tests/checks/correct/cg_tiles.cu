// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: tiles of 8 exchange through shared memory with tile.sync() and shuffles; all of a tile take part
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tile_scan(const int *in, int *out, int n)
{
    __shared__ int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x, i = blockIdx.x * 64 + t, rank = (int)tile.thread_rank();
    int value = i < n ? in[i] : 0;
    for (int k = 1; k < 8; k *= 2) {
        int other = tile.shfl_up(value, k);
        if (rank >= k) value += other;
    }
    s[t] = value;
    tile.sync();
    int total = s[t - rank + 7];
    if (i < n) out[i] = tile.any(total > 20) ? value : -value;
}

int main()
{
    const int n = 200;
    std::vector<int> host = random_ints(n, 8), got;
    array<int> in(host), out(n);
    tile_scan<<<4, 64>>>(in, out, n);
    got = out.get();
    bool ok = true;
    for (int i = 0; i < n; i++) {
        int sum = 0, total = 0;
        for (int k = i / 8 * 8; k < i / 8 * 8 + 8 && k < n; k++) total += host[k], sum += k <= i ? host[k] : 0;
        ok &= got[i] == (total > 20 ? sum : -sum);
    }
    return verdict(ok);
}
