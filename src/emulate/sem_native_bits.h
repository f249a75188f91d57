// SPDX-License-Identifier: Apache-2.0
/* Native operations on parts of words: distances, saturation, least and greatest of pairs of 16 bits,
 * predicates as bits. */
#ifndef EMULATE_SEM_NATIVE_BITS_H
#define EMULATE_SEM_NATIVE_BITS_H

#include "emulate/sem_native.h"

/* ---- distances, saturation ------------------------------------------------------------------- */

static inline uint32_t distance(uint32_t a, uint32_t b, int64_t imm)
{
    uint32_t flip = imm & NM_SIGNED ? 0x80000000u : 0;
    return (a ^ flip) > (b ^ flip) ? a - b : b - a;
}
OP3(n_vabsdiff, uint32_t, uint32_t, uint32_t, uint32_t, distance(A, B, u->imm) + C)

/* Distances of four bytes: each in its place, or their sum (.ACC) added to c */
static inline uint32_t distance4(uint32_t a, uint32_t b, uint32_t c, int64_t imm)
{
    uint32_t flip = imm & NM_SIGNED ? 0x80808080u : 0, result = imm & NM_ACCUMULATE ? c : 0;
    a ^= flip, b ^= flip;
    for (unsigned at = 0; at < 32; at += 8) {
        uint32_t p = a >> at & 0xff, q = b >> at & 0xff, d = p > q ? p - q : q - p;
        result += imm & NM_ACCUMULATE ? d : d << at;
    }
    return result;
}
OP3(n_vabsdiff4, uint32_t, uint32_t, uint32_t, uint32_t, distance4(A, B, C, u->imm))

/* A signed number within what the type of `bits` bits holds. */
static inline uint32_t saturated(uint32_t a, int64_t imm)
{
    unsigned bits = (unsigned)(imm >> NM_VALUE_AT) & 31;
    int32_t v = (int32_t)a, most = (int32_t)((1u << (bits - (imm & NM_SIGNED ? 1 : 0))) - 1);
    int32_t least = imm & NM_SIGNED ? -most - 1 : 0;
    return (uint32_t)(v < least ? least : v > most ? most : v);
}
OP1(n_i2i, uint32_t, uint32_t, saturated(A, u->imm))

/* a and b so, below what of c (or of its upper half) there is place for */
static inline uint32_t saturated_pair(uint32_t a, uint32_t b, uint32_t c, int64_t imm)
{
    unsigned bits = (unsigned)(imm >> NM_VALUE_AT) & 31;
    uint32_t mask = (1u << bits) - 1, above = imm & NM_HIGH ? c >> 16 : c;
    uint32_t both = (saturated(a, imm) & mask) << bits | (saturated(b, imm) & mask);
    return bits == 16 ? both : both | above << 2 * bits;
}
OP3(n_i2ip, uint32_t, uint32_t, uint32_t, uint32_t, saturated_pair(A, B, C, u->imm))

/* ---- least and greatest ---------------------------------------------------------------------- */

/* One number of `bits` bits: the less of a and b where p, else the greater. */
static inline int64_t choose(int64_t a, int64_t b, bool p)
{
    return (a < b) == p ? a : b;
}
static inline int64_t element(uint32_t word, unsigned at, unsigned bits, bool is_signed)
{
    uint64_t v = (uint64_t)word >> at & ((UINT64_C(1) << bits) - 1);
    return is_signed ? (int64_t)sign_extend(v, bits) : (int64_t)v;
}

enum { MINMAX_TWO, MINMAX_THREE, MINMAX_SUM };

/* Of a and b; of a, b and c; or of a + b and c. .RELU: not less than 0. */
static void find_chosen(struct exec *x, const struct uop *u, unsigned how,
                        uint32_t result[WARP_LANES])
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1);
    const uint32_t *c = how == MINMAX_TWO ? b : SRC(uint32_t, 2);
    uint32_t p = source_predicate(x, u, how == MINMAX_TWO ? 2 : 3);
    unsigned bits = u->imm & NM_HALVES ? 16 : 32;
    bool is_signed = u->imm & NM_SIGNED;
    LANES
    {
        result[i] = 0;
        for (unsigned at = 0; at < 32; at += bits) {
            int64_t v = element(a[i], at, bits, is_signed), w = element(b[i], at, bits, is_signed);
            int64_t z = element(c[i], at, bits, is_signed);
            bool least = p >> i & 1;
            if (how == MINMAX_SUM) {
                int64_t negated = u->imm & NM_INVERT_B ? -w : w;
                v = element((uint32_t)(v + negated), 0, bits, is_signed);
                w = z;
            }
            v = choose(v, w, least);
            if (how == MINMAX_THREE) v = choose(v, z, least);
            if (u->imm & NM_RELU && v < 0) v = 0;
            result[i] |= (uint32_t)(v & (int64_t)((UINT64_C(1) << bits) - 1)) << at;
        }
    }
}
static void choose_elements(struct exec *x, const struct uop *u, unsigned how)
{
    uint32_t result[WARP_LANES];
    find_chosen(x, u, how, result);
    write_words(x, u->dst[0], result);
}
static void n_vimnmx(struct exec *x, const struct uop *u)
{
    choose_elements(x, u, MINMAX_TWO);
}
/* As n_vimnmx; and of the lower and the upper half: is the result's that of a? */
static void n_vimnmx_told(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0);
    uint32_t result[WARP_LANES], lower = 0, upper = 0;
    find_chosen(x, u, MINMAX_TWO, result);
    LANES
    {
        uint32_t differs = result[i] ^ a[i];
        lower |= (uint32_t) !(differs & 0xffff) << i;
        upper |= (uint32_t) !(differs >> 16) << i;
    }
    write_words(x, u->dst[0], result);
    write_predicate(x, u->dst[1], lower);
    write_predicate(x, u->dst[2], upper);
}
static void n_vimnmx3(struct exec *x, const struct uop *u)
{
    choose_elements(x, u, MINMAX_THREE);
}
static void n_viaddmnmx(struct exec *x, const struct uop *u)
{
    choose_elements(x, u, MINMAX_SUM);
}

