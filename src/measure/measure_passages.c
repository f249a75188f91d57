// SPDX-License-Identifier: Apache-2.0
/* Warps of a block that pass the same from one barrier to the next, or to the end. What that comes to is worked out
 * once, by history and by what was passed, and then counted by its number. */
#include "measure/warp_state.h"

enum { PASSAGES_MAX = 4096 };

/* What warps pass. */
struct going {
    struct worker *w;
    struct block_state *block;
    const struct path_piece *pieces;
    uint32_t count, insn;
};

/* ---- what is known --------------------------------------------------------------------------- */

static uint32_t *place_of(const struct going *g, uint32_t history)
{
    const struct path_piece *last = &g->pieces[g->count - 1];
    uint32_t number = last->path->number + last->steps;
    uint32_t hash = history * 5 + number * 3 + g->pieces->taken + g->count;
    return &g->w->passage_places[hash % PASSAGE_PLACES];
}

static bool is_piece(const struct path_piece *a, const struct path_piece *b)
{
    return a->path == b->path && a->steps == b->steps && a->active == b->active &&
           a->taken == b->taken;
}

static bool is_passage(const struct passage *passage, const struct going *g,
                       const struct warp_state *warp)
{
    if (passage->history != warp->history.number || passage->count != g->count ||
        passage->insn != g->insn || passage->threads != warp->threads ||
        passage->dead != warp->dead)
        return false;
    for (uint32_t i = 0; i < g->count; i++)
        if (!is_piece(&passage->pieces[i], &g->pieces[i])) return false;
    return true;
}

/* NULL: not passed yet, or not as the last one at its place. */
static const struct passage *find(const struct going *g, const struct warp_state *warp)
{
    uint32_t number = *place_of(g, warp->history.number);
    const struct passage *passage = number ? &g->w->passages[number - 1] : NULL;
    return passage && is_passage(passage, g, warp) ? passage : NULL;
}

static void keep(const struct going *g, const struct passage *passage)
{
    struct worker *w = g->w;
    if (w->passage_count == PASSAGES_MAX) return;
    GROW(w->passages, w->passage_count, w->passage_room);
    struct passage *kept = &w->passages[w->passage_count++];
    *kept = *passage;
    kept->count = g->count;
    kept->insn = g->insn;
    for (uint32_t i = 0; i < g->count; i++)
        kept->pieces[i] = g->pieces[i];
    *place_of(g, passage->history) = w->passage_count;
}

/* ---- warps ----------------------------------------------------------------------------------- */

/* Was nothing counted since it came to its stage, which is not the last one? */
static inline bool is_fresh(const struct warp_state *warp)
{
    uint64_t counted = warp->insns | warp->full | warp->on_count | warp->off_count |
                       warp->has_lanes | warp->passed;
    return !counted && warp->ordinal != STAGE_LAST && warp->history.number != HISTORY_OWN;
}

/* Fresh warps from this one on. Returns the first that is not as this one. */
static struct warp_state *pass_known(const struct going *g, const struct passage *passage,
                                     struct warp_state *warp, const struct warp_state *end)
{
    uint32_t ordinal = warp->ordinal, active = g->pieces[g->count - 1].active;
    bool is_end = g->insn == NO_BRANCH;
    struct stage *from = warp->stage, *to = is_end ? from : worker_stage(g->w, ordinal + 1);
    uint32_t warps = 0;
    uint64_t shared_sum = 0, shared_max = 0;
    do {
        shared_sum += warp->shared;
        if (warp->shared > shared_max) shared_max = warp->shared;
        warp->shared = 0;
        warp->active = active;
        warp->history.number = passage->to;
        warp->stage = to;
        warp->ordinal = ordinal + !is_end;
        warps++;
        warp++;
    } while (warp < end && is_fresh(warp) && warp->history.number == passage->history &&
             warp->ordinal == ordinal && warp->threads == passage->threads &&
             warp->dead == passage->dead);
    tally_add(&from->passages, (uint32_t)(passage - g->w->passages), warps);
    share_add(g->block, ordinal, &passage->work, warps, shared_sum, shared_max);
    return warp;
}

/* The same of what is not known; it is from then on, if it depends on nothing else. */
static struct warp_state *pass_alike(const struct going *g, struct warp_state *warp,
                                     const struct warp_state *end)
{
    struct worker *w = g->w;
    struct warp_state *next = warp + 1;
    while (next < end && warps_are_alike(warp, next))
        next++;
    uint32_t warps = (uint32_t)(next - warp);
    bool is_kept = is_fresh(warp) && g->count <= PASSAGE_PIECES &&
                   (g->pieces->active | warp->dead) == warp->threads;
    struct passage passage = {
        .history = warp->history.number, .threads = warp->threads, .dead = warp->dead};
    passage.sums = warps_pass(w, warp, warps, g->pieces, g->count);
    is_kept = is_kept && !warp->has_lanes;
    if (is_kept) passage.work = stage_work_of(warp);
    if (g->insn == NO_BRANCH)
        leave_stage(g->block, warp, warps);
    else
        warp_waits(w, g->block, warp, g->insn, warps);
    passage.to = warp->history.number;
    if (is_kept && passage.to != HISTORY_OWN) keep(g, &passage);
    for (struct warp_state *other = warp + 1; other < next; other++)
        warp_copy_state(w, other, warp);
    return next;
}

void measure_paths(void *worker, const struct warp_ref *first, uint32_t warps,
                   const struct path_piece *pieces, uint32_t count, uint32_t insn)
{
    const struct going g = {worker, first->block, pieces, count, insn};
    struct warp_state *warp = warp_of(first), *end = warp + warps;
    while (is_silent(first) && warp < end)
        warp++->insns += path_count_insns(pieces, count);
    while (warp < end) {
        bool may_be_known = count <= PASSAGE_PIECES && is_fresh(warp);
        const struct passage *known = may_be_known ? find(&g, warp) : NULL;
        warp = known ? pass_known(&g, known, warp, end) : pass_alike(&g, warp, end);
    }
}

void measure_expand_passages(struct worker *w)
{
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        struct stage *stage = w->stages[i];
        for (uint32_t k = 0; stage && k < stage->passages.size; k++) {
            const struct passage *passage = &w->passages[k];
            uint64_t times = stage->passages.counts[k];
            if (!times) continue;
            stage_count_pieces(w, stage, passage->pieces, passage->count, times);
            w->sums.distance += times * passage->sums.distance;
            w->sums.consumers += times * passage->sums.consumers;
            w->sums.groups += times * passage->sums.groups;
            stage->passages.counts[k] = 0;
        }
    }
}
