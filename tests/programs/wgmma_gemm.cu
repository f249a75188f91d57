// SPDX-License-Identifier: Apache-2.0
// C = A B of bf16 as kernels for Hopper are written: a warpgroup copies tiles to swizzled shared memory two stages ahead and
// gives its registers away, two others multiply them with wgmma, 64 x 128 each; named barriers hand the stages over.
#include "check.h"

#include <cuda_bf16.h>

#include <cstdint>

enum { TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 2, CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS) };

struct stage {
    __nv_bfloat16 a[TILE_M * TILE_K], b[TILE_N * TILE_K]; /* lines of 128 bytes along k, swizzled */
};

__device__ uint64_t descriptor(const void *matrix)
{
    uint64_t at = __cvta_generic_to_shared(matrix);
    return (at & 0x3ffff) >> 4 | static_cast<uint64_t>(1) << 16 | static_cast<uint64_t>(1024 >> 4) << 32 |
           static_cast<uint64_t>(1) << 62;
}

__device__ void barrier(int id, bool waits)
{
    if (waits)
        asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(static_cast<int>(THREADS)) : "memory");
    else
        asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(static_cast<int>(THREADS)) : "memory");
}

/* 16 bytes each: line by line of 128 bytes, which Swizzle<3, 4, 3> permutes. */
__device__ void copy_tile(__nv_bfloat16 *to, const __nv_bfloat16 *from, int lines, int pitch)
{
    for (int i = threadIdx.x % 128; i < lines * 8; i += 128) {
        int line = i / 8, chunk = i % 8;
        const uint4 *source = reinterpret_cast<const uint4 *>(from + line * pitch + chunk * 8);
        reinterpret_cast<uint4 *>(to)[line * 8 + (chunk ^ line % 8)] = *source;
    }
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

__device__ void produce(stage *stages, const __nv_bfloat16 *a, const __nv_bfloat16 *b, int k)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    for (int step = 0; step < k / TILE_K; step++) {
        stage *s = &stages[step % STAGES];
        if (step >= STAGES) barrier(1 + STAGES + step % STAGES, true); /* free again */
        copy_tile(s->a, a + step * TILE_K, TILE_M, k);
        copy_tile(s->b, b + step * TILE_K, TILE_N, k);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        barrier(1 + step % STAGES, false); /* full */
    }
}

__device__ void consume(stage *stages, float *c, int n, int k)
{
    float d[64] = {};
    int group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int step = 0; step < k / TILE_K; step++) {
        stage *s = &stages[step % STAGES];
        barrier(1 + step % STAGES, true);
        uint64_t da = descriptor(s->a + group * 64 * TILE_K), db = descriptor(s->b);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < TILE_K / 16; part++)
            multiply(d, da + part * 2, db + part * 2); /* 32 bytes on within lines of 128 */
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (step + STAGES < k / TILE_K) barrier(1 + STAGES + step % STAGES, false);
    }
    for (int i = 0; i < 64; i++) {
        int row = group * 64 + warp * 16 + lane / 4 + i % 4 / 2 * 8;
        c[row * n + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
}

__global__ void __launch_bounds__(THREADS)
    gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n, int k)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    stage *stages = reinterpret_cast<stage *>(memory);
    int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N;
    if (threadIdx.x < 128)
        produce(stages, a + row * k, b + column * k, k);
    else
        consume(stages, c + row * n + column, n, k);
}

int main()
{
    const int m = 256, n = 256, k = 320;
    __nv_bfloat16 *a, *b; /* b: column after column */
    float *c;
    unsigned state = 3;
    CHECK(cudaMallocManaged(&a, m * k * sizeof *a));
    CHECK(cudaMallocManaged(&b, n * k * sizeof *b));
    CHECK(cudaMallocManaged(&c, m * n * sizeof *c));
    for (int i = 0; i < m * k; i++)
        a[i] = __nv_bfloat16(static_cast<float>(static_cast<int>(next_random(&state) % 17) - 8) / 4);
    for (int i = 0; i < n * k; i++)
        b[i] = __nv_bfloat16(static_cast<float>(static_cast<int>(next_random(&state) % 17) - 8) / 4);
    CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(STAGES * sizeof(stage))));
    gemm<<<dim3(n / TILE_N, m / TILE_M), THREADS, STAGES * sizeof(stage)>>>(a, b, c, n, k);
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
