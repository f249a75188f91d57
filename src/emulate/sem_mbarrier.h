// SPDX-License-Identifier: Apache-2.0
/* mbarrier objects (mbarrier.h). Lanes act in ascending order. */
#ifndef EMULATE_SEM_MBARRIER_H
#define EMULATE_SEM_MBARRIER_H

#include "emulate/check_sync.h"
#include "emulate/mbarrier.h"
#include "emulate/sem_memory.h"
#include "isa/native_modifiers.h"

/* What lies behind the address. Native code initialises with all bits of the object, and names a state by its upper
 * half. */
static inline uint64_t mbarrier_operand(const struct exec *x, const struct uop *u, unsigned lane)
{
    const struct insn *insn = u->insn;
    if (insn->nsrc < 2) return 1;
    uint64_t value = u->source_width[1] == 8 ? SRC(uint64_t, 1)[lane] : SRC(uint32_t, 1)[lane];
    if (!u->has_parts) return value;
    if (insn->op == OP_MBARRIER_INIT) return mbarrier_of(value).expected;
    return insn_is_mbarrier_wait(insn) ? value << 32 : value;
}

/* True if it ends a phase. */
static bool mbarrier_lane(struct exec *x, const struct uop *u, uint64_t *at, unsigned lane)
{
    const struct insn *insn = u->insn;
    uint64_t before = *at, operand = mbarrier_operand(x, u, lane);
    struct mbarrier object = mbarrier_of(before);
    bool ends = false;
    if (insn->op == OP_MBARRIER_INIT) {
        object = (struct mbarrier){.pending = (uint32_t)operand, .expected = (uint32_t)operand};
    } else if (insn->op == OP_MBARRIER_INVAL) {
        object = (struct mbarrier){0};
    } else {
        struct mbarrier_change change = mbarrier_change_of(insn, (uint32_t)operand);
        ends = mbarrier_apply(&object, &change);
    }
    *at = mbarrier_bits(&object);
    x->changed |= (uint32_t)(*at != before) << lane;
    if (u->has_parts && insn->modifiers & NM_SERVED)
        before = (before & ~(uint64_t)UINT32_MAX) | UINT32_C(1) << lane;
    if (insn->ndst && u->dst[0] != REF_NONE) DST(uint64_t, 0)[lane] = before;
    return ends;
}

/* Lanes with one object are told together; those of `ended` ended a phase, or saw that it had ended. */
static void mbarrier_observe(const struct exec *x, const struct uop *u, const struct place *p,
                             uint32_t ended, bool waits)
{
    bool is_life = u->insn->op == OP_MBARRIER_INIT || u->insn->op == OP_MBARRIER_INVAL;
    if (!x->observe || !x->observe->phase || p->is_remote || is_life) return;
    struct phase_event event = {.waits = waits};
    for (uint32_t left = p->access.mask; left; left &= ~event.lanes) {
        event.address = p->a[__builtin_ctz(left)];
        event.lanes = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (p->a[__builtin_ctz(rest)] == event.address) event.lanes |= rest & -rest;
        event.ended = ended & event.lanes;
        x->observe->phase(x->observer_worker, &x->warp->ref, u->index, &event);
    }
}

static void mbarrier_change(struct exec *x, const struct uop *u, const struct place *p)
{
    uint32_t ends = 0;
    for (uint32_t left = p->access.mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t *at = (uint64_t *)(void *)lane_host(p, lane);
        if (x->checks & CHECK_SYNC)
            sync_mbarrier(x, u->insn, lane, p->a[lane], *at, mbarrier_operand(x, u, lane));
        ends |= (uint32_t)mbarrier_lane(x, u, at, lane) << lane;
    }
    mbarrier_observe(x, u, p, ends, false);
    if (x->checks & CHECK_RACE)
        order_mbarrier(x, u, &p->access, p->is_remote, p->access.mask, ends);
}

static void mbarrier_wait(struct exec *x, const struct uop *u, const struct place *p)
{
    uint32_t ended = 0, lanes = p->access.mask;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t bits = *(const uint64_t *)(const void *)lane_host(p, lane);
        struct mbarrier object = mbarrier_of(bits);
        uint64_t operand = mbarrier_operand(x, u, lane);
        if (x->checks & CHECK_SYNC) sync_mbarrier(x, u->insn, lane, p->a[lane], bits, operand);
        ended |= (uint32_t)mbarrier_has_ended(&object, u->insn, operand) << lane;
    }
    uint32_t *result = &PREDICATE(u->dst[0]);
    *result = (*result & ~lanes) | ended;
    if (ended != lanes) x->waits = true;
    mbarrier_observe(x, u, p, ended, true);
    if (ended && x->checks & CHECK_RACE) order_mbarrier(x, u, &p->access, p->is_remote, ended, 0);
}

static void mbarrier_located(struct exec *x, const struct uop *u, struct place *p, uint32_t mask)
{
    const struct insn *insn = u->insn;
    bool waits = insn_is_mbarrier_wait(insn);
    bool writes_all = insn->op == OP_MBARRIER_INIT || insn->op == OP_MBARRIER_INVAL;
    unsigned what = waits ? READS : writes_all ? WRITES : READS | WRITES;
    if (!locate(x, u, p, SPACE_SHARED, mask, what)) return;
    if (waits)
        mbarrier_wait(x, u, p);
    else
        mbarrier_change(x, u, p);
}

static void mbarrier_shared(struct exec *x, const struct uop *u)
{
    struct place p;
    if (x->fault.kind || !x->mask) return;
    bool once = u->insn->op == OP_MBARRIER_INIT && u->insn->flags & INSN_UNI;
    lane_addresses(x, u, p.a);
    mbarrier_located(x, u, &p, once ? x->mask & -x->mask : x->mask);
}

static void generic_mbarrier(struct exec *x, const struct uop *u, struct place *p, unsigned space,
                             uint32_t mask)
{
    if (space == SPACE_SHARED)
        mbarrier_located(x, u, p, mask);
    else
        refuse_lanes(x, u, FAULT_NOT_SHARED, p->a, mask);
}

static void mbarrier_generic(struct exec *x, const struct uop *u)
{
    generic_any(x, u, generic_mbarrier);
}
SELECT_ONE(mbarrier, insn->space == SPACE_SHARED ? SAME(mbarrier_shared) : SAME(mbarrier_generic))

static void pending_count_any(struct exec *x, const struct uop *u)
{
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        DST(uint32_t, 0)[lane] = mbarrier_of(SRC(uint64_t, 0)[lane]).pending;
    }
}
SELECT_ONE(pending_count, SAME(pending_count_any))

#endif
