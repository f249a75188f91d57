// SPDX-License-Identifier: Apache-2.0
/* Operations of native code that PTX lacks (isa/native_ops.def), and the helpers of native operands. A pair
 * of registers is 32 low words, then 32 high ones. */
#ifndef EMULATE_SEM_NATIVE_H
#define EMULATE_SEM_NATIVE_H

#include "emulate/sem_select.h"
#include "isa/native_modifiers.h"

/* ---- operands -------------------------------------------------------------------------------- */

static void join_pair(struct exec *x, const struct uop *u)
{
    const uint32_t *low = SRC(uint32_t, 0), *high = low + WARP_LANES;
    uint64_t *d = DST(uint64_t, 0);
    VECTOR LANES d[i] = low[i] | (uint64_t)high[i] << 32;
}

static void split_pair(struct exec *x, const struct uop *u)
{
    const uint64_t *a = SRC(uint64_t, 0);
    uint32_t *low = DST(uint32_t, 0), *high = low + WARP_LANES;
    const int32_t *m = x->lane_mask;
    VECTOR LANES low[i] = m[i] ? (uint32_t)a[i] : low[i];
    VECTOR LANES high[i] = m[i] ? (uint32_t)(a[i] >> 32) : high[i];
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
    if (flags & VALUE_NEGATE_HIGH) flip ^= 0x80000000u;
    VECTOR LANES d[i] = (a[i] & keep) ^ flip;
    if (flags & VALUE_LOW_TWICE) VECTOR LANES d[i] = (d[i] & 0xffff) | d[i] << 16;
    if (flags & VALUE_HIGH_TWICE) VECTOR LANES d[i] = (d[i] & 0xffff0000u) | d[i] >> 16;
    if (shift) VECTOR LANES d[i] >>= shift;
    if (!(flags & (VALUE_BYTE | VALUE_HALF))) return;
    const uint32_t mask = flags & VALUE_BYTE ? 0xff : 0xffff;
    const uint32_t top = flags & VALUE_SIGNED ? (mask + 1) / 2 : 0;
    VECTOR LANES d[i] = ((d[i] & mask) ^ top) - top;
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
         const uint32_t nc = FLAG_MASK(NM_INVERT_C), const uint32_t A = (a[i] ^ na) - na;
         const uint32_t B = (b[i] ^ nb) - nb; const uint32_t C = (c[i] ^ nc) - nc, A + B + C)

/* d, p, q <- a, b, c, p, q: up to two carries go out, p for one, q for the second; .X takes two in. */
static void n_iadd3c(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    uint32_t na = FLAG_MASK(NM_INVERT_A), nb = FLAG_MASK(NM_INVERT_B), nc = FLAG_MASK(NM_INVERT_C);
    bool is_x = u->imm & NM_X;
    uint32_t in = is_x ? source_predicate(x, u, 3) : 0, in2 = is_x ? source_predicate(x, u, 4) : 0;
    uint32_t ones = is_x ? 0 : (na & 1) + (nb & 1) + (nc & 1); /* -a is ~a + 1 */
    uint32_t result[WARP_LANES], first = 0, second = 0;
    LANES
    {
        uint64_t sum = (uint64_t)(a[i] ^ na) + (b[i] ^ nb) + (c[i] ^ nc) + ones + (in >> i & 1) +
                       (in2 >> i & 1);
        result[i] = (uint32_t)sum;
        first |= (uint32_t)(sum >> 32 >= 1) << i;
        second |= (uint32_t)(sum >> 32 >= 2) << i;
    }
    write_words(x, u->dst[0], result);
    write_predicate(x, u->dst[1], first);
    write_predicate(x, u->dst[2], second);
}

OP_FORMS(n_imad, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *b = SRC(uint32_t, 1); const uint32_t *c = SRC(uint32_t, 2);
         const uint32_t na = FLAG_MASK(NM_INVERT_A);
         const uint32_t nc = FLAG_MASK(NM_INVERT_C), const uint32_t A = (a[i] ^ na) - na;
         const uint32_t B = b[i]; const uint32_t C = (c[i] ^ nc) - nc, A *B + C)

