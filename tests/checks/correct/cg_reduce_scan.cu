// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: cg::reduce and cg::inclusive_scan of a warp tile, then a block-wide step over shared memory
#include "../array.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void block_scan(const int *in, int *out)
{
    __shared__ int sums[4];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int t = threadIdx.x, value = in[blockIdx.x * 128 + t];
    int running = cg::inclusive_scan(warp, value, cg::plus<int>());
    int total = cg::reduce(warp, value, cg::plus<int>());
    if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = total;
    block.sync();
    for (unsigned w = 0; w < warp.meta_group_rank(); w++) running += sums[w];
    out[blockIdx.x * 128 + t] = running;
}

int main()
{
    std::vector<int> host = random_ints(256, 100);
    array<int> in(host), out(256);
    block_scan<<<2, 128>>>(in, out);
    for (int i = 1; i < 256; i++) host[i] += i % 128 ? host[i - 1] : 0;
    return verdict(out.get() == host);
}
