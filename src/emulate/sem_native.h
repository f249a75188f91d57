// SPDX-License-Identifier: Apache-2.0
/* Operations of native code that PTX lacks (isa/native_ops.def), and the helpers of native operands. A pair
 * of registers is 32 low words, then 32 high ones. */
#ifndef EMULATE_SEM_NATIVE_H
#define EMULATE_SEM_NATIVE_H

#include "emulate/sem_bits.h"
#include "emulate/sem_int.h"
#include "emulate/sem_move.h"
#include "emulate/sem_pairs.h"
#include "emulate/sem_select.h"
#include "isa/native_modifiers.h"

/* ---- operands -------------------------------------------------------------------------------- */

static void join_pair(struct exec *x, const struct uop *u)
{
    join_sums(SRC(uint32_t, 0), 0, DST(uint64_t, 0));
}

static void split_pair(struct exec *x, const struct uop *u)
{
    split_ordered(x, SRC(uint64_t, 0), DST(uint32_t, 0));
}

/* imm: bit 0 absolute, bit 1 negated; from bit 8 on VALUE_ flags. A NaN of 64 bits keeps its sign, as
 * PTX's neg.f64 and abs.f64 have it. */
static void set_signs(struct exec *x, const struct uop *u)
{
    if (u->element == 8) {
        const uint64_t *a = SRC(uint64_t, 0), sign = UINT64_C(1) << 63;
        uint64_t *d = DST(uint64_t, 0), keep = u->imm & 1 ? ~sign : ~UINT64_C(0);
        uint64_t flip = u->imm & 2 ? sign : 0;
        VECTOR LANES d[i] =
            (a[i] & ~sign) > UINT64_C(0x7ff0000000000000) ? a[i] : (a[i] & keep) ^ flip;
        return;
    }
    unsigned flags = (unsigned)(u->imm >> 8), shift = flags >> VALUE_SHIFT_AT;
    const uint32_t *a = SRC(uint32_t, 0), sign = u->vector == 2 ? 0x80008000u : 0x80000000u;
    uint32_t *d = DST(uint32_t, 0), keep = u->imm & 1 ? ~sign : ~0u, flip = u->imm & 2 ? sign : 0;
    if (flags & VALUE_TURNED) { /* of these at most one */
        flip ^= 0x80000000u;
        VECTOR LANES
        {
            uint32_t v = (a[i] & keep) ^ flip;
            d[i] = v << 16 | v >> 16;
        }
        return;
    }
    if (flags & VALUE_LOW_TWICE) {
        VECTOR LANES
        {
            uint32_t v = (a[i] & keep) ^ flip;
            d[i] = v << 16 | (v & 0xffff);
        }
        return;
    }
    if (flags & VALUE_HIGH_TWICE) {
        VECTOR LANES
        {
            uint32_t v = (a[i] & keep) ^ flip;
            d[i] = v >> 16 | (v & 0xffff0000u);
        }
        return;
    }
    const uint32_t mask = flags & VALUE_BYTE ? 0xff : flags & VALUE_HALF ? 0xffff : ~0u;
    const uint32_t top = flags & VALUE_SIGNED ? mask / 2 + 1 : 0;
    VECTOR LANES d[i] = (((((a[i] & keep) ^ flip) >> shift) & mask) ^ top) - top;
}

/* Writes what `result` has in the active lanes, in another loop than the one that read: sources may be
 * neighbours of destinations. */
static inline void write_words(struct exec *x, operand_ref ref, const uint32_t *result)
{
    uint32_t *d = (uint32_t *)PLACE(ref);
    const int32_t *m = x->lane_mask;
    VECTOR LANES d[i] = m[i] ? result[i] : d[i];
}

#define FLAG_MASK(flag) (u->imm & (flag) ? ~0u : 0u)

/* ---- integers -------------------------------------------------------------------------------- */

OP_FORMS(n_iadd3, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *b = SRC(uint32_t, 1); const uint32_t *c = SRC(uint32_t, 2);
         const uint32_t na = FLAG_MASK(NM_INVERT_A); const uint32_t nb = FLAG_MASK(NM_INVERT_B);
         const uint32_t nc = FLAG_MASK(NM_INVERT_C);
         const uint32_t ones = 0u - na - nb - nc, const uint32_t A = a[i] ^ na;
         const uint32_t B = b[i] ^ nb; const uint32_t C = c[i] ^ nc, A + B + C + ones)

