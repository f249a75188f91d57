// SPDX-License-Identifier: Apache-2.0
/* Video instructions. Sources are extended parts of registers, computed with in more bits than any
 * result needs; the result is clamped, combined with a third source or merged into it. */
#ifndef EMULATE_SEM_VIDEO_H
#define EMULATE_SEM_VIDEO_H

#include "emulate/sem_select.h"

/* A byte or half of a word, or all of it, extended by its type. */
static inline int64_t video_part(uint32_t word, uint16_t select, enum ptx_type type)
{
    unsigned bits = !select ? 32 : select & SELECT_HALVES ? 16 : 8;
    unsigned at = select ? bits * select_digit(select, 0) : 0;
    uint64_t part = (word >> at) & (UINT64_C(0xffffffff) >> (32 - bits));
    uint64_t top = type_infos[type].kind == KIND_SIGNED ? UINT64_C(1) << (bits - 1) : 0;
    return (int64_t)((part ^ top) - top);
}

static inline int64_t clamp_bits(int64_t v, unsigned bits, bool is_signed)
{
    int64_t most = (INT64_C(1) << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return v < least ? least : v > most ? most : v;
}

static inline bool video_compare(unsigned compare, int64_t a, int64_t b)
{
    switch (compare) {
    case CMP_EQ:
        return a == b;
    case CMP_NE:
        return a != b;
    case CMP_LT:
        return a < b;
    case CMP_LE:
        return a <= b;
    case CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* By up to 32. Of what is too large for 64 bits, 33 bits matter and that it is large. */
static inline int64_t shift_left(int64_t a, uint32_t count)
{
    int64_t v = (int64_t)((uint64_t)a << count);
    return a > 0 && v < 0 ? (v & 0x1ffffffff) | INT64_C(1) << 62 : v;
}

static inline int64_t video_primary(const struct insn *insn, int64_t a, int64_t b)
{
    uint32_t count = insn->flags & INSN_WRAP ? b & 31 : b < 32 ? (uint32_t)b : 32;
    switch (insn->op) {
    case OP_VADD:
        return a + b;
    case OP_VSUB:
        return a - b;
    case OP_VABSDIFF:
        return a > b ? a - b : b - a;
    case OP_VMIN:
        return a < b ? a : b;
    case OP_VMAX:
        return a > b ? a : b;
    case OP_VSHL:
        return shift_left(a, count);
    case OP_VSHR:
        return a >> count;
    default:
        return video_compare(insn->compare, a, b);
    }
}

/* Second operations work on 33 bits (ISA). */
static inline int64_t video_second(unsigned operation, int64_t v, int64_t c)
{
    v = (int64_t)((uint64_t)v << 31) >> 31;
    switch (operation) {
    case ATOM_ADD:
        return v + c;
    case ATOM_MIN:
        return v < c ? v : c;
    case ATOM_MAX:
        return v > c ? v : c;
    default:
        return v;
    }
}

static inline uint32_t video_merge(uint32_t v, uint32_t c, uint16_t select)
{
    if (!select) return v;
    unsigned bits = select & SELECT_HALVES ? 16 : 8, at = bits * select_digit(select, 0);
    uint32_t mask = ((1u << bits) - 1) << at;
    return ((v << at) & mask) | (c & ~mask);
}

/* vset names no type of its destination, which is unsigned. */
static inline bool is_video_set(const struct insn *insn)
{
    return insn->op == OP_VSET || insn->op == OP_VSET2 || insn->op == OP_VSET4;
}

struct video_types {
    uint8_t d, a, b;
};
static inline struct video_types video_types_of(const struct insn *insn)
{
    if (is_video_set(insn)) return (struct video_types){TYPE_U32, insn->type, insn->type2};
    return (struct video_types){insn->type, insn->type2, insn->type3};
}

static void video_scalar(struct exec *x, const struct uop *u)
{
    const struct insn *insn = u->insn;
    const struct video_types types = video_types_of(insn);
    uint16_t merge = insn->operands[0].select;
    unsigned bits = !merge ? 32 : merge & SELECT_HALVES ? 16 : 8;
    LANES
    {
        if (!((x->mask >> i) & 1)) continue;
        int64_t a = video_part(SRC(uint32_t, 0)[i], insn_source(insn, 0)->select, types.a);
        int64_t b = video_part(SRC(uint32_t, 1)[i], insn_source(insn, 1)->select, types.b);
        uint32_t c = insn->nsrc > 2 ? SRC(uint32_t, 2)[i] : 0;
        int64_t v = video_primary(insn, a, b);
        if (insn->flags & INSN_SAT) v = clamp_bits(v, bits, types.d == TYPE_S32);
        v = video_second(insn->atom_op, v, video_part(c, 0, types.d));
        DST(uint32_t, 0)[i] = video_merge((uint32_t)v, c, merge);
    }
}

/* a * b + c, where -x is ~x + 1 and the one is added last; a scale shifts the sum (ISA: vmad). */
static inline uint32_t video_mad(const struct insn *insn, int64_t a, int64_t b, uint32_t c)
{
    bool negate_product = insn_source(insn, 0)->negate != insn_source(insn, 1)->negate;
    bool negate_sum = insn_source(insn, 2)->negate;
    bool is_signed =
        insn->type2 == TYPE_S32 || insn->type3 == TYPE_S32 || negate_product || negate_sum;
    s128 product = (s128)a * b;
    if (negate_product) product = ~product;
    if (negate_sum) c = ~c;
    s128 sum = product + (is_signed ? (s128)(int32_t)c : (s128)c);
    sum += insn->flags & INSN_PLUS_ONE || negate_product || negate_sum;
    sum >>= insn->sub_op == SUB_SHR7 ? 7 : insn->sub_op == SUB_SHR15 ? 15 : 0;
    int64_t result = sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
    if (insn->flags & INSN_SAT) result = clamp_bits(result, 32, is_signed);
    return insn->flags & INSN_SAT ? (uint32_t)result : (uint32_t)sum;
}
static void video_mad_all(struct exec *x, const struct uop *u)
{
    const struct insn *insn = u->insn;
    LANES
    {
        if (!((x->mask >> i) & 1)) continue;
        int64_t a = video_part(SRC(uint32_t, 0)[i], insn_source(insn, 0)->select, insn->type2);
        int64_t b = video_part(SRC(uint32_t, 1)[i], insn_source(insn, 1)->select, insn->type3);
        DST(uint32_t, 0)[i] = video_mad(insn, a, b, SRC(uint32_t, 2)[i]);
    }
}

/* ---- two halves, four bytes ------------------------------------------------------------------ */

/* Part k of a source: its selector names one of the parts of a and b together, b's above a's. */
static inline int32_t simd_part(uint64_t both, uint16_t select, unsigned k, unsigned bits,
                                bool is_signed)
{
    uint32_t part = (uint32_t)(both >> (bits * select_digit(select, k))) & ((1u << bits) - 1);
    uint32_t top = is_signed ? 1u << (bits - 1) : 0;
    return (int32_t)((part ^ top) - top);
}

static inline int32_t simd_primary(const struct insn *insn, int32_t a, int32_t b)
{
    int32_t sum = a + b;
    switch (insn->op) {
    case OP_VADD2:
    case OP_VADD4:
        return sum;
    case OP_VSUB2:
    case OP_VSUB4:
        return a - b;
    case OP_VAVRG2:
    case OP_VAVRG4:
        return (sum >= 0 ? sum + 1 : sum) >> 1;
    case OP_VABSDIFF2:
    case OP_VABSDIFF4:
        return a > b ? a - b : b - a;
    case OP_VMIN2:
    case OP_VMIN4:
        return a < b ? a : b;
    case OP_VMAX2:
    case OP_VMAX4:
        return a > b ? a : b;
    default:
        return video_compare(insn->compare, a, b);
    }
}

struct simd {
    const struct insn *insn;
    unsigned parts, bits;
    struct video_types types;
    uint16_t a, b;
    uint32_t written; /* set of parts */
};

static struct simd simd_of(const struct insn *insn, unsigned parts)
{
    struct simd simd = {insn, parts, 32 / parts, video_types_of(insn), 0, 0, 0};
    uint16_t mask = insn->operands[0].select;
    for (unsigned k = 0; k < parts; k++) {
        simd.a |= (uint16_t)(k << (SELECT_DIGIT_BITS * k));
        simd.b |= (uint16_t)((k + parts) << (SELECT_DIGIT_BITS * k));
    }
    if (insn_source(insn, 0)->select) simd.a = insn_source(insn, 0)->select;
    if (insn_source(insn, 1)->select) simd.b = insn_source(insn, 1)->select;
    for (unsigned k = 0; k < select_count(mask); k++)
        simd.written |= 1u << select_digit(mask, k);
    if (!mask) simd.written = (1u << parts) - 1;
    return simd;
}

static inline uint32_t simd_lane(const struct simd *simd, uint64_t both, uint32_t c)
{
    uint32_t result = c, one = (1u << simd->bits) - 1;
    for (unsigned k = 0; k < simd->parts; k++) {
        if (!((simd->written >> k) & 1)) continue;
        int32_t a = simd_part(both, simd->a, k, simd->bits, simd->types.a == TYPE_S32);
        int32_t b = simd_part(both, simd->b, k, simd->bits, simd->types.b == TYPE_S32);
        int32_t v = simd_primary(simd->insn, a, b);
        if (simd->insn->flags & INSN_SAT)
            v = (int32_t)clamp_bits(v, simd->bits, simd->types.d == TYPE_S32);
        uint32_t at = simd->bits * k;
        result = simd->insn->atom_op ? result + (uint32_t)v
                                     : (result & ~(one << at)) | ((uint32_t)v & one) << at;
    }
    return result;
}

static inline void video_simd(struct exec *x, const struct uop *u, unsigned parts)
{
    const struct simd simd = simd_of(u->insn, parts);
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    LANES if ((x->mask >> i) & 1) DST(uint32_t, 0)[i] =
        simd_lane(&simd, (uint64_t)b[i] << 32 | a[i], c[i]);
}
static void video_halves(struct exec *x, const struct uop *u)
{
    video_simd(x, u, 2);
}
static void video_bytes(struct exec *x, const struct uop *u)
{
    video_simd(x, u, 4);
}

SELECT_ONE(video, insn->op == OP_VMAD ? SAME(video_mad_all) : SAME(video_scalar))
SELECT_ONE(video2, SAME(video_halves))
SELECT_ONE(video4, SAME(video_bytes))

#endif
