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

static const struct path_pass *find_pass(struct worker *w, const struct path_piece *piece)
{
    uint32_t number = piece->path->number + piece->steps - 1;
    bool is_known = number < w->pass_count && w->passes[number].path;
    return is_known ? &w->passes[number] : add_pass(w, number, piece);
}

/* ---- of a stage ------------------------------------------------------------------------------ */

static void stage_count_piece(struct stage *stage, const struct path_pass *pass, uint32_t active,
                              uint64_t times)
{
    tally_add(&stage->passes, 2 * pass->tally + 1, times * bits_count(active));
    stage->passes.counts[2 * pass->tally] += times;
}

/* The branch behind a piece. Returns the lanes that are not counted as executing it. */
static uint32_t stage_count_branch(struct worker *w, struct stage *stage,
                                   const struct path_piece *piece, uint64_t times)
{
    uint32_t insn = piece->path->steps[piece->steps - 1].branch;
    uint32_t off = piece->active & ~piece->taken;
    if (insn == NO_BRANCH) return 0;
    if (piece->taken && off) {
        w->divergent[insn] += times;
        stage->sums.divergent += times;
    }
    if (!off || !is_guarded_branch(w, insn)) return 0;
    stage_lanes_off(w, stage, insn, times * bits_count(off));
    return off;
}

void stage_count_pieces(struct worker *w, struct stage *stage, const struct path_piece *pieces,
                        uint32_t count, uint64_t times)
{
    for (uint32_t i = 0; i < count; i++) {
        stage_count_piece(stage, find_pass(w, &pieces[i]), pieces[i].active, times);
        if (i + 1 < count) stage_count_branch(w, stage, &pieces[i], times);
    }
}

/* ---- of a warp ------------------------------------------------------------------------------- */

/* A warp passes something, and so do others that are alike. */
struct passing {
    struct worker *w;
    struct warp_state *warp;
    uint64_t times;
    uint32_t warps; /* with this one */
};

static void count_piece(const struct passing *p, const struct path_piece *piece)
{
    const struct path_pass *pass = find_pass(p->w, piece);
    stage_count_piece(p->warp->stage, pass, piece->active, p->warps * p->times);
    if (pass->exits) p->warp->dead |= piece->active;
    if (pass->off) pend_lanes_off(p->warp, piece->active, p->times * pass->off);
    count_insns(p->warp, piece->active, p->times * piece->path->insn_counts[piece->steps - 1]);
}

static void count_branch(const struct passing *p, const struct path_piece *piece)
{
    uint32_t off = stage_count_branch(p->w, p->warp->stage, piece, p->warps * p->times);
    if (off) pend_lanes_off(p->warp, off, p->times);
}

static void pass_history(const struct passing *p, const struct path_piece *piece, uint64_t times)
{
    struct worker *w = p->w;
    uint32_t number = w->measure->launch.code_block_count + piece->path->number + piece->steps - 1;
    const struct history_route route = {piece->path->steps, piece->steps, number, false};
    history_pass(&w->histories, &p->warp->history, &route, times, &w->sums);
}

static struct history_sums sums_since(const struct history_sums *now,
                                      const struct history_sums *before)
{
    return (struct history_sums){now->distance - before->distance,
                                 now->consumers - before->consumers, now->groups - before->groups};
}

static void sums_add(struct history_sums *sums, const struct history_sums *add, uint64_t times)
{
    sums->distance += times * add->distance;
    sums->consumers += times * add->consumers;
    sums->groups += times * add->groups;
}

/* Turn by turn until one changes nothing: so do all that follow. */
static void pass_histories(const struct passing *p, const struct path_piece *pieces, uint32_t count)
{
    const struct warp_history *warp = &p->warp->history;
    for (uint64_t left = p->times; left--;) {
        const struct history_sums before = p->w->sums;
        uint32_t number = warp->number;
        for (uint32_t i = 0; i < count; i++)
            pass_history(p, &pieces[i], 1);
        if (warp->number != number || number == HISTORY_OWN) continue;
        const struct history_sums same = sums_since(&p->w->sums, &before);
        sums_add(&p->w->sums, &same, left);
        return;
    }
}

uint64_t path_count_insns(const struct path_piece *pieces, uint32_t count)
{
    uint64_t insns = 0;
    for (uint32_t i = 0; i < count; i++)
        insns += pieces[i].path->insn_counts[pieces[i].steps - 1];
    return insns;
}

static void count_pieces(const struct passing *p, const struct path_piece *pieces, uint32_t count,
                         bool is_end)
{
    p->warp->insns += p->times * path_count_insns(pieces, count);
    for (uint32_t i = 0; i < count; i++) {
        count_piece(p, &pieces[i]);
        if (!is_end || i + 1 < count) count_branch(p, &pieces[i]);
    }
    if (count == 1)
        pass_history(p, pieces, p->times);
    else
        pass_histories(p, pieces, count);
}

struct history_sums warps_pass(struct worker *w, struct warp_state *warp, uint32_t warps,
                               const struct path_piece *pieces, uint32_t count)
{
    const struct passing p = {w, warp, 1, warps};
    const struct history_sums before = w->sums;
    count_pieces(&p, pieces, count, true);
    const struct history_sums one = sums_since(&w->sums, &before);
    sums_add(&w->sums, &one, warps - 1);
    return one;
}

void measure_path(void *worker, const struct warp_ref *ref, const struct path_piece *pieces,
                  uint32_t count, uint64_t times, bool is_end)
{
    const struct passing p = {worker, warp_of(ref), times, 1};
    if (is_silent(ref))
        p.warp->insns += times * path_count_insns(pieces, count);
    else
        count_pieces(&p, pieces, count, is_end);
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
