// SPDX-License-Identifier: Apache-2.0
// C = A B of half precision as CUTLASS's persistent kernels for Hopper are built: clusters of two blocks share tiles of B, of
// which each asks for one half that goes to both; one warpgroup copies, one multiplies; and work is dealt out in streams of equal
// length (stream-K), so that sums of a tile may come from several clusters, which add them up in memory.
#include "check.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_fp16.h>

namespace ptx = cuda::ptx;

enum { M = 64, N = 64, K = 64, STAGES = 3, CLUSTER = 2, THREADS = 256 };

struct stage {
    __half a[M * K], b[N * K]; /* lines of 128 bytes along k, swizzled */
};
struct shared {
    stage stages[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void wait(uint64_t *object, unsigned parity)
{
    while (!ptx::mbarrier_try_wait_parity(object, parity)) {
    }
}

__device__ uint64_t descriptor(const void *matrix)
{
    uint64_t at = __cvta_generic_to_shared(matrix);
    return (at & 0x3ffff) >> 4 | static_cast<uint64_t>(1) << 16 | static_cast<uint64_t>(1024 >> 4) << 32 |
           static_cast<uint64_t>(1) << 62;
}

/* 64 x 64 x 16, sums in place. */
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "%32, %33, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
          "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
          "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b));
}

/* Steps along k of all tiles of clusters, one tile after the other, and those of this cluster. */
struct stream {
    int steps, columns, begin, end;
    __device__ stream(int m, int n, int k) : steps(k / K), columns(n / N)
    {
        int all = steps * columns * (m / (M * CLUSTER)), clusters = gridDim.x / CLUSTER, mine = blockIdx.x / CLUSTER;
        begin = static_cast<int>(static_cast<long long>(all) * mine / clusters);
        end = static_cast<int>(static_cast<long long>(all) * (mine + 1) / clusters);
    }
    __device__ int row(int at, unsigned rank) const { return (at / steps / columns * CLUSTER + rank) * M; }
    __device__ int column(int at) const { return at / steps % columns * N; }
    __device__ int k(int at) const { return at % steps * K; }
};

/* A stage is free when the consumers of both blocks have it read: each half of B is written to both. */
__device__ void produce(shared *s, const CUtensorMap *a, const CUtensorMap *b, const stream &work, unsigned rank)
{
    for (int at = work.begin, i = 0; at < work.end; at++, i++) {
        stage *to = &s->stages[i % STAGES];
        uint64_t *full = &s->full[i % STAGES];
        wait(&s->empty[i % STAGES], i / STAGES % 2 ^ 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full, sizeof *to);
        const int32_t of_a[2] = {work.k(at), work.row(at, rank)};
        const int32_t of_b[2] = {work.k(at), work.column(at) + static_cast<int>(rank) * N / CLUSTER};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to->a, a, of_a, full);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to->b + rank * N / CLUSTER * K, b, of_b, full,
                                  static_cast<uint16_t>((1 << CLUSTER) - 1));
    }
}

__device__ void add_to(float *c, int n, const float (&d)[32])
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    for (int i = 0; i < 32; i++)
        atomicAdd(&c[(warp * 16 + lane / 4 + i % 4 / 2 * 8) * n + i / 4 * 8 + lane % 4 * 2 + i % 2], d[i]);
}

__device__ void release(uint64_t *object)
{
    if (threadIdx.x % 128 >= CLUSTER) return;
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }"
                 ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(object))), "r"(threadIdx.x % 128) : "memory");
}

__device__ void consume(shared *s, float *c, int n, const stream &work, unsigned rank)
{
    float d[32] = {};
    for (int at = work.begin, i = 0; at < work.end; at++, i++) {
        const stage *from = &s->stages[i % STAGES];
        wait(&s->full[i % STAGES], i / STAGES % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < K / 16; part++)
            multiply(d, descriptor(from->a) + part * 2, descriptor(from->b) + part * 2);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        release(&s->empty[i % STAGES]);
        if (at + 1 < work.end && work.k(at + 1) != 0) continue;
        add_to(c + work.row(at, rank) * n + work.column(at), n, d);
        for (float &one : d)
            one = 0;
    }
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int m, int n, int k)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    shared *s = reinterpret_cast<shared *>(memory);
    const stream work(m, n, k);
    unsigned rank = ptx::get_sreg_cluster_ctarank();
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            ptx::mbarrier_init(&s->full[i], 1);
            ptx::mbarrier_init(&s->empty[i], CLUSTER);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    if (threadIdx.x == 0) produce(s, &a, &b, work, rank);
    if (threadIdx.x >= 128) consume(s, c, n, work, rank);
    ptx::barrier_cluster_arrive(); /* nobody leaves while others may write to it */
    ptx::barrier_cluster_wait();
}

/* Lines of k elements, in boxes of 64 by `lines`. */
static CUtensorMap map_of(__half *matrix, int lines, int k, int box)
{
    CUtensorMap map;
    const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(k), static_cast<cuuint64_t>(lines)};
    const cuuint64_t pitches[1] = {k * sizeof *matrix};
    const cuuint32_t boxes[2] = {K, static_cast<cuuint32_t>(box)}, steps[2] = {1, 1};
    CUresult result = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, sizes, pitches, boxes, steps,
                                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
        printf("cuTensorMapEncodeTiled: %d\n", result);
        exit(1);
    }
    return map;
}

int main()
{
    const int m = 256, n = 192, k = 320, clusters = 5; /* 6 tiles of 5 steps: 6 steps a cluster */
    __half *a, *b; /* b: column after column */
    float *c;
    CHECK(cudaMallocManaged(&a, m * k * sizeof *a));
    CHECK(cudaMallocManaged(&b, n * k * sizeof *b));
    CHECK(cudaMallocManaged(&c, m * n * sizeof *c));
    unsigned state = 29;
    for (int i = 0; i < m * k; i++)
        a[i] = __half(static_cast<float>(next_random(&state) % 17) / 4 - 2);
    for (int i = 0; i < n * k; i++)
        b[i] = __half(static_cast<float>(next_random(&state) % 17) / 4 - 2);
    CHECK(cudaMemset(c, 0, m * n * sizeof *c));
    CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(sizeof(shared))));
    gemm<<<clusters * CLUSTER, THREADS, sizeof(shared)>>>(map_of(a, m, k, M), map_of(b, n, k, N / CLUSTER), c, m, n, k);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0; /* exact: multiples of 1/16 far below 2^20 */
            for (int i = 0; i < k; i++)
                sum += static_cast<float>(a[row * k + i]) * static_cast<float>(b[column * k + i]);
            ok &= c[row * n + column] == sum;
        }
    return verdict(ok);
}
