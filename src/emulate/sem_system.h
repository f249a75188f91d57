// SPDX-License-Identifier: Apache-2.0
/* What touches neither data nor other lanes: the stack of alloca, policies of the caches, and all that has no effect here. */
#ifndef EMULATE_SEM_SYSTEM_H
#define EMULATE_SEM_SYSTEM_H

#include "emulate/sem_move.h"
#include "emulate/sem_select.h"

/* ---- alloca: each lane has a stack of its own, behind the local variables --------------------- */

static void alloca_any(struct exec *x, const struct uop *u)
{
    unsigned bits = type_infos[u->insn->type].bits;
    uint64_t alignment = (uint64_t)insn_source(u->insn, 1)->imm;
    uint64_t end = x->launch->program->stack_end;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t at = (x->warp->stack[i] + alignment - 1) & ~(alignment - 1);
        uint64_t bytes = read_bits(x, u->src[0], bits, i);
        if (at > end || bytes > end - at) {
            fault_at(x, FAULT_STACK, u->insn, 1u << i);
            return;
        }
        x->warp->stack[i] = (uint32_t)(at + bytes);
        write_bits(x, u->dst[0], bits, at, 0, i);
    }
}

static void stacksave_any(struct exec *x, const struct uop *u)
{
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        write_bits(x, u->dst[0], u->dst_bits, x->warp->stack[i], 0, i);
    }
}

static void stackrestore_any(struct exec *x, const struct uop *u)
{
    const struct program *program = x->launch->program;
    unsigned bits = type_infos[u->insn->type].bits;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t top = read_bits(x, u->src[0], bits, i);
        if (top < program->stack_begin || top > program->stack_end) {
            fault_at(x, FAULT_STACK, u->insn, 1u << i);
            return;
        }
        x->warp->stack[i] = (uint32_t)top;
    }
}
SELECT_ONE(alloca, SAME(alloca_any))
SELECT_ONE(stacksave, SAME(stacksave_any))
SELECT_ONE(stackrestore, SAME(stackrestore_any))

/* ---- no effect ------------------------------------------------------------------------------- */

/* The word is opaque to the kernel, and no cache here acts on it: one for all policies. */
static void createpolicy_any(struct exec *x, const struct uop *u)
{
    for (uint32_t left = x->mask; left; left &= left - 1)
        DST(uint64_t, 0)[__builtin_ctz(left)] = UINT64_C(1) << 60;
}
SELECT_ONE(createpolicy, SAME(createpolicy_any))

static void nop_any(struct exec *x, const struct uop *u)
{
    (void)x, (void)u;
}
/* Nor do these, but checks follow what they order. */
static void fence_any(struct exec *x, const struct uop *u)
{
    if (x->checks & CHECK_RACE) order_fence(x, u);
}
static void copy_group_any(struct exec *x, const struct uop *u)
{
    if (x->checks & CHECK_RACE) order_copy_group(x, u);
}
SELECT_ONE(fence, SAME(fence_any))
SELECT_ONE(copy_group, SAME(copy_group_any))
SELECT_ONE(nop, SAME(nop_any))
SELECT_ONE(control, SAME(nop_any))

#endif
