// SPDX-License-Identifier: Apache-2.0
/* f64. Which NaN a result is the ISA leaves open; here it is one rule for every level, mask and modifier: the
 * first operand that is a NaN, made quiet, its sign and payload kept; without one (0 / 0, the root of -1)
 * CUDA's CUDART_NAN, 0xfff8000000000000 (QUIRKS.md). An x86-64 processor follows that rule in the order in
 * which an instruction names its operands. Compilers swap those of + and * and choose the form of a fused
 * multiply-add, so these instructions are written out. */
#ifndef EMULATE_SEM_DOUBLE_H
#define EMULATE_SEM_DOUBLE_H

#include "emulate/powers.h"
#include "emulate/sem_select.h"

static inline double quiet(double nan)
{
    return double_of_bits(bits_of_double(nan) | UINT64_C(0x0008000000000000));
}
static inline double invalid_f64(void)
{
    return double_of_bits(UINT64_C(0xfff8000000000000));
}
/* The result r of the operands, by the rule if it is a NaN. */
static inline double ruled1(double r, double a)
{
    return r == r ? r : a != a ? quiet(a) : invalid_f64();
}
static inline double ruled2(double r, double a, double b)
{
    return r == r ? r : a != a ? quiet(a) : ruled1(r, b);
}
static inline double ruled3(double r, double a, double b, double c)
{
    return r == r ? r : a != a ? quiet(a) : ruled2(r, b, c);
}
/* Where the processor does it by itself, and the compiler cannot swap operands. */
#if defined(__x86_64__)
#define NATIVE1(r, a) (r)
#define NATIVE2(r, a, b) (r)
#else
#define NATIVE1 ruled1
#define NATIVE2 ruled2
#endif

/* ---- sums and products ----------------------------------------------------------------------- */

#if defined(__AVX512F__)
typedef __m512d doubles;
#define LOAD_DOUBLES _mm512_load_pd
#define STORE_DOUBLES _mm512_store_pd
static inline void store_active(const struct exec *x, double *d, unsigned i, doubles r)
{
    _mm512_mask_store_pd(d + i, (__mmask8)(x->mask >> i), r);
}
#elif defined(__AVX2__)
typedef __m256d doubles;
#define LOAD_DOUBLES _mm256_load_pd
#define STORE_DOUBLES _mm256_store_pd
static inline void store_active(const struct exec *x, double *d, unsigned i, doubles r)
{
    __m128i words = _mm_load_si128((const void *)(x->lane_mask + i));
    __m256d active = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(words));
    _mm256_store_pd(d + i, _mm256_blendv_pd(_mm256_load_pd(d + i), r, active));
}
#elif defined(__SSE2__)
typedef __m128d doubles;
#define LOAD_DOUBLES _mm_load_pd
#define STORE_DOUBLES _mm_store_pd
static inline void store_active(const struct exec *x, double *d, unsigned i, doubles r)
{
    __m128i words = _mm_loadl_epi64((const void *)(x->lane_mask + i));
    __m128d active = _mm_castsi128_pd(_mm_unpacklo_epi32(words, words));
    _mm_store_pd(d + i,
                 _mm_or_pd(_mm_and_pd(active, r), _mm_andnot_pd(active, _mm_load_pd(d + i))));
}
#endif

#if defined(__SSE2__)
enum { DOUBLES = sizeof(doubles) / sizeof(double) };
#define DOUBLE_FORMS(name, sources, expr)                                                          \
    static void name##_full(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        double *d = DST(double, 0);                                                                \
        sources;                                                                                   \
        for (unsigned i = 0; i < WARP_LANES; i += DOUBLES)                                         \
            STORE_DOUBLES(d + i, expr);                                                            \
    }                                                                                              \
    static void name##_part(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        double *d = DST(double, 0);                                                                \
        sources;                                                                                   \
        for (unsigned i = 0; i < WARP_LANES; i += DOUBLES)                                         \
            store_active(x, d, i, expr);                                                           \
    }
