// SPDX-License-Identifier: Apache-2.0
/* Tiled, with a template for the tile, edges that do not fit, and dynamic shared memory. */
#include "check.h"

template <int TILE>
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        as[threadIdx.y][threadIdx.x] =
            row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] =
            t + threadIdx.y < k && column < n ? b[(t + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void multiply_dynamic(const float *a, const float *b, float *c, int n, int tile)
{
    extern __shared__ float shared[];
    float *as = shared, *bs = shared + tile * tile;
    int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += tile) {
        as[threadIdx.y * tile + threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y * tile + threadIdx.x] = b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < tile; i++)
            sum += as[threadIdx.y * tile + i] * bs[i * tile + threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static bool matches(const std::vector<float> &a, const std::vector<float> &b,
                    const std::vector<float> &c, int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0; /* small integers: exact */
            for (int t = 0; t < k; t++)
                sum += a[i * k + t] * b[t * n + j];
            if (c[i * n + j] != sum) {
                printf("c[%d][%d] is %g, not %g\n", i, j, c[i * n + j], sum);
                return false;
            }
        }
    return true;
}

int main()
{
    const int m = 70, n = 95, k = 50, square = 64;
    unsigned state = 7;
    std::vector<float> a(m * k), b(k * n), c(m * n), s(square * square), p(square * square);
    for (float &x : a)
        x = next_random(&state) % 16;
    for (float &x : b)
        x = next_random(&state) % 16;
    for (float &x : s)
        x = next_random(&state) % 16;
    float *da, *db, *dc, *ds, *dp;
    CHECK(cudaMalloc(&da, a.size() * 4));
    CHECK(cudaMalloc(&db, b.size() * 4));
    CHECK(cudaMalloc(&dc, c.size() * 4));
    CHECK(cudaMalloc(&ds, s.size() * 4));
    CHECK(cudaMalloc(&dp, s.size() * 4));
    CHECK(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(ds, s.data(), s.size() * 4, cudaMemcpyHostToDevice));
    multiply<16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(da, db, dc, m, n, k);
    CHECK(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
    bool ok = matches(a, b, c, m, n, k);
    multiply<8><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(da, db, dc, m, n, k);
    CHECK(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
    ok &= matches(a, b, c, m, n, k);
    CHECK(cudaFuncSetAttribute(multiply_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               2 * 16 * 16 * 4));
    multiply_dynamic<<<dim3(4, 4), dim3(16, 16), 2 * 16 * 16 * 4>>>(ds, ds, dp, square, 16);
    CHECK(cudaMemcpy(p.data(), dp, p.size() * 4, cudaMemcpyDeviceToHost));
    ok &= matches(s, s, p, square, square, square);
    return verdict(ok);
}
