// SPDX-License-Identifier: Apache-2.0
/* f16, f16x2, bf16, bf16x2. A register of 32 lanes is an array of 32 or, of a packed type, 64
 * halves. An operation widens them to f32, computes there, and rounds once:
 *
 *     HALF2(add, A + B)     makes add_f16_full, add_f16_part, add_f16x2_full, ... of all four types
 *
 * f32 holds a sum, difference or product of two halves well enough that rounding it again gives
 * the exactly rounded result (24 bits >= 2 * 11 + 2); products of f16 are exact. A fused
 * multiply-add is not: its f32 sum is made odd where it is inexact, which keeps the second rounding
 * right (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
 * rounding to odd", 2008). Modifiers act on the whole array, so that a plain operation pays nothing.
 */
#ifndef EMULATE_SEM_HALF_H
#define EMULATE_SEM_HALF_H

#include "base/half.h"
#include "emulate/sem_float.h"
#include "emulate/sem_select.h"

enum { HALVES_MAX = 2 * WARP_LANES };
#define HALVES(n) for (unsigned i = 0; i < (n); i++)
#define FLOAT_BUFFER(name) float name[HALVES_MAX] __attribute__((aligned(64)))

/* ---- widen, narrow --------------------------------------------------------------------------- */

/* Without branches: the exponent is moved by a multiplication, which is exact and normalises. */
static inline float widened_f16(uint16_t half)
{
    uint32_t magnitude = half & 0x7fff, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t finite = float_as_bits(bits_as_float(magnitude << 13) * 0x1p112f);
    return bits_as_float(sign | (magnitude >= 0x7c00 ? magnitude << 13 | 0x7f800000 : finite));
}
#if !defined(__F16C__)
/* A normal result is rounded in the bits, a subnormal one by adding 0.5, whose last bit is
 * 2^-24, as the half's. */
static inline uint16_t narrowed_f16(float v)
{
    uint32_t bits = float_as_bits(v), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    uint32_t subnormal = float_as_bits(bits_as_float(magnitude) + 0.5f) - float_as_bits(0.5f);
    uint32_t half = magnitude < 113u << 23 ? subnormal : magnitude < 143u << 23 ? normal : 0x7c00;
    return (uint16_t)(magnitude > 0x7f800000 ? 0x7fff : sign | half);
}
#endif

#if defined(__AVX512F__)
static inline __m512 wide_f16(const uint16_t *halves)
{
    return _mm512_cvtph_ps(_mm256_load_si256((const void *)halves));
}
static inline __m256i narrow_floats(__m512 v)
{
    return _mm512_cvtps_ph(canon_floats(v), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#endif

static inline void widen_f16(const uint16_t *halves, float *floats, unsigned n)
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < n; i += 16)
        _mm512_store_ps(floats + i, wide_f16(halves + i));
#elif defined(__F16C__)
    for (unsigned i = 0; i < n; i += 8)
        _mm256_store_ps(floats + i, _mm256_cvtph_ps(_mm_load_si128((const void *)(halves + i))));
#else
    VECTOR HALVES(n) floats[i] = widened_f16(halves[i]);
#endif
}

static inline void narrow_f16(const float *floats, uint16_t *halves, unsigned n)
{
#if defined(__AVX512F__)
    for (unsigned i = 0; i < n; i += 16)
        _mm256_store_si256((void *)(halves + i), narrow_floats(_mm512_load_ps(floats + i)));
#elif defined(__F16C__)
    for (unsigned i = 0; i < n; i += 8) {
        __m256 v = _mm256_load_ps(floats + i),
               nan = _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MAX));
        v = _mm256_blendv_ps(v, nan, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        _mm_store_si128((void *)(halves + i), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
    }
#else
    VECTOR HALVES(n) halves[i] = narrowed_f16(floats[i]);
#endif
}

static inline void widen_bf16(const uint16_t *halves, float *floats, unsigned n)
{
    VECTOR HALVES(n) floats[i] = bits_as_float((uint32_t)halves[i] << 16);
}
static inline void narrow_bf16(const float *floats, uint16_t *halves, unsigned n)
{
    VECTOR HALVES(n) halves[i] = bf16_from_float(floats[i]);
}

/* ---- modifiers ------------------------------------------------------------------------------- */

/* What marks an element of a tensor tile that lies outside the tensor. */
enum { OUT_OF_BOUNDS_NAN = 0x7ff7 };