/* One or two of them negated, none: by NM_INVERT_A to _C */
OP3(n_add3, uint32_t, uint32_t, uint32_t, uint32_t, A + B + C)
OP3(n_add3_less_a, uint32_t, uint32_t, uint32_t, uint32_t, B + C - A)
OP3(n_add3_less_b, uint32_t, uint32_t, uint32_t, uint32_t, A + C - B)
OP3(n_add3_less_c, uint32_t, uint32_t, uint32_t, uint32_t, A + B - C)
OP3(n_a_less_others, uint32_t, uint32_t, uint32_t, uint32_t, A - B - C)
OP3(n_b_less_others, uint32_t, uint32_t, uint32_t, uint32_t, B - A - C)
OP3(n_c_less_others, uint32_t, uint32_t, uint32_t, uint32_t, C - A - B)

/* Sources that are 0, so that less is to be done: RZ. */
static bool is_constant_source(const struct insn *insn, unsigned k, int64_t value)
{
    const struct operand *operand = insn_source(insn, k);
    return operand->kind == OPERAND_IMMEDIATE && operand->imm == value;
}
static bool is_zero_source(const struct insn *insn, unsigned k)
{
    return is_constant_source(insn, k, 0);
}

/* Carries and comparisons by lane, -1 or 0, as masks make and take them (lanes_to_mask, expand_mask). */
#define LANE_FLAGS(name) int32_t name[WARP_LANES] __attribute__((aligned(64)))
#define LANE_WORDS(name) uint32_t name[WARP_LANES] __attribute__((aligned(64)))

/* d, p, q <- a, b, c, p, q: up to two carries go out, p for one, q for the second; .X takes two in. */
static void n_iadd3c(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    const uint32_t na = FLAG_MASK(NM_INVERT_A), nb = FLAG_MASK(NM_INVERT_B),
                   nc = FLAG_MASK(NM_INVERT_C);
    const bool is_x = u->imm & NM_X;
    const uint32_t ones = is_x ? 0 : (na & 1) + (nb & 1) + (nc & 1); /* -a is ~a + 1 */
    LANE_FLAGS(in);
    LANE_FLAGS(in2);
    LANE_FLAGS(first);
    LANE_FLAGS(second);
    LANE_WORDS(result);
    expand_mask(is_x ? source_predicate(x, u, 3) : 0, in);
    expand_mask(is_x ? source_predicate(x, u, 4) : 0, in2);
    VECTOR LANES
    {
        const uint32_t A = a[i] ^ na, B = b[i] ^ nb, C = c[i] ^ nc;
        const uint32_t more = ones - (uint32_t)in[i] - (uint32_t)in2[i];
        const uint32_t two = A + B, three = two + C, all = three + more;
        const int32_t carries = (two < A) + (three < C) + (all < more);
        result[i] = all;
        first[i] = -(carries >= 1);
        second[i] = -(carries >= 2);
    }
    write_words(x, u->dst[0], result);
    write_predicate(x, u->dst[1], lanes_to_mask(first));
    write_predicate(x, u->dst[2], lanes_to_mask(second));
}

/* Halves of a sum of 64 bits: d, p <- a, b; and d <- a, b, p with the carry that comes in. */
static void n_iadd_low(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    const uint32_t na = FLAG_MASK(NM_INVERT_A), nb = FLAG_MASK(NM_INVERT_B);
    const uint32_t ones = (na & 1) + (nb & 1);
    uint32_t *d = DST(uint32_t, 0);
    const int32_t *m = x->lane_mask;
    LANE_FLAGS(out);
    VECTOR LANES
    {
        const uint32_t A = a[i] ^ na, two = A + (b[i] ^ nb), all = two + ones;
        out[i] = -((two < A) | (all < ones));
        d[i] = m[i] ? all : d[i];
    }
    write_predicate(x, u->dst[1], lanes_to_mask(out));
}
static void n_iadd_high(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    const uint32_t na = FLAG_MASK(NM_INVERT_A), nb = FLAG_MASK(NM_INVERT_B);
    uint32_t *d = DST(uint32_t, 0);
    const int32_t *m = x->lane_mask;
    LANE_FLAGS(in);
    expand_mask(source_predicate(x, u, 3), in);
    VECTOR LANES
    {
        const uint32_t all = (a[i] ^ na) + (b[i] ^ nb) - (uint32_t)in[i];
        d[i] = m[i] ? all : d[i];
    }
}

