// SPDX-License-Identifier: Apache-2.0
// expect: none
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: cooperative_groups::memcpy_async, then wait: the copy of all threads is complete and visible
#include "../array.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

__global__ void reverse_tiles(const int *in, int *out, int tiles)
{
    __shared__ alignas(16) int s[128];
    cg::thread_block block = cg::this_thread_block();
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        cg::memcpy_async(block, s, in + tile * 128, sizeof s);
        cg::wait(block);
        out[tile * 128 + threadIdx.x] = s[127 - threadIdx.x];
        block.sync();
    }
}

int main()
{
    const int tiles = 5;
    std::vector<int> host = random_ints(tiles * 128, 10000), got;
    array<int> in(host), out(tiles * 128);
    reverse_tiles<<<2, 128>>>(in, out, tiles);
    got = out.get();
    bool ok = true;
    for (int i = 0; i < tiles * 128; i++) ok &= got[i] == host[i / 128 * 128 + 127 - i % 128];
    return verdict(ok);
}
