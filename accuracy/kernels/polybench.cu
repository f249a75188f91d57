// SPDX-License-Identifier: Apache-2.0
/* The linear algebra of PolyBench as one thread an element would do it, with every partial result in global
 * memory: sums are stored at each step of the inner loop. Sizes are constants, as there: strides are then part of the
 * addresses. */

enum { IMAGE = 4096, PRODUCT = 512, VECTOR = 4096, BASIS = 2048 };

#define BOTH(across, down)                                                                                             \
    const int across = blockIdx.x * blockDim.x + threadIdx.x;                                                          \
    const int down = blockIdx.y * blockDim.y + threadIdx.y
#define ONE(index) const int index = blockIdx.x * blockDim.x + threadIdx.x

/* 3 x 3 weights on the interior of an image. */
extern "C" __global__ void convolution3x3(const float *image, float *result)
{
    BOTH(column, row);
    const float nw = 0.2f, n = -0.3f, ne = 0.4f, w = 0.5f, c = 0.6f, e = 0.7f, sw = -0.8f, s = -0.9f, se = 0.10f;
    if (row < 1 || row >= IMAGE - 1 || column < 1 || column >= IMAGE - 1) return;
    result[row * IMAGE + column] =
        nw * image[(row - 1) * IMAGE + column - 1] + w * image[row * IMAGE + column - 1] +
        sw * image[(row + 1) * IMAGE + column - 1] + n * image[(row - 1) * IMAGE + column] +
        c * image[row * IMAGE + column] + s * image[(row + 1) * IMAGE + column] +
        ne * image[(row - 1) * IMAGE + column + 1] + e * image[row * IMAGE + column + 1] +
        se * image[(row + 1) * IMAGE + column + 1];
}

/* c = beta c + alpha a b */
extern "C" __global__ void gemm(const float *a, const float *b, float *c, float alpha, float beta)
{
    BOTH(j, i);
    if (i >= PRODUCT || j >= PRODUCT) return;
    c[i * PRODUCT + j] *= beta;
    for (int k = 0; k < PRODUCT; k++)
        c[i * PRODUCT + j] += alpha * a[i * PRODUCT + k] * b[k * PRODUCT + j];
}

/* c += a b */
extern "C" __global__ void product(const float *a, const float *b, float *c)
{
    BOTH(j, i);
    if (i >= PRODUCT || j >= PRODUCT) return;
    for (int k = 0; k < PRODUCT; k++)
        c[i * PRODUCT + j] += a[i * PRODUCT + k] * b[k * PRODUCT + j];
}

/* result += a x, a thread a row */
extern "C" __global__ void atax_rows(const float *a, const float *x, float *result)
{
    ONE(i);
    if (i >= VECTOR) return;
    for (int j = 0; j < VECTOR; j++)
        result[i] += a[i * VECTOR + j] * x[j];
}

/* result += transposed a times x, a thread a column */
extern "C" __global__ void atax_columns(const float *a, float *result, const float *x)
{
    ONE(j);
    if (j >= VECTOR) return;
    for (int i = 0; i < VECTOR; i++)
        result[j] += a[i * VECTOR + j] * x[i];
}

/* y = alpha a x + beta b x */
extern "C" __global__ void gesummv(const float *a, const float *b, const float *x, float *y, float *sum, float alpha,
                                   float beta)
{
    ONE(i);
    if (i >= VECTOR) return;
    for (int j = 0; j < VECTOR; j++) {
        sum[i] += a[i * VECTOR + j] * x[j];
        y[i] += b[i * VECTOR + j] * x[j];
    }
    y[i] = alpha * sum[i] + beta * y[i];
}

/* One thread: the norm of column k. */
extern "C" __global__ void gramschmidt_norm(const float *a, float *r, int k)
{
    ONE(thread);
    if (thread != 0) return;
    float squares = 0;
    for (int i = 0; i < BASIS; i++)
        squares += a[i * BASIS + k] * a[i * BASIS + k];
    r[k * BASIS + k] = sqrtf(squares);
}

/* Column k of q is that of a, normalised. */
extern "C" __global__ void gramschmidt_scale(const float *a, const float *r, float *q, int k)
{
    ONE(i);
    if (i < BASIS) q[i * BASIS + k] = a[i * BASIS + k] / r[k * BASIS + k];
}

/* The later columns of a lose their part along column k of q. */
extern "C" __global__ void gramschmidt_update(float *a, float *r, const float *q, int k)
{
    ONE(j);
    if (j <= k || j >= BASIS) return;
    r[k * BASIS + j] = 0;
    for (int i = 0; i < BASIS; i++)
        r[k * BASIS + j] += q[i * BASIS + k] * a[i * BASIS + j];
    for (int i = 0; i < BASIS; i++)
        a[i * BASIS + j] -= q[i * BASIS + k] * r[k * BASIS + j];
}
