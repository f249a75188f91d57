// SPDX-License-Identifier: Apache-2.0
/* Special registers of clusters whose size comes with the launch. Machine code reads the sizes and their reciprocals from
 * what the driver puts beside the parameters. */
#include "check.h"

struct places {
    unsigned id[3], count[3], place[3], size[3], rank, blocks;
};

#define READ(to, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(to))
#define READ_ALL(to, name)                                                                         \
    READ(to[0], name ".x");                                                                        \
    READ(to[1], name ".y");                                                                        \
    READ(to[2], name ".z")

__global__ void tell(places *out)
{
    places mine;
    READ_ALL(mine.id, "clusterid");
    READ_ALL(mine.count, "nclusterid");
    READ_ALL(mine.place, "cluster_ctaid");
    READ_ALL(mine.size, "cluster_nctaid");
    READ(mine.rank, "cluster_ctarank");
    READ(mine.blocks, "cluster_nctarank");
    out[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = mine;
}

static const unsigned grid[3] = {12, 4, 2};
enum { BLOCKS = 12 * 4 * 2 };

static bool holds(const places &told, unsigned block, const unsigned *size)
{
    const unsigned at[3] = {block % grid[0], block / grid[0] % grid[1],
                            block / grid[0] / grid[1]};
    bool ok = told.blocks == size[0] * size[1] * size[2];
    unsigned rank = 0;
    for (int k = 2; k >= 0; k--) {
        ok = ok && told.id[k] == at[k] / size[k] && told.count[k] == grid[k] / size[k] &&
             told.place[k] == at[k] % size[k] && told.size[k] == size[k];
        rank = rank * size[k] + at[k] % size[k];
    }
    return ok && told.rank == rank;
}

static bool launch(const unsigned *size)
{
    places *out;
    std::vector<places> told(BLOCKS);
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {size[0], size[1], size[2]};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(grid[0], grid[1], grid[2]);
    config.blockDim = 1;
    config.attrs = &cluster;
    config.numAttrs = 1;
    CHECK(cudaMalloc(&out, BLOCKS * sizeof *out));
    CHECK(cudaLaunchKernelEx(&config, tell, out));
    CHECK(cudaMemcpy(told.data(), out, BLOCKS * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    for (unsigned block = 0; block < BLOCKS; block++)
        if (!holds(told[block], block, size)) return false;
    return true;
}

int main()
{
    static const unsigned sizes[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 2}, {3, 1, 2}};
    for (auto &size : sizes)
        if (!launch(size)) {
            printf("clusters of %u x %u x %u\n", size[0], size[1], size[2]);
            return verdict(false);
        }
    return verdict(true);
}
