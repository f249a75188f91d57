// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that a pipeline waits for. Compiled with -arch=sm_80.
#include <cuda_pipeline.h>

// Tiles of a block's size in two buffers; out gets the sum of each position's mirror image.
extern "C" __global__ void tiles(const int *in, int *out, int count)
{
    __shared__ int buffer[2][64];
    int i = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&buffer[0][i], in + i, 4);
    __pipeline_commit();
    for (int tile = 0; tile < count; tile++) {
        if (tile + 1 < count)
            __pipeline_memcpy_async(&buffer[(tile + 1) % 2][i], in + (tile + 1) * blockDim.x + i,
                                    4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += buffer[tile % 2][blockDim.x - 1 - i];
        __syncthreads();
    }
    out[i] = sum;
}

// 16 bytes a thread, of which the last 12, the last 8, none and all become zeros.
extern "C" __global__ void filled(const int4 *in, int4 *out)
{
    __shared__ int4 rows[4];
    int i = threadIdx.x;
    rows[i] = make_int4(-1, -1, -1, -1);
    if (i == 0) __pipeline_memcpy_async(&rows[0], in, 16, 12);
    if (i == 1) __pipeline_memcpy_async(&rows[1], in + 1, 16, 8);
    if (i == 2) __pipeline_memcpy_async(&rows[2], in + 2, 16, 0);
    if (i == 3) __pipeline_memcpy_async(&rows[3], in + 3, 16, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = rows[i];
}

// The number of bytes to read is known at run time only: nvcc makes a copy for each.
extern "C" __global__ void unknown(const int4 *in, int4 *out, int zeros)
{
    __shared__ int4 row;
    __pipeline_memcpy_async(&row, in, 16, zeros);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    *out = row;
}
