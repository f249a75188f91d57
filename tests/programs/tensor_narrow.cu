// SPDX-License-Identifier: Apache-2.0
// Products of 4-bit and binary matrices through nvcuda::wmma, of fp8 and of sparse matrices by their PTX names, stmatrix and
// movmatrix. The host computes the same from the elements that it drew.
#include "check.h"

#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

using namespace nvcuda;
using namespace nvcuda::wmma;

template <class T> static T *managed(size_t count)
{
    T *p;
    CHECK(cudaMallocManaged(&p, count * sizeof(T)));
    return p;
}

/* ---- wmma of 4 bits and of single bits: 8 x 8, 32 or 128 in depth -------------------------------- */

template <class T> __global__ void nibbles(const int *a, const int *b, int *d)
{
    fragment<matrix_a, 8, 8, 32, T, row_major> fa;
    fragment<matrix_b, 8, 8, 32, T, col_major> fb;
    fragment<accumulator, 8, 8, 32, int> sum;
    load_matrix_sync(fa, a, 32);
    load_matrix_sync(fb, b, 32);
    fill_fragment(sum, 3);
    mma_sync(sum, fa, fb, sum);
    store_matrix_sync(d, sum, 8, mem_row_major);
}

__global__ void bits(const unsigned *a, const unsigned *b, int *d)
{
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> fa;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> fb;
    fragment<accumulator, 8, 8, 128, int> both, differing;
    __shared__ unsigned tile[32];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    load_matrix_sync(fa, tile, 128);
    load_matrix_sync(fb, b, 128);
    fill_fragment(both, 1);
    fill_fragment(differing, 2);
    bmma_sync(both, fa, fb, both, experimental::bmmaBitOpAND);
    bmma_sync(differing, fa, fb, differing, experimental::bmmaBitOpXOR);
    store_matrix_sync(d, both, 8, mem_row_major);
    store_matrix_sync(d + 64, differing, 8, mem_col_major);
}

static int nibble(const int *words, int at, bool is_signed)
{
    int value = words[at / 8] >> (at % 8 * 4) & 15;
    return is_signed && value > 7 ? value - 16 : value;
}

static bool try_wmma(unsigned *state)
{
    int *a = managed<int>(32), *b = managed<int>(32), *d = managed<int>(128);
    for (int i = 0; i < 32; i++) {
        a[i] = static_cast<int>(next_random(state) << 12 ^ next_random(state));
        b[i] = static_cast<int>(next_random(state) << 12 ^ next_random(state));
    }
    bool ok = true;
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        if (is_signed)
            nibbles<experimental::precision::s4><<<1, 32>>>(a, b, d);
        else
            nibbles<experimental::precision::u4><<<1, 32>>>(a, b, d);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < 64; i++) {
            int sum = 3;
            for (int k = 0; k < 32; k++)
                sum += nibble(a, i / 8 * 32 + k, is_signed) * nibble(b, i % 8 * 32 + k, is_signed);
            ok &= d[i] == sum;
        }
    }
    bits<<<1, 32>>>(reinterpret_cast<unsigned *>(a), reinterpret_cast<unsigned *>(b), d);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        int both = 1, differing = 2;
        for (int k = 0; k < 4; k++) {
            both += __builtin_popcount(a[i / 8 * 4 + k] & b[i % 8 * 4 + k]);
            differing += __builtin_popcount(a[i / 8 * 4 + k] ^ b[i % 8 * 4 + k]);
        }
        ok &= d[i] == both && d[64 + i % 8 * 8 + i / 8] == differing;
    }
    return ok;
}

/* ---- fp8: m16n8k32, of both formats at once ---------------------------------------------------- */

__global__ void bytes(const unsigned *a, const unsigned *b, float *d)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    unsigned fa[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + 4 + t], a[(g + 8) * 8 + 4 + t]};
    unsigned fb[2] = {b[g * 8 + t], b[g * 8 + 4 + t]};
    float c[4] = {1, 2, 3, 4};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    for (int i = 0; i < 4; i++)
        d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = c[i];
}