/* d, p <- a, b, c, p: the sum of the lower half of the product, c or ~c, and a carry */
static void n_imad_x(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    uint32_t nc = FLAG_MASK(NM_INVERT_C), in = u->imm & NM_X ? source_predicate(x, u, 3) : 0;
    uint32_t result[WARP_LANES], out = 0;
    LANES
    {
        uint64_t sum = (uint64_t)(a[i] * b[i]) + (c[i] ^ nc) + (in >> i & 1);
        result[i] = (uint32_t)sum;
        out |= (uint32_t)(sum >> 32) << i;
    }
    write_words(x, u->dst[0], result);
    write_predicate(x, u->dst[1], out);
}

/* pair <- a, b, pair without carries; of .HI the upper half alone is written. */
static void n_imad_wide(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    const uint32_t *low = SRC(uint32_t, 2), *high = low + WARP_LANES;
    uint32_t low_result[WARP_LANES], high_result[WARP_LANES];
    const uint64_t nc = u->imm & NM_INVERT_C ? ~UINT64_C(0) : 0;
    if (u->imm & NM_SIGNED) {
        VECTOR LANES
        {
            uint64_t c = ((low[i] | (uint64_t)high[i] << 32) ^ nc) - nc;
            uint64_t sum = (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i]) + c;
            low_result[i] = (uint32_t)sum;
            high_result[i] = (uint32_t)(sum >> 32);
        }
    } else {
        VECTOR LANES
        {
            uint64_t c = ((low[i] | (uint64_t)high[i] << 32) ^ nc) - nc;
            uint64_t sum = (uint64_t)a[i] * b[i] + c;
            low_result[i] = (uint32_t)sum;
            high_result[i] = (uint32_t)(sum >> 32);
        }
    }
    if (u->imm & NM_HIGH) {
        write_words(x, u->dst[0], high_result);
        return;
    }
    write_words(x, u->dst[0], low_result);
    write_words(x, u->dst[0] + 4 * WARP_LANES, high_result);
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
    unsigned n = (unsigned)(u->imm >> NM_VALUE_AT) & 31;
    bool is_x = u->imm & NM_X, is_high = u->imm & NM_HIGH;
    uint32_t na = FLAG_MASK(NM_INVERT_A), nb = FLAG_MASK(NM_INVERT_B);
    uint32_t in = is_x ? source_predicate(x, u, 3) : 0;
    uint32_t ones = is_x ? 0 : (na & 1) + (nb & 1), result[WARP_LANES], out = 0;
    LANES
    {
        uint32_t top = u->imm & NM_SX32 ? (uint32_t)((int32_t)a[i] >> 31) : c[i];
        uint64_t shifted = ((uint64_t)top << 32 | a[i]) << n;
        uint32_t part = (uint32_t)(is_high ? shifted >> 32 : shifted);
        uint64_t sum = (uint64_t)(part ^ na) + (b[i] ^ nb) + ones + (in >> i & 1);
        result[i] = (uint32_t)sum;
        out |= (uint32_t)(sum >> 32 != 0) << i;
    }
    write_words(x, u->dst[0], result);
    write_predicate(x, u->dst[1], out);
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

