// SPDX-License-Identifier: Apache-2.0
/* What a comparison writes, whatever type it compared: one bit per lane, combined with c, which goes
 * to p and, inverted, to q (setp) or becomes a value of the destination's type (set). */
#ifndef EMULATE_SEM_COMPARE_RESULT_H
#define EMULATE_SEM_COMPARE_RESULT_H

#include "emulate/lanes.h"

/* imm: bits 0-1 enum combine, bit 2 flush subnormals. */
static inline uint32_t combine(const struct exec *x, const struct uop *u, uint32_t bits)
{
    if (!(u->imm & 3)) return bits;
    uint32_t c = source_predicate(x, u, 2);
    return (u->imm & 3) == COMBINE_AND  ? bits & c
           : (u->imm & 3) == COMBINE_OR ? bits | c
                                        : bits ^ c;
}
static inline void write_setp(struct exec *x, const struct uop *u, uint32_t bits)
{
    uint32_t p = combine(x, u, bits), q = combine(x, u, ~bits); /* c may be p */
    write_predicate(x, u->dst[0], p);
    write_predicate(x, u->dst[1], q);
}

/* The bits that set writes where the comparison holds: all ones, or 1.0 in the type. */
static inline uint32_t set_value(unsigned type)
{
    switch (type) {
    case TYPE_F32:
        return 0x3f800000;
    case TYPE_F16:
        return 0x3c00;
    case TYPE_F16X2:
        return 0x3c003c00;
    case TYPE_BF16:
        return 0x3f80;
    case TYPE_BF16X2:
        return 0x3f803f80;
    default:
        return UINT32_MAX;
    }
}
static inline void write_set(struct exec *x, const struct uop *u, uint32_t bits)
{
    bits = combine(x, u, bits);
    uint32_t yes = set_value(u->insn->type);
    if (u->dst_bits == 16) {
        uint16_t *d = DST(uint16_t, 0);
        LANES if ((x->mask >> i) & 1) d[i] = (uint16_t)((bits >> i) & 1 ? yes : 0);
    } else {
        uint32_t *d = DST(uint32_t, 0);
        LANES if ((x->mask >> i) & 1) d[i] = (bits >> i) & 1 ? yes : 0;
    }
}

#endif
