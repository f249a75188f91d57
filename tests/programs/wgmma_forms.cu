// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async: every type, A from shared memory and from registers, all swizzles, transposed halves, negated factors, sums
// that are added or not, sparse A. The host lays the matrices out by the PTX ISA's canonical layouts (9.7.15.5.1.2) and
// multiplies what it drew.
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstring>

enum { M = 64, N = 24, BYTES = 16384 };

/* Matrices as bytes of shared memory, and their descriptors without the address. */
struct operands {
    unsigned char *a, *b;
    uint64_t a_tail, b_tail;
    const unsigned *registers; /* of A: four of each thread */
    const unsigned *metadata;
};

#define D12 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11}"
#define OUTS(c)                                                                                    \
    "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5]), "+r"(c[6]), "+r"(c[7]), \
        "+r"(c[8]), "+r"(c[9]), "+r"(c[10]), "+r"(c[11])
#define D6 "{%0, %1, %2, %3, %4, %5}"
#define OUTS6(c) "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5])

/* One product for each kernel; `text` begins behind the sums. */
#define GROUP_KERNEL(name, shape, sums, outs, first, text, ...)                                    \
    __global__ void name(operands o, unsigned *d, int adds)                                        \
    {                                                                                              \
        extern __shared__ __align__(1024) unsigned char tile[];                                    \
        unsigned c[12], *mine = d + threadIdx.x * 12;                                              \
        for (int i = threadIdx.x; i < BYTES; i += 128) {                                           \
            tile[i] = o.a[i];                                                                      \
            tile[BYTES + i] = o.b[i];                                                              \
        }                                                                                          \
        for (int i = 0; i < 12; i++)                                                               \
            c[i] = mine[i];                                                                        \
        __syncthreads();                                                                           \
        uint64_t at = __cvta_generic_to_shared(tile);                                              \
        uint64_t da = (at & 0x3ffff) >> 4 | o.a_tail, db = ((at + BYTES) & 0x3ffff) >> 4 | o.b_tail; \
        const unsigned *r = o.registers + threadIdx.x * 4, e = o.metadata[threadIdx.x];            \
        (void)r, (void)e, (void)da;                                                                \
        asm volatile("fence.proxy.async; wgmma.fence.sync.aligned;" ::: "memory");                 \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %" #first ", 0;\n wgmma.mma_async" shape      \
                     " " sums ", " text "}"                                                        \
                     : outs                                                                        \
                     : "r"(adds), __VA_ARGS__);                                                    \
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" :::       \
                         "memory");                                                                \
        for (int i = 0; i < 12; i++)                                                               \
            mine[i] = c[i];                                                                        \
    }

#define BOTH "l"(da), "l"(db)
#define MIXED "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(db)
#define A13 "{%13, %14, %15, %16}, %17"
GROUP_KERNEL(f16_kk, ".sync.aligned.m64n24k16.f32.f16.f16", D12, OUTS(c), 12,
             "%13, %14, p, 1, 1, 0, 0;", BOTH)
GROUP_KERNEL(f16_mk, ".sync.aligned.m64n24k16.f32.f16.f16", D12, OUTS(c), 12,
             "%13, %14, p, 1, -1, 1, 0;", BOTH)
GROUP_KERNEL(f16_kn, ".sync.aligned.m64n24k16.f32.f16.f16", D12, OUTS(c), 12,
             "%13, %14, p, -1, 1, 0, 1;", BOTH)
GROUP_KERNEL(f16_mn, ".sync.aligned.m64n24k16.f32.f16.f16", D12, OUTS(c), 12,
             "%13, %14, p, 1, 1, 1, 1;", BOTH)
GROUP_KERNEL(f16_rn, ".sync.aligned.m64n24k16.f32.f16.f16", D12, OUTS(c), 12,
             A13 ", p, 1, 1, 1;", MIXED)
GROUP_KERNEL(f16_h, ".sync.aligned.m64n24k16.f16.f16.f16", D6, OUTS6(c), 6,
             "%7, %8, p, 1, 1, 0, 0;", BOTH)
GROUP_KERNEL(bf16_mk, ".sync.aligned.m64n24k16.f32.bf16.bf16", D12, OUTS(c), 12,
             "%13, %14, p, 1, 1, 1, 0;", BOTH)
GROUP_KERNEL(tf32_kk, ".sync.aligned.m64n24k8.f32.tf32.tf32", D12, OUTS(c), 12,
             "%13, %14, p, 1, -1;", BOTH)
