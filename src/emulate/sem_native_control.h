// SPDX-License-Identifier: Apache-2.0
/* Operations of native code on convergence barriers and across lanes (isa/native_ops.def). */
#ifndef EMULATE_SEM_NATIVE_CONTROL_H
#define EMULATE_SEM_NATIVE_CONTROL_H

#include "emulate/sem_native.h"

/* ---- control --------------------------------------------------------------------------------- */

static void n_bssy(struct exec *x, const struct uop *u)
{
    uint32_t *d = DST(uint32_t, 0);
    const uint32_t mask = x->mask;
    const int32_t *m = x->lane_mask;
    VECTOR LANES d[i] = m[i] ? mask : d[i];
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

static void n_r2ur_p(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0);
    uint32_t value = a[__builtin_ctz(x->mask)], others = 0;
    LANES others |= (uint32_t)(a[i] != value) << i;
    if (u->imm & NM_X) others |= source_predicate(x, u, 1);
    write_same(x, u, value);
    write_predicate(x, u->dst[1], others);
}

/* d, p: the lowest of the active lanes that the predicate and the mask of the first of them leave */
static void n_elect(struct exec *x, const struct uop *u)
{
    uint32_t lanes = source_predicate(x, u, 0) & x->mask;
    lanes &= SRC(uint32_t, 1)[__builtin_ctz(x->mask)];
    write_same(x, u, lanes ? (uint32_t)__builtin_ctz(lanes) : 0);
    write_predicate(x, u->dst[1], lanes & -lanes);
}

static void n_b2r(struct exec *x, const struct uop *u)
{
    write_words(x, u->dst[0], SRC(uint32_t, 0));
    write_predicate(x, u->dst[1], source_predicate(x, u, 1));
}

/* ---- selection ------------------------------------------------------------------------------- */

SELECT_ONE(n_bssy, SAME(n_bssy))
SELECT_ONE(n_break, SAME(n_break))
SELECT_ONE(n_nop, SAME(n_nop))
SELECT_ONE(n_vote, SAME(n_vote))
SELECT_ONE(n_redux, SAME(n_redux))
SELECT_ONE(n_r2ur, SAME(n_r2ur))
SELECT_ONE(n_r2ur_p, SAME(n_r2ur_p))
SELECT_ONE(n_elect, SAME(n_elect))
SELECT_ONE(n_b2r, SAME(n_b2r))
SELECT_ONE(n_control, SAME(n_nop)) /* executed as the end of a code block (warp.c) */

#endif
