// SPDX-License-Identifier: Apache-2.0
/* Which source lines of a profile a cause can be pinned on. The instructions of a line, of a loop that
 * the compiler unrolled for instance, are added up; without source lines each stands for itself. */
#ifndef RECOMMEND_HOT_LINE_H
#define RECOMMEND_HOT_LINE_H

#include <stdbool.h>

#include "model/core/estimate.h"

struct hot_line {
    const struct instruction_profile *instruction; /* the heaviest of the line; NULL: none */
    double weight;                                 /* of the line, in what was asked for */
    double total;                                  /* of all instructions */
};

enum { HOT_LINES_MAX = 3 };

/* "sgemm.cu:17", "PTX:120" if the source is unknown, "" for NULL; in the arena. */
const char *hot_line_place(struct arena *arena, const struct instruction_profile *instruction);
/* Transactions (sectors) of a request, and the fewest its lanes and width allow. */
double access_per_request(const struct accesses *accesses);
double access_ideal_per_request(const struct instruction_profile *instruction,
                                const struct accesses *accesses, enum coalescing_rule rule);

/* Do both stand in the same line of the source? */
bool hot_same_line(const struct instruction_profile *a, const struct instruction_profile *b);

/* What an instruction weighs; 0 or less: nothing. */
typedef double hot_weight_fn(const struct instruction_profile *instruction, const void *context);
/* The line with the largest sum of weights. */
struct hot_line hot_find(const struct profile *profile, hot_weight_fn *weight, const void *context);

/* The lines with the most transactions beyond the fewest possible, loads and stores apart; returns how
 * many. */
size_t hot_uncoalesced(const struct profile *profile, enum coalescing_rule rule,
                       struct hot_line out[HOT_LINES_MAX]);
/* The line with the largest sum of these counters. */
struct hot_line hot_counter(const struct profile *profile, const enum counter *counters,
                            size_t count);
/* The line with the most issue slots beyond one an instruction, by class throughput; classes apart. */
struct hot_line hot_expensive(const struct profile *profile, const struct machine *machine);

#endif