/* d <- a, b, c, p, q: carries come in, none goes out. */
static void n_iadd3_in(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    const uint32_t na = FLAG_MASK(NM_INVERT_A), nb = FLAG_MASK(NM_INVERT_B),
                   nc = FLAG_MASK(NM_INVERT_C);
    uint32_t *d = DST(uint32_t, 0);
    const int32_t *m = x->lane_mask;
    LANE_FLAGS(in);
    LANE_FLAGS(in2);
    expand_mask(source_predicate(x, u, 3), in);
    expand_mask(source_predicate(x, u, 4), in2);
    VECTOR LANES
    {
        const uint32_t sum = (a[i] ^ na) + (b[i] ^ nb) + (c[i] ^ nc);
        const uint32_t all = sum - (uint32_t)in[i] - (uint32_t)in2[i];
        d[i] = m[i] ? all : d[i];
    }
}

/* d <- c */
OP_FORMS(n_third, uint32_t, const uint32_t *c = SRC(uint32_t, 2), const uint32_t C = c[i], C)

OP_FORMS(n_imad, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *b = SRC(uint32_t, 1); const uint32_t *c = SRC(uint32_t, 2);
         const uint32_t na = FLAG_MASK(NM_INVERT_A);
         const uint32_t nc = FLAG_MASK(NM_INVERT_C), const uint32_t A = (a[i] ^ na) - na;
         const uint32_t B = b[i]; const uint32_t C = (c[i] ^ nc) - nc, A *B + C)

/* Times 1, which adds or subtracts on the multiplier's pipe */
OP_FORMS(n_imad_add, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *c = SRC(uint32_t, 2), const uint32_t A = a[i];
         const uint32_t C = c[i], A + C)
OP_FORMS(n_imad_sub, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *c = SRC(uint32_t, 2), const uint32_t A = a[i];
         const uint32_t C = c[i], A - C)

/* d, p <- a, b, c, p: the sum of the lower half of the product, c or ~c, and a carry */
static void n_imad_x(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    const uint32_t nc = FLAG_MASK(NM_INVERT_C);
    LANE_FLAGS(in);
    LANE_FLAGS(out);
    LANE_WORDS(result);
    expand_mask(u->imm & NM_X ? source_predicate(x, u, 3) : 0, in);
    VECTOR LANES
    {
        const uint32_t C = c[i] ^ nc, sum = a[i] * b[i] + C, more = 0u - (uint32_t)in[i];
        result[i] = sum + more;
        out[i] = -((sum < C) | (result[i] < more));
    }
    write_words(x, u->dst[0], result);
    write_predicate(x, u->dst[1], lanes_to_mask(out));
}

/* pair <- a, b, pair without carries; of .HI the upper half alone is written. */
#if defined(__AVX2__)
static inline void multiply_wide(struct exec *x, const struct uop *u, bool is_signed, bool has_sum,
                                 bool is_high, bool whole)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    uint32_t *d = DST(uint32_t, 0);
    EACH_WORDS
    {
        struct longs v = multiply_words(read_words(a, i), read_words(b, i), is_signed);
        if (has_sum) v = add_longs(v, join_longs(c, i));
        if (is_high)
            write_words_of(x, d, i, high_words(v), whole);
        else
            split_longs(x, d, i, v, whole);
    }
}
#define MULTIPLY_WIDE(name, is_signed, has_sum, is_high)                                           \
    static inline void name(struct exec *x, const struct uop *u, bool whole)                       \
    {                                                                                              \
        multiply_wide(x, u, is_signed, has_sum, is_high, whole);                                   \
    }                                                                                              \
    WHOLE_FORMS(name)
