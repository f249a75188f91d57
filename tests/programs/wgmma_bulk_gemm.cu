// SPDX-License-Identifier: Apache-2.0
// C = A B of bf16 as CUTLASS's pipelined kernels for Hopper are built: one thread asks for tiles by tensor maps, swizzled by 128
// bytes, and mbarrier objects tell two warpgroups that multiply with wgmma when a stage is full, and it when one is empty.
#include "check.h"

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

enum { TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 3, CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS) };

struct stage {
    __nv_bfloat16 a[TILE_M * TILE_K], b[TILE_N * TILE_K]; /* lines of 128 bytes along k, swizzled */
};
struct shared {
    stage stages[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ unsigned address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void wait(const uint64_t *barrier, unsigned parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }"
                 ::"r"(address(barrier)), "r"(parity) : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, const uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(address(to)), "l"(map), "r"(x), "r"(y), "r"(address(barrier)) : "memory");
}

__device__ uint64_t descriptor(const void *matrix)
{
    uint64_t at = __cvta_generic_to_shared(matrix);
    return (at & 0x3ffff) >> 4 | static_cast<uint64_t>(1) << 16 | static_cast<uint64_t>(1024 >> 4) << 32 |
           static_cast<uint64_t>(1) << 62;
}

/* 64 x 128 x 16, sums in place. */
__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
          "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]),
          "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
          "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]),
          "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
          "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),
          "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]),
          "+f"(d[62]), "+f"(d[63])
        : "l"(a), "l"(b));
}

/* Waits for the phase before the first one end at once: the stages begin empty. */
__device__ void produce(shared *s, const CUtensorMap *a, const CUtensorMap *b, int row, int column, int k)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != 0) return;
    for (int step = 0; step < k / TILE_K; step++) {
        int at = step % STAGES;
        wait(&s->empty[at], step / STAGES % 2 ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     ::"r"(address(&s->full[at])), "r"(static_cast<unsigned>(sizeof(stage))) : "memory");
        load(s->stages[at].a, a, step * TILE_K, row, &s->full[at]);
        load(s->stages[at].b, b, step * TILE_K, column, &s->full[at]);
    }
}

__device__ void consume(shared *s, float *c, int n, int k)
{
    float d[64] = {};
    int group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int step = 0; step < k / TILE_K; step++) {
        int at = step % STAGES;
        wait(&s->full[at], step / STAGES % 2);
        uint64_t da = descriptor(s->stages[at].a + group * 64 * TILE_K), db = descriptor(s->stages[at].b);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < TILE_K / 16; part++)
            multiply(d, da + part * 2, db + part * 2); /* 32 bytes on within lines of 128 */
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&s->empty[at])) : "memory");
    }
    for (int i = 0; i < 64; i++) {
        int row = group * 64 + warp * 16 + lane / 4 + i % 4 / 2 * 8;
        c[row * n + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
}

__global__ void __launch_bounds__(THREADS) gemm(const __grid_constant__ CUtensorMap a,
                                                const __grid_constant__ CUtensorMap b, float *c, int n, int k)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    shared *s = reinterpret_cast<shared *>(memory);
    int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&s->full[i])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&s->empty[i])),
                         "r"(static_cast<int>(CONSUMERS)) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 128)
        produce(s, &a, &b, row, column, k);
    else
        consume(s, c + row * n + column, n, k);
}

/* Lines of k elements, in boxes of 64 by `lines`. */
static CUtensorMap map_of(const __nv_bfloat16 *matrix, int lines, int k, int box)
{
    CUtensorMap map;
    const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(k), static_cast<cuuint64_t>(lines)};
    const cuuint64_t pitches[1] = {k * sizeof *matrix};
    const cuuint32_t boxes[2] = {TILE_K, static_cast<cuuint32_t>(box)}, steps[2] = {1, 1};
    CUresult result = cuTensorMapEncodeTiled(
        &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<__nv_bfloat16 *>(matrix), sizes, pitches, boxes, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
        printf("cuTensorMapEncodeTiled: %d\n", result);
        exit(1);
    }
    return map;
}

int main()
{
    const int m = 256, n = 256, k = 448;
    __nv_bfloat16 *a, *b; /* b: column after column */
    float *c;
    unsigned state = 5;
    CHECK(cudaMallocManaged(&a, m * k * sizeof *a));
    CHECK(cudaMallocManaged(&b, n * k * sizeof *b));
    CHECK(cudaMallocManaged(&c, m * n * sizeof *c));
    for (int i = 0; i < m * k; i++)
        a[i] = __nv_bfloat16(static_cast<float>(static_cast<int>(next_random(&state) % 17) - 8) / 4);
    for (int i = 0; i < n * k; i++)
        b[i] = __nv_bfloat16(static_cast<float>(static_cast<int>(next_random(&state) % 17) - 8) / 4);
    CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(sizeof(shared))));
    gemm<<<dim3(n / TILE_N, m / TILE_M), THREADS, sizeof(shared)>>>(map_of(a, m, k, TILE_M), map_of(b, n, k, TILE_N), c,
                                                                    n, k);
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
