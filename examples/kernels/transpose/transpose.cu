// SPDX-License-Identifier: Apache-2.0
// out = the transpose of in, n x n, row-major, n a multiple of TILE. Three forms, blocks of
// TILE x ROWS threads; each thread moves TILE / ROWS elements.

#define TILE 32
#define ROWS 8

// Straight: rows are loaded in order, columns are stored: every lane's store lies in another line.
extern "C" __global__ void transpose_naive(int n, const float *__restrict__ in,
                                           float *__restrict__ out)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = in[(y + j) * n + x];
}

// WIDTH words a row of the tile: with 32, a column lies in one bank; with 33, in 32 banks.
template <int WIDTH>
static __device__ __forceinline__ void transpose(int n, const float *__restrict__ in,
                                                 float *__restrict__ out)
{
    __shared__ float tile[TILE][WIDTH];

    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Through a tile in shared memory: global memory sees rows only, but the columns of the tile meet
// in one bank.
extern "C" __global__ void transpose_tiled(int n, const float *__restrict__ in,
                                           float *__restrict__ out)
{
    transpose<TILE>(n, in, out);
}

// The same with a word of padding a row: no two lanes meet in a bank.
extern "C" __global__ void transpose_padded(int n, const float *__restrict__ in,
                                            float *__restrict__ out)
{
    transpose<TILE + 1>(n, in, out);
}