/* Least normal numbers, and the exponents of the halves. */
#define LEAST_f16 0x1p-14f
#define LEAST_bf16 FLT_MIN
enum { EXPONENT_f16 = 0x7c00, EXPONENT_bf16 = 0x7f80 };

static inline void flush_floats(float *floats, float least, unsigned n)
{
    VECTOR HALVES(n) floats[i] = fabsf(floats[i]) < least ? copysignf(0.0f, floats[i]) : floats[i];
}
static inline void flush_halves(uint16_t *halves, unsigned exponent, unsigned n)
{
    VECTOR HALVES(n) halves[i] = (uint16_t)(halves[i] & exponent ? halves[i] : halves[i] & 0x8000);
}
static inline void finish_floats(float *floats, int64_t imm, unsigned n)
{
    if (imm & F_SAT) /* NaN gives +0 */
        VECTOR HALVES(n) floats[i] =
            floats[i] > 0.0f ? (floats[i] < 1.0f ? floats[i] : 1.0f) : 0.0f;
    if (imm & F_RELU) /* NaN stays */
        VECTOR HALVES(n) floats[i] = floats[i] <= 0.0f ? 0.0f : floats[i];
}
static inline void clear_out_of_bounds(float *floats, const uint16_t *a, const uint16_t *b,
                                       unsigned n)
{
    VECTOR HALVES(n) floats[i] =
        a[i] == OUT_OF_BOUNDS_NAN || b[i] == OUT_OF_BOUNDS_NAN ? 0.0f : floats[i];
}

/* ---- fused multiply-add ---------------------------------------------------------------------- */