#define DOUBLE_SOURCES2 const double *a = SRC(double, 0), *b = SRC(double, 1)
#if defined(__AVX2__)
#define ORDERED(mnemonic, a, b, r) __asm__("v" mnemonic " %2, %1, %0" : "=v"(r) : "v"(a), "v"(b))
#else
#define ORDERED(mnemonic, a, b, r) __asm__(mnemonic " %2, %0" : "=x"(r) : "0"(a), "x"(b))
#endif
#define DOUBLE_OP2(name, mnemonic)                                                                 \
    static inline doubles name##_doubles(doubles a, doubles b)                                     \
    {                                                                                              \
        doubles r;                                                                                 \
        ORDERED(mnemonic, a, b, r);                                                                \
        return r;                                                                                  \
    }                                                                                              \
    DOUBLE_FORMS(name, DOUBLE_SOURCES2, name##_doubles(LOAD_DOUBLES(a + i), LOAD_DOUBLES(b + i)))
DOUBLE_OP2(add_f64, "addpd")
DOUBLE_OP2(sub_f64, "subpd")
DOUBLE_OP2(mul_f64, "mulpd")
#else
OP2(add_f64, double, double, double, ruled2(A + B, A, B))
OP2(sub_f64, double, double, double, ruled2(A - B, A, B))
OP2(mul_f64, double, double, double, ruled2(A *B, A, B))
#endif

#if defined(__FMA__)
#define FUSED_FORM(form, a, b, c) /* a = a * b + c, or with other signs */                         \
    __asm__("v" form "132pd %2, %1, %0" : "+v"(a) : "v"(c), "v"(b))
#define FUSED(a, b, c) FUSED_FORM("fmadd", a, b, c)
static inline doubles fma_doubles(doubles a, doubles b, doubles c)
{
    FUSED(a, b, c);
    return a;
}
DOUBLE_FORMS(fma_f64, DOUBLE_SOURCES2;
             const double *c = SRC(double, 2),
             fma_doubles(LOAD_DOUBLES(a + i), LOAD_DOUBLES(b + i), LOAD_DOUBLES(c + i)))
#else
OP3(fma_f64, double, double, double, double, ruled3(fma(A, B, C), A, B, C))
#endif

/* ---- directed rounding ----------------------------------------------------------------------- */

/* The exact value as a quad and the sign of what the quad leaves out. */
#if defined(__x86_64__)
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif
static inline double round_quad(quad head, quad tail, int64_t direction)
{
    double d = (double)head;
    quad rest = head - (quad)d;
    if (d != d || (isinf(d) && rest != rest)) return d; /* NaN, or infinity itself */
    if (rest == 0) rest = tail;
    if (rest == 0) return d;
    bool above = rest < 0; /* d lies above the exact value */
    bool step = direction == F_RZ ? (head > 0) == above : direction == F_RM ? above : !above;
    if (!step) return d;
    return nextafter(d, direction == F_RZ ? 0.0 : direction == F_RM ? -INFINITY : INFINITY);
}
static inline double add_quad(quad a, quad b, int64_t direction)
{
    quad s = a + b, bb = s - a, tail = (a - (s - bb)) + (b - bb);
    if (s != s || s - s != 0) return (double)s; /* NaN and infinity */
    bool both_negative = a == 0 && b == 0 && signbit((double)a) && signbit((double)b);
    if (s == 0)
        return direction == F_RM && !(a == 0 && b == 0 && signbit((double)a) == signbit((double)b))
                   ? -0.0
               : both_negative ? -0.0
                               : 0.0;
    return round_quad(s, tail, direction);
}
static inline double mul_quad(double a, double b, int64_t direction)
{
    double d = a * b;
    return a == 0.0 || b == 0.0 || !isfinite(a) || !isfinite(b)
               ? d
               : round_quad((quad)a * b, 0, direction);
}
static inline double fma_quad(double a, double b, double c, int64_t direction)
{
    bool plain = !isfinite(a) || !isfinite(b) || !isfinite(c);
    if (plain) return fma(a, b, c);
    quad product = (quad)a * b;
    if (product == 0)
        product = (quad)copysign(0.0, (signbit(a) != 0) == (signbit(b) != 0) ? 1.0 : -1.0);
    return add_quad(product, c, direction);
}
/* The residue of the nearest double tells on which side of it the exact quotient or root lies. */
static inline double side_step(double d, quad residue, int64_t direction)
{
    return residue == 0 ? d : round_quad((quad)d, residue, direction);
}
static inline double div_quad(double a, double b, int64_t direction)
{
    double d = a / b;
    if (a == 0.0 || b == 0.0 || !isfinite(a) || !isfinite(b)) return d;
    if (isinf(d)) return round_quad((quad)a / b, 0, direction);
    quad residue = (quad)a - (quad)d * b;
    return side_step(d, b < 0.0 ? -residue : residue, direction);
}
static inline double sqrt_quad(double a, int64_t direction)
{
    double d = sqrt(a);
    return d > 0.0 && isfinite(d) ? side_step(d, (quad)a - (quad)d * d, direction) : d;
}

#define DIRECTION (u->imm & F_DIRECTION)
OP2(add_f64_directed, double, double, double, ruled2(add_quad(A, B, DIRECTION), A, B))
OP2(sub_f64_directed, double, double, double, ruled2(add_quad(A, -(quad)B, DIRECTION), A, B))
OP2(mul_f64_directed, double, double, double, ruled2(mul_quad(A, B, DIRECTION), A, B))
OP3(fma_f64_directed, double, double, double, double, ruled3(fma_quad(A, B, C, DIRECTION), A, B, C))
OP2(div_f64_directed, double, double, double, ruled2(div_quad(A, B, DIRECTION), A, B))
OP1(sqrt_f64_directed, double, double, ruled1(sqrt_quad(A, DIRECTION), A))
OP1(rcp_f64_directed, double, double, ruled1(div_quad(1.0, A, DIRECTION), A))

/* ---- the rest -------------------------------------------------------------------------------- */

/* Of a number and a NaN the number; -0 lies below +0. */
static inline double min_64(double a, double b)
{
    double r = a < b || (a == b && signbit(a)) || b != b ? a : b;
    return r == r ? r : quiet(r);
}
static inline double max_64(double a, double b)
{
    double r = a > b || (a == b && !signbit(a)) || b != b ? a : b;
    return r == r ? r : quiet(r);
}
OP2(min_f64, double, double, double, min_64(A, B))
OP2(max_f64, double, double, double, max_64(A, B))
OP2(div_f64, double, double, double, NATIVE2(A / B, A, B))
OP1(sqrt_f64, double, double, NATIVE1(sqrt(A), A))
OP1(rcp_f64, double, double, NATIVE1(1.0 / A, A))
OP1(rsqrt_f64, double, double, NATIVE1(1.0 / sqrt(A), A))
/* A NaN passes unchanged (CUDA C++ Programming Guide, Floating-Point Standard). */
OP1(abs_f64, double, double, A != A ? A : fabs(A))
OP1(neg_f64, double, double, A != A ? A : -A)

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give the upper 32 bits only (ISA); NaN becomes
 * 0x7fffffff00000000. */
static inline double upper_half(double v)
{
    uint64_t bits = bits_of_double(v) & UINT64_C(0xffffffff00000000);
    if ((bits & INT64_MAX) > UINT64_C(0x7ff0000000000000)) bits = UINT64_C(0x7fffffff00000000);
    v = double_of_bits(bits);
    return fabs(v) < DBL_MIN ? copysign(0.0, v) : v;
}
OP1(rcp_f64_approx, double, double, upper_half(1.0 / upper_half(A)))
OP1(rsqrt_f64_approx, double, double, upper_half(1.0 / sqrt(upper_half(A))))

/* ---- selection ------------------------------------------------------------------------------- */

static struct uop_pair select_f64_directed(const struct insn *insn)
{
    switch (insn->op) {
    case OP_ADD:
        return PAIR(add_f64_directed);
    case OP_SUB:
        return PAIR(sub_f64_directed);
    case OP_MUL:
        return PAIR(mul_f64_directed);
    case OP_MAD:
    case OP_FMA:
        return PAIR(fma_f64_directed);
    case OP_DIV:
        return PAIR(div_f64_directed);
    case OP_SQRT:
        return PAIR(sqrt_f64_directed);
    case OP_RCP:
        return PAIR(rcp_f64_directed);
    default:
        return NOT_SUPPORTED;
    }
}
static struct uop_pair select_f64(const struct insn *insn)
{
    if (insn->rounding == ROUND_RZ || insn->rounding == ROUND_RM || insn->rounding == ROUND_RP)
        return select_f64_directed(insn);
    switch (insn->op) {
    case OP_ADD:
        return PAIR(add_f64);
    case OP_SUB:
        return PAIR(sub_f64);
    case OP_MUL:
        return PAIR(mul_f64);
    case OP_MAD:
    case OP_FMA:
        return PAIR(fma_f64);
    case OP_DIV:
        return PAIR(div_f64);
    case OP_SQRT:
        return PAIR(sqrt_f64);
    case OP_RCP:
        return insn->flags & INSN_APPROX ? PAIR(rcp_f64_approx) : PAIR(rcp_f64);
    case OP_RSQRT:
        return insn->flags & INSN_FTZ ? PAIR(rsqrt_f64_approx) : PAIR(rsqrt_f64);
    case OP_MIN:
        return PAIR(min_f64);
    case OP_MAX:
        return PAIR(max_f64);
    case OP_ABS:
        return PAIR(abs_f64);
    case OP_NEG:
        return PAIR(neg_f64);
    default:
        return NOT_SUPPORTED;
    }
}

#endif
