// SPDX-License-Identifier: Apache-2.0
// Kernels of bench_texture: each thread adds up what FETCHES fetches give, near each other as a filter fetches them. Texel
// (x, y, z) holds x + y + z, so that sums have a formula.
enum { FETCHES = 64, KEPT = 127 };

#define X ((threadIdx.x + k) & KEPT)
#define Y ((blockIdx.x + k) & KEPT)
#define Z (k & 7)
#define EACH(name, fetch)                                                                          \
    extern "C" __global__ void name(unsigned long long object, float *out)                        \
    {                                                                                              \
        float sum = 0;                                                                             \
        _Pragma("unroll 8") for (int k = 0; k < FETCHES; k++) sum += fetch;                       \
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                          \
    }

EACH(memory_1d, tex1Dfetch<float>(object, X))
EACH(any_1d, tex1D<float>(object, X + 0.75f))
EACH(any_2d, tex2D<float>(object, X + 0.75f, Y + 0.5f))
EACH(any_3d, tex3D<float>(object, X + 0.75f, Y + 0.5f, Z + 0.5f))
EACH(bytes_2d, tex2D<float4>(object, X + 0.75f, Y + 0.5f).y * 255)
EACH(surface_read, surf2Dread<float>(object, 4 * X, Y))

extern "C" __global__ void surface_write(unsigned long long object, float *out)
{
#pragma unroll 8
    for (int k = 0; k < FETCHES; k++)
        surf2Dwrite((float)X, object, 4 * (int)X, (int)Y);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
