// SPDX-License-Identifier: Apache-2.0
/* Clusters of blocks (cc 9.0): their places, the shared memory of the others, their barrier, objects that others arrive
 * at, and what launches and occupancy answer. */
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

enum { THREADS = 64, BINS = 512 };

/* ---- places ---- */

__global__ void places(unsigned *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    dim3 block = cluster.block_index(), blocks = cluster.dim_blocks();
    unsigned id, across, explicitly;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(id));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(across));
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
        : "=r"(explicitly));
    unsigned at = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x) return;
    unsigned *row = out + 12 * at;
    row[0] = block.x, row[1] = block.y, row[2] = block.z;
    row[3] = blocks.x, row[4] = blocks.y, row[5] = blocks.z;
    row[6] = cluster.block_rank(), row[7] = cluster.num_blocks();
    row[8] = cluster.thread_rank(), row[9] = id, row[10] = across, row[11] = explicitly;
}

static bool test_places(dim3 grid, dim3 cluster)
{
    unsigned blocks = grid.x * grid.y * grid.z, *out;
    CHECK(cudaMallocManaged(&out, 12 * blocks * sizeof *out));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, places, out));
    CHECK(cudaDeviceSynchronize());
    bool good = true;
    for (unsigned at = 0; at < blocks; at++) {
        unsigned x = at % grid.x, y = at / grid.x % grid.y, z = at / grid.x / grid.y;
        unsigned rx = x % cluster.x, ry = y % cluster.y, rz = z % cluster.z;
        unsigned rank = rx + cluster.x * (ry + cluster.y * rz);
        const unsigned want[12] = {rx, ry, rz, cluster.x, cluster.y, cluster.z, rank,
                                   cluster.x * cluster.y * cluster.z, rank * THREADS,
                                   x / cluster.x, grid.y / cluster.y,
                                   cluster.x * cluster.y * cluster.z > 1};
        for (unsigned k = 0; k < 12; k++)
            good = good && out[12 * at + k] == want[k];
    }
    CHECK(cudaFree(out));
    return good;
}

/* ---- a histogram in the shared memory of all blocks of a cluster ---- */

__global__ void histogram(const unsigned *in, unsigned count, unsigned *bins)
{
    extern __shared__ unsigned own[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned each = BINS / cluster.num_blocks();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        own[i] = 0;
    cluster.sync();
    for (unsigned i = cg::this_grid().thread_rank(); i < count; i += cg::this_grid().size()) {
        unsigned bin = in[i] % BINS;
        atomicAdd(cluster.map_shared_rank(own, bin / each) + bin % each, 1);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * each + i], own[i]);
}

static bool test_histogram(unsigned size)
{
    enum { COUNT = 20000 };
    unsigned *in, *bins, want[BINS] = {0}, state = 1;
    CHECK(cudaMallocManaged(&in, COUNT * sizeof *in));
    CHECK(cudaMallocManaged(&bins, BINS * sizeof *bins));
    for (unsigned i = 0; i < COUNT; i++) {
        in[i] = (state = state * 1664525 + 1013904223) >> 8;
        want[in[i] % BINS]++;
    }
    for (unsigned i = 0; i < BINS; i++)
        bins[i] = 0;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 16;
    config.blockDim = 128;
    config.dynamicSmemBytes = BINS / size * sizeof(unsigned);
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (size > 8)
        CHECK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(cudaLaunchKernelEx(&config, histogram, (const unsigned *)in, (unsigned)COUNT, bins));
    CHECK(cudaDeviceSynchronize());
    bool good = true;
    for (unsigned i = 0; i < BINS; i++)
        good = good && bins[i] == want[i];
    CHECK(cudaFree(in));
    CHECK(cudaFree(bins));
    return good;
}

/* ---- values go round the blocks; ld, st, atom and isspacep by 32-bit addresses ---- */

__global__ void __cluster_dims__(4, 1, 1) ring(unsigned *out, unsigned *spaces)
{
    __shared__ unsigned slot, inbox;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % 4, value = 100 * blockIdx.x + rank;
    unsigned here = (unsigned)__cvta_generic_to_shared(&slot), there, got, owner;
    if (threadIdx.x == 0) slot = inbox = 0;
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(next));
    for (unsigned round = 0; round < 4; round++) {
        if (threadIdx.x == 0) {
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
            asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(there),
                         "r"(1000u)
                         : "memory");
        }
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        value = slot;
        asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
        asm volatile("barrier.cluster.wait;" ::: "memory");
    }
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(got) : "r"(there));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(there));
    unsigned *remote = cluster.map_shared_rank(&inbox, next);
    atomicAdd(remote, threadIdx.x);
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned own = __isShared(&slot), other = __isShared(remote), clustered, global;
        asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }"
            : "=r"(clustered)
            : "l"(remote));
        global = __isGlobal(remote);
        out[4 * blockIdx.x] = value;
        out[4 * blockIdx.x + 1] = got;
        out[4 * blockIdx.x + 2] = owner * 10 + cluster.query_shared_rank(remote);
        out[4 * blockIdx.x + 3] = inbox;
        spaces[blockIdx.x] = own * 8 + other * 4 + clustered * 2 + global;
    }
    cluster.sync();
}

