// SPDX-License-Identifier: Apache-2.0
// C = A B^T by sub-matrices of 16 x 16 (Lai and Seznec, section 5.1). A block is 16 x 2N threads, N
// warps, and every thread has the same work whatever N is: each step it brings one element of A and
// one of B to shared memory and adds 16 products to its element of C. With N < 8 the lower rows of
// the sub-matrices are not there (they are zeros): the paper times such blocks, too, and it is the
// time that counts. A warp reads 16 rows of B at one column: with 16 words a row all of them lie in
// one of 16 banks. The elements of the next step are loaded before the products of this one: with one
// warp the paper measures and predicts less for a step than its 16 dependent products of 74 cycles and
// one latency of the memory, so they must overlap. (The last step loads 16 words more than there are.)

#define TILE 16

template <int WORDS>
__device__ void multiply(int width, const float *a, const float *b, float *c)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][WORDS];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.x * TILE + y;
    float sum = 0.0f, next_a = a[row * width + x], next_b = b[y * width + x];
    for (int step = 0; step < width; step += TILE) {
        tile_a[y][x] = next_a;
        tile_b[y][x] = next_b;
        __syncthreads();
        next_a = a[row * width + step + TILE + x];
        next_b = b[y * width + step + TILE + x];
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[x][k];
        __syncthreads();
    }
    c[row * TILE + x] = sum;
}

extern "C" __global__ void abt_conflict(int width, const float *a, const float *b, float *c)
{
    multiply<TILE>(width, a, b, c);
}

extern "C" __global__ void abt_padded(int width, const float *a, const float *b, float *c)
{
    multiply<TILE + 1>(width, a, b, c);
}
