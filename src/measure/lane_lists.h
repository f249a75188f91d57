// SPDX-License-Identifier: Apache-2.0
/* Which of a warp's lanes have something in common: what was found is in lists by a hash of it, so that each lane looks at
 * few of those before it.
 *
 *     struct lane_lists lists;
 *     lane_lists_begin(&lists);
 *     unsigned at = lane_list(&lists, hash);
 *     while (at != LANE_LIST_END && found[at] != wanted) at = lists.next[at];
 *     if (at == LANE_LIST_END) { found[count] = wanted; lane_lists_add(&lists, hash, count++); } */
#ifndef MEASURE_LANE_LISTS_H
#define MEASURE_LANE_LISTS_H

#include <stdint.h>
#include <string.h>

enum { LANE_LISTS = 64, LANE_LIST_END = UINT8_MAX };

/* Of at most LANE_LIST_END entries. */
struct lane_lists {
    uint8_t first[LANE_LISTS], next[LANE_LIST_END];
};

static inline void lane_lists_begin(struct lane_lists *lists)
{
    memset(lists->first, LANE_LIST_END, sizeof lists->first);
}

/* The last entry of a hash, or of another with the same list; lists->next is the one before it. */
static inline unsigned lane_list(const struct lane_lists *lists, uint64_t hash)
{
    return lists->first[hash % LANE_LISTS];
}

static inline void lane_lists_add(struct lane_lists *lists, uint64_t hash, unsigned entry)
{
    uint8_t *first = &lists->first[hash % LANE_LISTS];
    lists->next[entry] = *first;
    *first = (uint8_t)entry;
}

#endif
