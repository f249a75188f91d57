// SPDX-License-Identifier: Apache-2.0
/* f32, and what chooses among all floating-point operations. Round-to-nearest forms are plain C arithmetic
 * (contraction is off); results that are NaN become 0x7fffffff as the ISA says. The other forms (ftz, sat,
 * directed rounding) read their modifiers from imm. Approximate functions are computed in double
 * precision, tangents and sines of large angles by the C library, so they lie inside the ISA's bounds. */
#ifndef EMULATE_SEM_FLOAT_H
#define EMULATE_SEM_FLOAT_H

#include "emulate/angles.h"
#include "emulate/sem_select.h"

static inline uint32_t float_as_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline float bits_as_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline float nan32(void)
{
    return __builtin_nanf("0x3fffff");
}
static inline float canon(float v)
{
    return v != v ? nan32() : v;
}
#if defined(__AVX512F__)
/* canon of 16 floats: the table leaves the NaN where v is one, 0 and 1, and takes v otherwise. */
static inline __m512 canon_floats(__m512 v)
{
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(INT32_MAX));
    return _mm512_fixupimm_ps(nan, v, _mm512_set1_epi32(0x11111100), 0);
}
#endif
static inline float flush(float v)
{
    return fabsf(v) < FLT_MIN ? copysignf(0.0f, v) : v;
}
/* Results of operations that flush. */
static inline float flushed(float v)
{
    return canon(flush(v));
}
static inline float ftz_in(float v, int64_t imm)
{
    return imm & F_FTZ ? flush(v) : v;
}
static inline float finish(float v, int64_t imm)
{
    v = imm & F_FTZ ? flush(v) : v;
    if (imm & F_SAT) v = v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; /* NaN gives +0 */
    return canon(v);
}
static inline int64_t double_as_bits(double v)
{
    int64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
/* Directed rounding of an exact value that is known as double `head` plus a tail of sign `tail`.
 * head is first made odd where it is inexact, which makes the second rounding exact: 53 bits are
 * more than twice 24 plus two. Without branches, for vectors: a step away from f adds one to the bits, or
 * takes one off where the magnitude shrinks. */
static inline float round_odd(double head, double tail, int64_t direction)
{
    const bool is_finite = fabs(head) <= DBL_MAX;
    int64_t bits = double_as_bits(head), odd = ((bits ^ double_as_bits(tail)) >> 63) | 1;
    bits += odd & -(~bits & (int64_t)(is_finite & (tail != 0.0)));
    memcpy(&head, &bits, sizeof head);
    float f = (float)head;
    const double back = (double)f;
    const bool above = back > head;
    const bool steps = direction == F_RZ   ? (head > 0.0) == above
                       : direction == F_RM ? above
                                           : !above;
    const bool shrinks = direction == F_RZ || (direction == F_RM ? f > 0.0f : f < 0.0f);
    uint32_t next = float_as_bits(f) + (shrinks ? UINT32_MAX : 1);
    const bool leaves = is_finite & (back != head) & steps;
    return leaves ? bits_as_float(next) : f;
}
/* What the sum s leaves out; without meaning if s is not finite. */
static inline double sum_tail(double a, double b, double s)
{
    const double bb = s - a;
    return (a - (s - bb)) + (b - bb);
}
/* A sum of 0 is -0 when rounded down, but for one of two zeros of plus sign. */
static inline float add_directed(double a, double b, int64_t direction)
{
    const double s = a + b;
    const bool both_zero = (a == 0.0) & (b == 0.0);
    const bool other_signs = (double_as_bits(a) ^ double_as_bits(b)) < 0;
    float r = round_odd(s, sum_tail(a, b, s), direction);
    const bool is_minus_zero = (direction == F_RM) & (s == 0.0) & (!both_zero | other_signs);
    return is_minus_zero ? -0.0f : r;
}
static inline float add_any(float a, float b, int64_t imm)
{
    a = ftz_in(a, imm), b = ftz_in(b, imm);
    return finish(imm & F_DIRECTION ? add_directed(a, b, imm & F_DIRECTION) : a + b, imm);
}
static inline float mul_directed(float a, float b, int64_t direction)
{
    return round_odd((double)a * b, 0.0, direction);
}
static inline float mul_any(float a, float b, int64_t imm)
{
    a = ftz_in(a, imm), b = ftz_in(b, imm);
    return finish(imm & F_DIRECTION ? mul_directed(a, b, imm & F_DIRECTION) : a * b, imm);
}
static inline float fma_any(float a, float b, float c, int64_t imm)
{
    a = ftz_in(a, imm), b = ftz_in(b, imm), c = ftz_in(c, imm);
    return finish(
        imm & F_DIRECTION ? add_directed((double)a * b, c, imm & F_DIRECTION) : fmaf(a, b, c), imm);
}
/* The tail of a quotient or a root in double has the sign of its residue. */
static inline float div_any(float a, float b, int64_t imm)
{
    a = ftz_in(a, imm), b = ftz_in(b, imm);
    if (!(imm & F_DIRECTION)) return finish(a / b, imm);
    double q = (double)a / b, tail = isfinite(q) && isfinite(b) ? -fma(q, b, -(double)a) : 0.0;
    return finish(round_odd(q, b < 0.0f ? -tail : tail, imm & F_DIRECTION), imm);
}
static inline float sqrt_any(float a, int64_t imm)
{
    a = ftz_in(a, imm);
    if (!(imm & F_DIRECTION)) return finish(sqrtf(a), imm);
    double r = sqrt((double)a), tail = isfinite(r) && r > 0.0 ? -fma(r, r, -(double)a) : 0.0;
    return finish(round_odd(r, tail, imm & F_DIRECTION), imm);
}
/* Beyond 2^126 the quotient is 0 (ISA, div.approx); infinity over such a number is NaN. */
static inline float div_approx(float a, float b)
{
    return fabsf(b) > 0x1p126f && !(fabsf(b) > FLT_MAX) ? a * copysignf(0.0f, b) : a / b;
}
/* Of a number and a NaN the number, unless .NaN is asked for; -0 lies below +0. */
static inline float min_max(float a, float b, int64_t imm, bool maximum)
{
    a = ftz_in(a, imm), b = ftz_in(b, imm);
    uint32_t sign = (float_as_bits(a) ^ float_as_bits(b)) & 0x80000000;
    if (imm & F_ABS) a = fabsf(a), b = fabsf(b);
    bool a_below = a < b || (a == b && signbit(a)), any_nan = a != a || b != b;
    float r = a_below != maximum ? a : b;
    if (any_nan) r = a != a ? b : a;
    if (imm & F_XORSIGN) r = bits_as_float((float_as_bits(r) & 0x7fffffff) | sign);
    return r != r || (imm & F_NAN && any_nan) ? nan32() : r;
}
static inline float min_max3(float a, float b, float c, int64_t imm, bool maximum)
{
    return min_max(min_max(a, b, imm, maximum), c, imm, maximum);
}
OP2(add_f32, float, float, float, canon(A + B))
OP2(sub_f32, float, float, float, canon(A - B))
OP2(mul_f32, float, float, float, canon(A *B))
OP3(fma_f32, float, float, float, float, canon(fmaf(A, B, C)))
OP2(div_f32, float, float, float, canon(A / B))
OP1(sqrt_f32, float, float, canon(sqrtf(A)))
OP2(add_f32_any, float, float, float, add_any(A, B, u->imm))
OP2(sub_f32_any, float, float, float, add_any(A, -B, u->imm))
OP2(mul_f32_any, float, float, float, mul_any(A, B, u->imm))
OP3(fma_f32_any, float, float, float, float, fma_any(A, B, C, u->imm))
OP2(div_f32_any, float, float, float, div_any(A, B, u->imm))
OP2(div_f32_approx, float, float, float, canon(div_approx(A, B)))
OP1(sqrt_f32_any, float, float, sqrt_any(A, u->imm))
OP1(rcp_f32_any, float, float, div_any(1.0f, A, u->imm))
OP1(rcp_f32, float, float, canon(1.0f / A))
/* Directed rounding without other modifiers: what the expansions of division and sin have. */
#define DIRECTED(name, direction)                                                                  \
    OP2(add_f32_##name, float, float, float, canon(add_directed((double)A, (double)B, direction))) \
    OP2(mul_f32_##name, float, float, float, canon(mul_directed(A, B, direction)))                 \
    OP3(fma_f32_##name, float, float, float, float,                                                \
        canon(add_directed((double)A *B, (double)C, direction)))
DIRECTED(rz, F_RZ)
DIRECTED(rm, F_RM)
DIRECTED(rp, F_RP)
/* What code compiled for speed is full of: to nearest, subnormals flushed. */
OP2(add_f32_ftz, float, float, float, flushed(flush(A) + flush(B)))
OP2(sub_f32_ftz, float, float, float, flushed(flush(A) - flush(B)))
OP2(mul_f32_ftz, float, float, float, flushed(flush(A) * flush(B)))
OP3(fma_f32_ftz, float, float, float, float, flushed(fmaf(flush(A), flush(B), flush(C))))
OP2(div_f32_ftz, float, float, float, flushed(flush(A) / flush(B)))
OP2(div_f32_approx_ftz, float, float, float, flushed(div_approx(flush(A), flush(B))))
OP1(sqrt_f32_ftz, float, float, flushed(sqrtf(flush(A))))
OP1(rcp_f32_ftz, float, float, flushed(1.0f / flush(A)))
OP2(min_f32, float, float, float, min_max(A, B, 0, false))
OP2(max_f32, float, float, float, min_max(A, B, 0, true))
OP2(min_f32_any, float, float, float, min_max(A, B, u->imm, false))
OP2(max_f32_any, float, float, float, min_max(A, B, u->imm, true))
OP2(min_f32_ftz, float, float, float, min_max(flush(A), flush(B), 0, false))
OP2(max_f32_ftz, float, float, float, min_max(flush(A), flush(B), 0, true))
OP3(min3_f32, float, float, float, float, min_max3(A, B, C, u->imm, false))
OP3(max3_f32, float, float, float, float, min_max3(A, B, C, u->imm, true))
OP1(abs_f32, float, float, canon(fabsf(ftz_in(A, u->imm))))
OP1(neg_f32, float, float, canon(-ftz_in(A, u->imm)))
/* 1 / sqrt in f64, rounded to f32. */
#if defined(__AVX512F__)
/* Two steps of Newton's method from 14 bits give a double whose rounding is the same for every float (all were
 * compared). */
static inline __m256 rsqrt_floats(__m256 a)
{
    const __m512d half = _mm512_set1_pd(0.5), v = _mm512_cvtps_pd(a);
    const __m512d halved = _mm512_mul_pd(v, half);
    __m512d y = _mm512_rsqrt14_pd(v);
    for (unsigned step = 0; step < 2; step++) {
        __m512d rest = _mm512_fnmadd_pd(_mm512_mul_pd(halved, y), y, half);
        y = _mm512_fmadd_pd(y, rest, y);
    }
    return _mm512_cvtpd_ps(y);
}
static inline void rsqrt_vectors(struct exec *x, const struct uop *u, bool whole)
{
    const float *a = SRC(float, 0);
    float *d = DST(float, 0);
    const bool flushes = u->imm & F_FTZ;
    /* Of zeros infinities, of infinity 0, of what is negative a NaN. */
    const __m512i by_class = _mm512_set1_epi32(0x03830600);
    for (unsigned i = 0; i < WARP_LANES; i += 16) {
        __m512 v = _mm512_load_ps(a + i);
        __mmask16 subnormal = flushes ? _mm512_fpclass_ps_mask(v, 0x20) : 0;
        v = _mm512_mask_and_ps(v, subnormal, v, _mm512_set1_ps(-0.0f));
        __m512 low = _mm512_castps256_ps512(rsqrt_floats(_mm512_castps512_ps256(v)));
        __m512 r = _mm512_insertf32x8(low, rsqrt_floats(_mm512_extractf32x8_ps(v, 1)), 1);
        r = canon_floats(_mm512_fixupimm_ps(r, v, by_class, 0));
        _mm512_mask_store_ps(d + i, whole ? 0xffff : (__mmask16)(x->mask >> i), r);
    }
}
static void rsqrt_f32_full(struct exec *x, const struct uop *u)
{
    rsqrt_vectors(x, u, true);
}
static void rsqrt_f32_part(struct exec *x, const struct uop *u)
{
    rsqrt_vectors(x, u, false);
}
#else
OP1(rsqrt_f32, float, float, finish((float)(1.0 / sqrt((double)ftz_in(A, u->imm))), u->imm))
#endif
/* Large angles, and what is none, are left to the C library. */
static inline void sines(const struct exec *x, const struct uop *u, bool is_cosine, float *r)
{
    const float *a = SRC(float, 0);
    const int64_t imm = u->imm;
    uint32_t far = 0;
    VECTOR LANES
    {
        r[i] = finish((float)sine_of_float((double)ftz_in(a[i], imm), is_cosine), imm);
    }
    LANES far |= (uint32_t) !(fabsf(a[i]) < ANGLE_LIMIT) << i;
    for (far &= x->mask; far; far &= far - 1) {
        unsigned i = (unsigned)__builtin_ctz(far);
        r[i] = finish((float)(is_cosine ? cos((double)a[i]) : sin((double)a[i])), imm);
    }
}
#define OP_SINE(name, is_cosine)                                                                   \
    static void name##_full(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        float r[WARP_LANES] __attribute__((aligned(64)));                                          \
        sines(x, u, is_cosine, r);                                                                 \
        memcpy(DST(float, 0), r, sizeof r);                                                        \
    }                                                                                              \
    static void name##_part(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        float r[WARP_LANES] __attribute__((aligned(64)));                                          \
        sines(x, u, is_cosine, r);                                                                 \
        KEEP_OTHER_LANES(float)                                                                    \
    }
OP_SINE(sin_f32, false)
OP_SINE(cos_f32, true)
/* Without branches that leave the polynomial out, for vectors. */
static inline float lg2(float a)
{
    const float other = a > 0.0f ? (a <= FLT_MAX ? 0.0f : a) : a == 0.0f ? -INFINITY : nan32();
    return (float)log2_of_float((double)a) + other;
}
static inline float ex2(float a)
{
    return (float)exp2_of_float((double)a);
}
OP1(lg2_f32, float, float, finish(lg2(ftz_in(A, u->imm)), u->imm))
OP1(ex2_f32, float, float, finish(ex2(ftz_in(A, u->imm)), u->imm))
OP1(tanh_f32, float, float, finish((float)tanh((double)A), u->imm))

/* ---- selection ------------------------------------------------------------------------------- */

/* An operation with a fast loop to nearest, one that flushes too, and one for all modifiers. */
#define BY_MODIFIERS(name) (any ? PAIR(name##_any) : ftz ? PAIR(name##_ftz) : PAIR(name))
#define BY_DIRECTION(name)                                                                         \
    (insn->rounding == ROUND_RZ   ? PAIR(name##_rz)                                                \
     : insn->rounding == ROUND_RM ? PAIR(name##_rm)                                                \
                                  : PAIR(name##_rp))
static struct uop_pair select_f32_directed(const struct insn *insn)
{
    switch (insn->op) {
    case OP_ADD:
        return BY_DIRECTION(add_f32);
    case OP_MUL:
        return BY_DIRECTION(mul_f32);
    case OP_MAD:
    case OP_FMA:
        return BY_DIRECTION(fma_f32);
    default:
        return NOT_SUPPORTED;
    }
}
static struct uop_pair select_f32(const struct insn *insn)
{
    bool ftz = insn->flags & INSN_FTZ;
    bool directed = insn->rounding >= ROUND_RZ && insn->rounding <= ROUND_RP &&
                    !(insn->flags & (INSN_FTZ | INSN_SAT));
    if (directed && select_f32_directed(insn).full) return select_f32_directed(insn);
    bool any = insn->rounding > ROUND_RN || insn->flags & (INSN_SAT | INSN_NAN | INSN_ABS);
    switch (insn->op) {
    case OP_ADD:
        return BY_MODIFIERS(add_f32);
    case OP_SUB:
        return BY_MODIFIERS(sub_f32);
    case OP_MUL:
        return BY_MODIFIERS(mul_f32);
    case OP_MAD:
    case OP_FMA:
        return BY_MODIFIERS(fma_f32);
    case OP_DIV:
        if (!(insn->flags & INSN_APPROX)) return BY_MODIFIERS(div_f32);
        return ftz ? PAIR(div_f32_approx_ftz) : PAIR(div_f32_approx);
    case OP_SQRT:
        return BY_MODIFIERS(sqrt_f32);
    case OP_RCP:
        return BY_MODIFIERS(rcp_f32);
    case OP_RSQRT:
        return PAIR(rsqrt_f32);
    case OP_SIN:
        return PAIR(sin_f32);
    case OP_COS:
        return PAIR(cos_f32);
    case OP_LG2:
        return PAIR(lg2_f32);
    case OP_EX2:
        return PAIR(ex2_f32);
    case OP_TANH:
        return PAIR(tanh_f32);
    case OP_MIN:
        return insn->nsrc == 3 ? PAIR(min3_f32) : BY_MODIFIERS(min_f32);
    case OP_MAX:
        return insn->nsrc == 3 ? PAIR(max3_f32) : BY_MODIFIERS(max_f32);
    case OP_ABS:
        return PAIR(abs_f32);
    case OP_NEG:
        return PAIR(neg_f32);
    default:
        return NOT_SUPPORTED;
    }
}

#endif
