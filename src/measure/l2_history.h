// SPDX-License-Identifier: Apache-2.0
/* What the launches and copies of a program leave in an L2, for each size of it at once: of every part of memory
 * how many bytes were touched since. Least recently used goes first, so that an L2 of C bytes has what was touched
 * no more than C bytes ago. doc/run.md#the-l2-between-launches. */
#ifndef MEASURE_L2_HISTORY_H
#define MEASURE_L2_HISTORY_H

#include "measure/profile.h"

/* `touched` of the sectors from `first` on and before `end`, evenly. */
struct l2_range {
    uint64_t first, end, touched;
};

/* Ranges by address. */
struct l2_ranges {
    struct l2_range *items;
    uint32_t count, room;
};
enum { L2_RANGES_MAX = 256 };

struct footprint;
/* At most L2_RANGES_MAX ranges: where there are more, those with the smallest gaps between become one. */
void l2_ranges_take(struct l2_ranges *ranges, const struct footprint *footprint);
void l2_ranges_add(struct l2_ranges *ranges, uint64_t first, uint64_t end);
/* The part of one within some sectors. */
struct l2_range l2_range_within(const struct l2_range *range, uint64_t first, uint64_t end);
void l2_ranges_clear(struct l2_ranges *ranges);

/* What sweeps from its first to its last sector while the others of a touch do: what a launch reads or writes
 * of one buffer. */
struct l2_sweep {
    struct l2_ranges ranges;
    bool is_read; /* counts as found */
};

/* Where what is read was found: an L2 of at least `bytes` has `sectors`; bytes ascend. */
struct l2_found {
    struct l2_reuse items[L2_REUSE_MAX];
    uint32_t count;
    uint64_t read; /* sectors, found or not */
};

struct l2_history;
struct l2_history *l2_history_create(void);
void l2_history_destroy(struct l2_history *history);
/* All sweeps at once. out NULL: not wanted. */
void l2_history_touch(struct l2_history *history, const struct l2_sweep *sweeps, size_t count,
                      struct l2_found *out);
/* The least L2 that has a sector; false: none. */
bool l2_history_find(const struct l2_history *history, uint64_t sector, uint64_t *out_bytes);

#endif
