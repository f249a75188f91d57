// SPDX-License-Identifier: Apache-2.0
/* What a worker keeps of the warps of its blocks, and how instructions are counted by lane. Private to
 * measure_events.c, measure_groups.c and measure_paths.c. */
#ifndef MEASURE_WARP_STATE_H
#define MEASURE_WARP_STATE_H

#include <stddef.h>
#include <string.h>

#include "measure/bits.h"
#include "measure/isa_view.h"
#include "measure/measure_state.h"

struct warp_state {
    struct warp_history history;
    struct stage *stage;
    uint32_t ordinal;
    uint32_t threads; /* lanes that exist */
    /* Instructions in this stage. By lane: `full` (every lane) + lanes[] + what is pending with
     * the last partial masks, which mostly repeat. */
    uint64_t insns, full;
    uint64_t shared; /* accesses to shared memory in this stage */
    uint32_t on_mask, off_mask;
    uint64_t on_count, off_count;
    /* Who passes barriers: lanes of the last code block, lanes on which the last guard was true,
     * lanes that have left, lanes that have passed a barrier that others of the warp have not. */
    uint32_t active, guard_insn, guard_on, dead, passed;
    uint32_t has_lanes;
    uint64_t lanes[32]; /* modulo 2^64; zeros if there are none */
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
    warp->has_lanes = 1;
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

/* `count` lanes in all do not execute an instruction of code blocks that were counted. */
static inline void stage_lanes_off(struct worker *w, struct stage *stage, uint32_t insn,
                                   uint64_t count)
{
    w->lanes_off[insn] += count;
    stage->sums.lanes_off += count;
}

static inline void lanes_are_off(struct worker *w, struct warp_state *warp, uint32_t insn,
                                 uint32_t off, uint64_t times)
{
    stage_lanes_off(w, warp->stage, insn, times * bits_count(off));
    pend_lanes_off(warp, off, times);
}

/* Are lanes that do not take the branch not counted as executing it? */
static inline bool is_guarded_branch(const struct worker *w, uint32_t insn)
{
    bool is_issued = !w->measure->views || w->measure->views[insn].fold == VIEW_PLAIN;
    return is_issued && w->measure->launch.insns[insn]->guard >= 0;
}

/* Bytes of a warp's state from its stage to before its lanes. */
enum {
    ALIKE_BEGIN = offsetof(struct warp_state, stage),
    ALIKE_BYTES = offsetof(struct warp_state, lanes) - ALIKE_BEGIN
};

/* What one does and counts the other does, too, if they go the same way. */
static inline bool warps_are_alike(const struct warp_state *a, const struct warp_state *b)
{
    uint64_t words[2][ALIKE_BYTES / sizeof(uint64_t)], differs = a->has_lanes;
    memcpy(words[0], (const char *)a + ALIKE_BEGIN, ALIKE_BYTES);
    memcpy(words[1], (const char *)b + ALIKE_BEGIN, ALIKE_BYTES);
    for (unsigned i = 0; i < ALIKE_BYTES / sizeof(uint64_t); i++)
        differs |= words[0][i] ^ words[1][i];
    return !differs && a->history.number == b->history.number && a->history.number != HISTORY_OWN;
}

static inline void warp_copy_state(const struct worker *w, struct warp_state *to,
                                   const struct warp_state *from)
{
    memcpy((char *)to + ALIKE_BEGIN, (const char *)from + ALIKE_BEGIN, ALIKE_BYTES);
    to->history.number = from->history.number;
    if (from->history.number == HISTORY_OWN)
        history_copy_own(&w->histories, &to->history, &from->history);
    if (from->has_lanes) memcpy(to->lanes, from->lanes, sizeof to->lanes);
}

/* measure_events.c */
struct stage *worker_stage(struct worker *w, uint32_t ordinal);
/* What the warp has executed since it entered its stage. */
struct stage_work stage_work_of(struct warp_state *warp);
/* Adds the work of `warps` warps to the block's share, and their accesses to shared memory: the sum and the most of one. */
void share_add(struct block_state *block, uint32_t ordinal, const struct stage_work *work,
               uint32_t warps, uint64_t shared_sum, uint64_t shared_max);
/* One of `warps` warps that are alike has come to a barrier where it waits; it ends. */
void warp_waits(struct worker *w, struct block_state *block, struct warp_state *warp, uint32_t insn,
                uint32_t warps);
void leave_stage(struct block_state *block, struct warp_state *warp, uint32_t warps);

/* measure_paths.c: one of `warps` warps that are alike passes these pieces and comes to the end of what is behind them.
 * Returns what that comes to by its history. */
struct history_sums warps_pass(struct worker *w, struct warp_state *warp, uint32_t warps,
                               const struct path_piece *pieces, uint32_t count);
/* Passages of the pieces, and the branches between them, in a stage. */
void stage_count_pieces(struct worker *w, struct stage *stage, const struct path_piece *pieces,
                        uint32_t count, uint64_t times);
/* Instructions of all pieces. */
uint64_t path_count_insns(const struct path_piece *pieces, uint32_t count);

#endif
