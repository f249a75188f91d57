// SPDX-License-Identifier: Apache-2.0
/* What cli/validate/convolution.c writes as PTX, for nvcc: a convolution of one configuration. The caller
 * defines WIDTH, HEIGHT, FILTER, BX, BY, TX, TY (block, points a thread), RO (the read-only path) and PITCH (floats
 * of a row of shared memory; 0: none). */
#define INPUT_WIDTH (WIDTH + FILTER - 1)
#define INPUT_HEIGHT (HEIGHT + FILTER - 1)
#define COPIED_X (BX * TX + FILTER - 1)
#define COPIED_Y (BY * TY + FILTER - 1)
#define HAS_TESTS (WIDTH % (BX * TX) || HEIGHT % (BY * TY))
#if RO
#define LOAD(index) __ldg(input + (index))
#else
#define LOAD(index) input[index]
#endif

__constant__ float weights[FILTER * FILTER];

extern "C" __global__ void convolution(float *output, const float *input)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x0 = blockIdx.x * (BX * TX), y0 = blockIdx.y * (BY * TY);
    float sums[TY][TX] = {};
#if PITCH
    __shared__ float tile[COPIED_Y][PITCH];
    for (int i = ty; i < COPIED_Y; i += BY)
        for (int j = tx; j < COPIED_X; j += BX)
            if (!HAS_TESTS || (y0 + i < INPUT_HEIGHT && x0 + j < INPUT_WIDTH))
                tile[i][j] = LOAD((y0 + i) * INPUT_WIDTH + x0 + j);
    __syncthreads();
#endif
#pragma unroll
    for (int i = 0; i < FILTER; i++)
#pragma unroll
        for (int j = 0; j < FILTER; j++)
#pragma unroll
            for (int y = 0; y < TY; y++)
#pragma unroll
                for (int x = 0; x < TX; x++) {
                    const int row = ty + i + y * BY, column = tx + j + x * BX;
#if PITCH
                    sums[y][x] += tile[row][column] * weights[i * FILTER + j];
#else
                    if (!HAS_TESTS || (y0 + row < INPUT_HEIGHT && x0 + column < INPUT_WIDTH))
                        sums[y][x] += LOAD((y0 + row) * INPUT_WIDTH + x0 + column) * weights[i * FILTER + j];
#endif
                }
#pragma unroll
    for (int y = 0; y < TY; y++)
#pragma unroll
        for (int x = 0; x < TX; x++) {
            const int row = y0 + ty + y * BY, column = x0 + tx + x * BX;
            if (!HAS_TESTS || (row < HEIGHT && column < WIDTH))
                output[row * WIDTH + column] = sums[y][x];
        }
}
