// SPDX-License-Identifier: Apache-2.0
/* What the results of a sweep say: the best points, those that no other beats, what matters, and curves. */
#ifndef CLI_SWEEP_REPORT_H
#define CLI_SWEEP_REPORT_H

#include "cli/sweep/sweep_store.h"
#include "cli/sweep/sweep_table.h"

struct sweep_view {
    const char **where; /* NAME=VALUE: only these points */
    size_t where_count;
    unsigned top; /* rows at most; 0: all */
    ws_format format;
    const char *output;
};

/* Metrics are `time`, `energy`, `power`, `edp` (energy x time), or a column of numbers; less is better, with a `+`
 * before it more. EXIT_USAGE names the columns. */
int sweep_best(struct sweep_store *store, const char *metric, const struct sweep_view *view);
int sweep_pareto(struct sweep_store *store, const char *const *metrics, size_t count,
                 const struct sweep_view *view);
int sweep_sensitivity(struct sweep_store *store, const char *metric, const struct sweep_view *view);
/* The best value of `metric` over x, a curve for each value of `series` (NULL: one curve). */
int sweep_plot(struct sweep_store *store, const char *x, const char *metric, const char *series,
               const struct sweep_view *view);
/* How many points are done, and what became of the others. */
int sweep_status(struct sweep_store *store, const struct sweep_view *view);

#endif
