// SPDX-License-Identifier: Apache-2.0
/* setp and set of f16, f16x2, bf16 and bf16x2. Each half of a packed type is compared on its own:
 * setp gives one predicate each, set one half of the destination each. */
#ifndef EMULATE_SEM_COMPARE_HALF_H
#define EMULATE_SEM_COMPARE_HALF_H

#include "emulate/sem_compare_result.h"
#include "emulate/sem_half.h"
#include "emulate/sem_select.h"

/* Two values are below, equal, above or unordered; a comparison holds for a set of these. */
enum relation { BELOW = 1, EQUAL = 2, ABOVE = 4, UNORDERED = 8 };

static inline unsigned relations_of(unsigned compare)
{
    static const uint8_t sets[] = {
        [CMP_EQ] = EQUAL,
        [CMP_NE] = BELOW | ABOVE,
        [CMP_LT] = BELOW,
        [CMP_LE] = BELOW | EQUAL,
        [CMP_GT] = ABOVE,
        [CMP_GE] = ABOVE | EQUAL,
        [CMP_EQU] = EQUAL | UNORDERED,
        [CMP_NEU] = BELOW | ABOVE | UNORDERED,
        [CMP_LTU] = BELOW | UNORDERED,
        [CMP_LEU] = BELOW | EQUAL | UNORDERED,
        [CMP_GTU] = ABOVE | UNORDERED,
        [CMP_GEU] = ABOVE | EQUAL | UNORDERED,
        [CMP_NUM] = BELOW | EQUAL | ABOVE,
        [CMP_NAN] = UNORDERED,
    };
    return sets[compare];
}

static inline uint32_t compare_floats(const float *a, const float *b, unsigned compare)
{
    const int32_t set = (int32_t)relations_of(compare);
    int32_t c[WARP_LANES] __attribute__((aligned(64)));
    VECTOR LANES
    {
        int32_t relation = a[i] < b[i]    ? BELOW
                           : a[i] > b[i]  ? ABOVE
                           : a[i] == b[i] ? EQUAL
                                          : UNORDERED;
        c[i] = set & relation ? -1 : 0;
    }
    return lanes_to_mask(c);
}

/* Source k as floats; of a packed type its lower (part 0) or upper halves. */
static inline void load_compared(struct exec *x, const struct uop *u, unsigned k, unsigned part,
                                 float *floats)
{
    const struct insn *insn = u->insn;
    unsigned type = insn->op == OP_SET ? insn->type2 : insn->type;
    uint16_t halves[WARP_LANES] __attribute__((aligned(64)));
    if (type == TYPE_F16X2 || type == TYPE_BF16X2)
        VECTOR LANES halves[i] = (uint16_t)(SRC(uint32_t, k)[i] >> (16 * part));
    else
        memcpy(halves, SRC(uint16_t, k), sizeof halves);
    if (type == TYPE_BF16 || type == TYPE_BF16X2)
        widen_bf16(halves, floats, WARP_LANES);
    else
        widen_f16(halves, floats, WARP_LANES);
    if (u->imm & 4) flush_floats(floats, LEAST_f16, WARP_LANES); /* .ftz exists for f16 only */
}
static inline uint32_t compare_part(struct exec *x, const struct uop *u, unsigned part)
{
    float a[WARP_LANES] __attribute__((aligned(64))), b[WARP_LANES] __attribute__((aligned(64)));
    load_compared(x, u, 0, part, a);
    load_compared(x, u, 1, part, b);
    return compare_floats(a, b, u->insn->compare);
}

static void setp_half(struct exec *x, const struct uop *u)
{
    write_predicate(x, u->dst[0], combine(x, u, compare_part(x, u, 0)));
}
static void setp_half_x2(struct exec *x, const struct uop *u)
{
    uint32_t p =
        combine(x, u, compare_part(x, u, 0)); /* c may be p: both before either is written */
    uint32_t q = combine(x, u, compare_part(x, u, 1));
    write_predicate(x, u->dst[0], p);
    write_predicate(x, u->dst[1], q);
}
static void set_half(struct exec *x, const struct uop *u)
{
    write_set(x, u, compare_part(x, u, 0));
}
static void set_half_x2(struct exec *x, const struct uop *u)
{
    uint32_t lower = combine(x, u, compare_part(x, u, 0));
    uint32_t upper = combine(x, u, compare_part(x, u, 1));
    uint32_t yes = set_value(u->insn->type), *d = DST(uint32_t, 0);
    LANES if ((x->mask >> i) & 1) d[i] =
        ((lower >> i) & 1 ? yes & 0xffff : 0) | ((upper >> i) & 1 ? yes & 0xffff0000 : 0);
}

static bool is_half_pair(unsigned type)
{
    return type == TYPE_F16X2 || type == TYPE_BF16X2;
}
static struct uop_pair select_setp_half(const struct insn *insn)
{
    return is_half_pair(insn->type) ? SAME(setp_half_x2) : SAME(setp_half);
}
static struct uop_pair select_set_half(const struct insn *insn)
{
    return is_half_pair(insn->type2) ? SAME(set_half_x2) : SAME(set_half);
}

#endif