GROUP_KERNEL(tf32_rk, ".sync.aligned.m64n24k8.f32.tf32.tf32", D12, OUTS(c), 12,
             A13 ", p, 1, 1;", MIXED)
GROUP_KERNEL(fp8_kk, ".sync.aligned.m64n24k32.f32.e4m3.e5m2", D12, OUTS(c), 12,
             "%13, %14, p, 1, 1;", BOTH)
GROUP_KERNEL(fp8_rk, ".sync.aligned.m64n24k32.f32.e4m3.e5m2", D12, OUTS(c), 12,
             A13 ", p, -1, 1;", MIXED)
GROUP_KERNEL(s8_kk, ".sync.aligned.m64n24k32.s32.s8.u8", D12, OUTS(c), 12, "%13, %14, p;", BOTH)
GROUP_KERNEL(s8_rk, ".sync.aligned.m64n24k32.s32.s8.u8.satfinite", D12, OUTS(c), 12, A13 ", p;",
             MIXED)
GROUP_KERNEL(b1_kk, ".sync.aligned.m64n24k256.s32.b1.b1.and.popc", D12, OUTS(c), 12,
             "%13, %14, p;", BOTH)
GROUP_KERNEL(sp_kk, ".sp.sync.aligned.m64n24k32.f32.f16.f16", D12, OUTS(c), 12,
             "%13, %14, %15, 0, p, 1, 1, 0, 0;", BOTH, "r"(e))
GROUP_KERNEL(sp_mn, ".sp.sync.aligned.m64n24k32.f32.f16.f16", D12, OUTS(c), 12,
             "%13, %14, %15, 0, p, 1, 1, 1, 1;", BOTH, "r"(e))
GROUP_KERNEL(sp_rk, ".sp.sync.aligned.m64n24k64.s32.s8.u8", D12, OUTS(c), 12,
             A13 ", %18, 0, p;", MIXED, "r"(e))

/* ---- elements ---------------------------------------------------------------------------------- */

enum kind { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1 };
static const int bits_of[] = {16, 16, 32, 8, 8, 8, 8, 1};

static double draw(kind k, unsigned *state, unsigned *out)
{
    unsigned r = next_random(state);
    int small = static_cast<int>(r % 15) - 7;
    float f = static_cast<float>(small) / 2;
    *out = 0;
    switch (k) {
    case F16: {
        half h(f);
        memcpy(out, &h, 2);
        return f;
    }
    case BF16: {
        __nv_bfloat16 h(f);
        memcpy(out, &h, 2);
        return f;
    }
    case TF32:
        memcpy(out, &f, 4);
        return f;
    case E4M3: {
        __nv_fp8_e4m3 h(f);
        memcpy(out, &h, 1);
        return f;
    }
    case E5M2: {
        __nv_fp8_e5m2 h(static_cast<float>(small % 5));
        memcpy(out, &h, 1);
        return small % 5;
    }
    case S8:
        *out = r & 255;
        return static_cast<signed char>(r);
    case U8:
        *out = r & 255;
        return r & 255;
    default:
        *out = r >> 5 & 1;
        return *out;
    }
}

/* ---- layouts: the ISA's, in elements of 16 bytes ------------------------------------------------- */

struct layout {
    int width;      /* of swizzling in bytes; 16: none */
    bool mn_major;
    int leading, stride;
};

/* Byte of element (line, depth) of a matrix; `line` is a row of A or column of B. */
static int place(const layout &l, int line, int depth, int bits)
{
    const int t = 128 / bits;
    int unit;
    long at;
    if (!l.mn_major) {
        unit = depth / t;
        at = line % 8 * l.width + line / 8 * l.stride;
        at += l.width == 16 ? unit * l.leading : unit * 16;
        at += depth % t * bits / 8;
    } else {
        unit = line / t;
        at = depth % 8 * l.width;
        if (l.width == 16)
            at += unit * l.stride + depth / 8 * l.leading;
        else
            at += unit % (l.width / 16) * 16 + unit / (l.width / 16) * l.leading +
                  depth / 8 * l.stride;
        at += line % t * bits / 8;
    }
    long row = at >> 7 & (l.width / 16 - 1); /* Swizzle<B, 4, 3> */
    return static_cast<int>(at ^ row << 4);
}