static bool try_fp8(unsigned *state)
{
    auto *a = managed<__nv_fp8_e4m3>(16 * 32);
    auto *b = managed<__nv_fp8_e5m2>(8 * 32);
    float *d = managed<float>(128);
    for (int i = 0; i < 16 * 32; i++)
        a[i] = __nv_fp8_e4m3(static_cast<float>(static_cast<int>(next_random(state) % 31) - 15) / 8);
    for (int i = 0; i < 8 * 32; i++)
        b[i] = __nv_fp8_e5m2(static_cast<float>(static_cast<int>(next_random(state) % 15) - 7) / 2);
    bytes<<<1, 32>>>(reinterpret_cast<unsigned *>(a), reinterpret_cast<unsigned *>(b), d);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < 128; i++) {
        float sum = static_cast<float>(1 + i / 64 * 2 + i % 2);
        for (int k = 0; k < 32; k++)
            sum += static_cast<float>(a[i / 8 * 32 + k]) * static_cast<float>(b[i % 8 * 32 + k]);
        ok &= d[i] == sum;
    }
    return ok;
}

/* ---- sparse: two of four halves of A, m16n8k16 -------------------------------------------------- */

__global__ void sparse(const half *stored, const half *b, const unsigned *metadata, float *d)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    const unsigned *rows = reinterpret_cast<const unsigned *>(stored);
    unsigned fa[2] = {rows[g * 4 + t], rows[(g + 8) * 4 + t]}, fb[2];
    for (int i = 0; i < 2; i++)
        fb[i] = reinterpret_cast<const unsigned *>(b)[g * 8 + 4 * i + t];
    unsigned e = t == 2 ? metadata[g] | metadata[g + 8] << 16 : 0xdeadbeef;
    float c[4] = {};
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, 0x2;"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fb[0]), "r"(fb[1]), "r"(e));
    for (int i = 0; i < 4; i++)
        d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = c[i];
}

static bool try_sparse(unsigned *state)
{
    half *stored = managed<half>(16 * 8), *b = managed<half>(8 * 16);
    unsigned *metadata = managed<unsigned>(16);
    float *d = managed<float>(128), dense[16][16] = {};
    for (int i = 0; i < 8 * 16; i++)
        b[i] = half(static_cast<float>(static_cast<int>(next_random(state) % 21) - 10));
    for (int row = 0; row < 16; row++) {
        metadata[row] = 0;
        for (int chunk = 0; chunk < 4; chunk++) {
            unsigned first = next_random(state) % 3;
            unsigned places[2] = {first, first + 1 + next_random(state) % (3 - first)};
            for (int i = 0; i < 2; i++) {
                float value = static_cast<float>(static_cast<int>(next_random(state) % 21) - 10);
                stored[row * 8 + 2 * chunk + i] = half(value);
                dense[row][4 * chunk + places[i]] = value;
                metadata[row] |= places[i] << (4 * chunk + 2 * i);
            }
        }
    }
    sparse<<<1, 32>>>(stored, b, metadata, d);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < 128; i++) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += dense[i / 8][k] * static_cast<float>(b[i % 8 * 16 + k]);
        ok &= d[i] == sum;
    }
    return ok;
}

/* ---- a matrix of 8 x 8 halves transposed between the lanes, and one stored by rows -------------- */

__global__ void moved(const unsigned *from, unsigned *between, unsigned *stored)
{
    __shared__ __align__(16) unsigned tile[32];
    unsigned value = from[threadIdx.x], other;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(other) : "r"(value));
    between[threadIdx.x] = other;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x % 8 * 4));
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(to), "r"(value));
    __syncwarp();
    stored[threadIdx.x] = tile[threadIdx.x];
}

static bool try_moved(unsigned *state)
{
    unsigned *words = managed<unsigned>(96);
    auto *halves = reinterpret_cast<unsigned short *>(words);
    for (int i = 0; i < 64; i++)
        halves[i] = static_cast<unsigned short>(next_random(state));
    moved<<<1, 32>>>(words, words + 32, words + 64);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < 64; i++) {
        ok &= halves[64 + i] == halves[i % 8 * 8 + i / 8];
        ok &= halves[128 + i] == halves[i % 8 * 8 + i / 8];
    }
    return ok;
}

int main()
{
    unsigned state = 1;
    bool wmma_ok = try_wmma(&state), fp8_ok = try_fp8(&state), sparse_ok = try_sparse(&state);
    bool moved_ok = try_moved(&state);
    printf("wmma %d fp8 %d sparse %d moved %d\n", wmma_ok, fp8_ok, sparse_ok, moved_ok);
    return verdict(wmma_ok && fp8_ok && sparse_ok && moved_ok);
}