MULTIPLY_WIDE(n_wide_u32, false, false, false)
MULTIPLY_WIDE(n_wide_s32, true, false, false)
MULTIPLY_WIDE(n_high_u32, false, false, true)
MULTIPLY_WIDE(n_high_s32, true, false, true)
MULTIPLY_WIDE(n_wide_sum_u32, false, true, false)
MULTIPLY_WIDE(n_wide_sum_s32, true, true, false)
MULTIPLY_WIDE(n_high_sum_u32, false, true, true)
MULTIPLY_WIDE(n_high_sum_s32, true, true, true)
#endif

/* In any form: c may be negated. */
static void n_imad_wide(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    const uint32_t *low = SRC(uint32_t, 2), *high = low + WARP_LANES;
    uint32_t low_result[WARP_LANES], high_result[WARP_LANES];
    const uint64_t nc = u->imm & NM_INVERT_C ? ~UINT64_C(0) : 0;
    LANES
    {
        uint64_t c = ((low[i] | (uint64_t)high[i] << 32) ^ nc) - nc;
        uint64_t product = u->imm & NM_SIGNED ? (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i])
                                              : (uint64_t)a[i] * b[i];
        low_result[i] = (uint32_t)(product + c);
        high_result[i] = (uint32_t)((product + c) >> 32);
    }
    if (!(u->imm & NM_HIGH)) write_words(x, u->dst[0], low_result);
    write_words(x, u->dst[0] + (u->imm & NM_HIGH ? 0 : 4 * WARP_LANES), high_result);
}

/* pair, p <- a, b, pair, p: .X with a carry that comes in; the one that goes out */
static void n_imad_wide_x(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    const uint32_t *low = SRC(uint32_t, 2), *high = low + WARP_LANES;
    uint32_t low_result[WARP_LANES], high_result[WARP_LANES], out = 0;
    bool is_x = u->imm & NM_X;
    uint32_t in = is_x ? source_predicate(x, u, 3) : 0, ones = u->imm & NM_INVERT_C && !is_x;
    LANES
    {
        uint64_t c = low[i] | (uint64_t)high[i] << 32;
        if (u->imm & NM_INVERT_C) c = ~c;
        uint64_t product = u->imm & NM_SIGNED ? (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i])
                                              : (uint64_t)a[i] * b[i];
        u128 sum = (u128)product + c + (in >> i & 1) + ones;
        low_result[i] = (uint32_t)sum;
        high_result[i] = (uint32_t)(sum >> 32);
        out |= (uint32_t)(sum >> 64) << i;
    }
    if (!(u->imm & NM_HIGH)) write_words(x, u->dst[0], low_result);
    write_words(x, u->dst[0] + (u->imm & NM_HIGH ? 0 : 4 * WARP_LANES), high_result);
    write_predicate(x, u->dst[1], out);
}

/* d, p <- a, b, c, p: b + (a << n), or the upper half of c:a << n (.HI), of which .SX32 makes c of a's sign */
static void n_lea(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    const unsigned n = (unsigned)(u->imm >> NM_VALUE_AT) & 31;
    const bool is_x = u->imm & NM_X, is_high = u->imm & NM_HIGH, extends = u->imm & NM_SX32;
    const uint32_t na = FLAG_MASK(NM_INVERT_A), nb = FLAG_MASK(NM_INVERT_B);
    const uint32_t ones = is_x ? 0 : (na & 1) + (nb & 1);
    LANE_FLAGS(in);
    LANE_FLAGS(out);
    LANE_WORDS(result);
    expand_mask(is_x ? source_predicate(x, u, 3) : 0, in);
    VECTOR LANES
    {
        const uint32_t top = extends ? (uint32_t)((int32_t)a[i] >> 31) : c[i];
        const uint32_t upper = top << n | a[i] >> 1 >> (31 - n);
        const uint32_t A = (is_high ? upper : a[i] << n) ^ na, sum = A + (b[i] ^ nb);
        const uint32_t more = ones - (uint32_t)in[i];
        result[i] = sum + more;
        out[i] = -((sum < A) | (result[i] < more));
    }
    write_words(x, u->dst[0], result);
    write_predicate(x, u->dst[1], lanes_to_mask(out));
}
OP_FORMS(n_lea_low, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *b = SRC(uint32_t, 1);
         const unsigned n = (unsigned)(u->imm >> NM_VALUE_AT) & 31, const uint32_t A = a[i] << n;
         const uint32_t B = b[i], A + B)

