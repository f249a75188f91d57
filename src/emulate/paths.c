// SPDX-License-Identifier: Apache-2.0
/* Compiled paths of code blocks: when a split may follow one, and what it leaves behind. */
#include "emulate/splits.h"

/* Would the split meet others on the way? Then it has to look at each code block. */
static bool meets_others(const struct warp *warp, const struct split *split,
                         const struct code_path *path)
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

const struct engine_path *path_find(const struct exec *x, const struct warp *warp,
                                    const struct split *split)
{
    if (!x->engine_code || !x->follows_paths) return NULL;
    bool is_whole = (split->mask | warp->dead) == UINT32_MAX;
    const struct engine_path *path = x->engine_code->paths[2 * (size_t)split->block + !is_whole];
    if (!path || split->turns.polled || split->turns.waits) return NULL;
    /* The look that is due after so many turns is due at their ends, and the path passes some. */
    uint32_t turns = path->most_turns;
    if (turns && split->turns.backward % STOP_INTERVAL + turns >= STOP_INTERVAL) return NULL;
    return meets_others(warp, split, &path->path) ? NULL : path;
}

uint32_t path_run(struct exec *x, struct warp *warp, struct split *split,
                  const struct engine_path *path)
{
    uint64_t most = STOP_INTERVAL - 1 - split->turns.backward % STOP_INTERVAL;
    x->returns_left = most;
    uint32_t at = path->run(x);
    if (x->fault.kind) return split->block;
    uint64_t times = most - x->returns_left, last = path->path.count - 1;
    uint64_t count = times * path->path.insn_counts[last] + path->path.insn_counts[at];
    if (x->observe)
        x->observe->path(x->observer_worker, &warp->ref, &path->path, times, at + 1, split->mask);
    x->block->instructions += count;
    warp->instructions += count;
    x->compiled += times * path->compiled_counts[last] + path->compiled_counts[at];
    split->turns.backward += (uint32_t)times + path->turns[at];
    split->block = path->path.steps[at].code_block;
    x->last = x->launch->program->code[split->block].last;
    return split->block;
}