static bool test_ring()
{
    unsigned *out, *spaces;
    bool good = true;
    CHECK(cudaMallocManaged(&out, 8 * 4 * sizeof *out));
    CHECK(cudaMallocManaged(&spaces, 8 * sizeof *spaces));
    ring<<<8, THREADS>>>(out, spaces);
    CHECK(cudaDeviceSynchronize());
    for (unsigned b = 0; b < 8; b++) {
        unsigned rank = b % 4, next = (rank + 1) % 4, first = b - rank;
        /* after four rounds each value is back where it began, four thousand larger */
        good = good && out[4 * b] == 100 * b + rank + 4000;
        good = good && out[4 * b + 1] == 100 * (first + next) + next + 4000;
        good = good && out[4 * b + 2] == 11 * next;
        good = good && out[4 * b + 3] == THREADS * (THREADS - 1) / 2;
        good = good && spaces[b] == 8 + 2;
    }
    CHECK(cudaFree(out));
    CHECK(cudaFree(spaces));
    return good;
}

/* ---- an mbarrier object that all blocks of the cluster arrive at ---- */

__global__ void __cluster_dims__(2, 2, 1) arrivals(unsigned *out)
{
    __shared__ unsigned long long object;
    __shared__ unsigned sum;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned here = (unsigned)__cvta_generic_to_shared(&object), there, done = 0;
    if (cluster.thread_rank() == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(here), "r"(4 * THREADS) : "memory");
    if (threadIdx.x == 0) sum = 0;
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(here));
    atomicAdd(cluster.map_shared_rank(&sum, 0), cluster.thread_rank());
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there)
                 : "memory");
    if (cluster.block_rank() == 0) {
        while (!done)
            asm volatile("{ .reg .pred p;\n"
                         "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n"
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(here)
                         : "memory");
        if (threadIdx.x == 0) out[blockIdx.x / 2 + gridDim.x / 2 * (blockIdx.y / 2)] = sum;
    }
    cluster.sync();
}

static bool test_arrivals()
{
    unsigned *out;
    bool good = true;
    CHECK(cudaMallocManaged(&out, 4 * sizeof *out));
    arrivals<<<dim3(4, 4), THREADS>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (unsigned k = 0; k < 4; k++)
        good = good && out[k] == 4 * THREADS * (4 * THREADS - 1) / 2;
    CHECK(cudaFree(out));
    return good;
}

/* ---- blocks that poll the memory of others; lanes and warps that leave early ---- */

__global__ void __cluster_dims__(8, 1, 1) relay(unsigned *out)
{
    __shared__ volatile unsigned flag;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) flag = rank == 7;
    cluster.sync();
    if (threadIdx.x >= 32) return; /* the barrier counts those that are left */
    if (threadIdx.x == 0) {
        while (!flag) {
        }
        out[blockIdx.x] = flag;
        if (rank) *(volatile unsigned *)cluster.map_shared_rank((unsigned *)&flag, rank - 1) = flag + 1;
    }
    cluster.sync();
}

static bool test_relay()
{
    unsigned *out;
    bool good = true;
    CHECK(cudaMallocManaged(&out, 16 * sizeof *out));
    relay<<<16, 96>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (unsigned b = 0; b < 16; b++)
        good = good && out[b] == 8 - b % 8;
    CHECK(cudaFree(out));
    return good;
}

/* ---- without clusters every block is one ---- */

__global__ void alone(unsigned *out)
{
    __shared__ unsigned sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&sum, 0), threadIdx.x);
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = sum + 10000 * cluster.num_blocks();
}

static bool test_alone()
{
    unsigned *out;
    CHECK(cudaMallocManaged(&out, 2 * sizeof *out));
    alone<<<2, THREADS>>>(out);
    CHECK(cudaDeviceSynchronize());
    bool good = out[0] == 10000 + THREADS * (THREADS - 1) / 2 && out[1] == out[0];
    CHECK(cudaFree(out));
    return good;
}

/* ---- what is refused, and occupancy ---- */

static cudaError_t try_launch(unsigned grid, unsigned cluster)
{
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, alone, (unsigned *)NULL);
    return cudaGetLastError();
}

static bool test_refused()
{
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, arrivals));
    bool good = attributes.clusterDimMustBeSet && attributes.requiredClusterWidth == 2 &&
                attributes.requiredClusterHeight == 2 && attributes.requiredClusterDepth == 1;
    int supported = 0, size = 0, clusters = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0));
    good = good && supported == 1;
    good = good && try_launch(16, 16) == cudaErrorInvalidClusterSize; /* not portable */
    good = good && try_launch(6, 4) == cudaErrorInvalidClusterSize;   /* no multiple */
    ring<<<6, 32>>>(NULL, NULL);
    good = good && cudaGetLastError() == cudaErrorInvalidClusterSize;

    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 1024;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&size, alone, &config));
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, alone, &config));
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    /* two blocks of 1024 threads fit on an SM */
    return good && size == 8 && clusters <= sms * 2 / 4 && clusters > sms * 2 / 4 - 8;
}

#define EXPECT(call)                                                                               \
    do {                                                                                           \
        bool expect_good = (call);                                                                 \
        if (!expect_good) printf("wrong: %s\n", #call);                                            \
        good = good && expect_good;                                                                \
    } while (0)

int main()
{
    bool good = true;
    EXPECT(test_places(dim3(8, 4, 2), dim3(2, 2, 1)));
    EXPECT(test_places(dim3(6, 2, 2), dim3(3, 1, 2)));
    EXPECT(test_places(dim3(3, 2, 1), dim3(1, 1, 1)));
    EXPECT(test_histogram(1) && test_histogram(2) && test_histogram(8) && test_histogram(16));
    EXPECT(test_ring());
    EXPECT(test_arrivals());
    EXPECT(test_relay());
    EXPECT(test_alone());
    EXPECT(test_refused());
    return verdict(good);
}
