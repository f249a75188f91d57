// SPDX-License-Identifier: Apache-2.0
// A product of matrices as libraries write it for sm_90: one warp copies swizzled tiles by maps of tensors through a ring of
// buffers, a group of four warps multiplies them by wgmma. Compared with plain C, exactly.
#include "check.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_fp16.h>

namespace ptx = cuda::ptx;

enum { TILE = 64, STAGES = 3, M = 192, N = 128, K = 448, CONSUMERS = 128 };
enum { TILE_BYTES = TILE * TILE * 2 };

static __device__ void wait(uint64_t *object, unsigned parity)
{
    while (!ptx::mbarrier_try_wait_parity(object, parity)) {
    }
}

/* Rows of 128 bytes, eight of them 1024 bytes apart, chunks swizzled within 128 bytes. */
static __device__ uint64_t describe(const void *tile)
{
    uint64_t address = __cvta_generic_to_shared(tile);
    return (address & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

static __device__ void multiply(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b));
}

__global__ void product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], CONSUMERS);
        }
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) { /* the warp that copies */
        if (threadIdx.x > CONSUMERS) return;
        for (int k = 0; k < K / TILE; k++) {
            int stage = k % STAGES;
            unsigned char *to = tiles + stage * 2 * TILE_BYTES;
            wait(&empty[stage], (k / STAGES & 1) ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[stage],
                                           2 * TILE_BYTES);
            const int from_a[2] = {k * TILE, (int)row}, from_b[2] = {k * TILE, (int)column};
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &a, from_a, &full[stage]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to + TILE_BYTES, &b, from_b,
                                      &full[stage]);
        }
        return;
    }
    float d[32] = {0};
    for (int k = 0; k < K / TILE; k++) {
        int stage = k % STAGES;
        const unsigned char *from = tiles + stage * 2 * TILE_BYTES;
        wait(&full[stage], k / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < TILE / 16; part++)
            multiply(d, describe(from + 32 * part), describe(from + TILE_BYTES + 32 * part));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        ptx::mbarrier_arrive(&empty[stage]);
    }
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 32; i++) {
        unsigned y = row + 16 * warp + lane / 4 + 8 * (i / 2 % 2), x = column + 8 * (i / 4) + 2 * (lane % 4) + i % 2;
        c[y * N + x] = d[i];
    }
}

static bool encode(CUtensorMap *map, __half *memory, unsigned rows)
{
    const uint64_t sizes[] = {K, rows}, strides[] = {K * 2};
    const uint32_t box[] = {TILE, TILE}, steps[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, memory, sizes, strides, box, steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

int main()
{
    __half *a, *b;
    float *c;
    bool good = true;
    CHECK(cudaMallocManaged(&a, M * K * sizeof *a));
    CHECK(cudaMallocManaged(&b, N * K * sizeof *b));
    CHECK(cudaMallocManaged(&c, M * N * sizeof *c));
    unsigned state = 9;
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half((float)(next_random(&state) % 17) - 8);
    for (int i = 0; i < N * K; i++)
        b[i] = __float2half((float)(next_random(&state) % 13) - 6);
    CUtensorMap map_a, map_b;
    if (!encode(&map_a, a, M) || !encode(&map_b, b, N)) return verdict(false);
    enum { SHARED = STAGES * 2 * TILE_BYTES };
    CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    product<<<dim3(N / TILE, M / TILE), CONSUMERS + 32, SHARED>>>(map_a, map_b, c);
    CHECK(cudaDeviceSynchronize());
    for (int y = 0; y < M; y++)
        for (int x = 0; x < N; x++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += (int)__half2float(a[y * K + k]) * (int)__half2float(b[x * K + k]);
            good = good && c[y * N + x] == (float)sum;
        }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    return verdict(good);
}
