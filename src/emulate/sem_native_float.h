// SPDX-License-Identifier: Apache-2.0
/* Floating-point operations of native code (isa/native_ops.def). Signs of operands are masks in the loops; the
 * arithmetic is that of PTX's operations (sem_float.h, sem_double.h). */
#ifndef EMULATE_SEM_NATIVE_FLOAT_H
#define EMULATE_SEM_NATIVE_FLOAT_H

#include "emulate/sem_convert.h"
#include "emulate/sem_double.h"
#include "emulate/sem_float.h"
#include "emulate/sem_half.h"
#include "emulate/sem_native.h"
#include "emulate/sem_pairs.h"

/* ---- 32 bits --------------------------------------------------------------------------------- */

static inline uint32_t keep_mask(const struct uop *u, unsigned k)
{
    return u->imm >> (NM_ABSOLUTE_AT + k) & 1 ? 0x7fffffffu : UINT32_MAX;
}
static inline uint32_t flip_mask(const struct uop *u, unsigned k)
{
    return u->imm >> (NM_NEGATED_AT + k) & 1 ? 0x80000000u : 0;
}
#define SIGNED_SOURCE(name, k)                                                                     \
    const uint32_t *name = SRC(uint32_t, k);                                                       \
    const uint32_t keep_##name = keep_mask(u, k);                                                  \
    const uint32_t flip_##name = flip_mask(u, k)
#define SIGNED_LANE(name) bits_as_float((name[i] & keep_##name) ^ flip_##name)
#define SIGNED2(name, expr)                                                                        \
    OP_FORMS(name, float, SIGNED_SOURCE(a, 0);                                                     \
             SIGNED_SOURCE(b, 1), const float A = SIGNED_LANE(a);                                  \
             const float B = SIGNED_LANE(b), expr)
#define SIGNED3(name, expr)                                                                        \
    OP_FORMS(name, float, SIGNED_SOURCE(a, 0); SIGNED_SOURCE(b, 1);                                \
             SIGNED_SOURCE(c, 2), const float A = SIGNED_LANE(a); const float B = SIGNED_LANE(b);  \
             const float C = SIGNED_LANE(c), expr)
SIGNED2(n_fadd, canon(A + B))
SIGNED2(n_fadd_ftz, flushed(flush(A) + flush(B)))
SIGNED2(n_fadd_any, add_any(A, B, u->imm))
SIGNED2(n_fmul, canon(A *B))
SIGNED2(n_fmul_ftz, flushed(flush(A) * flush(B)))
SIGNED2(n_fmul_any, mul_any(A, B, u->imm))
/* The product in double is exact, and so is its scale: rounded is once, as only contraction makes it. */
static inline float mul_scaled(float a, float b, int64_t imm)
{
    static const double scales[] = {0.125, 0.25, 0.5, 1, 2, 4, 8};
    int64_t direction = imm & F_DIRECTION;
    double product = (double)ftz_in(a, imm) * ftz_in(b, imm) * scales[imm >> NM_VALUE_AT & 7];
    return finish(direction ? round_odd(product, 0.0, direction) : (float)product, imm);
}
SIGNED2(n_fmul_scaled, mul_scaled(A, B, u->imm))
SIGNED3(n_ffma, canon(fmaf(A, B, C)))
SIGNED3(n_ffma_ftz, flushed(fmaf(flush(A), flush(B), flush(C))))
SIGNED3(n_ffma_any, fma_any(A, B, C, u->imm))

