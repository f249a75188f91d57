// SPDX-License-Identifier: Apache-2.0
// examples/kernels/{sgemm_tiled,saxpy,reduce} in OpenCL C,
// statement by statement. (half is a type here: the counter of reduce has another name.)

__kernel void saxpy(int n, float a, __global const float *x, __global float *y)
{
    int i = get_global_id(0);
    if (i < n) y[i] = fma(a, x[i], y[i]);
}

#define TILE 16
__kernel void sgemm_tiled(int n, __global const float *a, __global const float *b,
                          __global float *c)
{
    __local float tile_a[TILE][TILE];
    __local float tile_b[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int row = get_group_id(1) * TILE + y;
    int column = get_group_id(0) * TILE + x;
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += TILE) {
        tile_a[y][x] = a[row * n + tile + x];
        tile_b[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum = fma(tile_a[y][k], tile_b[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

#define THREADS 256
__kernel void reduce(int n, __global const float *in, __global float *partial)
{
    __local float sums[THREADS];
    int thread = get_local_id(0);
    int i = get_group_id(0) * (2 * THREADS) + thread;
    float sum = i < n ? in[i] : 0.0f;
    if (i + THREADS < n) sum += in[i + THREADS];
    sums[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (thread < step) sums[thread] += sums[thread + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread == 0) partial[get_group_id(0)] = sums[0];
}
