// SPDX-License-Identifier: Apache-2.0
// C = A B, square, row-major. A block of BX x BY threads computes a tile of BX*TX columns and BY*TY rows, TX x TY
// elements a thread, and walks along the rows of A in steps of K. All of BX, BY, TX, TY and K are to be found.
#define COLUMNS (BX * TX)
#define ROWS (BY * TY)
#define THREADS (BX * BY)

extern "C" __global__ void __launch_bounds__(THREADS)
    sgemm(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ float tile_a[ROWS][K + 1];
    __shared__ float tile_b[K][COLUMNS];
    const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * BX + tx;
    const int row = blockIdx.y * ROWS, column = blockIdx.x * COLUMNS;
    float sums[TY][TX] = {};
    for (int k0 = 0; k0 < n; k0 += K) {
        for (int i = thread; i < ROWS * K; i += THREADS)
            tile_a[i / K][i % K] = a[(row + i / K) * n + k0 + i % K];
        for (int i = thread; i < K * COLUMNS; i += THREADS)
            tile_b[i / COLUMNS][i % COLUMNS] = b[(k0 + i / COLUMNS) * n + column + i % COLUMNS];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < K; k++)
#pragma unroll
            for (int y = 0; y < TY; y++)
#pragma unroll
                for (int x = 0; x < TX; x++)
                    sums[y][x] += tile_a[ty + y * BY][k] * tile_b[k][tx + x * BX];
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < TY; y++)
#pragma unroll
        for (int x = 0; x < TX; x++)
            c[(row + ty + y * BY) * n + column + tx + x * BX] = sums[y][x];
}