/* p, q <- a, b, p, low: the comparison of upper halves, where the lower ones' result is `low`; combined with p */
static void n_isetp_ex(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    uint32_t with = source_predicate(x, u, 2), low = source_predicate(x, u, 3);
    unsigned compare = (unsigned)(u->imm >> NM_VALUE_AT) & 0xff;
    unsigned combine = (unsigned)(u->imm >> (NM_VALUE_AT + 8)) & 0xff;
    uint32_t less = 0, equal = 0, bits;
    LANES
    {
        bool is_less = u->imm & NM_SIGNED ? (int32_t)a[i] < (int32_t)b[i] : a[i] < b[i];
        less |= (uint32_t)is_less << i;
        equal |= (uint32_t)(a[i] == b[i]) << i;
    }
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
    uint32_t p = source_predicate(x, u, 2), result[WARP_LANES];
    uint32_t flip = u->imm & NM_SIGNED ? 0x80000000u : 0;
    LANES
    {
        bool takes_a = ((a[i] ^ flip) < (b[i] ^ flip)) == (p >> i & 1);
        result[i] = takes_a ? a[i] : b[i];
    }
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

/* ---- control --------------------------------------------------------------------------------- */

static void n_bssy(struct exec *x, const struct uop *u)
{
    uint32_t *d = DST(uint32_t, 0), mask = x->mask;
    LANES if (mask >> i & 1) d[i] = mask;
}

/* The active lanes whose p holds leave the barrier of all that are in it. */
static void n_break(struct exec *x, const struct uop *u)
{
    uint32_t *d = DST(uint32_t, 0), mask = x->mask & source_predicate(x, u, 0), group = 0;
    LANES if (mask >> i & 1) group |= d[i];
    LANES if (group >> i & 1) d[i] &= ~mask;
}

static void n_nop(struct exec *x, const struct uop *u)
{
    (void)x, (void)u;
}

/* ---- across lanes ---------------------------------------------------------------------------- */

static bool is_uniform_register(const struct uop *u)
{
    int32_t reg = u->insn->operands[0].reg;
    return reg >= VREG_UR && reg < VREG_P;
}

/* Lanes that get a result: all of them in a uniform register. */
static uint32_t result_lanes(const struct exec *x, const struct uop *u)
{
    return is_uniform_register(u) ? UINT32_MAX : x->mask;
}

static void write_same(struct exec *x, const struct uop *u, uint32_t value)
{
    uint32_t *d = DST(uint32_t, 0), lanes = result_lanes(x, u);
    LANES if (lanes >> i & 1) d[i] = value;
}

/* d: the lanes whose p holds */
static void n_vote(struct exec *x, const struct uop *u)
{
    uint32_t p = source_predicate(x, u, 0) & x->mask, lanes = result_lanes(x, u);
    unsigned kind = (unsigned)(u->imm >> NM_VALUE_AT);
    bool holds = kind == SUB_ALL ? p == x->mask : kind == SUB_ANY ? p != 0 : p == x->mask || !p;
    write_same(x, u, p);
    uint32_t *d = &PREDICATE(u->dst[1]);
    *d = (*d & ~lanes) | (holds ? lanes : 0);
}

static uint32_t reduce(unsigned sub_op, bool is_signed, uint32_t r, uint32_t v)
{
    bool less = is_signed ? (int32_t)v < (int32_t)r : v < r;
    switch (sub_op) {
    case SUB_ADD:
        return r + v;
    case SUB_MIN:
        return less ? v : r;
    case SUB_MAX:
        return less ? r : v;
    case SUB_AND:
        return r & v;
    case SUB_OR:
        return r | v;
    default:
        return r ^ v;
    }
}

static void n_redux(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0);
    uint32_t left = x->mask & (x->mask - 1), r = a[__builtin_ctz(x->mask)];
    for (; left; left &= left - 1)
        r = reduce(u->insn->sub_op, u->insn->type == TYPE_S32, r, a[__builtin_ctz(left)]);
    write_same(x, u, r);
}

static void n_r2ur(struct exec *x, const struct uop *u)
{
    write_same(x, u, SRC(uint32_t, 0)[__builtin_ctz(x->mask)]);
}

static void n_b2r(struct exec *x, const struct uop *u)
{
    write_words(x, u->dst[0], SRC(uint32_t, 0));
    write_predicate(x, u->dst[1], source_predicate(x, u, 1));
}

/* ---- selection ------------------------------------------------------------------------------- */

SELECT_ONE(n_iadd3, PAIR(n_iadd3))
SELECT_ONE(n_iadd3c, SAME(n_iadd3c))
SELECT_ONE(n_imad, PAIR(n_imad))
SELECT_ONE(n_imad_x, SAME(n_imad_x))
SELECT_ONE(n_imad_wide, SAME(n_imad_wide))
SELECT_ONE(n_imad_wide_x, SAME(n_imad_wide_x))
SELECT_ONE(n_lea, SAME(n_lea))
SELECT_ONE(n_lea_low, PAIR(n_lea_low))
SELECT_ONE(n_shf, PAIR(n_shf))
SELECT_ONE(n_isetp_ex, SAME(n_isetp_ex))
SELECT_ONE(n_imnmx, SAME(n_imnmx))
SELECT_ONE(n_popc, PAIR(n_popc))
SELECT_ONE(n_flo, PAIR(n_flo))
SELECT_ONE(n_plop3, SAME(n_plop3))
SELECT_ONE(n_bssy, SAME(n_bssy))
SELECT_ONE(n_break, SAME(n_break))
SELECT_ONE(n_nop, SAME(n_nop))
SELECT_ONE(n_vote, SAME(n_vote))
SELECT_ONE(n_redux, SAME(n_redux))
SELECT_ONE(n_r2ur, SAME(n_r2ur))
SELECT_ONE(n_b2r, SAME(n_b2r))
SELECT_ONE(n_control, SAME(n_nop)) /* what ends a code block is no operation (warp.c) */

#endif
