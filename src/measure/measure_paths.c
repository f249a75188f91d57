// SPDX-License-Identifier: Apache-2.0
/* What warps pass along compiled paths. A passage is counted by its number; what it makes of code blocks and branches
 * follows at the end, but for the lanes, which stages need at once. */
#include <string.h>

#include "measure/warp_state.h"

static bool is_issued(const struct worker *w, uint32_t insn)
{
    const struct insn_view *views = w->measure->views;
    return (!views || views[insn].fold == VIEW_PLAIN) && w->measure->launch.insns[insn]->guard >= 0;
}

/* Does no lane take the branch behind the step, which is counted? */
static bool is_off(const struct worker *w, const struct path_step *step)
{
    return step->branch != NO_BRANCH && !step->is_taken && is_issued(w, step->branch);
}

static struct path_pass *add_pass(struct worker *w, uint32_t number, const struct path_piece *piece)
{
    if (number >= w->pass_count) {
        uint32_t count = 2 * number + 16;
        w->passes = mem_realloc(w->passes, count * sizeof *w->passes);
        memset(w->passes + w->pass_count, 0, (count - w->pass_count) * sizeof *w->passes);
        w->pass_count = count;
    }
    struct path_pass *pass = &w->passes[number];
    uint32_t last = piece->steps - 1;
    *pass = (struct path_pass){.path = piece->path, .steps = piece->steps};
    for (uint32_t i = 0; i < last; i++)
        pass->off += is_off(w, &piece->path->steps[i]);
    pass->tally = w->passed++;
    pass->exits = w->measure->ends_in_exit[piece->path->steps[last].code_block];
    return pass;
}

static void count_piece(struct worker *w, const struct warp_ref *ref,
                        const struct path_piece *piece, uint64_t times)
{
    struct warp_state *warp = warp_of(ref);
    uint32_t number = piece->path->number + piece->steps - 1;
    bool is_known = number < w->pass_count && w->passes[number].path;
    const struct path_pass *pass = is_known ? &w->passes[number] : add_pass(w, number, piece);
    struct tally *tally = &warp->stage->passes;
    tally_add(tally, 2 * pass->tally + 1, times * bits_count(piece->active));
    tally->counts[2 * pass->tally] += times;
    if (pass->exits) warp->dead |= piece->active;
    if (pass->off) pend_lanes_off(warp, piece->active, times * pass->off);
    count_insns(warp, piece->active, times * piece->path->insn_counts[piece->steps - 1]);
}

/* The branch behind a piece. */
static void count_branch(struct worker *w, const struct warp_ref *ref,
                         const struct path_piece *piece, uint64_t times)
{
    uint32_t insn = piece->path->steps[piece->steps - 1].branch;
    if (insn == NO_BRANCH) return;
    if (piece->taken && piece->taken != piece->active) {
        w->divergent[insn] += times;
        warp_of(ref)->stage->sums.divergent += times;
    }
    branch_often(w, ref, insn, piece->active & ~piece->taken, times);
}

static void pass_history(struct worker *w, struct warp_history *warp,
                         const struct path_piece *piece, uint64_t times)
{
    uint32_t number = w->measure->launch.code_block_count + piece->path->number + piece->steps - 1;
    const struct history_route route = {piece->path->steps, piece->steps, number, false};
    history_pass(&w->histories, warp, &route, times, &w->sums);
}

/* Turn by turn until one changes nothing: so do all that follow. */
static void pass_histories(struct worker *w, struct warp_history *warp,
                           const struct path_piece *pieces, uint32_t count, uint64_t times)
{
    while (times--) {
        const struct history_sums before = w->sums;
        uint32_t number = warp->number;
        for (uint32_t i = 0; i < count; i++)
            pass_history(w, warp, &pieces[i], 1);
        if (warp->number != number || number == HISTORY_OWN) continue;
        w->sums.distance += times * (w->sums.distance - before.distance);
        w->sums.consumers += times * (w->sums.consumers - before.consumers);
        w->sums.groups += times * (w->sums.groups - before.groups);
        return;
    }
}

void measure_path(void *worker, const struct warp_ref *ref, const struct path_piece *pieces,
                  uint32_t count, uint64_t times, bool is_end)
{
    struct worker *w = worker;
    struct warp_state *warp = warp_of(ref);
    for (uint32_t i = 0; i < count; i++)
        warp->insns += times * pieces[i].path->insn_counts[pieces[i].steps - 1];
    if (is_silent(ref)) return;
    for (uint32_t i = 0; i < count; i++) {
        count_piece(w, ref, &pieces[i], times);
        if (!is_end || i + 1 < count) count_branch(w, ref, &pieces[i], times);
    }
    if (count == 1)
        pass_history(w, &warp->history, pieces, times);
    else
        pass_histories(w, &warp->history, pieces, count, times);
}

/* ---- settling -------------------------------------------------------------------------------- */

static void expand_pass(struct worker *w, struct stage_sums *stage, const struct path_pass *pass,
                        uint64_t times, uint64_t lanes)
{
    for (uint32_t i = 0; i < pass->steps; i++) {
        const struct path_step *step = &pass->path->steps[i];
        stage->cells[step->code_block].executions += times;
        stage->cells[step->code_block].lanes += lanes;
        if (i + 1 == pass->steps || !is_off(w, step)) continue;
        w->lanes_off[step->branch] += lanes;
        stage->lanes_off += lanes;
    }
}

void measure_expand_passes(struct worker *w)
{
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        struct stage *stage = w->stages[i];
        for (uint32_t k = 0; stage && k < w->pass_count; k++) {
            const struct path_pass *pass = &w->passes[k];
            if (!pass->path || 2 * pass->tally >= stage->passes.size) continue;
            uint64_t *counts = stage->passes.counts + 2 * (size_t)pass->tally;
            if (counts[0]) expand_pass(w, &stage->sums, pass, counts[0], counts[1]);
            counts[0] = counts[1] = 0;
        }
    }
}
