// SPDX-License-Identifier: Apache-2.0
/* Costs of several accesses at fixed distances from one address: one look at their pattern, and one count. The counts
 * of the instructions follow from it at the end. */
#ifndef MEASURE_ACCESS_GROUPS_H
#define MEASURE_ACCESS_GROUPS_H

#include "measure/cost_tally.h"
#include "measure/pattern_table.h"

#define GROUP_APART UINT32_MAX

/* An access of a group to global memory. */
struct group_touch {
    uint64_t offset, bytes;
    bool reads, writes;
};

/* Addresses as a group had them last, but for bits that its costs do not depend on. */
struct group_last {
    uint32_t active; /* 0: none */
    uint32_t shape;
    int64_t stride;
    uint64_t delta; /* from half to half */
    uint64_t low, alignment;
    uint32_t pattern;
    uint32_t
        run_lanes; /* that access bytes side by side: 32, 16 in each half, 1: all the same; 0: none do */
};

enum { GROUP_SEEN = 8 };

/* A group as one worker sees it: instructions that have a cost. */
struct group_state {
    struct group_last seen[GROUP_SEEN];
    bool is_known;
    bool is_apart;                /* each of its accesses is to be counted by itself */
    uint32_t count, shared_count; /* accesses; those to shared memory */
    uint32_t *sites;
    uint64_t *offsets;
    struct group_touch *touches;
    uint32_t touch_count;
    uint64_t alignment, uniform_alignment; /* minus 1, the largest of them */
    struct regular_key keys[SITE_PATTERNS];
    uint32_t numbers[SITE_PATTERNS];
    uint8_t used, next;
    uint32_t made; /* patterns, GROUP_PATTERNS at most */
};

/* What one pattern of a group costs: by instruction of the group. */
struct group_pattern {
    uint32_t group;
    uint32_t *costs;
};

struct access_groups {
    struct group_state *states; /* by number of the group */
    uint32_t state_count;
    struct group_pattern *patterns;
    uint32_t pattern_count, pattern_room;
};

struct worker;
/* The state of a group; its slow path. */
struct group_state *group_make(struct worker *w, const struct access_group *group);
static inline struct group_state *group_find(struct worker *w, struct access_groups *groups,
                                             const struct access_group *group)
{
    bool is_known = group->number < groups->state_count && groups->states[group->number].is_known;
    return is_known ? &groups->states[group->number] : group_make(w, group);
}
/* The access of a group that has no offset, as long as `at` is there. */
static inline struct access group_access(const struct access_group *group,
                                         const struct access_base *at, uint32_t active)
{
    return (struct access){.space = group->space,
                           .shape = (uint8_t)at->shape,
                           .mask = active,
                           .base = at->base,
                           .base2 = at->base2,
                           .stride = at->stride,
                           .addresses = at->addresses};
}
/* Where addresses are remembered: by the sector of lane 0, and by its word there. */
static inline uint32_t group_seen_place(const struct access_base *at)
{
    enum { SECTOR_SHIFT = 5, WORD_SHIFT = 2 };
    return (at->base >> SECTOR_SHIFT ^ at->base >> WORD_SHIFT) & (GROUP_SEEN - 1);
}
/* These addresses, if they were seen last; else NULL. */
static inline const struct group_last *group_seen(const struct group_state *state,
                                                  const struct access_base *at, uint32_t active)
{
    const struct group_last *seen = &state->seen[group_seen_place(at)];
    bool is_seen = seen->active == active && seen->shape == at->shape &&
                   seen->stride == at->stride && seen->delta == at->base2 - at->base &&
                   seen->low == (at->base & seen->alignment);
    return is_seen ? seen : NULL;
}
/* Notes them as such; NULL: each access is to be counted by itself. */
const struct group_last *group_see(struct worker *w, struct group_state *state,
                                   const struct access_group *group, const struct access_base *at,
                                   uint32_t active);
/* Adds `times` occurrences of a pattern to the tallies of the instructions and to `stage`. */
void group_expand(struct worker *w, uint32_t pattern, uint64_t times, struct tally *stage);
void access_groups_clear(struct access_groups *groups);

#endif
