// SPDX-License-Identifier: Apache-2.0
/* mem.groups: a group opens at a global or local load; further loads of the warp join until an
 * instruction reads a result of the group, or a barrier. Within a code block the
 * story is static once it starts with no group open; else its events are played. */
#ifndef MEASURE_LOAD_GROUP_H
#define MEASURE_LOAD_GROUP_H

#include <string.h>

#include "emulate/observer.h"

enum load_event_what { LOAD_READS, LOAD_KILLS, LOAD_OPENS };

/* Something that happens to results of loads: they are read, overwritten, or loaded. */
struct load_event {
    uint32_t what, word; /* word of the bit set over the registers that loads write */
    uint64_t mask;
};

struct load_block {
    uint32_t first_event, event_count;
    uint32_t open_event_count; /* up to the last load: all that matters without an open group */
    uint32_t loads;            /* instructions */
    uint32_t groups;           /* opened when none is open at the start ... */
    bool open_at_end;          /* ... and then a group is open at the end */
    uint32_t end_set;          /* with these results: first word in load_plan.sets */
};

struct load_plan {
    struct load_block *blocks; /* by code block */
    struct load_event *events;
    uint64_t *sets;
    uint32_t word_count; /* of a bit set */
};

struct load_warp {
    uint64_t *results; /* of the open group, not yet overwritten */
    bool open;
};

void load_plan_init(struct load_plan *plan, const struct launch_view *launch);
void load_plan_clear(struct load_plan *plan);
/* Plays the events; returns the number of groups that opened. */
uint32_t load_play(const struct load_plan *plan, const struct load_block *block,
                   struct load_warp *warp);

/* One execution of a code block: the number of groups that opened. */
static inline uint32_t load_run(const struct load_plan *plan, const struct load_block *block,
                                struct load_warp *warp)
{
    if (!block->event_count) return 0;
    if (warp->open) return load_play(plan, block, warp);
    if (!block->loads) return 0;
    warp->open = block->open_at_end;
    memcpy(warp->results, plan->sets + block->end_set, plan->word_count * sizeof *plan->sets);
    return block->groups;
}

#endif