/* d <- a, b, c: c:a shifted by b; one half of it */
static inline uint32_t shift_funnel(uint32_t a, uint32_t b, uint32_t c, int64_t imm)
{
    uint64_t both = (uint64_t)c << 32 | a;
    uint32_t most = imm & NM_WIDE ? 64 : 32, n = imm & NM_WRAP ? b & (most - 1)
                                                 : b < most    ? b
                                                               : most;
    uint32_t once = n < 63 ? n : 63; /* a shift by 64 is two */
    uint64_t result = !(imm & NM_RIGHT) ? both << once << (n - once)
                      : imm & NM_SIGNED ? (uint64_t)((int64_t)both >> once)
                                        : both >> once >> (n - once);
    return (uint32_t)(imm & NM_HIGH ? result >> 32 : result);
}
OP3(n_shf, uint32_t, uint32_t, uint32_t, uint32_t, shift_funnel(A, B, C, u->imm))
/* The same of 32 bits in 32 bits: counts are below 32, or 32 (all bits go) unless they wrap. */
#define SHIFT_32(name, TC, at_32, expr)                                                            \
    OP_FORMS(name, uint32_t, const uint32_t *a = SRC(uint32_t, 0);                                 \
             const uint32_t *b = SRC(uint32_t, 1); const TC *c = SRC(TC, 2);                       \
             const uint32_t most = u->imm & NM_WRAP ? 31 : UINT32_MAX, const uint32_t A = a[i];    \
             const TC C = c[i]; const uint32_t count = b[i] & most; const uint32_t n = count & 31; \
             (void)A; (void)C, (uint32_t)(count < 32 ? (expr) : (at_32)))
SHIFT_32(n_shl, uint32_t, 0, A << n)
SHIFT_32(n_shl_high, uint32_t, A, C << n | A >> 1 >> (31 - n))
SHIFT_32(n_shr_low, uint32_t, C, A >> n | C << 1 << (31 - n))
SHIFT_32(n_shr, uint32_t, 0, C >> n)
SHIFT_32(n_shr_signed, int32_t, C >> 31, C >> n)
/* And by a constant below 32. */
#define SHIFT_BY(name, TC, expr)                                                                   \
    OP_FORMS(name, uint32_t, const uint32_t *a = SRC(uint32_t, 0); const TC *c = SRC(TC, 2);       \
             const unsigned n = *SRC(uint32_t, 1) & 31, const uint32_t A = a[i];                   \
             const TC C = c[i]; (void)A; (void)C, (uint32_t)(expr))
SHIFT_BY(n_shl_by, uint32_t, A << n)
SHIFT_BY(n_shl_high_by, uint32_t, C << n | A >> 1 >> (31 - n))
SHIFT_BY(n_shr_low_by, uint32_t, A >> n | C << 1 << (31 - n))
SHIFT_BY(n_shr_by, uint32_t, C >> n)
SHIFT_BY(n_shr_signed_by, int32_t, C >> n)

/* p, q <- a, b, p, low: the comparison of upper halves, where the lower ones' result is `low`; combined with p */
static void n_isetp_ex(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    uint32_t with = source_predicate(x, u, 2), low = source_predicate(x, u, 3);
    unsigned compare = (unsigned)(u->imm >> NM_VALUE_AT) & 0xff;
    unsigned combine = (unsigned)(u->imm >> (NM_VALUE_AT + 8)) & 0xff;
    const uint32_t sign = u->imm & NM_SIGNED ? 0x80000000u : 0;
    LANE_FLAGS(is_less);
    LANE_FLAGS(is_equal);
    VECTOR LANES is_less[i] = -((a[i] ^ sign) < (b[i] ^ sign));
    VECTOR LANES is_equal[i] = -(a[i] == b[i]);
    uint32_t less = lanes_to_mask(is_less), equal = lanes_to_mask(is_equal), bits;
    uint32_t more = ~less & ~equal;
    bits = compare == CMP_LT || compare == CMP_LE   ? less | (equal & low)
           : compare == CMP_GT || compare == CMP_GE ? more | (equal & low)
           : compare == CMP_EQ                      ? equal & low
                                                    : ~equal | low;
    uint32_t other = ~bits;
    if (combine == COMBINE_AND) bits &= with, other &= with;
    if (combine == COMBINE_OR) bits |= with, other |= with;
    if (combine == COMBINE_XOR) bits ^= with, other ^= with;
    write_predicate(x, u->dst[0], bits);
    write_predicate(x, u->dst[1], other);
}

