// SPDX-License-Identifier: Apache-2.0
#include "measure/access_groups.h"

#include <string.h>

#include "measure/isa_view.h"
#include "measure/measure_state.h"

static void add_site(struct worker *w, struct group_state *state, const struct grouped_access *one,
                     unsigned space)
{
    uint32_t site = w->measure->site_of[one->insn];
    const struct insn_view *view = w->measure->views ? &w->measure->views[one->insn] : NULL;
    if (site == NO_SITE || (view && view->fold == VIEW_MERGED)) return;
    const struct access_site *of = &w->sites[site];
    if (of->kinds[space] == MEMORY_KIND_NONE) return;
    state->is_apart = state->is_apart || w->measure->is_texture[site];
    bool is_merged = view && view->merged_bytes;
    state->sites[state->count] = site;
    state->offsets[state->count++] = (uint64_t)one->offset - (is_merged ? view->merged_offset : 0);
    state->alignment |= of->alignment[space];
    state->uniform_alignment |= of->uniform_alignment[space];
    state->shared_count += space == SPACE_SHARED;
    if (space != SPACE_GLOBAL) return;
    unsigned kind = of->kinds[space];
    state->touches[state->touch_count++] =
        (struct group_touch){state->offsets[state->count - 1], of->bytes, kind != KIND_GLOBAL_STORE,
                             kind != KIND_GLOBAL_LOAD};
}

struct group_state *group_make(struct worker *w, const struct access_group *group)
{
    struct access_groups *groups = &w->groups;
    if (group->number >= groups->state_count) {
        uint32_t count = 2 * group->number + 8;
        groups->states = mem_realloc(groups->states, count * sizeof *groups->states);
        memset(groups->states + groups->state_count, 0,
               (count - groups->state_count) * sizeof *groups->states);
        groups->state_count = count;
    }
    struct group_state *state = &groups->states[group->number];
    state->is_known = true;
    state->sites = mem_alloc(group->count * sizeof *state->sites);
    state->offsets = mem_alloc(group->count * sizeof *state->offsets);
    state->touches = mem_alloc(group->count * sizeof *state->touches);
    for (uint32_t i = 0; i < group->count; i++)
        add_site(w, state, &group->accesses[i], group->space);
    return state;
}

/* Masks and strides that change all the time would make patterns without end: beyond so many, each access of a new one is
 * counted by itself. A guess. */
enum { GROUP_PATTERNS = 64 };

/* GROUP_APART: one of the costs has no number. */
static uint32_t add_pattern(struct worker *w, const struct group_state *state,
                            const struct access *base)
{
    struct access_groups *groups = &w->groups;
    uint32_t *costs = mem_alloc(state->count * sizeof *costs);
    for (uint32_t i = 0; i < state->count; i++) {
        struct access access = *base;
        access.base += state->offsets[i];
        access.base2 += state->offsets[i];
        costs[i] = pattern_cost(&w->patterns, &w->sites[state->sites[i]], &access);
        if (costs[i] != COST_UNLISTED) continue;
        mem_free(costs);
        return GROUP_APART;
    }
    GROW(groups->patterns, groups->pattern_count, groups->pattern_room);
    groups->patterns[groups->pattern_count] =
        (struct group_pattern){(uint32_t)(state - groups->states), costs};
    return groups->pattern_count++;
}

static uint32_t find_pattern(struct worker *w, struct group_state *state, const struct access *base,
                             const struct regular_key *key)
{
    for (uint8_t i = 0; i < state->used; i++)
        if (regular_key_equal(key, &state->keys[i])) return state->numbers[i];
    if (state->made == GROUP_PATTERNS) return GROUP_APART;
    uint32_t number = add_pattern(w, state, base);
    if (number == GROUP_APART) return number;
    state->made++;
    state->keys[state->next] = *key;
    state->numbers[state->next] = number;
    state->next = (uint8_t)((state->next + 1) % SITE_PATTERNS);
    if (state->used < SITE_PATTERNS) state->used++;
    return number;
}

static uint32_t run_lanes(const struct group_state *state, const struct access_base *at,
                          uint32_t active)
{
    if (at->shape == ACCESS_UNIFORM) return 1;
    for (uint32_t i = 0; i < state->touch_count; i++)
        if (state->touches[i].bytes != (uint64_t)at->stride) return 0;
    if (active != UINT32_MAX) return 0;
    return at->shape == ACCESS_STRIDED ? 32 : 16;
}

const struct group_last *group_see(struct worker *w, struct group_state *state,
                                   const struct access_group *group, const struct access_base *at,
                                   uint32_t active)
{
    if (at->shape == ACCESS_GENERAL || state->is_apart) return NULL;
    bool is_uniform = at->shape == ACCESS_UNIFORM;
    uint64_t alignment = is_uniform ? state->uniform_alignment : state->alignment;
    uint64_t low = at->base & alignment;
    const struct access base = group_access(group, at, active);
    const struct regular_key key = regular_key(&base, low);
    uint32_t number = find_pattern(w, state, &base, &key);
    if (number == GROUP_APART) return NULL;
    struct group_last *seen = &state->seen[group_seen_place(at)];
    *seen = (struct group_last){.active = active,
                                .shape = at->shape,
                                .stride = at->stride,
                                .delta = at->base2 - at->base,
                                .low = low,
                                .alignment = alignment,
                                .pattern = number,
                                .run_lanes = run_lanes(state, at, active)};
    return seen;
}

void group_expand(struct worker *w, uint32_t pattern, uint64_t times, struct tally *stage)
{
    const struct group_pattern *of = &w->groups.patterns[pattern];
    const struct group_state *state = &w->groups.states[of->group];
    for (uint32_t i = 0; i < state->count; i++) {
        tally_add(&w->site_tallies[state->sites[i]], of->costs[i], times);
        tally_add(stage, of->costs[i], times);
    }
}

void access_groups_clear(struct access_groups *groups)
{
    for (uint32_t i = 0; i < groups->state_count; i++) {
        mem_free(groups->states[i].sites);
        mem_free(groups->states[i].offsets);
        mem_free(groups->states[i].touches);
    }
    for (uint32_t i = 0; i < groups->pattern_count; i++)
        mem_free(groups->patterns[i].costs);
    mem_free(groups->states);
    mem_free(groups->patterns);
    *groups = (struct access_groups){0};
}
