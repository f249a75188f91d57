// SPDX-License-Identifier: Apache-2.0
/* The linear algebra of PolyBench as one thread an element would do it, with every partial result in global
 * memory: sums are stored at each step of the inner loop. */

#define BOTH(across, down)                                                                                             \
    const int across = blockIdx.x * blockDim.x + threadIdx.x;                                                          \
    const int down = blockIdx.y * blockDim.y + threadIdx.y
#define ONE(index) const int index = blockIdx.x * blockDim.x + threadIdx.x

/* 3 x 3 weights on the interior of a height x width image. */
extern "C" __global__ void convolution3x3(const float *image, float *result, int height, int width)
{
    BOTH(column, row);
    const float nw = 0.2f, n = -0.3f, ne = 0.4f, w = 0.5f, c = 0.6f, e = 0.7f, sw = -0.8f, s = -0.9f, se = 0.10f;
    if (row < 1 || row >= height - 1 || column < 1 || column >= width - 1) return;
    result[row * width + column] =
        nw * image[(row - 1) * width + column - 1] + w * image[row * width + column - 1] +
        sw * image[(row + 1) * width + column - 1] + n * image[(row - 1) * width + column] +
        c * image[row * width + column] + s * image[(row + 1) * width + column] +
        ne * image[(row - 1) * width + column + 1] + e * image[row * width + column + 1] +
        se * image[(row + 1) * width + column + 1];
}

/* c = beta c + alpha a b */
extern "C" __global__ void gemm(const float *a, const float *b, float *c, float alpha, float beta, int rows,
                                int columns, int inner)
{
    BOTH(j, i);
    if (i >= rows || j >= columns) return;
    c[i * columns + j] *= beta;
    for (int k = 0; k < inner; k++)
        c[i * columns + j] += alpha * a[i * inner + k] * b[k * columns + j];
}

/* c += a b */
extern "C" __global__ void product(const float *a, const float *b, float *c, int rows, int columns, int inner)
{
    BOTH(j, i);
    if (i >= rows || j >= columns) return;
    for (int k = 0; k < inner; k++)
        c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

/* result += a x, a thread a row */
extern "C" __global__ void atax_rows(const float *a, const float *x, float *result, int rows, int columns)
{
    ONE(i);
    if (i >= rows) return;
    for (int j = 0; j < columns; j++)
        result[i] += a[i * columns + j] * x[j];
}

/* result += transposed a times x, a thread a column */
extern "C" __global__ void atax_columns(const float *a, float *result, const float *x, int rows, int columns)
{
    ONE(j);
    if (j >= columns) return;
    for (int i = 0; i < rows; i++)
        result[j] += a[i * columns + j] * x[i];
}

/* y = alpha a x + beta b x */
extern "C" __global__ void gesummv(const float *a, const float *b, const float *x, float *y, float *sum, float alpha,
                                   float beta, int size)
{
    ONE(i);
    if (i >= size) return;
    for (int j = 0; j < size; j++) {
        sum[i] += a[i * size + j] * x[j];
        y[i] += b[i * size + j] * x[j];
    }
    y[i] = alpha * sum[i] + beta * y[i];
}

/* One thread: the norm of column k. */
extern "C" __global__ void gramschmidt_norm(const float *a, float *r, int k, int rows, int columns)
{
    ONE(thread);
    if (thread != 0) return;
    float squares = 0;
    for (int i = 0; i < rows; i++)
        squares += a[i * columns + k] * a[i * columns + k];
    r[k * columns + k] = sqrtf(squares);
}

/* Column k of q is that of a, normalised. */
extern "C" __global__ void gramschmidt_scale(const float *a, const float *r, float *q, int k, int rows, int columns)
{
    ONE(i);
    if (i < rows) q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

/* The later columns of a lose their part along column k of q. */
extern "C" __global__ void gramschmidt_update(float *a, float *r, const float *q, int k, int rows, int columns)
{
    ONE(j);
    if (j <= k || j >= columns) return;
    r[k * columns + j] = 0;
    for (int i = 0; i < rows; i++)
        r[k * columns + j] += q[i * columns + k] * a[i * columns + j];
    for (int i = 0; i < rows; i++)
        a[i * columns + j] -= q[i * columns + k] * r[k * columns + j];
}