/* d <- a, b, p: the less where p holds, else the greater */
static void n_imnmx(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    const uint32_t flip = u->imm & NM_SIGNED ? 0x80000000u : 0;
    LANE_FLAGS(least);
    LANE_WORDS(result);
    expand_mask(source_predicate(x, u, 2), least);
    VECTOR LANES result[i] = -((a[i] ^ flip) < (b[i] ^ flip)) == least[i] ? a[i] : b[i];
    write_words(x, u->dst[0], result);
}

OP_FORMS(n_popc, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t na = FLAG_MASK(NM_INVERT_A), const uint32_t A = a[i] ^ na,
         (uint32_t)__builtin_popcount(A))

/* ~0 if no bit is found; .SH counts from the top, as a shift */
static inline uint32_t find_leading(uint32_t a, int64_t imm)
{
    if (imm & NM_INVERT_A) a = ~a;
    if (imm & NM_SIGNED && a >> 31) a = ~a;
    if (!a) return UINT32_MAX;
    uint32_t zeros = (uint32_t)__builtin_clz(a);
    return imm & NM_RIGHT ? zeros : 31 - zeros;
}
OP1(n_flo, uint32_t, uint32_t, find_leading(A, u->imm))
OP1(n_flo_at, uint32_t, uint32_t, 31 - (A ? (uint32_t)__builtin_clz(A) : 32))
OP1(n_flo_shift, uint32_t, uint32_t, A ? (uint32_t)__builtin_clz(A) : UINT32_MAX)

/* p, q <- a, b, c: two tables of eight truth values, bit (a b c) */
static inline uint32_t look_up(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
    uint32_t bits = 0;
    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1) bits |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return bits;
}
/* A predicate, or the signs of a register. */
static inline uint32_t source_bits(struct exec *x, const struct uop *u, unsigned k)
{
    if (insn_source(u->insn, k)->width == WIDTH_PREDICATE) return source_predicate(x, u, k);
    return lanes_to_mask(SRC(int32_t, k));
}
static void n_plop3(struct exec *x, const struct uop *u)
{
    uint32_t a = source_bits(x, u, 0), b = source_bits(x, u, 1), c = source_bits(x, u, 2);
    unsigned tables = (unsigned)(u->imm >> NM_VALUE_AT);
    write_predicate(x, u->dst[0], look_up(a, b, c, tables & 0xff));
    write_predicate(x, u->dst[1], look_up(a, b, c, tables >> 8 & 0xff));
}

/* ---- selection ------------------------------------------------------------------------------- */

