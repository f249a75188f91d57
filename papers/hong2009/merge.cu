// SPDX-License-Identifier: Apache-2.0
// Three of the Merge benchmarks of Hong's thesis (table 4); the SVM is in svm.cu, the matrix
// products are in matmul.cu. The originals' sources are not in the text.

// Sepia: ages a photograph. Pixels are three bytes (red, green, blue) one after the other, so that
// a warp loads every third byte three times. Threads along a row, a row of blocks a row of the
// image. Table 4's 71 computation instructions at an intensity of 11.8 make 6 memory instructions:
// 3 loads and 3 stores.
static __device__ __forceinline__ unsigned char tone(float r, float g, float b, float wr, float wg,
                                                     float wb)
{
    float value = fmaf(b, wb, fmaf(g, wg, r * wr));
    return (unsigned char)(int)fminf(value, 255.0f);
}

extern "C" __global__ void sepia(int width, const unsigned char *__restrict__ in,
                                 unsigned char *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    int here = 3 * (blockIdx.y * width + x);
    float r = in[here], g = in[here + 1], b = in[here + 2];
    out[here] = tone(r, g, b, 0.393f, 0.769f, 0.189f); // the usual sepia matrix
    out[here + 1] = tone(r, g, b, 0.349f, 0.686f, 0.168f);
    out[here + 2] = tone(r, g, b, 0.272f, 0.534f, 0.131f);
}

// Linear: each colour of a pixel becomes the average of 3 x 3 pixels. Blocks as with sepia; pixels
// at the edge are copied. Table 4's 111 computation instructions at an intensity of 3.7 make 30
// memory instructions: 9 loads and a store for three colours. 32 registers, so that a block of 512
// threads fits the 16384 of cc 1.2 and 1.3.
extern "C" __global__ void __maxnreg__(32)
    linear(int width, int height, const unsigned char *__restrict__ in,
           unsigned char *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    int here = 3 * (y * width + x);
    if (x == 0 || x == width - 1 || y == 0 || y == height - 1) {
        for (int colour = 0; colour < 3; colour++)
            out[here + colour] = in[here + colour];
        return;
    }
#pragma unroll
    for (int colour = 0; colour < 3; colour++) {
        float sum = 0.0f;
#pragma unroll
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++)
                sum += in[here + 3 * (dy * width + dx) + colour];
        out[here + colour] = (unsigned char)(int)(sum * (1.0f / 9.0f));
    }
}

// Black-Scholes: prices of European options, calls and puts. One option a thread. The normal
// distribution is Abramowitz and Stegun's 26.2.17.
static __device__ __forceinline__ float normal(float d)
{
    float k = __fdividef(1.0f, fmaf(0.2316419f, fabsf(d), 1.0f));
    float polynomial = fmaf(k, 1.330274429f, -1.821255978f);
    polynomial = fmaf(k, polynomial, 1.781477937f);
    polynomial = fmaf(k, polynomial, -0.356563782f);
    polynomial = fmaf(k, polynomial, 0.319381530f);
    float tail = 0.39894228f * expf(-0.5f * d * d) * k * polynomial;
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(int options, float rate, float volatility,
                                        const float *__restrict__ price,
                                        const float *__restrict__ strike,
                                        const float *__restrict__ years, float *__restrict__ call,
                                        float *__restrict__ put)
{
    int option = blockIdx.x * blockDim.x + threadIdx.x;
    if (option >= options) return;
    float s = price[option], x = strike[option], t = years[option];
    float deviation = volatility * sqrtf(t);
    float d1 = (logf(s / x) + fmaf(0.5f * volatility, volatility, rate) * t) / deviation;
    float n1 = normal(d1), n2 = normal(d1 - deviation);
    float discounted = x * expf(-rate * t);
    float value = s * n1 - discounted * n2;
    call[option] = value;
    put[option] = value + discounted - s; // put-call parity
}
