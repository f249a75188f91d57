// SPDX-License-Identifier: Apache-2.0
// A classifier like the SVM of the Merge benchmarks (Hong's thesis, section 2.2 and table 4): the
// decision value of every position of an image from the histogram of its surroundings, with the
// chi-square kernel
//
//     score = sum over v of weight[v] * exp(-sum over b of (x[b] - s[v][b])^2 / (x[b] + s[v][b]))
//
// x the histogram of the position, s the support vectors. The original's source is not in the
// text. Here are its three steps:
//
//     svm_naive      support vectors in global memory; a position's histogram is one row, so that
//                    the lanes of a warp load elements BINS apart
//     svm_constant   the same with the support vectors in constant memory
//     svm_optimized  constant memory, and histograms stored bin by bin: consecutive lanes load
//                    consecutive elements
//
// 51 vectors of 16 bins are 816 loads of x, and with the store 817 memory instructions: table 4 has
// 10871 computation instructions at an intensity of 13.3 a memory instruction, that is 817.

#define BINS 16
#define VECTORS 51

// Support vectors and weights that the compiler computes: multiples of 1/64 in (0, 1], weights of
// both signs.
struct Machine {
    float vector[VECTORS * BINS];
    float weight[VECTORS];
    constexpr Machine() : vector(), weight()
    {
        unsigned state = 1;
        for (int i = 0; i < VECTORS * BINS; i++) {
            state = state * 1664525u + 1013904223u; // Numerical Recipes' generator
            vector[i] = (float)((state >> 26) + 1) / 64.0f;
        }
        for (int i = 0; i < VECTORS; i++) {
            state = state * 1664525u + 1013904223u;
            weight[i] = (float)((int)(state >> 26) - 32) / 32.0f;
        }
    }
};

__constant__ Machine machine = Machine();

static __device__ __forceinline__ float distance(float x, float s)
{
    float difference = x - s;
    return __fdividef(difference * difference, x + s);
}

// `vectors` is at most VECTORS. in[position * BINS + bin], support[vector * BINS + bin].
extern "C" __global__ void svm_naive(int positions, int vectors, const float *__restrict__ in,
                                     const float *__restrict__ support,
                                     const float *__restrict__ weight, float *__restrict__ score)
{
    int position = blockIdx.x * blockDim.x + threadIdx.x;
    if (position >= positions) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int v = 0; v < vectors; v++) {
        float far = 0.0f;
#pragma unroll 1
        for (int b = 0; b < BINS; b++)
            far += distance(in[position * BINS + b], support[v * BINS + b]);
        sum += weight[v] * __expf(-far);
    }
    score[position] = sum;
}

// in[position * BINS + bin]
extern "C" __global__ void svm_constant(int positions, int vectors, const float *__restrict__ in,
                                        float *__restrict__ score)
{
    int position = blockIdx.x * blockDim.x + threadIdx.x;
    if (position >= positions) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int v = 0; v < vectors; v++) {
        float far = 0.0f;
#pragma unroll 1
        for (int b = 0; b < BINS; b++)
            far += distance(in[position * BINS + b], machine.vector[v * BINS + b]);
        sum += machine.weight[v] * __expf(-far);
    }
    score[position] = sum;
}

// in[bin * positions + position]
extern "C" __global__ void svm_optimized(int positions, int vectors, const float *__restrict__ in,
                                         float *__restrict__ score)
{
    int position = blockIdx.x * blockDim.x + threadIdx.x;
    if (position >= positions) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int v = 0; v < vectors; v++) {
        float far = 0.0f;
#pragma unroll 1
        for (int b = 0; b < BINS; b++)
            far += distance(in[b * positions + position], machine.vector[v * BINS + b]);
        sum += machine.weight[v] * __expf(-far);
    }
    score[position] = sum;
}
