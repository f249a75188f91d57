// SPDX-License-Identifier: Apache-2.0
/* Convergence barriers of native code (BSSY, BSYNC, BREAK): a register B holds, by lane, the lanes that will
 * meet. Lanes at BSYNC wait for all of them but those that have left the kernel or were taken out by BREAK.
 * By lane, so that both sides of a branch may use one register for pairs of their own. */
#include "emulate/splits.h"

static const struct code *code_of(const struct exec *x, const struct split *split)
{
    return &x->launch->program->code[split->block];
}

/* The barrier's lanes as lane `lane` knows them. */
static uint32_t barrier_mask(const struct exec *x, const struct split *split, unsigned lane)
{
    const struct code *code = code_of(x, split);
    return operand_words(x, code->uops[code->uop_count].src[0])[lane];
}

/* Those of the split that wait for the same lanes as the first of them. */
static uint32_t same_barrier(const struct exec *x, const struct split *split)
{
    uint32_t mask = barrier_mask(x, split, (unsigned)__builtin_ctz(split->mask)), same = 0;
    for (uint32_t left = split->mask; left; left &= left - 1)
        if (barrier_mask(x, split, (unsigned)__builtin_ctz(left)) == mask) same |= left & -left;
    return same;
}

uint32_t converge_members(const struct exec *x, const struct warp *warp, uint32_t at)
{
    const struct split *split = &warp->splits[at];
    uint32_t lanes = barrier_mask(x, split, (unsigned)__builtin_ctz(split->mask));
    return lanes & warp->threads & ~warp->dead;
}

/* A split whose lanes wait for different ones becomes several. */
static void part(struct exec *x, struct warp *warp, uint32_t at)
{
    for (;;) {
        struct split split = warp->splits[at];
        uint32_t rest = split.mask & ~same_barrier(x, &split);
        if (!rest) return;
        warp->splits[at].mask &= ~rest;
        at = split_add(warp, split.block, rest, split.node, split.frame, split.turns);
        warp->splits[at].state = SPLIT_AT_SYNC;
    }
}

/* Does the split wait at a BSYNC (or WARPSYNC.COLLECTIVE) of the same barrier for the same lanes as split `at`? */
static bool waits_with(const struct exec *x, const struct warp *warp, uint32_t i, uint32_t at)
{
    const struct split *split = &warp->splits[i];
    const struct code *code = code_of(x, split), *mine = code_of(x, &warp->splits[at]);
    bool is_collective = mine->terminator == TERM_COLLECTIVE;
    return split->state == SPLIT_AT_SYNC && code->terminator == mine->terminator &&
           (is_collective ||
            code->uops[code->uop_count].src[0] == mine->uops[mine->uop_count].src[0]) &&
           converge_members(x, warp, i) == converge_members(x, warp, at);
}

static void go_on(const struct exec *x, struct split *split)
{
    split->state = SPLIT_READY;
    split->block = code_of(x, split)->next;
}

bool converge_alone(const struct exec *x, const struct warp *warp, uint32_t at)
{
    const struct split *split = &warp->splits[at];
    const struct code *code = code_of(x, split);
    const uint32_t *masks = operand_words(x, code->uops[code->uop_count].src[0]);
    uint32_t mine = split->mask, others = 0;
    for (unsigned i = 0; i < WARP_LANES; i++) /* as vectors */
        others |= (uint32_t)x->lane_mask[i] & (masks[i] ^ mine);
    return !(others & warp->threads & ~warp->dead);
}

/* Split `at` waits; have all lanes come that it waits for? */
static bool all_have_come(const struct exec *x, const struct warp *warp, uint32_t at)
{
    uint32_t come = 0;
    for (uint32_t i = 0; i < warp->split_count; i++)
        if (waits_with(x, warp, i, at)) come |= warp->splits[i].mask;
    return !(converge_members(x, warp, at) & ~come);
}

/* All that wait with split `at` go on, as one where they stand at one place or `anywhere`. */
static void go_on_together(const struct exec *x, struct warp *warp, uint32_t at, bool anywhere)
{
    uint32_t block = warp->splits[at].block;
    for (uint32_t i = 0; i < warp->split_count; i++) {
        if (i == at || !waits_with(x, warp, i, at)) continue;
        if (!anywhere && warp->splits[i].block != block) {
            go_on(x, &warp->splits[i]);
            continue;
        }
        warp->splits[at].mask |= warp->splits[i].mask;
        split_drop(warp, i);
        if (i < at) at--;
        i--;
    }
    go_on(x, &warp->splits[at]);
}

/* Lanes that do not wait for themselves, because BREAK took them out, pass. */
bool converge(struct exec *x, struct warp *warp, uint32_t at)
{
    warp->splits[at].state = SPLIT_AT_SYNC;
    part(x, warp, at);
    if (warp->splits[at].mask & ~converge_members(x, warp, at)) {
        go_on(x, &warp->splits[at]);
        return true;
    }
    if (!all_have_come(x, warp, at)) return false;
    go_on_together(x, warp, at, false);
    return true;
}

/* Lanes that spin must not keep those waiting that they wait for: the ones that have waited longest at a BSYNC go
 * on, and leave the barrier of the others. This is what sm_70 promises to lanes of one warp, and what YIELD in
 * the loops that ptxas makes is for. */
bool converge_release(struct exec *x, struct warp *warp)
{
    int32_t oldest = -1;
    for (int32_t i = 0; i < (int32_t)warp->split_count; i++) {
        const struct split *split = &warp->splits[i];
        bool waits =
            split->state == SPLIT_AT_SYNC && code_of(x, split)->terminator == TERM_RECONVERGE;
        if (waits && (oldest < 0 || split->stamp < warp->splits[oldest].stamp)) oldest = i;
    }
    if (oldest < 0) return false;
    struct split *split = &warp->splits[oldest];
    const struct code *code = code_of(x, split);
    uint32_t *masks = operand_words(x, code->uops[code->uop_count].src[0]);
    uint32_t lanes = split->mask, others = converge_members(x, warp, (uint32_t)oldest) & ~lanes;
    for (uint32_t left = others; left; left &= left - 1)
        masks[__builtin_ctz(left)] &= ~lanes;
    go_on(x, split);
    return true;
}

/* WARPSYNC.COLLECTIVE mask, target: lanes that wait for each other at several places go through the instructions
 * up to ENDCOLLECTIVE as one, at one of these places, and then each to its own target. ptxas gives such
 * places the same registers. */
bool collect(struct exec *x, struct warp *warp, uint32_t at)
{
    warp->splits[at].state = SPLIT_AT_SYNC;
    part(x, warp, at);
    if (!all_have_come(x, warp, at)) return false;
    for (uint32_t i = 0; i < warp->split_count; i++) {
        if (i != at && !waits_with(x, warp, i, at)) continue;
        const struct code *code = code_of(x, &warp->splits[i]);
        const struct uop *u = &code->uops[code->uop_count];
        uint32_t *low = operand_words(x, u->dst[0]), *high = low + WARP_LANES;
        for (uint32_t left = warp->splits[i].mask; left; left &= left - 1) {
            low[__builtin_ctz(left)] = (uint32_t)u->imm;
            high[__builtin_ctz(left)] = (uint32_t)((uint64_t)u->imm >> 32);
        }
    }
    go_on_together(x, warp, at, true);
    return true;
}
