// SPDX-License-Identifier: Apache-2.0
/* Which instructions of a profile a cause can be pinned on. */
#ifndef RECOMMEND_HOT_LINE_H
#define RECOMMEND_HOT_LINE_H

#include "model/estimate.h"

struct hot_line {
    const struct instruction_profile *instruction; /* NULL: none */
    double weight;                                 /* of this instruction, in what was asked for */
    double total;                                  /* of all instructions */
};

enum { HOT_LINES_MAX = 3 };

/* "sgemm.cu:17", "PTX:120" if the source is not known, "" for NULL; in the arena. */
const char *hot_line_place(struct arena *arena, const struct instruction_profile *instruction);
/* Transactions (sectors) of a request, and the fewest its lanes and width allow. */
double access_per_request(const struct accesses *accesses);
double access_ideal_per_request(const struct instruction_profile *instruction,
                                const struct accesses *accesses, enum coalescing_rule rule);

/* The instructions with the most transactions beyond the fewest possible; returns how many. */
size_t hot_uncoalesced(const struct profile *profile, enum coalescing_rule rule,
                       struct hot_line out[HOT_LINES_MAX]);
/* The instruction with the largest sum of these counters. */
struct hot_line hot_counter(const struct profile *profile, const enum counter *counters,
                            size_t count);
/* The instruction with the most issue slots beyond one each, by class throughput. */
struct hot_line hot_expensive(const struct profile *profile, const struct machine *machine);

#endif