static layout layout_of(int width, bool mn_major, int lines)
{
    if (!mn_major)
        return width == 16 ? layout{16, false, lines / 8 * 128, 128}
                           : layout{width, false, 16, 8 * width};
    int units = lines / 8, groups = (units * 16 + width - 1) / width;
    return width == 16 ? layout{16, true, units * 128, 128}
                       : layout{width, true, 8 * width, groups * 8 * width};
}

static uint64_t tail_of(const layout &l)
{
    uint64_t mode = l.width == 128 ? 1 : l.width == 64 ? 2 : l.width == 32 ? 3 : 0;
    return static_cast<uint64_t>(l.leading >> 4) << 16 | static_cast<uint64_t>(l.stride >> 4) << 32 |
           mode << 62;
}

static void put(unsigned char *to, int at, int bits, int depth, unsigned value)
{
    if (bits == 1)
        to[at] = static_cast<unsigned char>(to[at] | value << (depth % 8));
    else
        memcpy(to + at, &value, bits / 8);
}

/* ---- one form ------------------------------------------------------------------------------------ */

struct form {
    const char *name;
    void (*kernel)(operands, unsigned *, int);
    kind a, b;
    int depth;
    bool a_in_registers, a_mn, b_mn, is_sparse;
    int sign;        /* of the product */
    char sums;       /* f: f32, h: f16, s: s32 */
};

static double sum_value(char kind, const unsigned *d, int thread, int i)
{
    const unsigned *mine = d + thread * 12;
    if (kind == 's') return static_cast<int>(mine[i]);
    if (kind == 'h') {
        half h;
        memcpy(&h, reinterpret_cast<const char *>(mine) + 2 * i, 2);
        return static_cast<float>(h);
    }
    float f;
    memcpy(&f, &mine[i], 4);
    return f;
}

static void set_sum(char kind, unsigned *d, int thread, int i, int value)
{
    unsigned *mine = d + thread * 12;
    float f = static_cast<float>(value);
    half h(f);
    if (kind == 's') mine[i] = static_cast<unsigned>(value);
    if (kind == 'h') memcpy(reinterpret_cast<char *>(mine) + 2 * i, &h, 2);
    if (kind == 'f') memcpy(&mine[i], &f, 4);
}

/* Row of A and place in depth of element `part` of register `reg` of a thread: as for mma, 16 rows a warp. */
static void put_register(unsigned *registers, int bits, int row, int depth, unsigned value)
{
    int per = 32 / bits, column = depth / per, thread = row / 16 * 32 + row % 8 * 4 + column % 4;
    int reg = row % 16 / 8 + column / 4 * 2;
    registers[thread * 4 + reg] |= value << (depth % per * bits);
}

/* Two of four stored; metadata of 16 halves by half a word, of 32 bytes by a word (9.7.15.6.2). */
static void put_metadata(unsigned *metadata, bool of_bytes, int row, int chunk, unsigned code)
{
    int lane = row / 16 * 32 + row % 8 * 4, below = row % 16 / 8;
    if (of_bytes)
        metadata[lane + chunk / 8 * 2 + below] |= code << (chunk % 8 * 4);
    else
        metadata[lane + chunk / 4] |= code << (chunk % 4 * 4 + 16 * below);
}

