// SPDX-License-Identifier: Apache-2.0
/* Between the lanes of a warp. The .sync forms run when the lanes of the member mask have met
 * (warp.c), so exec.mask holds them all. */
#ifndef EMULATE_SEM_CROSS_H
#define EMULATE_SEM_CROSS_H

#include "emulate/sem_float.h"
#include "emulate/sem_select.h"

/* shfl: c holds the clamp in bits 0-4 and the segment mask in bits 8-12 (ISA). A lane out of range
 * keeps its own value; a source lane that does not take part gives an unspecified value: its own. */
static void shfl_any(struct exec *x, const struct uop *u)
{
    const uint32_t *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    uint32_t a[WARP_LANES], valid = 0;
    memcpy(a, SRC(uint32_t, 0), sizeof a);
    uint32_t *d = u->dst[0] == REF_NONE ? NULL : DST(uint32_t, 0);
    LANES
    {
        if (!((x->mask >> i) & 1)) continue;
        uint32_t lane = b[i] & 31, clamp = c[i] & 31, segment = (c[i] >> 8) & 31;
        uint32_t max = (i & segment) | (clamp & ~segment), min = i & segment, from;
        bool ok;
        switch (u->insn->sub_op) {
        case SUB_UP:
            from = i - lane;
            ok = (int32_t)from >= (int32_t)max;
            break;
        case SUB_DOWN:
            from = i + lane;
            ok = from <= max;
            break;
        case SUB_BFLY:
            from = i ^ lane;
            ok = from <= max;
            break;
        default:
            from = min | (lane & ~segment);
            ok = from <= max;
            break;
        }
        if (!ok || !(x->mask >> (from & 31) & 1)) from = i;
        valid |= (uint32_t)ok << i;
        if (d) d[i] = a[from & 31];
    }
    write_predicate(x, u->dst[1], valid);
}

static void vote_any(struct exec *x, const struct uop *u)
{
    uint32_t p = source_predicate(x, u, 0) & x->mask;
    switch (u->insn->sub_op) {
    case SUB_ALL:
        write_predicate(x, u->dst[0], p == x->mask ? ~0u : 0);
        break;
    case SUB_ANY:
        write_predicate(x, u->dst[0], p ? ~0u : 0);
        break;
    case SUB_UNI:
        write_predicate(x, u->dst[0], p == x->mask || !p ? ~0u : 0);
        break;
    default:
        LANES if ((x->mask >> i) & 1) DST(uint32_t, 0)[i] = p;
    }
}

#define MATCH(name, U)                                                                             \
    static void name(struct exec *x, const struct uop *u)                                          \
    {                                                                                              \
        U a[WARP_LANES];                                                                           \
        memcpy(a, SRC(U, 0), sizeof a);                                                            \
        uint32_t *d = u->dst[0] == REF_NONE ? NULL : DST(uint32_t, 0), all = 0;                    \
        LANES                                                                                      \
        {                                                                                          \
            if (!((x->mask >> i) & 1)) continue;                                                   \
            uint32_t same = 0;                                                                     \
            for (unsigned k = 0; k < WARP_LANES; k++)                                              \
                if ((x->mask >> k) & 1 && a[k] == a[i]) same |= 1u << k;                           \
            bool equal = same == x->mask;                                                          \
            if (u->insn->sub_op == SUB_ALL && !equal) same = 0;                                    \
            if (equal) all |= 1u << i;                                                             \
            if (d) d[i] = same;                                                                    \
        }                                                                                          \
        write_predicate(x, u->dst[1], all);                                                        \
    }
MATCH(match_32, uint32_t)
MATCH(match_64, uint64_t)

/* elect: the lowest lane of the member mask. */
static void elect_any(struct exec *x, const struct uop *u)
{
    uint32_t leader = (uint32_t)__builtin_ctz(x->mask);
    if (u->dst[0] != REF_NONE)
        for (uint32_t left = x->mask; left; left &= left - 1)
            DST(uint32_t, 0)[__builtin_ctz(left)] = leader;
    write_predicate(x, u->dst[1], 1u << leader);
}

/* redux.f32: -0 lies below +0; a NaN loses against a number, with .NaN it wins. */
static void redux_f32(struct exec *x, const struct uop *u)
{
    const float *a = SRC(float, 0);
    uint32_t flags = u->insn->flags;
    bool is_min = u->insn->sub_op == SUB_MIN, any_nan = false, found = false;
    float r = 0.0f;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        float v = flags & INSN_ABS ? fabsf(a[i]) : a[i];
        if (v != v) {
            any_nan = true;
            continue;
        }
        bool less = v < r || (v == r && signbit(v) && !signbit(r));
        if (!found || less == is_min) r = v;
        found = true;
    }
    if (!found || (any_nan && flags & INSN_NAN)) r = canon(NAN);
    LANES if ((x->mask >> i) & 1) DST(float, 0)[i] = r;
}

static void redux_any(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0);
    bool is_signed = u->insn->type == TYPE_S32, first = true;
    uint32_t r = 0;
    LANES
    {
        if (!((x->mask >> i) & 1)) continue;
        uint32_t v = a[i];
        bool less = is_signed ? (int32_t)v < (int32_t)r : v < r;
        if (first) {
            r = v;
            first = false;
            continue;
        }
        switch (u->insn->sub_op) {
        case SUB_ADD:
            r += v;
            break;
        case SUB_MIN:
            r = less ? v : r;
            break;
        case SUB_MAX:
            r = less || v == r ? r : v;
            break;
        case SUB_AND:
            r &= v;
            break;
        case SUB_OR:
            r |= v;
            break;
        default:
            r ^= v;
            break;
        }
    }
    LANES if ((x->mask >> i) & 1) DST(uint32_t, 0)[i] = r;
}

static void activemask_any(struct exec *x, const struct uop *u)
{
    LANES if ((x->mask >> i) & 1) DST(uint32_t, 0)[i] = x->mask;
}

SELECT_ONE(shfl, SAME(shfl_any))
SELECT_ONE(vote, SAME(vote_any))
SELECT_ONE(match, is_64(insn) ? SAME(match_64) : SAME(match_32))
SELECT_ONE(redux, insn->type == TYPE_F32 ? SAME(redux_f32) : SAME(redux_any))
SELECT_ONE(elect, SAME(elect_any))
SELECT_ONE(activemask, SAME(activemask_any))

#endif
