// SPDX-License-Identifier: Apache-2.0
// Copies in bulk (sm_90): cuda::memcpy_async with cuda::barrier, copies back by groups, reductions, copies to several
// blocks of a cluster and from one to another, asynchronous stores. The host computes the same.
#include "check.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

enum { THREADS = 128, TILE = 1024, TILES = 12 };

/* Tiles through two buffers, one loading while the other is worked on. */
__global__ void scale(const int *in, int *out)
{
    __shared__ alignas(128) int tile[2][TILE];
    __shared__ barrier full[2];
    if (threadIdx.x == 0) {
        init(&full[0], blockDim.x);
        init(&full[1], blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token tokens[2];
    for (int t = 0; t <= TILES; t++) {
        if (t < TILES) {
            barrier &b = full[t % 2];
            if (threadIdx.x == 0) {
                cuda::memcpy_async(tile[t % 2], in + t * TILE, cuda::aligned_size_t<16>(sizeof tile[0]), b);
                tokens[t % 2] = cuda::device::barrier_arrive_tx(b, 1, 0);
            } else {
                tokens[t % 2] = b.arrive();
            }
        }
        if (t == 0) continue;
        int *mine = tile[(t - 1) % 2];
        full[(t - 1) % 2].wait(std::move(tokens[(t - 1) % 2]));
        for (int i = threadIdx.x; i < TILE; i += blockDim.x)
            mine[i] = 3 * mine[i] + t;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + (t - 1) * TILE, mine,
                               sizeof tile[0]);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        __syncthreads();
    }
}

static bool test_scale()
{
    int *in, *out;
    bool good = true;
    CHECK(cudaMalloc(&in, TILES * TILE * sizeof *in));
    CHECK(cudaMalloc(&out, TILES * TILE * sizeof *out));
    std::vector<int> values(TILES * TILE), results(TILES * TILE);
    unsigned state = 7;
    for (int &value : values)
        value = (int)(next_random(&state) % 1000);
    CHECK(cudaMemcpy(in, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
    scale<<<1, THREADS>>>(in, out);
    CHECK(cudaMemcpy(results.data(), out, values.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < TILES * TILE; i++)
        good = good && results[i] == 3 * values[i] + i / TILE + 1;
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return good;
}

/* Every block adds its row to one sum in global memory; integers and floats, whose sums are exact. */
__global__ void add_rows(const int *in, int *sums, float *floats, uint64_t *most)
{
    __shared__ alignas(16) int row[TILE];
    __shared__ alignas(16) float half[TILE];
    __shared__ alignas(16) uint64_t large[TILE];
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) {
        row[i] = in[blockIdx.x * TILE + i];
        half[i] = 0.5f * (float)row[i];
        large[i] = (uint64_t)row[i] << 20 | blockIdx.x;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x) return;
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, row, sizeof row);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, floats, half,
                              sizeof half);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, most, large,
                              sizeof large);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}

static bool test_add_rows()
{
    enum { ROWS = 9 };
    int *in, *sums;
    float *floats;
    uint64_t *most;
    bool good = true;
    CHECK(cudaMallocManaged(&in, ROWS * TILE * sizeof *in));
    CHECK(cudaMallocManaged(&sums, TILE * sizeof *sums));
    CHECK(cudaMallocManaged(&floats, TILE * sizeof *floats));
    CHECK(cudaMallocManaged(&most, TILE * sizeof *most));
    unsigned state = 3;
    for (int i = 0; i < ROWS * TILE; i++)
        in[i] = (int)(next_random(&state) % 500);
    for (int i = 0; i < TILE; i++)
        sums[i] = i, floats[i] = 0, most[i] = 0;
    add_rows<<<ROWS, THREADS>>>(in, sums, floats, most);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < TILE; i++) {
        int sum = 0;
        uint64_t largest = 0;
        for (int r = 0; r < ROWS; r++) {
            uint64_t one = (uint64_t)in[r * TILE + i] << 20 | (unsigned)r;
            sum += in[r * TILE + i];
            if (one > largest) largest = one;
        }
        good = good && sums[i] == sum + i && floats[i] == 0.5f * (float)sum && most[i] == largest;
    }
    return good;
}

