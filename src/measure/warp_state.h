// SPDX-License-Identifier: Apache-2.0
/* What a worker keeps of the warps of its blocks, and how instructions are counted by lane. Private to
 * measure_events.c, measure_groups.c and measure_paths.c. */
#ifndef MEASURE_WARP_STATE_H
#define MEASURE_WARP_STATE_H

#include "measure/bits.h"
#include "measure/isa_view.h"
#include "measure/measure_state.h"

struct warp_state {
    struct stage *stage;
    struct cell *cells; /* of the stage */
    uint32_t ordinal;
    uint32_t threads; /* lanes that exist */
    struct warp_history history;
    /* Instructions in this stage. By lane: `full` (every lane) + lanes[] + what is pending with
     * the last partial masks, which mostly repeat. */
    uint64_t insns, full;
    uint64_t shared; /* accesses to shared memory in this stage */
    uint32_t on_mask, off_mask;
    uint64_t on_count, off_count;
    bool has_lanes;
    uint64_t lanes[32]; /* modulo 2^64 */
    /* Who passes barriers: lanes of the last code block, lanes on which the last guard was true,
     * lanes that have left, lanes that have passed a barrier that others of the warp have not. */
    uint32_t active, guard_insn, guard_on, dead, passed;
};

/* Instructions of a block in one stage, over its warps and over its threads; accesses to shared memory
 * over its warps. */
struct stage_share {
    uint64_t warp_sum, warp_max, thread_sum, thread_max, shared_sum, shared_max;
};

struct block_state {
    struct block_state *next; /* in the list of free ones */
    struct warp_state *warps;
    uint32_t *last_writes;
    uint64_t *load_results;
    struct stage_share *shares; /* by stage ordinal */
    uint32_t share_count, share_capacity;
    struct block_record *record; /* NULL: its warps are not traced */
    uint64_t index;
    struct reach_block place; /* in the sample */
    bool is_silent;           /* executed to be traced only: nothing is counted */
};

static inline void add_lanes(struct warp_state *warp, uint32_t mask, uint64_t count)
{
    if (!mask || !count) return;
    warp->has_lanes = true;
    for (unsigned lane = 0; lane < 32; lane++)
        warp->lanes[lane] += count & -(uint64_t)(mask >> lane & 1);
}

static inline struct warp_state *warp_of(const struct warp_ref *ref)
{
    return &((struct block_state *)ref->block)->warps[ref->index];
}

/* NULL unless the block is one of the few whose warps are traced. */
static inline struct block_record *record_of(const struct warp_ref *ref)
{
    return ((struct block_state *)ref->block)->record;
}

static inline bool is_silent(const struct warp_ref *ref)
{
    return ((struct block_state *)ref->block)->is_silent;
}

/* Must accesses be told one by one? */
static inline bool tells_apart(const struct worker *w, const struct warp_ref *ref)
{
    return w->measure->launch.sample || record_of(ref);
}

static inline void count_lanes(struct warp_state *warp, uint32_t active, uint64_t count)
{
    if (active == warp->threads) {
        warp->full += count;
        return;
    }
    if (active != warp->on_mask) {
        add_lanes(warp, warp->on_mask, warp->on_count);
        warp->on_mask = active;
        warp->on_count = 0;
    }
    warp->on_count += count;
}

/* Instructions of code blocks that were counted. */
static inline void count_insns(struct warp_state *warp, uint32_t active, uint64_t count)
{
    warp->active = active;
    count_lanes(warp, active, count);
}

/* Lanes that do not execute instructions of code blocks that were counted. */
static inline void pend_lanes_off(struct warp_state *warp, uint32_t off, uint64_t times)
{
    if (off != warp->off_mask) {
        add_lanes(warp, warp->off_mask, -warp->off_count);
        warp->off_mask = off;
        warp->off_count = 0;
    }
    warp->off_count += times;
}

static inline void lanes_are_off(struct worker *w, struct warp_state *warp, uint32_t insn,
                                 uint32_t off, uint64_t times)
{
    uint64_t count = times * bits_count(off);
    w->lanes_off[insn] += count;
    warp->stage->sums.lanes_off += count;
    pend_lanes_off(warp, off, times);
}

/* Lanes that do not take a branch. */
static inline void branch_often(struct worker *w, const struct warp_ref *ref, uint32_t insn,
                                uint32_t off, uint64_t times)
{
    bool is_issued = !w->measure->views || w->measure->views[insn].fold == VIEW_PLAIN;
    if (is_silent(ref) || !off || !is_issued || w->measure->launch.insns[insn]->guard < 0) return;
    lanes_are_off(w, warp_of(ref), insn, off, times);
}

#endif
