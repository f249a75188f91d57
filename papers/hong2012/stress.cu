// SPDX-License-Identifier: Apache-2.0
// Programs that keep one unit busy (sections 3.2.4 and 3.9 of Hong's thesis); the text names them and
// shows no source. `rounds` times 32 operations, each on the result of the one before.

#define TIMES32(statement)                                                                         \
    _Pragma("unroll") for (int k = 0; k < 32; k++) { statement; }
#define HERE (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void stress_fp(int rounds, float b, float *out)
{
    float x = (float)threadIdx.x;
    for (int i = 0; i < rounds; i++)
        TIMES32(x = fmaf(x, b, 0.25f))
    out[HERE] = x;
}

extern "C" __global__ void stress_int(int rounds, unsigned b, unsigned *out)
{
    unsigned x = threadIdx.x;
    for (int i = 0; i < rounds; i++)
        TIMES32(x = x * b + b) // a multiply-add of integers
    out[HERE] = x;
}

extern "C" __global__ void stress_sfu(int rounds, float b, float *out)
{
    float x = (float)threadIdx.x;
    for (int i = 0; i < rounds; i++)
        TIMES32(x = __sinf(x))
    out[HERE] = x + b;
}

extern "C" __global__ void stress_shared(int rounds, int step, int *out)
{
    __shared__ int next[512];
    next[threadIdx.x] = (threadIdx.x + step) & (blockDim.x - 1);
    __syncthreads();
    int x = threadIdx.x;
    for (int i = 0; i < rounds; i++)
        TIMES32(x = next[x])
    out[HERE] = x;
}

__constant__ int table[64] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                              17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
                              33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
                              49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0};

// All lanes read the same word, which the constant cache serves at once.
extern "C" __global__ void stress_const(int rounds, int start, int *out)
{
    int x = start;
    for (int i = 0; i < rounds; i++)
        TIMES32(x = table[x])
    out[HERE] = x;
}

// Reads by the read-only path (ld.global.nc), where the thesis has texture fetches: textures are not
// executed, so this counts as global memory.
extern "C" __global__ void stress_readonly(int rounds, const int *__restrict__ next, int *out)
{
    int x = threadIdx.x;
    for (int i = 0; i < rounds; i++)
        TIMES32(x = __ldg(&next[x]))
    out[HERE] = x;
}

// Copies: memory and little else.
extern "C" __global__ void stress_memory(int count, const float *in, float *out)
{
    for (int i = HERE; i < count; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