/* Each block of a cluster loads a quarter for all of them; then rank 0 gathers what the others send. */
__global__ void __cluster_dims__(4, 1, 1) share(const int *in, int *out, int *gathered, int *counts)
{
    __shared__ alignas(128) int all[TILE];
    __shared__ alignas(128) int sums[4][64];
    __shared__ alignas(128) int own[64];
    __shared__ unsigned inbox[4];
    __shared__ int count;
    __shared__ uint64_t loaded, sent, stored;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), cluster_id = blockIdx.x / 4;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&loaded, 1);
        ptx::mbarrier_init(&sent, 1);
        ptx::mbarrier_init(&stored, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        count = 0;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &loaded,
                                       sizeof all);
        if (rank == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &sent, 4 * sizeof sums[0]);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &stored, 4 * 2 * sizeof(int));
        }
    }
    cluster.sync();
    if (threadIdx.x == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, all + rank * TILE / 4,
                           in + cluster_id * TILE + rank * TILE / 4, sizeof all / 4, &loaded,
                           (uint16_t)0xf);
    while (!ptx::mbarrier_try_wait_parity(&loaded, 0)) {
    }
    for (int i = threadIdx.x; i < TILE; i += blockDim.x)
        out[blockIdx.x * TILE + i] = all[i] + (int)rank;
    if (threadIdx.x < 64) own[threadIdx.x] = all[threadIdx.x] * (int)(rank + 1);
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (threadIdx.x == 0) {
        uint64_t *object = cluster.map_shared_rank(&sent, 0);
        int *to = cluster.map_shared_rank(&sums[rank][0], 0);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, to, own, sizeof own, object);
        ptx::st_async(cluster.map_shared_rank(&inbox[rank], 0), rank * 11u + cluster_id,
                      cluster.map_shared_rank(&stored, 0));
        ptx::red_async(ptx::op_add, cluster.map_shared_rank(&count, 0), (int)rank + 1,
                       cluster.map_shared_rank(&stored, 0));
    }
    if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(&sent, 0)) {
        }
        while (!ptx::mbarrier_try_wait_parity(&stored, 0)) {
        }
        for (int i = threadIdx.x; i < 256; i += blockDim.x)
            gathered[cluster_id * 256 + i] = sums[i / 64][i % 64];
        if (threadIdx.x < 4) counts[cluster_id * 8 + threadIdx.x] = (int)inbox[threadIdx.x];
        if (threadIdx.x == 0) counts[cluster_id * 8 + 4] = count;
    }
    cluster.sync();
}

static bool test_share()
{
    enum { CLUSTERS = 3 };
    int *in, *out, *gathered, *counts;
    bool good = true;
    CHECK(cudaMallocManaged(&in, CLUSTERS * TILE * sizeof *in));
    CHECK(cudaMallocManaged(&out, 4 * CLUSTERS * TILE * sizeof *out));
    CHECK(cudaMallocManaged(&gathered, CLUSTERS * 256 * sizeof *gathered));
    CHECK(cudaMallocManaged(&counts, CLUSTERS * 8 * sizeof *counts));
    for (int i = 0; i < CLUSTERS * TILE; i++)
        in[i] = i * 7 % 1013;
    share<<<4 * CLUSTERS, THREADS>>>(in, out, gathered, counts);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4 * CLUSTERS * TILE; i++)
        good = good && out[i] == in[i / (4 * TILE) * TILE + i % TILE] + i / TILE % 4;
    for (int i = 0; i < CLUSTERS * 256; i++)
        good = good && gathered[i] == in[i / 256 * TILE + i % 64] * (i / 64 % 4 + 1);
    for (int c = 0; c < CLUSTERS; c++) {
        for (int r = 0; r < 4; r++)
            good = good && counts[8 * c + r] == r * 11 + c;
        good = good && counts[8 * c + 4] == 1 + 2 + 3 + 4;
    }
    return good;
}

int main()
{
    bool good = true;
    good = test_scale() && good;
    good = test_add_rows() && good;
    good = test_share() && good;
    return verdict(good);
}
