// SPDX-License-Identifier: Apache-2.0
/* What a design writes in ${...} and under `where`: numbers, names of values, + - * / %, comparisons, && || !,
 * parentheses, min, max, ceil, floor, log2. */
#ifndef CLI_SWEEP_EXPRESSION_H
#define CLI_SWEEP_EXPRESSION_H

#include "cli/cli.h"

struct sweep_value {
    const char *name, *text;
};
struct sweep_values {
    const struct sweep_value *items;
    size_t count;
};

/* `place` stands in messages. EXIT_INPUT for what is no expression, unknown names with the nearest, names whose
 * value is no number, division by 0. True is 1, false is 0. */
int expression_value(struct cli *cli, const char *place, const char *text,
                     const struct sweep_values *values, double *out);
/* The text with each ${...} replaced by its value; ${NAME} alone by the text of that value. */
int expression_fill(struct cli *cli, const char *place, const char *text,
                    const struct sweep_values *values, const char **out);

#endif
