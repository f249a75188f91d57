// SPDX-License-Identifier: Apache-2.0
// C = A B for square row-major matrices whose side is a multiple of TILE. A block of TILE x TILE
// threads computes one tile of C; it walks along a row of tiles of A and a column of tiles of B,
// and stages each pair in shared memory, so that a global element is loaded n / TILE times and not
// n times.

#define TILE 16

extern "C" __global__ void sgemm_tiled(int n, const float *__restrict__ a,
                                       const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;

    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += TILE) {
        tile_a[y][x] = a[row * n + tile + x];
        tile_b[y][x] = b[(tile + y) * n + column];
        __syncthreads(); // the tiles are complete

#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads(); // nobody reads them any more
    }
    c[row * n + column] = sum;
}
