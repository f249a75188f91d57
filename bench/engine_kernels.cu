// SPDX-License-Identifier: Apache-2.0
// Kernels of bench_engine beside the bundled ones. Buffers are floats, or words in the same place.

// Iterations until a point of the plane leaves the circle of radius 2, at most 256.
extern "C" __global__ void mandelbrot(int n, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float re = -2.0f + 3.0f * (float)x / (float)n, im = -1.5f + 3.0f * (float)y / (float)n;
    float a = 0.0f, b = 0.0f;
    int count = 0;
    while (count < 256 && a * a + b * b <= 4.0f) {
        float next = a * a - b * b + re;
        b = 2.0f * a * b + im;
        a = next;
        count++;
    }
    out[y * n + x] = (float)count;
}

// 64 rounds of a multiplicative hash of each word; the result has 24 bits, which a float holds.
extern "C" __global__ void hash(int n, const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = __float_as_uint(in[i]);
#pragma unroll 8
    for (int round = 0; round < 64; round++) {
        h ^= h >> 16;
        h *= 0x7feb352du;
        h ^= h >> 15;
        h *= 0x846ca68bu;
        h ^= h >> 16;
    }
    out[i] = (float)(h >> 8);
}

// Elements of one buffer in the order that another gives: numbers in [0, 1) times n, a power of two.
extern "C" __global__ void gather(int n, const float *in, const float *order, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(int)(order[i] * (float)n)];
}