/* What has less to do, because a source is RZ or no sign changes, has a loop of its own. */
static struct uop_pair select_n_iadd3(const struct insn *insn, const struct function *function)
{
    const struct uop_pair forms[] = {
        PAIR(n_add3),        PAIR(n_add3_less_a),   PAIR(n_add3_less_b),   PAIR(n_c_less_others),
        PAIR(n_add3_less_c), PAIR(n_b_less_others), PAIR(n_a_less_others), PAIR(n_iadd3)};
    int64_t inverts = insn->modifiers & (NM_INVERT_A | NM_INVERT_B | NM_INVERT_C);
    (void)function;
    if (is_zero_source(insn, 2) && !inverts) return PAIR(add_32);
    return is_zero_source(insn, 2) && inverts == NM_INVERT_B ? PAIR(sub_32) : forms[inverts];
}
static bool is_dropped(const struct insn *insn, unsigned k)
{
    return insn->operands[k].reg == VREG_PT || insn->operands[k].reg == VREG_UPT;
}
static struct uop_pair select_n_iadd3c(const struct insn *insn, const struct function *function)
{
    bool has_two = is_zero_source(insn, 2) && !(insn->modifiers & NM_INVERT_C);
    (void)function;
    if (!(insn->modifiers & NM_X))
        return has_two && is_dropped(insn, 2) ? SAME(n_iadd_low) : SAME(n_iadd3c);
    if (!is_dropped(insn, 1) || !is_dropped(insn, 2)) return SAME(n_iadd3c);
    return has_two && is_zero_source(insn, 4) ? SAME(n_iadd_high) : SAME(n_iadd3_in);
}
static struct uop_pair select_n_imad(const struct insn *insn, const struct function *function)
{
    int64_t inverts = insn->modifiers & (NM_INVERT_A | NM_INVERT_C);
    bool is_sum = is_constant_source(insn, 1, 1);
    (void)function;
    if (is_sum && inverts == NM_INVERT_C) return PAIR(n_imad_sub);
    if (inverts) return PAIR(n_imad);
    if (is_zero_source(insn, 0) || is_zero_source(insn, 1)) return PAIR(n_third);
    if (is_zero_source(insn, 2)) return PAIR(mul_lo_32);
    return is_sum ? PAIR(n_imad_add) : PAIR(mad_lo_32);
}
SELECT_ONE(n_imad_x, SAME(n_imad_x))
static struct uop_pair select_n_imad_wide(const struct insn *insn, const struct function *function)
{
    (void)insn, (void)function;
#if defined(__AVX2__)
    bool has_sum = !is_zero_source(insn, 2), is_signed = insn->modifiers & NM_SIGNED;
    bool is_high = insn->modifiers & NM_HIGH;
    if (insn->modifiers & NM_INVERT_C) return SAME(n_imad_wide);
    if (is_high && has_sum) return is_signed ? PAIR(n_high_sum_s32) : PAIR(n_high_sum_u32);
    if (is_high) return is_signed ? PAIR(n_high_s32) : PAIR(n_high_u32);
    if (has_sum) return is_signed ? PAIR(n_wide_sum_s32) : PAIR(n_wide_sum_u32);
    return is_signed ? PAIR(n_wide_s32) : PAIR(n_wide_u32);
#else
    return SAME(n_imad_wide);
#endif
}
SELECT_ONE(n_imad_wide_x, SAME(n_imad_wide_x))
SELECT_ONE(n_lea, SAME(n_lea))
SELECT_ONE(n_lea_low, PAIR(n_lea_low))
static struct uop_pair select_n_shf(const struct insn *insn, const struct function *function)
{
    bool is_high = insn->modifiers & NM_HIGH, is_signed = insn->modifiers & NM_SIGNED;
    (void)function;
    if (insn->modifiers & NM_WIDE) return PAIR(n_shf);
    const struct operand *count = insn_source(insn, 1);
#define BY_COUNT(name)                                                                             \
    (count->kind == OPERAND_IMMEDIATE && (uint64_t)count->imm < 32 ? PAIR(name##_by) : PAIR(name))
    if (!(insn->modifiers & NM_RIGHT)) return is_high ? BY_COUNT(n_shl_high) : BY_COUNT(n_shl);
    if (!is_high) return BY_COUNT(n_shr_low);
    return is_signed ? BY_COUNT(n_shr_signed) : BY_COUNT(n_shr);
#undef BY_COUNT
}
SELECT_ONE(n_isetp_ex, SAME(n_isetp_ex))
static struct uop_pair select_n_imnmx(const struct insn *insn, const struct function *function)
{
    const struct operand *least = insn_source(insn, 2);
    bool is_signed = insn->modifiers & NM_SIGNED;
    (void)function;
    if (least->kind != OPERAND_IMMEDIATE) return SAME(n_imnmx);
    if (least->imm) return is_signed ? PAIR(min_s32) : PAIR(min_u32);
    return is_signed ? PAIR(max_s32) : PAIR(max_u32);
}
SELECT_ONE(n_popc, insn->modifiers &NM_INVERT_A ? PAIR(n_popc) : PAIR(popc_32))
SELECT_ONE(n_flo, insn->modifiers &(NM_INVERT_A | NM_SIGNED) ? PAIR(n_flo)
                  : insn->modifiers &NM_RIGHT                ? PAIR(n_flo_shift)
                                                             : PAIR(n_flo_at))
SELECT_ONE(n_plop3, SAME(n_plop3))

#endif