/* head + tail in f32, odd where that is not exact; head is the sum rounded to nearest. */
static inline float make_odd(float head, bool inexact, bool grow)
{
    uint32_t bits = float_as_bits(head), step = grow ? 1 : UINT32_MAX;
    return bits_as_float(inexact && !(bits & 1) ? bits + step : bits);
}
static inline float fused_f16(float a, float b, float c)
{
    float product = a * b, sum = product + c, rest = sum - product;
    float tail = (product - (sum - rest)) + (c - rest);
    return make_odd(sum, tail < 0.0f || tail > 0.0f, (tail > 0.0f) == (sum > 0.0f));
}
#if defined(__AVX512F__)
/* Cut off and, where the two directions differ, made odd. In the processor's four forms: a * b + c, c - a * b, .. */
#define FUSED_FLOATS(form)                                                                         \
    static inline __m512 form##_odd(__m512 a, __m512 b, __m512 c)                                  \
    {                                                                                              \
        __m512 down =                                                                              \
            _mm512_##form##_round_ps(a, b, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);          \
        __m512 up = _mm512_##form##_round_ps(a, b, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);  \
        __m512i cut = _mm512_castps_si512(                                                         \
            _mm512_##form##_round_ps(a, b, c, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));            \
        __mmask16 is_inexact = _mm512_cmp_ps_mask(down, up, _CMP_NEQ_OQ);                          \
        return _mm512_castsi512_ps(                                                                \
            _mm512_mask_or_epi32(cut, is_inexact, cut, _mm512_set1_epi32(1)));                     \
    }
FUSED_FLOATS(fmadd)
FUSED_FLOATS(fnmadd)
FUSED_FLOATS(fmsub)
FUSED_FLOATS(fnmsub)
#endif
/* Products of bf16 may leave the range of f32: the sum is made odd in f64, then in f32. */
static inline float fused_bf16(float a, float b, float c)
{
    double product = (double)a * (double)b, sum = product + (double)c, rest = sum - product;
    double tail = (product - (sum - rest)) + ((double)c - rest);
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bool inexact = tail < 0.0 || tail > 0.0;
    int64_t step = (tail > 0.0) == (sum > 0.0) ? 1 : -1;
    bits += inexact && !(bits & 1) ? step : 0;
    memcpy(&sum, &bits, sizeof sum);
    float head = (float)sum;
    double back = (double)head;
    return make_odd(head, back < sum || back > sum, fabs(back) < fabs(sum));
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Plain operations of f16, a vector at a time: without buffers of f32. */
#if defined(__AVX512F__)
#define F16_VECTORS(name, load, expr)                                                              \
    static inline void name##_f16_vectors(struct exec *x, const struct uop *u, uint16_t *r,        \
                                          unsigned n)                                              \
    {                                                                                              \
        for (unsigned i = 0; i < n; i += 16) {                                                     \
            load;                                                                                  \
            _mm256_store_si256((void *)(r + i), narrow_floats(expr));                              \
        }                                                                                          \
    }
#define F16_SOURCE(k) wide_f16(SRC(uint16_t, k) + i)
#define F16_LOAD2 const __m512 A = F16_SOURCE(0), B = F16_SOURCE(1)
#define F16_LOAD3                                                                                  \
    F16_LOAD2;                                                                                     \
    const __m512 C = F16_SOURCE(2)
F16_VECTORS(add, F16_LOAD2, _mm512_add_ps(A, B))
F16_VECTORS(sub, F16_LOAD2, _mm512_sub_ps(A, B))
F16_VECTORS(mul, F16_LOAD2, _mm512_mul_ps(A, B))
F16_VECTORS(fma, F16_LOAD3, fmadd_odd(A, B, C))
/* Of the native instruction, whose product and sum may be negated */
F16_VECTORS(fma_from, F16_LOAD3, fnmadd_odd(A, B, C))
F16_VECTORS(fma_less, F16_LOAD3, fmsub_odd(A, B, C))
F16_VECTORS(fma_negated, F16_LOAD3, fnmsub_odd(A, B, C))
#define IF_PLAIN(name)                                                                             \
    if (!u->imm) {                                                                                 \
        name##_f16_vectors(x, u, r, n);                                                            \
        return;                                                                                    \
    }
#else
#define IF_PLAIN(name)
#endif

#define WIDEN(format, name, k)                                                                     \
    FLOAT_BUFFER(name);                                                                            \
    widen_##format(SRC(uint16_t, k), name, n);                                                     \
    if (u->imm & F_FTZ) flush_floats(name, LEAST_##format, n);
#define HALF_FORMS(name, format, type, lane, count, plain, prepare, load, expr, bounds)            \
    static inline void name##_##type(struct exec *x, const struct uop *u, uint16_t *r)             \
    {                                                                                              \
        const unsigned n = count;                                                                  \
        plain;                                                                                     \
        FLOAT_BUFFER(floats);                                                                      \
        prepare(format);                                                                           \
        VECTOR HALVES(n)                                                                           \
        {                                                                                          \
            load;                                                                                  \
            floats[i] = expr;                                                                      \
        }                                                                                          \
        if (u->imm & (F_SAT | F_RELU)) finish_floats(floats, u->imm, n);                           \
        bounds;                                                                                    \
        narrow_##format(floats, r, n);                                                             \
        if (u->imm & F_FTZ) flush_halves(r, EXPONENT_##format, n);                                 \
    }                                                                                              \
    static void name##_##type##_full(struct exec *x, const struct uop *u)                          \
    {                                                                                              \
        name##_##type(x, u, DST(uint16_t, 0));                                                     \
    }                                                                                              \
    static void name##_##type##_part(struct exec *x, const struct uop *u)                          \
    {                                                                                              \
        uint16_t r[count] __attribute__((aligned(64)));                                            \
        name##_##type(x, u, r);                                                                    \
        KEEP_OTHER_LANES(lane)                                                                     \
    }
#define HALF_FORMAT(name, format, plain, prepare, load, expr, bounds)                              \
    HALF_FORMS(name, format, format, uint16_t, WARP_LANES, plain, prepare, load, expr, bounds)     \
    HALF_FORMS(name, format, format##x2, uint32_t, HALVES_MAX, plain, prepare, load, expr, bounds)

#define PREPARE1(format) WIDEN(format, a, 0)
#define PREPARE2(format) WIDEN(format, a, 0) WIDEN(format, b, 1)
#define PREPARE3(format) WIDEN(format, a, 0) WIDEN(format, b, 1) WIDEN(format, c, 2)
#define LOAD1 const float A = a[i]
#define LOAD2                                                                                      \
    LOAD1;                                                                                         \
    const float B = b[i]
#define LOAD3                                                                                      \
    LOAD2;                                                                                         \
    const float C = c[i]
#define HALF1(name, expr)                                                                          \
    HALF_FORMAT(name, f16, , PREPARE1, LOAD1, expr, )                                              \
    HALF_FORMAT(name, bf16, , PREPARE1, LOAD1, expr, )
#define HALF2(name, plain, expr)                                                                   \
    HALF_FORMAT(name, f16, plain, PREPARE2, LOAD2, expr, )                                         \
    HALF_FORMAT(name, bf16, , PREPARE2, LOAD2, expr, )
#define CHECK_BOUNDS                                                                               \
    if (u->imm & F_OOB) clear_out_of_bounds(floats, SRC(uint16_t, 0), SRC(uint16_t, 1), n)

HALF2(add, IF_PLAIN(add), A + B)
HALF2(sub, IF_PLAIN(sub), A - B)
HALF2(mul, IF_PLAIN(mul), A *B)
HALF2(min, , min_max(A, B, u->imm & ~F_FTZ, false))
HALF2(max, , min_max(A, B, u->imm & ~F_FTZ, true))
HALF1(neg, -A)
HALF1(abs, fabsf(A))
HALF1(ex2, exp2f(A))
HALF1(tanh, tanhf(A))
HALF_FORMAT(fma, f16, IF_PLAIN(fma), PREPARE3, LOAD3, fused_f16(A, B, C), CHECK_BOUNDS)
HALF_FORMAT(fma, bf16, , PREPARE3, LOAD3, fused_bf16(A, B, C), CHECK_BOUNDS)

/* ---- mixed precision ------------------------------------------------------------------------- */

/* f32 of halves and an f32: the halves are widened, the rest is the operation of f32. */
#define MIXED(name, format, halves, load, last, expr)                                              \
    static inline void name##_f32_##format(struct exec *x, const struct uop *u, float *r)          \
    {                                                                                              \
        const unsigned n = WARP_LANES;                                                             \
        const float *z = SRC(float, last);                                                         \
        halves(format);                                                                            \
        VECTOR LANES                                                                               \
        {                                                                                          \
            load;                                                                                  \
            const float Z = z[i];                                                                  \
            r[i] = expr;                                                                           \
        }                                                                                          \
    }                                                                                              \
    static void name##_f32_##format##_full(struct exec *x, const struct uop *u)                    \
    {                                                                                              \
        name##_f32_##format(x, u, DST(float, 0));                                                  \
    }                                                                                              \
    static void name##_f32_##format##_part(struct exec *x, const struct uop *u)                    \
    {                                                                                              \
        float r[WARP_LANES] __attribute__((aligned(64)));                                          \
        name##_f32_##format(x, u, r);                                                              \
        KEEP_OTHER_LANES(float)                                                                    \
    }
#define MIXED_FORMAT(format)                                                                       \
    MIXED(add, format, PREPARE1, LOAD1, 1, add_any(A, Z, u->imm))                                  \
    MIXED(sub, format, PREPARE1, LOAD1, 1, add_any(A, -Z, u->imm))                                 \
    MIXED(fma, format, PREPARE2, LOAD2, 2, fma_any(A, B, Z, u->imm))
MIXED_FORMAT(f16)
MIXED_FORMAT(bf16)

/* ---- selection ------------------------------------------------------------------------------- */

#define HALF_PAIR(insn, name)                                                                      \
    ((insn)->type == TYPE_F16     ? PAIR(name##_f16)                                               \
     : (insn)->type == TYPE_F16X2 ? PAIR(name##_f16x2)                                             \
     : (insn)->type == TYPE_BF16  ? PAIR(name##_bf16)                                              \
                                  : PAIR(name##_bf16x2))
static struct uop_pair select_half(const struct insn *insn)
{
    switch (insn->op) {
    case OP_ADD:
        return HALF_PAIR(insn, add);
    case OP_SUB:
        return HALF_PAIR(insn, sub);
    case OP_MUL:
        return HALF_PAIR(insn, mul);
    case OP_FMA:
        return HALF_PAIR(insn, fma);
    case OP_MIN:
        return HALF_PAIR(insn, min);
    case OP_MAX:
        return HALF_PAIR(insn, max);
    case OP_NEG:
        return HALF_PAIR(insn, neg);
    case OP_ABS:
        return HALF_PAIR(insn, abs);
    case OP_EX2:
        return HALF_PAIR(insn, ex2);
    case OP_TANH:
        return HALF_PAIR(insn, tanh);
    default:
        return NOT_SUPPORTED;
    }
}
#define MIXED_PAIR(insn, name)                                                                     \
    ((insn)->type2 == TYPE_F16 ? PAIR(name##_f32_f16) : PAIR(name##_f32_bf16))
static struct uop_pair select_mixed(const struct insn *insn)
{
    switch (insn->op) {
    case OP_ADD:
        return MIXED_PAIR(insn, add);
    case OP_SUB:
        return MIXED_PAIR(insn, sub);
    case OP_FMA:
        return MIXED_PAIR(insn, fma);
    default:
        return NOT_SUPPORTED;
    }
}

#endif
