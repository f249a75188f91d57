// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: cooperative groups: collective operations need all threads of the group; only some of each tile take part
#include "../checks.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tile_sums(const int *in, int *out, int n)
{
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = threadIdx.x;
    if (i < n) {
        int sum = in[i];
        for (int k = 8; k > 0; k /= 2) sum += tile.shfl_down(sum, k); // BUG
        if (tile.thread_rank() == 0) out[i / 16] = sum;
    }
}

int main()
{
    int host[64], *in, *out;
    for (int i = 0; i < 64; i++) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 4 * sizeof(int)));
    CHECK(cudaMemset(out, 0, 4 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    tile_sums<<<1, 64>>>(in, out, 58);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