/* Both halves of a and b, or of a and -b, added, without a carry between them. */
OP_FORMS(n_viadd2, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *b = SRC(uint32_t, 1);
         const uint32_t nb = FLAG_MASK(NM_INVERT_B), const uint32_t A = a[i];
         const uint32_t B = b[i] ^ nb,
         ((A & 0xffff0000u) + (B & 0xffff0000u) + (nb & 0x10000)) | ((A + B + (nb & 1)) & 0xffff))

/* ---- predicates as bits ---------------------------------------------------------------------- */

/* d <- a, mask, P0 .. P6: bits of the mask of one byte (from bit NM_VALUE of d on) become predicates. */
static void n_p2r(struct exec *x, const struct uop *u)
{
    const uint32_t *a = (const uint32_t *)PLACE(u->elements[1]);
    const uint32_t *mask = (const uint32_t *)PLACE(u->elements[2]);
    unsigned at = (unsigned)(u->imm >> NM_VALUE_AT);
    uint32_t result[WARP_LANES] = {0};
    for (unsigned k = 0; k < 7; k++) {
        uint32_t p = PREDICATE(u->elements[3 + k]);
        LANES result[i] |= (p >> i & 1) << k;
    }
    LANES result[i] = (a[i] & ~((mask[i] & 0xff) << at)) | (result[i] & mask[i]) << at;
    write_words(x, u->elements[0], result);
}

/* p .. <- a, mask: the predicates of the mask from one byte of a */
static void n_r2p(struct exec *x, const struct uop *u)
{
    unsigned count = u->insn->ndst, at = (unsigned)(u->imm >> NM_VALUE_AT);
    const uint32_t *a = (const uint32_t *)PLACE(u->elements[count]);
    const uint32_t *mask = (const uint32_t *)PLACE(u->elements[count + 1]);
    for (unsigned k = 0; k < count; k++) {
        int32_t reg = u->insn->operands[k].reg;
        unsigned n = (unsigned)(reg >= VREG_UP ? reg - VREG_UP : reg - VREG_P);
        uint32_t bits = 0, old = PREDICATE(u->elements[k]);
        LANES bits |= (mask[i] >> n & 1 ? a[i] >> (at + n) & 1 : old >> i & 1) << i;
        write_predicate(x, u->elements[k], bits);
    }
}

/* ---- 64 bits of the uniform datapath --------------------------------------------------------- */

static inline u128 pair_at(const struct exec *x, const struct uop *u, unsigned k, unsigned lane)
{
    const uint32_t *low = SRC(uint32_t, k);
    uint64_t v = low[lane] | (uint64_t)low[lane + WARP_LANES] << 32;
    return u->imm & NM_INVERT_A << k ? ~v : v;
}

/* pair, p, q <- pair, pair, pair, p, q: as n_iadd3c */
static void n_iadd3_64(struct exec *x, const struct uop *u)
{
    bool is_x = u->imm & NM_X;
    uint32_t in = is_x ? source_predicate(x, u, 3) : 0, in2 = is_x ? source_predicate(x, u, 4) : 0;
    uint32_t low[WARP_LANES], high[WARP_LANES], first = 0, second = 0;
    unsigned ones = is_x ? 0 : (unsigned)__builtin_popcount((unsigned)u->imm & 7);
    LANES
    {
        u128 sum = pair_at(x, u, 0, i) + pair_at(x, u, 1, i) + pair_at(x, u, 2, i) + ones +
                   (in >> i & 1) + (in2 >> i & 1);
        low[i] = (uint32_t)sum;
        high[i] = (uint32_t)(sum >> 32);
        first |= (uint32_t)(sum >> 64 >= 1) << i;
        second |= (uint32_t)(sum >> 64 >= 2) << i;
    }
    write_words(x, u->dst[0], low);
    write_words(x, u->dst[0] + 4 * WARP_LANES, high);
    write_predicate(x, u->dst[1], first);
    write_predicate(x, u->dst[2], second);
}

/* ---- selection ------------------------------------------------------------------------------- */

SELECT_ONE(n_vabsdiff, PAIR(n_vabsdiff))
SELECT_ONE(n_vabsdiff4, PAIR(n_vabsdiff4))
SELECT_ONE(n_i2i, PAIR(n_i2i))
SELECT_ONE(n_i2ip, PAIR(n_i2ip))
SELECT_ONE(n_vimnmx, SAME(n_vimnmx))
SELECT_ONE(n_vimnmx_told, SAME(n_vimnmx_told))
SELECT_ONE(n_vimnmx3, SAME(n_vimnmx3))
SELECT_ONE(n_viaddmnmx, SAME(n_viaddmnmx))
SELECT_ONE(n_viadd2, PAIR(n_viadd2))
SELECT_ONE(n_p2r, SAME(n_p2r))
SELECT_ONE(n_r2p, SAME(n_r2p))
SELECT_ONE(n_iadd3_64, SAME(n_iadd3_64))

#endif
