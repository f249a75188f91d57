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

/* imm: bit 0 absolute, bit 1 negated. Of one number of element bytes, or of two halves. */
static void set_signs(struct exec *x, const struct uop *u)
{
    if (u->element == 8) {
        const uint64_t *a = SRC(uint64_t, 0), sign = UINT64_C(1) << 63;
        uint64_t *d = DST(uint64_t, 0), keep = u->imm & 1 ? ~sign : ~UINT64_C(0);
        uint64_t flip = u->imm & 2 ? sign : 0;
        VECTOR LANES d[i] = (a[i] & keep) ^ flip;
        return;
    }
    const uint32_t *a = SRC(uint32_t, 0), sign = u->vector == 2 ? 0x80008000u : 0x80000000u;
    uint32_t *d = DST(uint32_t, 0), keep = u->imm & 1 ? ~sign : ~0u, flip = u->imm & 2 ? sign : 0;
    VECTOR LANES d[i] = (a[i] & keep) ^ flip;
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

/* ---- control --------------------------------------------------------------------------------- */

static void n_bssy(struct exec *x, const struct uop *u)
{
    uint32_t *d = DST(uint32_t, 0), mask = x->mask;
    LANES if (mask >> i & 1) d[i] = mask;
}

/* The active lanes leave the barrier of all that are in it. */
static void n_break(struct exec *x, const struct uop *u)
{
    uint32_t *d = DST(uint32_t, 0), mask = x->mask, group = 0;
    LANES if (mask >> i & 1) group |= d[i];
    LANES if (group >> i & 1) d[i] &= ~mask;
}

static void n_nop(struct exec *x, const struct uop *u)
{
    (void)x, (void)u;
}

/* ---- selection ------------------------------------------------------------------------------- */

SELECT_ONE(n_iadd3, PAIR(n_iadd3))
SELECT_ONE(n_iadd3c, SAME(n_iadd3c))
SELECT_ONE(n_bssy, SAME(n_bssy))
SELECT_ONE(n_break, SAME(n_break))
SELECT_ONE(n_nop, SAME(n_nop))
SELECT_ONE(n_control, SAME(n_nop)) /* what ends a code block is no operation (warp.c) */

#endif
