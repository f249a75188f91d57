// SPDX-License-Identifier: Apache-2.0
/* Kernels of one element a thread, as tuners and teachers write them. */

#define ONE(index) const int index = blockIdx.x * blockDim.x + threadIdx.x

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    ONE(i);
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void saxpy(const float *x, float *y, float a, int n)
{
    ONE(i);
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void strided_copy_8(const float *a, float *c, int n)
{
    ONE(i);
    if (i * 8 < n) c[i * 8] = a[i * 8];
}

extern "C" __global__ void random_access(const float *a, const int *index, float *c, int n)
{
    ONE(i);
    if (i < n) c[i] = a[index[i]];
}

extern "C" __global__ void vector_add_divergent(const float *a, const float *b, float *c, int n)
{
    ONE(i);
    if (i >= n) return;
    float sum = a[i] + b[i];
    if (threadIdx.x % 2 == 0) {
#pragma unroll 16
        for (int t = 0; t < 128; t++)
            sum += t * 1e-4f;
    }
    c[i] = sum;
}

extern "C" __global__ void atomic_hotspot(int *counter, int iterations, int n)
{
    ONE(i);
    if (i >= n) return;
    for (int t = 0; t < iterations; t++)
        atomicAdd(counter, 1);
}

/* Two elements a thread, then a tree in shared memory. */
extern __shared__ float shared[];

__device__ void sum_block(float value, float *sums)
{
    const unsigned thread = threadIdx.x;
    shared[thread] = value;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (thread < half) shared[thread] += shared[thread + half];
        __syncthreads();
    }
    if (thread == 0) sums[blockIdx.x] = shared[0];
}

extern "C" __global__ void reduce_sum(const float *in, float *sums, int n)
{
    const int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    float value = 0;
    if (i < n) value = in[i];
    if (i + blockDim.x < n) value += in[i + blockDim.x];
    sum_block(value, sums);
}

extern "C" __global__ void dot_product(const float *a, const float *b, float *sums, int n)
{
    const int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    float value = 0;
    if (i < n) value = a[i] * b[i];
    if (i + blockDim.x < n) value += a[i + blockDim.x] * b[i + blockDim.x];
    sum_block(value, sums);
}

extern "C" __global__ void histogram(const unsigned *data, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&own[data[i] % 256], 1);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&bins[bin], own[bin]);
}

/* ---- two dimensions ---- */

#define BOTH(across, down)                                                                                             \
    const int across = blockIdx.x * blockDim.x + threadIdx.x;                                                          \
    const int down = blockIdx.y * blockDim.y + threadIdx.y

extern "C" __global__ void naive_transpose(const float *in, float *out, int rows, int columns)
{
    BOTH(column, row);
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

extern "C" __global__ void shared_transpose(const float *in, float *out, int rows, int columns)
{
    __shared__ float tile[32][33];
    BOTH(column, row);
    if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
    __syncthreads();
    const int x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

template <int SIZE>
__device__ void convolve(const float *image, const float *weights, float *out, int rows, int columns)
{
    BOTH(column, row);
    if (row >= rows - SIZE + 1 || column >= columns - SIZE + 1) return;
    float sum = 0;
#pragma unroll
    for (int y = 0; y < SIZE; y++)
#pragma unroll
        for (int x = 0; x < SIZE; x++)
            sum += image[(row + y) * columns + column + x] * weights[y * SIZE + x];
    out[row * (columns - SIZE + 1) + column] = sum;
}

extern "C" __global__ void conv2d_3x3(const float *image, const float *weights, float *out, int rows, int columns)
{
    convolve<3>(image, weights, out, rows, columns);
}

extern "C" __global__ void conv2d_7x7(const float *image, const float *weights, float *out, int rows, int columns)
{
    convolve<7>(image, weights, out, rows, columns);
}

extern "C" __global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    BOTH(column, row);
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[32][32], tile_b[32][32];
    BOTH(column, row);
    float sum = 0;
    for (int tile = 0; tile < (n + 31) / 32; tile++) {
        const int x = tile * 32 + threadIdx.x, y = tile * 32 + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < n && x < n ? a[row * n + x] : 0;
        tile_b[threadIdx.y][threadIdx.x] = y < n && column < n ? b[y * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
