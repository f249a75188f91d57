// SPDX-License-Identifier: Apache-2.0
/* The table of code_table.h as the question `analyze` shows it. */
#ifndef ANSWER_CODE_ANSWER_H
#define ANSWER_CODE_ANSWER_H

#include "answer/code_table.h"

enum { HOT_CODE_LINES = 5 };
struct code_node {
    const struct code_row *row;
    const char *place; /* "saxpy.cu:7", "PTX:21", "SASS:00a0" */
    size_t machine_count;
    bool is_hot; /* one of HOT_CODE_LINES that cost most at its level, on the first machine */
};

struct code_answer {
    const struct code_table *table;
    struct code_node *levels[CODE_LEVELS];
    const char *reasons[CODE_LEVELS],
        *time_reason; /* where a level is empty, or no machine has times */
};

struct hot_code_node {
    struct code_node node;
    const char *op;                           /* NULL: a source line */
    double share;                             /* code_share */
    double time;                              /* NAN: unknown */
    const char *stall;                        /* NULL: none, or unknown */
    double instructions, sectors, wavefronts; /* shares of the launch */
};

struct hot_code {
    bool by_time;
    size_t counts[CODE_LEVELS];
    struct hot_code_node *lines[CODE_LEVELS];
};

/* Both in the arena; source lines are read. `machine_count`: of the question. */
const struct code_answer *code_answer_make(struct arena *arena, const struct profile *profile,
                                           struct code_table *table, size_t machine_count);
/* By the time on a machine of the table; CODE_NO_ROW: by the largest share of something else. */
const struct hot_code *hot_code_find(struct arena *arena, const struct code_table *table,
                                     size_t machine);

#endif
