// SPDX-License-Identifier: Apache-2.0
/* Compiled paths of code blocks: when a split may follow one, and what it leaves behind. */
#include "emulate/splits.h"

/* Would the split meet others on the way? Then it has to look at each code block. */
static bool meets_others(const struct warp *warp, const struct split *split,
                         const struct engine_path *path)
{
    const struct node *node = split->node >= 0 ? &warp->nodes[split->node] : NULL;
    if (!node && warp->split_count == 1) return false;
    for (uint32_t i = 0; i < path->count; i++) {
        uint32_t block = path->steps[i].code_block;
        if (node && node->block == block && node->frame == split->frame) return true;
        for (uint32_t k = 0; k < warp->split_count; k++) {
            const struct split *other = &warp->splits[k];
            if (other != split && other->state == SPLIT_READY && other->block == block) return true;
        }
    }
    return false;
}

/* Where lanes part and meet within a path, nobody looks at the limit, and the split keeps its place in the table. */
static bool has_turn(const struct exec *x, const struct warp *warp, const struct split *split,
                     const struct engine_path *path)
{
    uint64_t turns = path->returns ? STOP_INTERVAL : 1;
    uint64_t most = turns * path->insn_count;
    bool is_last = split == &warp->splits[warp->split_count - 1];
    return is_last && x->block->instructions + most <= x->launch->max_instructions;
}

const struct engine_path *path_find(const struct exec *x, const struct warp *warp,
                                    const struct split *split)
{
    if (!x->engine_code || !x->follows_paths) return NULL;
    bool is_whole = (split->mask | warp->dead) == UINT32_MAX;
    const struct engine_path *path = x->engine_code->paths[2 * (size_t)split->block + !is_whole];
    if (!path || turns_wait(&split->turns)) return NULL;
    if (path_passes_look(path, split)) return NULL;
    if (path->needs_turn && !has_turn(x, warp, split, path)) return NULL;
    return meets_others(warp, split, path) ? NULL : path;
}

/* ---- what was passed ------------------------------------------------------------------------- */

static void add_piece(struct path_passed *out, const struct path_variant *variant, uint32_t steps,
                      uint32_t lanes, uint32_t taken)
{
    out->pieces[out->count++] = (struct path_piece){&variant->path, steps, lanes, taken};
    out->insns += variant->path.insn_counts[steps - 1];
    out->compiled += variant->compiled_counts[steps - 1];
}

/* Steps up to `last`, which is in no arm, where lanes part on the way. `taken`: lanes that take the branch behind it. */
static void add_parted(struct path_passed *out, const struct engine_path *path,
                       const struct path_turn *turn, uint32_t last, uint32_t mask, uint32_t taken)
{
    const struct path_variant *piece = path->pieces;
    uint32_t first = 0;
    for (uint32_t i = 0; i < path->fork_count && path->forks[i].step < last; i++) {
        const struct path_fork *fork = &path->forks[i];
        uint32_t lanes = turn->ways & PATH_PARTED << i ? turn->taken[i]
                         : turn->ways & 1u << i        ? mask
                                                       : 0;
        const uint32_t arms[2] = {mask & ~lanes, lanes};
        add_piece(out, piece++, fork->step + 1 - first, mask, lanes);
        first = fork->step + 1;
        for (unsigned k = 0; k < 2; first += fork->steps[k++]) {
            if (!fork->steps[k]) continue;
            if (arms[k]) add_piece(out, piece, fork->steps[k], arms[k], arms[k]);
            piece++;
        }
    }
    add_piece(out, piece, last + 1 - first, mask, taken);
}

/* The same where none do: how many steps of the variant that is. */
static uint32_t count_steps(const struct engine_path *path, uint32_t ways, uint32_t last)
{
    uint32_t count = last + 1;
    for (uint32_t i = 0; i < path->fork_count && path->forks[i].step < last; i++)
        count -= path->forks[i].steps[ways & 1u << i ? 0 : 1];
    return count;
}

void path_pieces(const struct engine_path *path, const struct path_turn *turn, uint32_t last,
                 uint32_t mask, uint32_t taken, struct path_passed *out)
{
    out->count = 0;
    out->insns = out->compiled = 0;
    if (turn->ways >= PATH_PARTED) {
        add_parted(out, path, turn, last, mask, taken);
        return;
    }
    const struct path_variant *variant = &path->variants[turn->ways];
    uint32_t steps = count_steps(path, turn->ways, last);
    out->count = 1;
    out->pieces[0] = (struct path_piece){&variant->path, steps, mask, taken};
    out->insns = variant->path.insn_counts[steps - 1];
    out->compiled = variant->compiled_counts[steps - 1];
}

static void pass(struct exec *x, struct warp *warp, const struct engine_path *path,
                 const struct path_turn *turn, uint32_t last, uint32_t mask, bool is_end)
{
    struct path_passed passed;
    uint32_t taken = !is_end && path->steps[last].is_taken ? mask : 0;
    uint64_t times = is_end ? 1 : turn->times;
    path_pieces(path, turn, last, mask, taken, &passed);
    if (x->observe)
        x->observe->path(x->observer_worker, &warp->ref, passed.pieces, passed.count, times,
                         is_end);
    x->block->instructions += times * passed.insns;
    warp->instructions += times * passed.insns;
    x->compiled += times * passed.compiled;
}

/* ---- following one --------------------------------------------------------------------------- */

void path_enter(struct exec *x, uint64_t most)
{
    x->returns_left = most;
    x->turn = x->turns + 1;
    x->turns_end = x->turns + PATH_TURNS_MAX;
    x->turns[0].ways = UINT32_MAX; /* as no turn has them */
    x->turn->ways = 0;
}

uint32_t path_leave(struct exec *x, struct warp *warp, struct split *split,
                    const struct engine_path *path, uint32_t at, uint64_t times)
{
    if (x->fault.kind) return split->block;
    if (!path->fork_count) x->turns[1].times = times;
    const struct path_turn *end = path->fork_count || !times ? x->turn : x->turn + 1;
    for (const struct path_turn *turn = x->turns + 1; turn < end; turn++)
        pass(x, warp, path, turn, path->count - 1, split->mask, false);
    pass(x, warp, path, x->turn, at, split->mask, true);
    split->turns.backward += (uint32_t)times + path->turns[at];
    split->block = path->steps[at].code_block;
    x->last = x->launch->program->code[split->block].last;
    return split->block;
}

uint32_t path_run(struct exec *x, struct warp *warp, struct split *split,
                  const struct engine_path *path)
{
    uint64_t most = STOP_INTERVAL - 1 - split->turns.backward % STOP_INTERVAL;
    path_enter(x, most);
    uint32_t at = path->run(x);
    return path_leave(x, warp, split, path, at, most - x->returns_left);
}
