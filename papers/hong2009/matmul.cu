// SPDX-License-Identifier: Apache-2.0
// The matrix products among the Merge benchmarks (Hong's thesis, table 4): C = A B, n x n,
// row-major.

// One element a thread; threads along a row, a row of blocks a row of C.
extern "C" __global__ void matmul_naive(int n, const float *__restrict__ a,
                                        const float *__restrict__ b, float *__restrict__ c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= n) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = fmaf(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

// Through shared memory, in tiles of the block's size: t x t threads, 8 t t bytes of dynamic
// shared memory. Table 4's 3960 bytes are 88 of parameters, as with the naive form, and two tiles
// of 22 x 22; its 9780 to 24580 instructions are those of several sizes.
extern "C" __global__ void matmul_tiled(int n, const float *__restrict__ a,
                                        const float *__restrict__ b, float *__restrict__ c)
{
    extern __shared__ float tiles[];
    int t = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * t + x, row = blockIdx.y * t + y;
    float *tile_a = tiles, *tile_b = tiles + t * t;

    float sum = 0.0f;
#pragma unroll 1
    for (int first = 0; first < n; first += t) {
        tile_a[y * t + x] = row < n && first + x < n ? a[row * n + first + x] : 0.0f;
        tile_b[y * t + x] = column < n && first + y < n ? b[(first + y) * n + column] : 0.0f;
        __syncthreads(); // the tiles are complete
#pragma unroll 1
        for (int k = 0; k < t; k++)
            sum = fmaf(tile_a[y * t + k], tile_b[k * t + x], sum);
        __syncthreads(); // nobody reads them any more
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
