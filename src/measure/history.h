// SPDX-License-Identifier: Apache-2.0
/* What a warp did before decides how its next code blocks count: how far its registers were written ago (dependence.h),
 * which loads are under way (load_group.h). Warps of a launch have few histories, so each gets a number, and what a
 * passage makes of it is worked out once. A warp whose history has no number any more keeps one of its own. */
#ifndef MEASURE_HISTORY_H
#define MEASURE_HISTORY_H

#include "base/hash_table.h"
#include "measure/dependence.h"
#include "measure/load_group.h"

#define HISTORY_OWN UINT32_MAX

/* Of one warp. */
struct warp_history {
    uint32_t number; /* 0: at the start; HISTORY_OWN: the rest holds */
    struct dep_warp dep;
    struct load_warp load;
};

struct history_sums {
    uint64_t distance, consumers, groups;
};

/* What a passage makes of a history. */
struct history_passage {
    uint64_t key; /* history + 1, and the passage */
    uint32_t to, groups;
    uint64_t distance, consumers;
};

/* One table a worker. */
struct history_table {
    const struct dep_plan *dep;
    const struct load_plan *loads;
    struct hash_table passages, numbers;
    unsigned char *histories; /* by number, `bytes` each */
    unsigned char *made;      /* the one that is looked up */
    size_t bytes;
    uint32_t count, room;
    struct warp_history scratch;
};

void history_table_init(struct history_table *table, const struct dep_plan *dep,
                        const struct load_plan *loads);
void history_table_clear(struct history_table *table);

/* Code blocks that are executed one after the other. */
struct history_route {
    const struct path_step *steps;
    uint32_t count;
    uint32_t
        number; /* of the passage: of the code block, or of the path above those; UINT32_MAX: a barrier */
    bool ends_loads; /* that are under way */
};

/* The slow path of history_pass: NULL: the history that follows gets no number. */
const struct history_passage *history_add(struct history_table *table, uint32_t history,
                                          const struct history_route *route);
/* A warp with a history of its own goes along; one without gets it first. */
void history_pass_own(struct history_table *table, struct warp_history *warp,
                      const struct history_route *route, struct history_sums *sums);

/* Of two warps without a number. */
void history_copy_own(const struct history_table *table, struct warp_history *to,
                      const struct warp_history *from);

/* The warp goes along the route `times` times. */
static inline void history_pass(struct history_table *table, struct warp_history *warp,
                                const struct history_route *route, uint64_t times,
                                struct history_sums *sums)
{
    while (times) {
        uint64_t key = (uint64_t)(warp->number + 1) << 32 | route->number, count = 1;
        const struct history_passage *passage = NULL;
        if (warp->number != HISTORY_OWN) {
            passage = hash_table_find(&table->passages, key, sizeof *passage);
            if (!passage) passage = history_add(table, warp->number, route);
        }
        if (!passage) {
            history_pass_own(table, warp, route, sums);
            times--;
            continue;
        }
        if (passage->to == warp->number) count = times; /* and so it goes on */
        sums->distance += count * passage->distance;
        sums->consumers += count * passage->consumers;
        sums->groups += count * passage->groups;
        warp->number = passage->to;
        times -= count;
    }
}

#endif
