// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector (Zhang & Owens, section 5.3): y = A x in ELLPACK (ELL), in ELLPACK of
// 3 x 3 blocks with an interleaved matrix (BELL+IM), and with interleaved vectors as well
// (BELL+IMIV). A thread has a row, or a row of blocks.
//
// values[entry][row] and columns[entry][row]: entry e of all rows lies side by side, `pitch` rows
// apart from entry e + 1. Of blocks: values[entry][3 * r + c][block row], and the column of blocks.
// Rows with fewer entries than `width` are filled up with zeros. doc/arguments.md: `matrix:` makes
// these arrays.
//
// An interleaved vector has element 3 * block + i at i * blocks + block, which makes accesses of
// neighbouring threads neighbours where their blocks are.
//
// *_cached reads x through the read-only cache (ld.global.nc), where the paper has the texture cache:
// the view gt200 takes it for a fetch.

struct Direct {
    static __device__ __forceinline__ float read(const float *x) { return *x; }
};

struct Cached {
    static __device__ __forceinline__ float read(const float *x) { return __ldg(x); }
};

template <class Read>
__device__ __forceinline__ void multiply_rows(int rows, int pitch, int width,
                                                     const float *values, const unsigned *columns,
                                                     const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    values += row;
    columns += row;
    float sum = 0.0f;
#pragma unroll 1
    for (int entry = 0; entry < width; entry++) {
        sum = fmaf(*values, Read::read(x + *columns), sum);
        values += pitch;
        columns += pitch;
    }
    y[row] = sum;
}

// x[3 * block + i] is at block * across + i * down: across 3, down 1, or interleaved 1, blocks.
template <class Read>
__device__ __forceinline__ void multiply_blocks(int blocks, int pitch, int width, int across,
                                                       int down, const float *values,
                                                       const unsigned *columns, const float *x,
                                                       float *y)
{
    int block = blockIdx.x * blockDim.x + threadIdx.x;
    if (block >= blocks) return;
    values += block;
    columns += block;
    float sum[3] = {};
#pragma unroll 1
    for (int entry = 0; entry < width; entry++) {
        const float *part = x + *columns * across;
        columns += pitch;
        float element[3], value[9];
#pragma unroll
        for (int i = 0; i < 9; i++, values += pitch)
            value[i] = *values;
#pragma unroll
        for (int i = 0; i < 3; i++)
            element[i] = Read::read(part + i * down);
#pragma unroll
        for (int i = 0; i < 9; i++)
            sum[i / 3] = fmaf(value[i], element[i % 3], sum[i / 3]);
    }
#pragma unroll
    for (int i = 0; i < 3; i++)
        y[block * across + i * down] = sum[i];
}

#define ROWS(name, Read)                                                                           \
    extern "C" __global__ void name(int rows, int pitch, int width, const float *values,           \
                                    const unsigned *columns, const float *x, float *y)             \
    {                                                                                              \
        multiply_rows<Read>(rows, pitch, width, values, columns, x, y);                            \
    }
ROWS(ell, Direct)
ROWS(ell_cached, Cached)

#define BLOCKS(name, Read, across, down)                                                           \
    extern "C" __global__ void name(int blocks, int pitch, int width, const float *values,         \
                                    const unsigned *columns, const float *x, float *y)             \
    {                                                                                              \
        multiply_blocks<Read>(blocks, pitch, width, across, down, values, columns, x, y);          \
    }
BLOCKS(bell_im, Direct, 3, 1)
BLOCKS(bell_im_cached, Cached, 3, 1)
BLOCKS(bell_imiv, Direct, 1, blocks)
BLOCKS(bell_imiv_cached, Cached, 1, blocks)
