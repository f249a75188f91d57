// SPDX-License-Identifier: Apache-2.0
/* The semantics of all instructions for one instruction-set level: each semantics_*.c is compiled
 * with its own -march and defines its table as SEMANTICS(name, level). */
#ifndef EMULATE_SEMANTICS_H
#define EMULATE_SEMANTICS_H

#include "emulate/lanes.h"
#include "emulate/sem_arithmetic.h"
#include "emulate/sem_atomic.h"
#include "emulate/sem_bits.h"
#include "emulate/sem_bulk.h"
#include "emulate/sem_cluster.h"
#include "emulate/sem_compare.h"
#include "emulate/sem_convert.h"
#include "emulate/sem_cross.h"
#include "emulate/sem_matrix.h"
#include "emulate/sem_mbarrier.h"
#include "emulate/sem_memory.h"
#include "emulate/sem_move.h"
#include "emulate/sem_native.h"
#include "emulate/sem_native_bits.h"
#include "emulate/sem_native_control.h"
#include "emulate/sem_native_float.h"
#include "emulate/sem_native_memory.h"
#include "emulate/sem_product.h"
#include "emulate/sem_surface.h"
#include "emulate/sem_system.h"
#include "emulate/sem_texture.h"
#include "emulate/sem_video.h"

typedef struct uop_pair select_fn(const struct insn *insn, const struct function *function);
static select_fn *const selectors[OP_COUNT] = {
#define OP(name, mnemonic, form, types, modifiers, family, semantics)                              \
    [OP_##name] = select_##semantics,
#include "isa/ptx_ops.def"
#undef OP
#define NATIVE_OP(name, text, family, semantics) [OP_N_##name] = select_##semantics,
#include "isa/native_ops.def"
#undef NATIVE_OP
};

static struct uop_pair select_any(const struct insn *insn, const struct function *function)
{
    return selectors[insn->op](insn, function);
}

/* Runs the operation for other lanes than the active ones. */
static void run_for(struct exec *x, const struct uop *u, uop_fn *run, uint32_t lanes)
{
    uint32_t active = x->mask;
    int32_t saved[WARP_LANES] __attribute__((aligned(64)));
    memcpy(saved, x->lane_mask, sizeof saved);
    x->mask = lanes;
    expand_mask(lanes, x->lane_mask);
    run(x, u);
    x->mask = active;
    memcpy(x->lane_mask, saved, sizeof saved);
}

static void run_quietly(struct exec *x, const struct uop *u)
{
    uint32_t active = x->mask, p = PREDICATE(u->guard);
    uint32_t on = active & (u->guard_negated ? ~p : p);
    if (!on) return;
    if (on != active) {
        run_for(x, u, u->inner_part, on);
        return;
    }
    bool whole = (active | x->warp->dead) == UINT32_MAX && !u->insn->is_uniform;
    (whole ? u->inner_full : u->inner_part)(x, u);
}

/* Lanes that have left the kernel get the value, too: lane 0 is read for all. */
static void run_uniform(struct exec *x, const struct uop *u)
{
    if (x->mask == UINT32_MAX)
        u->inner_full(x, u);
    else
        run_for(x, u, u->inner_full, UINT32_MAX);
}

/* An operation under a guard: fewer lanes, or none. */
static void run_guarded(struct exec *x, const struct uop *u)
{
    uint32_t p = PREDICATE(u->guard), on = x->mask & (u->guard_negated ? ~p : p);
    if (x->observe) x->observe->guard(x->observer_worker, &x->warp->ref, u->index, x->mask, on);
    run_quietly(x, u);
}

#define SEMANTICS(name_, level_)                                                                   \
    {                                                                                              \
        .name = (name_), .level = (level_), .select = select_any, .guarded = run_guarded,          \
        .special16 = special_16, .special64 = special_64, .clock_value = clock_any,                \
        .local_address = local_address, .join_pair = join_pair, .split_pair = split_pair,          \
        .set_signs = set_signs, .guarded_quietly = run_quietly, .uniform = run_uniform,            \
    }

#endif