/* Signs that only negate: of the product, of the sum. */
OP2(n_fadd_from, float, float, float, canon(B - A))
OP2(n_fadd_from_ftz, float, float, float, flushed(flush(B) - flush(A)))
OP2(n_fmul_negated, float, float, float, canon(-(A *B)))
OP2(n_fmul_negated_ftz, float, float, float, flushed(-(flush(A) * flush(B))))
#define NEGATED_FMA(name, a, c)                                                                    \
    OP3(name, float, float, float, float, canon(fmaf(a A, B, c C)))                                \
    OP3(name##_ftz, float, float, float, float, flushed(fmaf(a flush(A), flush(B), c flush(C))))
NEGATED_FMA(n_ffma_from, -, )
NEGATED_FMA(n_ffma_less, , -)
NEGATED_FMA(n_ffma_negated, -, -)

static void n_fmnmx(struct exec *x, const struct uop *u)
{
    SIGNED_SOURCE(a, 0);
    SIGNED_SOURCE(b, 1);
    uint32_t p = source_predicate(x, u, 2), result[WARP_LANES];
    LANES result[i] = float_as_bits(min_max(SIGNED_LANE(a), SIGNED_LANE(b), u->imm, !(p >> i & 1)));
    write_words(x, u->dst[0], result);
}

/* Does a / b need the slow path of ptxas's division? Its fast path is
 *
 *     r = MUFU.RCP(b), r = r + r (1 - b r), q = a r, q = q + r (a - b q)
 *
 * and rounds right where all of that is normal and exact where it has to be: the residue a - b q is a
 * multiple of 2^-47 |a|, so |a| >= 2^-102 keeps it exact; r is normal for |b| < 2^126, q between 2^-125 and
 * 2^127. Hardware's bounds are not published; any set that holds all of these quotients gives the same
 * results. */
static inline uint32_t needs_slow_division(uint32_t a, uint32_t b)
{
    int32_t top_a = (int32_t)(a >> 23 & 0xff) - 127, top_b = (int32_t)(b >> 23 & 0xff) - 127;
    bool a_fits = (uint32_t)(top_a + 102) < 102 + 128, b_fits = (uint32_t)(top_b + 126) < 126 + 126;
    return !(a_fits & b_fits & ((uint32_t)(top_a - top_b + 124) < 124 + 127));
}
static void n_fchk(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    int32_t c[WARP_LANES] __attribute__((aligned(64)));
    VECTOR LANES c[i] = -(int32_t)needs_slow_division(a[i], b[i]);
    write_predicate(x, u->dst[0], lanes_to_mask(c));
}

/* The argument is in turns: what is whole in it makes no difference and goes off exactly. */
static inline float of_turns(float turns, bool is_cosine)
{
    const double two_pi = 6.283185307179586476925;
    double part = (double)turns - rint((double)turns);
    return (float)(is_cosine ? cos(two_pi * part) : sin(two_pi * part));
}
OP1(n_sin_turns, float, float, finish(of_turns(flush(A), false), F_FTZ))
OP1(n_cos_turns, float, float, finish(of_turns(flush(A), true), F_FTZ))

/* ---- 64 bits --------------------------------------------------------------------------------- */

/* Upper words in, upper words out: rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64. */
static inline double double_of_upper(uint32_t upper)
{
    return upper_half(double_of_bits((uint64_t)upper << 32));
}
static inline uint32_t upper_of_double(double v)
{
    return (uint32_t)(bits_of_double(upper_half(v)) >> 32);
}
OP1(n_rcp64h, uint32_t, uint32_t, upper_of_double(1.0 / double_of_upper(A)))
OP1(n_rsq64h, uint32_t, uint32_t, upper_of_double(1.0 / sqrt(double_of_upper(A))))

/* Signs do not change a NaN, as those of PTX's neg.f64 and abs.f64. */
#if defined(__AVX512F__)
static inline word_vector sign_doubles(word_vector bits, bool absolute, bool negated)
{
    word_doubles v = AS_DOUBLES(bits), sign = _mm512_set1_pd(-0.0);
    __mmask8 numbers = _mm512_cmp_pd_mask(v, v, _CMP_ORD_Q);
    if (absolute) v = _mm512_mask_andnot_pd(v, numbers, sign, v);
    return AS_WORDS(negated ? _mm512_mask_xor_pd(v, numbers, v, sign) : v);
}
#elif defined(__AVX2__)
static inline word_vector sign_doubles(word_vector bits, bool absolute, bool negated)
{
    word_doubles v = AS_DOUBLES(bits);
    word_doubles sign = _mm256_and_pd(_mm256_cmp_pd(v, v, _CMP_ORD_Q), _mm256_set1_pd(-0.0));
    if (absolute) v = _mm256_andnot_pd(sign, v);
    return AS_WORDS(negated ? _mm256_xor_pd(v, sign) : v);
}
#elif defined(__SSE2__)
static inline word_vector sign_doubles(word_vector bits, bool absolute, bool negated)
{
    word_doubles v = AS_DOUBLES(bits), sign = _mm_and_pd(_mm_cmpord_pd(v, v), _mm_set1_pd(-0.0));
    if (absolute) v = _mm_andnot_pd(sign, v);
    return AS_WORDS(negated ? _mm_xor_pd(v, sign) : v);
}
#endif

/* One source as 32 doubles, signs applied, and a result: where a form is not worth vectors of its own. */
#define DOUBLE_BUFFER(name) double name[WARP_LANES] __attribute__((aligned(64)))
static inline void load_pair(struct exec *x, const struct uop *u, unsigned k, double *out)
{
    const uint32_t *low = SRC(uint32_t, k), *high = low + WARP_LANES;
    bool negated = u->imm >> (NM_NEGATED_AT + k) & 1, absolute = u->imm >> (NM_ABSOLUTE_AT + k) & 1;
    LANES
    {
        double v = double_of_bits(low[i] | (uint64_t)high[i] << 32);
        if (v == v && absolute) v = fabs(v);
        out[i] = v == v && negated ? -v : v;
    }
}
static inline void store_pair(struct exec *x, const struct uop *u, const double *result)
{
    uint32_t *low = DST(uint32_t, 0), *high = low + WARP_LANES;
    LANES
    {
        if (!(x->mask >> i & 1)) continue;
        low[i] = (uint32_t)bits_of_double(result[i]);
        high[i] = (uint32_t)(bits_of_double(result[i]) >> 32);
    }
}

/* NAME_any: each lane by itself, for directed rounding. NAME and NAME_signed: vectors, without and with
 * signs of sources. */
#define PAIR_ANY2(name, nearest, directed)                                                         \
    static void name##_any(struct exec *x, const struct uop *u)                                    \
    {                                                                                              \
        DOUBLE_BUFFER(a);                                                                          \
        DOUBLE_BUFFER(b);                                                                          \
        DOUBLE_BUFFER(r);                                                                          \
        load_pair(x, u, 0, a);                                                                     \
        load_pair(x, u, 1, b);                                                                     \
        LANES r[i] = ruled2(DIRECTION ? directed : nearest, a[i], b[i]);                           \
        store_pair(x, u, r);                                                                       \
    }
PAIR_ANY2(n_dadd, a[i] + b[i], add_quad(a[i], b[i], DIRECTION))
PAIR_ANY2(n_dmul, a[i] * b[i], mul_quad(a[i], b[i], DIRECTION))
static void n_dfma_any(struct exec *x, const struct uop *u)
{
    DOUBLE_BUFFER(a);
    DOUBLE_BUFFER(b);
    DOUBLE_BUFFER(c);
    DOUBLE_BUFFER(r);
    load_pair(x, u, 0, a);
    load_pair(x, u, 1, b);
    load_pair(x, u, 2, c);
    LANES r[i] = ruled3(DIRECTION ? fma_quad(a[i], b[i], c[i], DIRECTION) : fma(a[i], b[i], c[i]),
                        a[i], b[i], c[i]);
    store_pair(x, u, r);
}

#if defined(__SSE2__)
#define PAIR_SOURCE(name, k) const uint32_t *name = SRC(uint32_t, k)
#define PLAIN_PAIR(name) join_longs(name, i)
#define SIGNED_SOURCE_PAIR(name, k)                                                                \
    PAIR_SOURCE(name, k);                                                                          \
    const bool negates_##name = u->imm >> (NM_NEGATED_AT + k) & 1;                                 \
    const bool cuts_##name = u->imm >> (NM_ABSOLUTE_AT + k) & 1
#define SIGNED_PAIR(name) sign_pair(join_longs(name, i), cuts_##name, negates_##name)
static inline struct longs sign_pair(struct longs v, bool absolute, bool negated)
{
    if (!absolute && !negated) return v;
    return (struct longs){sign_doubles(v.a, absolute, negated),
                          sign_doubles(v.b, absolute, negated)};
}
#define PAIR_FORMS(name, sources, load, expr)                                                      \
    static inline void name(struct exec *x, const struct uop *u, bool whole)                       \
    {                                                                                              \
        uint32_t *d = DST(uint32_t, 0);                                                            \
        sources;                                                                                   \
        EACH_WORDS                                                                                 \
        {                                                                                          \
            load;                                                                                  \
            split_longs(x, d, i, (struct longs){AS_WORDS(expr(a)), AS_WORDS(expr(b))}, whole);     \
        }                                                                                          \
    }                                                                                              \
    WHOLE_FORMS(name)
static inline word_doubles dadd_of(word_doubles a, word_doubles b)
{
    word_doubles r;
    ORDERED("addpd", a, b, r);
    return r;
}
static inline word_doubles dmul_of(word_doubles a, word_doubles b)
{
    word_doubles r;
    ORDERED("mulpd", a, b, r);
    return r;
}
#define PAIR2(name, op)                                                                            \
    PAIR_FORMS(name, PAIR_SOURCE(a, 0); PAIR_SOURCE(b, 1), struct longs A = PLAIN_PAIR(a);         \
               struct longs B = PLAIN_PAIR(b), op)                                                 \
    PAIR_FORMS(name##_signed, SIGNED_SOURCE_PAIR(a, 0);                                            \
               SIGNED_SOURCE_PAIR(b, 1), struct longs A = SIGNED_PAIR(a);                          \
               struct longs B = SIGNED_PAIR(b), op)
#define DADD_OF(half) dadd_of(AS_DOUBLES(A.half), AS_DOUBLES(B.half))
#define DMUL_OF(half) dmul_of(AS_DOUBLES(A.half), AS_DOUBLES(B.half))
PAIR2(n_dadd, DADD_OF)
PAIR2(n_dmul, DMUL_OF)
#endif
#if defined(__FMA__)
/* The processor's fused forms have signs, and a NaN keeps its own, as it has to. A sum is a + b as a * 1 + b, which takes
 * the NaN of a first; a negated product is -(a * b) - 0. */
#define FUSED_PAIR(form)                                                                           \
    static inline word_doubles form##_of(word_doubles a, word_doubles b, word_doubles c)           \
    {                                                                                              \
        FUSED_FORM(#form, a, b, c);                                                                \
        return a;                                                                                  \
    }
FUSED_PAIR(fmadd)
FUSED_PAIR(fnmadd)
FUSED_PAIR(fmsub)
FUSED_PAIR(fnmsub)
static inline word_doubles dsub_of(word_doubles a, word_doubles b)
{
    word_doubles r;
    ORDERED("subpd", a, b, r);
    return r;
}
#define DSUB_OF(half) dsub_of(AS_DOUBLES(A.half), AS_DOUBLES(B.half))
#define DADD_FROM_OF(half) fnmadd_of(AS_DOUBLES(A.half), SAME_DOUBLES(1.0), AS_DOUBLES(B.half))
#define DADD_NEGATED_OF(half) fnmsub_of(AS_DOUBLES(A.half), SAME_DOUBLES(1.0), AS_DOUBLES(B.half))
#define DMUL_NEGATED_OF(half) fnmadd_of(AS_DOUBLES(A.half), AS_DOUBLES(B.half), SAME_DOUBLES(-0.0))
#define PLAIN2(name, op)                                                                           \
    PAIR_FORMS(name, PAIR_SOURCE(a, 0); PAIR_SOURCE(b, 1), struct longs A = PLAIN_PAIR(a);         \
               struct longs B = PLAIN_PAIR(b), op)
PLAIN2(n_dsub, DSUB_OF)
PLAIN2(n_dadd_from, DADD_FROM_OF)
PLAIN2(n_dadd_negated, DADD_NEGATED_OF)
PLAIN2(n_dmul_negated, DMUL_NEGATED_OF)
#define FUSED3(form, half) form##_of(AS_DOUBLES(A.half), AS_DOUBLES(B.half), AS_DOUBLES(C.half))
#define FMADD_OF(half) FUSED3(fmadd, half)
#define FNMADD_OF(half) FUSED3(fnmadd, half)
#define FMSUB_OF(half) FUSED3(fmsub, half)
#define FNMSUB_OF(half) FUSED3(fnmsub, half)
#define PLAIN3(name, op)                                                                           \
    PAIR_FORMS(name, PAIR_SOURCE(a, 0); PAIR_SOURCE(b, 1);                                         \
               PAIR_SOURCE(c, 2), struct longs A = PLAIN_PAIR(a); struct longs B = PLAIN_PAIR(b);  \
               struct longs C = PLAIN_PAIR(c), op)
PLAIN3(n_dfma, FMADD_OF)
PLAIN3(n_dfma_from, FNMADD_OF)
PLAIN3(n_dfma_less, FMSUB_OF)
PLAIN3(n_dfma_negated, FNMSUB_OF)
PAIR_FORMS(n_dfma_signed, SIGNED_SOURCE_PAIR(a, 0); SIGNED_SOURCE_PAIR(b, 1);
           SIGNED_SOURCE_PAIR(c, 2), struct longs A = SIGNED_PAIR(a);
           struct longs B = SIGNED_PAIR(b); struct longs C = SIGNED_PAIR(c), FMADD_OF)
#endif

/* p: the least or greatest is a; q: both are NaN, and ptxas makes the result of b. */
static void n_dsetp_minmax(struct exec *x, const struct uop *u)
{
    DOUBLE_BUFFER(a);
    DOUBLE_BUFFER(b);
    bool maximum = u->imm & NM_HIGH;
    uint32_t p = 0, q = 0;
    load_pair(x, u, 0, a);
    load_pair(x, u, 1, b);
    LANES
    {
        bool a_below = a[i] < b[i] || (a[i] == b[i] && signbit(a[i]));
        bool is_nan = a[i] != a[i] && b[i] != b[i];
        bool takes_a = b[i] != b[i] ? !is_nan : a[i] == a[i] && a_below != maximum;
        p |= (uint32_t)takes_a << i;
        q |= (uint32_t)is_nan << i;
    }
    write_predicate(x, u->dst[0], p);
    write_predicate(x, u->dst[1], q);
}

/* ---- halves ---------------------------------------------------------------------------------- */

/* One half of each is widened, which is exact. Where ptxas converts b, a is -0 and nothing is added. */
static inline void widen_half(struct exec *x, const struct uop *u, unsigned k, float *out)
{
    const uint32_t *source = SRC(uint32_t, k);
    const unsigned shift = u->imm >> (NM_HIGH_HALF_AT + k) & 1 ? 16 : 0;
    const uint16_t keep = (uint16_t)(keep_mask(u, k) >> 16),
                   flip = (uint16_t)(flip_mask(u, k) >> 16);
    uint16_t halves[WARP_LANES] __attribute__((aligned(64)));
    VECTOR LANES halves[i] = (uint16_t)((source[i] >> shift & keep) ^ flip);
    widen_f16(halves, out, WARP_LANES);
}
static void n_hadd2_f32(struct exec *x, const struct uop *u)
{
    float a[WARP_LANES] __attribute__((aligned(64))), b[WARP_LANES] __attribute__((aligned(64)));
    float *d = DST(float, 0);
    const int32_t *m = x->lane_mask;
    widen_half(x, u, 1, b);
    if (!(u->imm & NM_SECOND_ALONE)) {
        widen_half(x, u, 0, a);
        VECTOR LANES b[i] += a[i];
    }
    if (u->imm & F_SAT)
        VECTOR LANES d[i] = m[i] ? finish(b[i], F_SAT) : d[i];
    else
        VECTOR LANES d[i] = m[i] ? canon(b[i]) : d[i];
}
#if defined(__AVX512F__)
/* The lower or upper halves of 16 words, to the lower half of the result */
static inline word_vector half_places(bool is_high)
{
    static const uint16_t places[2][WORDS] __attribute__((aligned(64))) = {
        {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
        {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31}};
    return _mm512_castsi256_si512(_mm256_load_si256((const void *)places[is_high]));
}
/* Of b alone, as it is. */
static inline void n_half_as_f32(struct exec *x, const struct uop *u, bool whole)
{
    const word_vector at = half_places(u->imm >> (NM_HIGH_HALF_AT + 1) & 1);
    const uint32_t *b = SRC(uint32_t, 1);
    uint32_t *d = DST(uint32_t, 0);
    EACH_WORDS
    {
        word_vector half = _mm512_permutexvar_epi16(at, read_words(b, i));
        __m512 wide = _mm512_cvtph_ps(_mm512_castsi512_si256(half));
        write_words_of(x, d, i, _mm512_castps_si512(canon_floats(wide)), whole);
    }
}
WHOLE_FORMS(n_half_as_f32)
#endif

/* HFMA2 whose sources are negated, or have one half in both places. */
#define CHANGED(k, at) (u->imm >> ((at) + (k)) & 1)
#if defined(__AVX512F__)
#define NEGATED_HALVES(name)                                                                       \
    static void n_h##name##_full(struct exec *x, const struct uop *u)                              \
    {                                                                                              \
        name##_f16_vectors(x, u, DST(uint16_t, 0), HALVES_MAX);                                    \
    }                                                                                              \
    static void n_h##name##_part(struct exec *x, const struct uop *u)                              \
    {                                                                                              \
        uint16_t r[HALVES_MAX] __attribute__((aligned(64)));                                       \
        name##_f16_vectors(x, u, r, HALVES_MAX);                                                   \
        KEEP_OTHER_LANES(uint32_t)                                                                 \
    }
NEGATED_HALVES(fma_from)
NEGATED_HALVES(fma_less)
NEGATED_HALVES(fma_negated)

/* Where every source has one half twice, so has the result. */
struct one_half {
    const uint32_t *from;
    word_vector places;
    __m512 flip;
};
static inline struct one_half one_half_of(const struct exec *x, const struct uop *u, unsigned k)
{
    return (struct one_half){SRC(uint32_t, k), half_places(CHANGED(k, NM_HIGH_HALF_AT)),
                             _mm512_set1_ps(CHANGED(k, NM_NEGATED_AT) ? -0.0f : 0.0f)};
}
static inline __m512 wide_half(struct one_half half, unsigned i)
{
    word_vector halves = _mm512_permutexvar_epi16(half.places, read_words(half.from, i));
    return _mm512_xor_ps(_mm512_cvtph_ps(_mm512_castsi512_si256(halves)), half.flip);
}
static inline void n_hfma2_one(struct exec *x, const struct uop *u, bool whole)
{
    struct one_half a = one_half_of(x, u, 0), b = one_half_of(x, u, 1), c = one_half_of(x, u, 2);
    EACH_WORDS
    {
        __m512 sum = fmadd_odd(wide_half(a, i), wide_half(b, i), wide_half(c, i));
        word_vector r = _mm512_cvtepu16_epi32(narrow_floats(sum));
        write_words_of(x, DST(uint32_t, 0), i, _mm512_or_si512(_mm512_slli_epi32(r, 16), r), whole);
    }
}
WHOLE_FORMS(n_hfma2_one)
#endif
static inline void changed_halves(const struct exec *x, const struct uop *u, unsigned k, float *out)
{
    const uint32_t *from = SRC(uint32_t, k), flip = CHANGED(k, NM_NEGATED_AT) ? 0x80008000u : 0;
    const unsigned low_at = CHANGED(k, NM_HIGH_HALF_AT) ? 16 : 0;
    const unsigned high_at = CHANGED(k, NM_LOW_HALF_AT) ? 0 : 16;
    uint16_t halves[HALVES_MAX] __attribute__((aligned(64)));
    VECTOR LANES
    {
        const uint32_t v = from[i] ^ flip;
        halves[2 * i] = (uint16_t)(v >> low_at);
        halves[2 * i + 1] = (uint16_t)(v >> high_at);
    }
    widen_f16(halves, out, HALVES_MAX);
}
static void n_hfma2(struct exec *x, const struct uop *u)
{
    FLOAT_BUFFER(a);
    FLOAT_BUFFER(b);
    FLOAT_BUFFER(c);
    uint16_t r[HALVES_MAX] __attribute__((aligned(64)));
    changed_halves(x, u, 0, a);
    changed_halves(x, u, 1, b);
    changed_halves(x, u, 2, c);
    VECTOR HALVES(HALVES_MAX) a[i] = fused_f16(a[i], b[i], c[i]);
    narrow_f16(a, r, HALVES_MAX);
    KEEP_OTHER_LANES(uint32_t)
}

/* d <- a, b, c: a above b, two floats, or a's halves; c goes to the upper half. */
static void n_f2fp_bytes(struct exec *x, const struct uop *u)
{
    struct conversion c = conversion_of(u->insn);
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *rest = SRC(uint32_t, 2);
    bool from_halves = c.from == TYPE_F16X2;
    uint32_t result[WARP_LANES];
    LANES
    {
        uint32_t high = from_halves ? a[i] >> 16 : a[i], low = from_halves ? a[i] & 0xffff : b[i];
        result[i] = rest[i] << 16 | (uint32_t)convert_value(&c, high, 0) << 8 |
                    (uint32_t)convert_value(&c, low, 0);
    }
    write_words(x, u->dst[0], result);
}

static void n_f2fp_merge(struct exec *x, const struct uop *u)
{
    struct conversion c = conversion_of(u->insn);
    const uint32_t *b = SRC(uint32_t, 0), *rest = SRC(uint32_t, 1);
    uint32_t result[WARP_LANES];
    LANES
    {
        result[i] = (rest[i] & 0xffff0000u) | (uint32_t)convert_value(&c, b[i], 0);
    }
    write_words(x, u->dst[0], result);
}

/* Lane 4 g + t has elements 2 t and 2 t + 1 of row g, and gets those of column g. */
static void n_movm(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0);
    uint32_t result[WARP_LANES];
    LANES
    {
        unsigned column = i / 4, row = 2 * (i % 4), shift = 16 * (column % 2);
        uint32_t low = a[4 * row + column / 2] >> shift & 0xffff;
        uint32_t high = a[4 * (row + 1) + column / 2] >> shift & 0xffff;
        result[i] = low | high << 16;
    }
    write_words(x, u->dst[0], result);
}

/* ---- selection ------------------------------------------------------------------------------- */

static bool has_absolutes(const struct insn *insn)
{
    return insn->modifiers >> NM_ABSOLUTE_AT & 7;
}
static bool negates(const struct insn *insn, unsigned k)
{
    return insn->modifiers >> (NM_NEGATED_AT + k) & 1;
}
static bool negates_product(const struct insn *insn)
{
    return negates(insn, 0) != negates(insn, 1);
}

#define SELECT_SIGNED(name, only_negated)                                                          \
    static struct uop_pair select_##name(const struct insn *insn, const struct function *function) \
    {                                                                                              \
        bool ftz = insn->flags & INSN_FTZ;                                                         \
        bool any = insn->rounding > ROUND_RN || insn->flags & INSN_SAT;                            \
        (void)function;                                                                            \
        if (any || has_absolutes(insn)) return BY_MODIFIERS(name);                                 \
        return only_negated;                                                                       \
    }
#define BY_FTZ(name) (ftz ? PAIR(name##_ftz) : PAIR(name))
SELECT_SIGNED(n_fadd, !negates(insn, 0)  ? BY_FTZ(sub_f32)
                      : negates(insn, 1) ? BY_FTZ(n_fadd)
                                         : BY_FTZ(n_fadd_from))
SELECT_SIGNED(n_fmul, negates_product(insn) ? BY_FTZ(n_fmul_negated) : BY_FTZ(mul_f32))
SELECT_SIGNED(n_ffma, negates_product(insn)
                          ? (negates(insn, 2) ? BY_FTZ(n_ffma_negated) : BY_FTZ(n_ffma_from))
                          : (negates(insn, 2) ? BY_FTZ(n_ffma_less) : BY_FTZ(fma_f32)))
SELECT_ONE(n_fmul_scaled, PAIR(n_fmul_scaled))
SELECT_ONE(n_fmnmx, SAME(n_fmnmx))
SELECT_ONE(n_fchk, SAME(n_fchk))
SELECT_ONE(n_sin_turns, PAIR(n_sin_turns))
SELECT_ONE(n_cos_turns, PAIR(n_cos_turns))
SELECT_ONE(n_rcp64h, PAIR(n_rcp64h))
SELECT_ONE(n_rsq64h, PAIR(n_rsq64h))
/* Doubles: directed rounding; signs that are not only negations; negations. */
#define SELECT_PAIRS(name, vectors)                                                                \
    static struct uop_pair select_##name(const struct insn *insn, const struct function *function) \
    {                                                                                              \
        (void)function;                                                                            \
        if (insn->rounding > ROUND_RN) return SAME(name##_any);                                    \
        return vectors;                                                                            \
    }
#if defined(__FMA__)
SELECT_PAIRS(n_dadd, has_absolutes(insn) ? PAIR(n_dadd_signed)
                     : negates(insn, 0)
                         ? (negates(insn, 1) ? PAIR(n_dadd_negated) : PAIR(n_dadd_from))
                         : (negates(insn, 1) ? PAIR(n_dsub) : PAIR(n_dadd)))
SELECT_PAIRS(n_dmul, has_absolutes(insn)     ? PAIR(n_dmul_signed)
                     : negates_product(insn) ? PAIR(n_dmul_negated)
                                             : PAIR(n_dmul))
SELECT_PAIRS(n_dfma, has_absolutes(insn) ? PAIR(n_dfma_signed)
                     : negates_product(insn)
                         ? (negates(insn, 2) ? PAIR(n_dfma_negated) : PAIR(n_dfma_from))
                         : (negates(insn, 2) ? PAIR(n_dfma_less) : PAIR(n_dfma)))
#elif defined(__SSE2__)
SELECT_PAIRS(n_dadd, insn->modifiers ? PAIR(n_dadd_signed) : PAIR(n_dadd))
SELECT_PAIRS(n_dmul, insn->modifiers ? PAIR(n_dmul_signed) : PAIR(n_dmul))
SELECT_PAIRS(n_dfma, SAME(n_dfma_any))
#else
SELECT_PAIRS(n_dadd, SAME(n_dadd_any))
SELECT_PAIRS(n_dmul, SAME(n_dmul_any))
SELECT_PAIRS(n_dfma, SAME(n_dfma_any))
#endif
SELECT_ONE(n_dsetp_minmax, SAME(n_dsetp_minmax))
static struct uop_pair select_n_hadd2_f32(const struct insn *insn, const struct function *function)
{
    (void)insn, (void)function;
#if defined(__AVX512F__)
    bool has_signs = negates(insn, 1) || has_absolutes(insn);
    if (insn->modifiers & NM_SECOND_ALONE && !has_signs && !(insn->flags & INSN_SAT))
        return PAIR(n_half_as_f32);
#endif
    return SAME(n_hadd2_f32);
}
static struct uop_pair select_n_hfma2(const struct insn *insn, const struct function *function)
{
    (void)insn, (void)function;
#if defined(__AVX512F__)
    unsigned high = insn->modifiers >> NM_HIGH_HALF_AT & 7,
             low = insn->modifiers >> NM_LOW_HALF_AT & 7;
    if ((high | low) == 7) return PAIR(n_hfma2_one);
    if (high | low) return SAME(n_hfma2);
    if (!negates(insn, 2)) return negates_product(insn) ? PAIR(n_hfma_from) : HALF_PAIR(insn, fma);
    return negates_product(insn) ? PAIR(n_hfma_negated) : PAIR(n_hfma_less);
#else
    return SAME(n_hfma2);
#endif
}
SELECT_ONE(n_f2fp_bytes, SAME(n_f2fp_bytes))
SELECT_ONE(n_f2fp_merge, SAME(n_f2fp_merge))
SELECT_ONE(n_movm, SAME(n_movm))

#endif
