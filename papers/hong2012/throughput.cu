// SPDX-License-Identifier: Apache-2.0
// Programs of chapter V of Hong's thesis, the throughput model.
//
// The five of figure 117: where a thread reads next follows from what it has just read, so that the
// values in the arrays set the stride: 16384 elements as printed, and with values that add up to 0
// the same element again (figure 118: hits L1). The arrays hold floats; `steps` counts the accesses
// of one array. Dmadd and Dotp have two loads before the first consumer, the others one.
//
//     dmadd 8192 in both, dotp 128 in both, cmem 16384, mmul 8192 times 2, madd 11384 plus 5000

#define START (blockIdx.x * blockDim.x + threadIdx.x)

#define WALK(NAME, ARGUMENTS, VALUE, BETWEEN)                                                      \
    extern "C" __global__ void NAME(int steps, ARGUMENTS const float *a, float *out)               \
    {                                                                                              \
        int index = START;                                                                         \
        float sum = 0.0f;                                                                          \
        _Pragma("unroll 3") for (int i = 0; i < steps; i++)                                        \
        {                                                                                          \
            float value = VALUE;                                                                   \
            index += (int)value;                                                                   \
            BETWEEN;                                                                               \
        }                                                                                          \
        out[START] = sum + index;                                                                  \
    }
#define BOTH const float *b,
#define FACTOR float factor,

#define FMAD4(sum, multiplier)                                                                     \
    sum = fmaf(sum, multiplier, 0.5f);                                                             \
    sum = fmaf(sum, multiplier, 0.5f);                                                             \
    sum = fmaf(sum, multiplier, 0.5f);                                                             \
    sum = fmaf(sum, multiplier, 0.5f)
// Figure 117 has two of these after one load and four after the next: three each.
#define FMAD12(sum, multiplier)                                                                    \
    FMAD4(sum, multiplier);                                                                        \
    FMAD4(sum, multiplier);                                                                        \
    FMAD4(sum, multiplier)

WALK(walk_dmadd, BOTH, a[index] + b[index], )
WALK(walk_dotp, BOTH, a[index] * b[index], )
WALK(walk_mmul, FACTOR, factor * a[index], )
WALK(walk_madd, FACTOR, factor + a[index], )
WALK(walk_cmem, FACTOR, a[index], FMAD12(sum, factor))

// MB_A to MB_H (figures 104 to 113, 141 to 143): computations between two loads. The text says what they
// differ in: A to D multiply, E to H multiply-add, with a result needed after 1, 2, 3 or 4 instructions;
// figure 109's second set has other instructions as well. How many there are is not printed: 48 a load.
enum { WORK = 48 };

template <int DEP, bool FUSED, bool MIXED>
static __device__ __forceinline__ void mb(int rounds, float factor, const float *in, float *out)
{
    float chain[DEP];
    unsigned mixed = START, index = START;
    for (int d = 0; d < DEP; d++)
        chain[d] = factor + d;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
        chain[0] += in[index];
        index += gridDim.x * blockDim.x;
#pragma unroll
        for (int w = 0; w < WORK; w++) {
            float &x = chain[w % DEP];
            x = FUSED ? fmaf(x, factor, factor) : x * factor;
            if (MIXED && w % 2) mixed = (mixed ^ w) + index; // an integer instruction or two
        }
    }
    float sum = MIXED ? (float)mixed : 0.0f;
    for (int d = 0; d < DEP; d++)
        sum += chain[d];
    out[START] = sum;
}

#define MB(LETTER, DEP, FUSED)                                                                     \
    extern "C" __global__ void mb_##LETTER##0(int rounds, float factor, const float *in,           \
                                              float *out)                                          \
    {                                                                                              \
        mb<DEP, FUSED, false>(rounds, factor, in, out);                                            \
    }                                                                                              \
    extern "C" __global__ void mb_##LETTER##2(int rounds, float factor, const float *in,           \
                                              float *out)                                          \
    {                                                                                              \
        mb<DEP, FUSED, true>(rounds, factor, in, out);                                             \
    }

MB(a, 1, false)
MB(b, 2, false)
MB(c, 3, false)
MB(d, 4, false)
MB(e, 1, true)
MB(f, 2, true)
MB(g, 3, true)
MB(h, 4, true)

// C = A B, n x n, by blocks of SIDE x SIDE threads (section 5.6): naive, and tiled in shared memory.
extern "C" __global__ void matmul_naive(int n, const float *a, const float *b, float *c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum = fmaf(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

template <int SIDE>
static __device__ __forceinline__ void tiled(int n, const float *a, const float *b, float *c)
{
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    float sum = 0.0f;
#pragma unroll 1
    for (int step = 0; step < n; step += SIDE) {
        tile_a[y][x] = a[row * n + step + x];
        tile_b[y][x] = b[(step + y) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SIDE; k++)
            sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

#define TILED(SIDE)                                                                                \
    extern "C" __global__ void matmul_##SIDE(int n, const float *a, const float *b, float *c)      \
    {                                                                                              \
        tiled<SIDE>(n, a, b, c);                                                                   \
    }
TILED(1)
TILED(2)
TILED(4)
TILED(8)
TILED(16)
TILED(32)