static bool try_form(const form &f, int width_a, int width_b, unsigned *state)
{
    static double a[M][256], b[N][256];
    operands o;
    unsigned *d, *registers, *metadata, value;
    int stored = f.is_sparse ? f.depth / 2 : f.depth, bits = bits_of[f.a];
    CHECK(cudaMallocManaged(&o.a, BYTES));
    CHECK(cudaMallocManaged(&o.b, BYTES));
    CHECK(cudaMallocManaged(&d, 128 * 12 * 4));
    CHECK(cudaMallocManaged(&registers, 128 * 4 * 4));
    CHECK(cudaMallocManaged(&metadata, 128 * 4));
    memset(o.a, 0, BYTES);
    memset(o.b, 0, BYTES);
    memset(d, 0, 128 * 12 * 4);
    memset(registers, 0, 128 * 4 * 4);
    memset(metadata, 0, 128 * 4);
    memset(a, 0, sizeof a);
    layout la = layout_of(width_a, f.a_mn, M), lb = layout_of(width_b, f.b_mn, N);
    for (int row = 0; row < M; row++)
        for (int s = 0; s < stored; s++) {
            double x = draw(f.a, state, &value);
            static unsigned first;
            int depth = s;
            if (f.is_sparse) {
                unsigned index = s % 2 ? first + 1 + next_random(state) % (3 - first)
                                       : next_random(state) % 3;
                if (s % 2 == 0) first = index;
                depth = s / 2 * 4 + static_cast<int>(index);
                put_metadata(metadata, f.a == S8, row, s / 2, index << (s % 2 * 2));
            }
            a[row][depth] = x;
            if (f.a_in_registers)
                put_register(registers, bits, row, s, value);
            else
                put(o.a, place(la, row, s, bits), bits, s, value);
        }
    for (int column = 0; column < N; column++)
        for (int k = 0; k < f.depth; k++) {
            b[column][k] = draw(f.b, state, &value);
            put(o.b, place(lb, column, k, bits), bits, k, value);
        }
    o.a_tail = tail_of(la);
    o.b_tail = tail_of(lb);
    o.registers = registers;
    o.metadata = metadata;
    bool ok = true;
    CHECK(cudaFuncSetAttribute(f.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * BYTES));
    for (int adds = 0; adds < 2; adds++) {
        for (int thread = 0; thread < 128; thread++)
            for (int i = 0; i < 12; i++)
                set_sum(f.sums, d, thread, i, thread + i);
        f.kernel<<<1, 128, 2 * BYTES>>>(o, d, adds);
        CHECK(cudaDeviceSynchronize());
        for (int thread = 0; thread < 128; thread++)
            for (int i = 0; i < 12; i++) {
                int row = thread / 32 * 16 + thread % 32 / 4 + i % 4 / 2 * 8;
                int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
                double sum = 0;
                for (int k = 0; k < f.depth; k++)
                    sum += a[row][k] * b[column][k];
                sum = f.sign * sum + (adds ? thread + i : 0);
                if (f.sums == 'h') sum = static_cast<float>(half(static_cast<float>(sum)));
                ok &= sum_value(f.sums, d, thread, i) == sum;
            }
    }
    for (void *p : {static_cast<void *>(o.a), static_cast<void *>(o.b), static_cast<void *>(d),
                    static_cast<void *>(registers), static_cast<void *>(metadata)})
        CHECK(cudaFree(p));
    if (!ok) printf("%s differs, swizzled by %d and %d bytes\n", f.name, width_a, width_b);
    return ok;
}

int main()
{
    static const form forms[] = {
        {"f16", f16_kk, F16, F16, 16, false, false, false, false, 1, 'f'},
        {"f16, A transposed, B negated", f16_mk, F16, F16, 16, false, true, false, false, -1, 'f'},
        {"f16, B transposed, A negated", f16_kn, F16, F16, 16, false, false, true, false, -1, 'f'},
        {"f16, both transposed", f16_mn, F16, F16, 16, false, true, true, false, 1, 'f'},
        {"f16, A in registers", f16_rn, F16, F16, 16, true, false, true, false, 1, 'f'},
        {"f16 to f16", f16_h, F16, F16, 16, false, false, false, false, 1, 'h'},
        {"bf16", bf16_mk, BF16, BF16, 16, false, true, false, false, 1, 'f'},
        {"tf32", tf32_kk, TF32, TF32, 8, false, false, false, false, -1, 'f'},
        {"tf32, A in registers", tf32_rk, TF32, TF32, 8, true, false, false, false, 1, 'f'},
        {"fp8", fp8_kk, E4M3, E5M2, 32, false, false, false, false, 1, 'f'},
        {"fp8, A in registers", fp8_rk, E4M3, E5M2, 32, true, false, false, false, -1, 'f'},
        {"s8", s8_kk, S8, U8, 32, false, false, false, false, 1, 's'},
        {"s8, A in registers", s8_rk, S8, U8, 32, true, false, false, false, 1, 's'},
        {"b1", b1_kk, B1, B1, 256, false, false, false, false, 1, 's'},
        {"sparse f16", sp_kk, F16, F16, 32, false, false, false, true, 1, 'f'},
        {"sparse f16, both transposed", sp_mn, F16, F16, 32, false, true, true, true, 1, 'f'},
        {"sparse s8, A in registers", sp_rk, S8, U8, 64, true, false, false, true, 1, 's'},
    };
    static const int widths[] = {16, 32, 64, 128};
    unsigned state = 7;
    bool ok = true;
    for (const form &f : forms)
        for (int i = 0; i < 4; i++) { /* B of another swizzle than A */
            int width_b = widths[(i + 1 + (f.depth == 16)) % 4];
            if (f.is_sparse && !f.b_mn && width_b == 32) continue; /* B has 64 bytes in depth */
            ok &= try_form(f, widths[i], width_b, &state);
        }
    return verdict(ok);
}
