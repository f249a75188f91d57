// SPDX-License-Identifier: Apache-2.0
// C = A B of half precision as CUTLASS's multistage kernels for Ampere are built: cp.async keeps tiles some stages ahead in
// shared memory whose 16-byte parts are swizzled, ldmatrix fetches fragments one step before mma takes them. The edges of A, B
// and C need not be multiples of tiles.
#include "check.h"

#include <cuda_fp16.h>

#include <cstdint>

enum { M = 64, N = 64, K = 32, STAGES = 4, WARPS_M = 2, WARPS_N = 2, THREADS = 32 * WARPS_M * WARPS_N };
enum { WARP_M = M / WARPS_M, WARP_N = N / WARPS_N, MMA_M = WARP_M / 16, MMA_N = WARP_N / 8, PART = 8 };

/* a: lines of K; b: lines of N. Both in parts of 8 numbers. */
struct stage {
    __half a[M * K], b[K * N];
};

__device__ unsigned address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* Eight lines in a row, of which each has the same part, are in different banks. */
__device__ int place_a(int row, int part)
{
    return (row * (K / PART) + (part ^ row / 2 % (K / PART))) * PART;
}
__device__ int place_b(int row, int part)
{
    return (row * (N / PART) + (part ^ row % (N / PART))) * PART;
}

/* Beyond the matrix zeros come instead. */
__device__ void copy_part(__half *to, const __half *from, bool is_inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 ::"r"(address(to)), "l"(from), "r"(is_inside ? 16 : 0) : "memory");
}

struct problem {
    const __half *a, *b;
    float *c;
    int m, n, k; /* n and k: multiples of 8 */
};

__device__ void fetch(stage *to, const problem &p, int row, int column, int k)
{
    for (int i = threadIdx.x; i < M * K / PART; i += THREADS) {
        int y = i / (K / PART), part = i % (K / PART), x = k + part * PART;
        bool is_inside = row + y < p.m && x < p.k;
        copy_part(to->a + place_a(y, part), is_inside ? p.a + (row + y) * p.k + x : p.a, is_inside);
    }
    for (int i = threadIdx.x; i < K * N / PART; i += THREADS) {
        int y = i / (N / PART), part = i % (N / PART), x = column + part * PART;
        bool is_inside = k + y < p.k && x < p.n;
        copy_part(to->b + place_b(y, part), is_inside ? p.b + (k + y) * p.n + x : p.b, is_inside);
    }
}

struct fragments {
    unsigned a[MMA_M][4], b[MMA_N][2];
};

__device__ void load(fragments *to, const stage *from, int step)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = warp / WARPS_N * WARP_M, column = warp % WARPS_N * WARP_N;
    for (int i = 0; i < MMA_M; i++) {
        unsigned at = address(from->a + place_a(row + i * 16 + lane % 16, step * 2 + lane / 16));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to->a[i][0]), "=r"(to->a[i][1]), "=r"(to->a[i][2]), "=r"(to->a[i][3]) : "r"(at));
    }
    for (int i = 0; i < MMA_N; i += 2) {
        unsigned at = address(from->b + place_b(step * 16 + lane % 16, (column + i * 8) / PART + lane / 16));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to->b[i][0]), "=r"(to->b[i][1]), "=r"(to->b[i + 1][0]), "=r"(to->b[i + 1][1]) : "r"(at));
    }
}

__device__ void multiply(float (&sums)[MMA_M][MMA_N][4], const fragments &f)
{
    for (int i = 0; i < MMA_M; i++)
        for (int k = 0; k < MMA_N; k++) {
            float *d = sums[i][k];
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                         "{%0, %1, %2, %3};"
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                         : "r"(f.a[i][0]), "r"(f.a[i][1]), "r"(f.a[i][2]), "r"(f.a[i][3]), "r"(f.b[k][0]), "r"(f.b[k][1]));
        }
}

__device__ void write(const problem &p, int row, int column, const float (&sums)[MMA_M][MMA_N][4])
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    row += warp / WARPS_N * WARP_M + lane / 4;
    column += warp % WARPS_N * WARP_N + lane % 4 * 2;
    for (int i = 0; i < MMA_M; i++)
        for (int k = 0; k < MMA_N; k++)
            for (int j = 0; j < 4; j++) {
                int y = row + i * 16 + j / 2 * 8, x = column + k * 8 + j % 2;
                if (y < p.m && x < p.n) p.c[y * p.n + x] = sums[i][k][j];
            }
}

__global__ void __launch_bounds__(THREADS) gemm(problem p)
{
    extern __shared__ __align__(128) unsigned char memory[];
    stage *stages = reinterpret_cast<stage *>(memory);
    int row = blockIdx.y * M, column = blockIdx.x * N, tiles = (p.k + K - 1) / K;
    float sums[MMA_M][MMA_N][4] = {};
    fragments parts[2];
    for (int tile = 0; tile < STAGES - 1; tile++) {
        if (tile < tiles) fetch(&stages[tile], p, row, column, tile * K);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    load(&parts[0], &stages[0], 0);
    for (int tile = 0; tile < tiles; tile++)
        for (int step = 0; step < K / 16; step++) {
            if (step == K / 16 - 1) { /* the next tile's first step comes from the next stage */
                asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3) : "memory");
                __syncthreads();
            }
            int next = (step + 1) % (K / 16), from = step == K / 16 - 1 ? tile + 1 : tile;
            load(&parts[(step + 1) % 2], &stages[from % STAGES], next);
            if (step == 0) {
                int ahead = tile + STAGES - 1;
                if (ahead < tiles) fetch(&stages[ahead % STAGES], p, row, column, ahead * K);
                asm volatile("cp.async.commit_group;" ::: "memory");
            }
            multiply(sums, parts[step % 2]);
        }
    asm volatile("cp.async.wait_all;" ::: "memory");
    write(p, row, column, sums);
}

int main()
{
    const int m = 200, n = 136, k = 232;
    __half *a, *b;
    float *c;
    CHECK(cudaMallocManaged(&a, m * k * sizeof *a));
    CHECK(cudaMallocManaged(&b, k * n * sizeof *b));
    CHECK(cudaMallocManaged(&c, m * n * sizeof *c));
    unsigned state = 13;
    for (int i = 0; i < m * k; i++)
        a[i] = __half(static_cast<float>(next_random(&state) % 33) / 8 - 2);
    for (int i = 0; i < k * n; i++)
        b[i] = __half(static_cast<float>(next_random(&state) % 33) / 8 - 2);
    const int bytes = STAGES * sizeof(stage);
    gemm<<<dim3((n + N - 1) / N, (m + M - 1) / M), THREADS, bytes>>>({a, b, c, m, n, k});
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int y = 0; y < m; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0; /* exact: multiples of 1/64 far below 2^18 */
            for (int i = 0; i < k; i++)
                sum += static_cast<float>(a[y * k + i]) * static_cast<float>(b[i * n + x]);
            ok &= c[y * n + x] == sum;
        }
    return verdict(ok);
}
