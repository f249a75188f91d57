// SPDX-License-Identifier: Apache-2.0
// The programs of section 3.5.4 of Hong's thesis that fill the memory system, and Cmem, which does
// not. The text has no sources for chapter III; figure 117 shows the same programs for chapter V, and
// these keep its bodies: one array or two, added or multiplied, Cmem with multiply-adds after each
// load. All blocks together walk over `count` elements, so that the work stays the same whatever the
// number of blocks. A block leaves no room for a second one on its SM (dynamic shared memory).

#define WALK(count)                                                                                \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (count); i += gridDim.x * blockDim.x)
#define HERE (blockIdx.x * blockDim.x + threadIdx.x)

// Dot product: a partial sum a thread.
extern "C" __global__ void dotp(int count, const float *a, const float *b, float *out)
{
    float sum = 0.0f;
    WALK(count) sum = fmaf(a[i], b[i], sum);
    out[HERE] = sum;
}

// A constant added to each element.
extern "C" __global__ void madd(int count, float adder, const float *a, float *out)
{
    WALK(count) out[i] = adder + a[i];
}

// Two arrays added.
extern "C" __global__ void dmadd(int count, const float *a, const float *b, float *out)
{
    WALK(count) out[i] = a[i] + b[i];
}

// Each element multiplied.
extern "C" __global__ void mmul(int count, float multiplier, const float *a, float *out)
{
    WALK(count) out[i] = multiplier * a[i];
}

#define FMAD4(sum, multiplier)                                                                     \
    sum = fmaf(sum, multiplier, 0.5f);                                                             \
    sum = fmaf(sum, multiplier, 0.5f);                                                             \
    sum = fmaf(sum, multiplier, 0.5f);                                                             \
    sum = fmaf(sum, multiplier, 0.5f)

// 24 multiply-adds for two loads in figure 117; here as many for one load as chapter III needs to stay
// below the bandwidth: 48.
extern "C" __global__ void cmem(int count, float multiplier, const float *a, float *out)
{
    float sum = 0.0f;
    WALK(count)
    {
        sum += a[i];
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
        FMAD4(sum, multiplier);
    }
    out[HERE] = sum;
}

// Naive matrix product, n x n: a row of C is walked by consecutive threads.
extern "C" __global__ void nmat(int n, const float *a, const float *b, float *c)
{
    WALK(n * n)
    {
        int row = i / n, column = i % n;
        float sum = 0.0f;
#pragma unroll 4 // within 32 registers, so that 512 threads fit a GTX 280
        for (int k = 0; k < n; k++)
            sum = fmaf(a[row * n + k], b[k * n + column], sum);
        c[i] = sum;
    }
}
