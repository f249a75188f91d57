// SPDX-License-Identifier: Apache-2.0
// Products of small matrices on tensor cores: wmma in its three shapes, layouts and kinds of sums, from
// global and shared memory; mma and ldmatrix by their PTX names. The host multiplies the same integers.
#include "check.h"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <int M, int N, int K, class A, class B, class Sum, class LayoutA, class LayoutB>
__global__ void product(const A *a, const B *b, Sum *d, bool by_columns)
{
    wmma::fragment<wmma::matrix_a, M, N, K, A, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, B, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    const bool rows_a = std::is_same<LayoutA, wmma::row_major>::value;
    const bool rows_b = std::is_same<LayoutB, wmma::row_major>::value;
    __shared__ A tile[M * K];
    for (int i = threadIdx.x; i < M * K; i += 32)
        tile[i] = a[i];
    __syncwarp();
    wmma::load_matrix_sync(fa, tile, rows_a ? K : M);
    wmma::load_matrix_sync(fb, b, rows_b ? N : K);
    wmma::fill_fragment(sum, Sum(1));
    wmma::mma_sync(sum, fa, fb, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] + sum.x[i];
    if (by_columns)
        wmma::store_matrix_sync(d, sum, M, wmma::mem_col_major);
    else
        wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}

/* Columns of A by 2 N lines of a larger matrix: strides, and sums that are loaded. */
__global__ void tiles(const half *a, const half *b, float *c, int n)
{
    using namespace wmma;
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> sum;
    load_matrix_sync(sum, c + row * n + column, n, mem_row_major);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(fa, a + row * n + k, n);
        load_matrix_sync(fb, b + k * n + column, n);
        mma_sync(sum, fa, fb, sum);
    }
    store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

/* m16n8k8 of halves: A through ldmatrix, B transposed on the way. */
__global__ void by_name(const half *a, const half *b, float *d)
{
    __shared__ __align__(16) half sa[16 * 8], sb[8 * 8];
    for (int i = threadIdx.x; i < 128; i += 32) {
        sa[i] = a[i];
        if (i < 64) sb[i] = b[i];
    }
    __syncwarp();
    unsigned a0, a1, b0;
    unsigned from_a = static_cast<unsigned>(__cvta_generic_to_shared(sa + threadIdx.x % 16 * 8));
    unsigned from_b = static_cast<unsigned>(__cvta_generic_to_shared(sb + threadIdx.x % 8 * 8));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a0), "=r"(a1)
                 : "r"(from_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(b0)
                 : "r"(from_b));
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
        : "r"(a0), "r"(a1), "r"(b0));
    /* PTX ISA, figure of the fragment of C of m16n8k8 */
    int row = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
    d[row * 8 + column] = c0;
    d[row * 8 + column + 1] = c1;
    d[(row + 8) * 8 + column] = c2;
    d[(row + 8) * 8 + column + 1] = c3;
}

static int element(int i, int step)
{
    return i * step % 11 - 5;
}

template <int M, int N, int K, class A, class B, class Sum, class LayoutA, class LayoutB>
static bool try_product(bool by_columns)
{
    A *a;
    B *b;
    Sum *d;
    CHECK(cudaMallocManaged(&a, M * K * sizeof *a));
    CHECK(cudaMallocManaged(&b, K * N * sizeof *b));
    CHECK(cudaMallocManaged(&d, M * N * sizeof *d));
    const bool rows_a = std::is_same<LayoutA, wmma::row_major>::value;
    const bool rows_b = std::is_same<LayoutB, wmma::row_major>::value;
    const int bias = std::is_same<A, unsigned char>::value ? 5 : 0;
    for (int i = 0; i < M * K; i++)
        a[i] = A(static_cast<float>(element(i, 7) + bias));
    for (int i = 0; i < K * N; i++)
        b[i] = B(static_cast<float>(element(i, 3) + bias));
    product<M, N, K, A, B, Sum, LayoutA, LayoutB><<<1, 32>>>(a, b, d, by_columns);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++) {
            int sum = 1;
            for (int k = 0; k < K; k++)
                sum += (element(rows_a ? row * K + k : k * M + row, 7) + bias) *
                       (element(rows_b ? k * N + column : column * K + k, 3) + bias);
            int at = by_columns ? column * M + row : row * N + column;
            ok &= static_cast<float>(d[at]) == static_cast<float>(2 * sum);
        }
    return ok;
}

template <class LayoutA, class LayoutB> static bool try_layouts()
{
    bool ok = try_product<16, 16, 16, half, half, float, LayoutA, LayoutB>(false);
    ok &= try_product<16, 16, 16, half, half, half, LayoutA, LayoutB>(true);
    ok &= try_product<32, 8, 16, half, half, float, LayoutA, LayoutB>(true);
    ok &= try_product<8, 32, 16, half, half, half, LayoutA, LayoutB>(false);
    ok &= try_product<16, 16, 16, signed char, signed char, int, LayoutA, LayoutB>(false);
    ok &= try_product<32, 8, 16, unsigned char, unsigned char, int, LayoutA, LayoutB>(false);
    ok &= try_product<8, 32, 16, signed char, signed char, int, LayoutA, LayoutB>(true);
    return ok;
}

int main()
{
    bool ok = try_layouts<wmma::row_major, wmma::col_major>();
    ok &= try_layouts<wmma::col_major, wmma::row_major>();
    ok &= try_layouts<wmma::row_major, wmma::row_major>();
    printf("wmma %s\n", ok ? "agrees" : "differs");

    const int n = 48;
    half *a, *b;
    float *c;
    CHECK(cudaMallocManaged(&a, n * n * sizeof *a));
    CHECK(cudaMallocManaged(&b, n * n * sizeof *b));
    CHECK(cudaMallocManaged(&c, n * n * sizeof *c));
    for (int i = 0; i < n * n; i++) {
        a[i] = half(static_cast<float>(element(i, 5)));
        b[i] = half(static_cast<float>(element(i, 8)));
        c[i] = static_cast<float>(i);
    }
    tiles<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n * n; i++) {
        int sum = i;
        for (int k = 0; k < n; k++)
            sum += element(i / n * n + k, 5) * element(k * n + i % n, 8);
        ok &= c[i] == static_cast<float>(sum);
    }
    by_name<<<1, 32>>>(a, b, c);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 16 * 8; i++) {
        int sum = 0;
        for (int k = 0; k < 8; k++)
            sum += element(i / 8 * 8 + k, 5) * element(k * 8 + i % 8, 8);
        ok &= c[i] == static_cast<float>(sum);
    }
    return verdict(ok);
}
