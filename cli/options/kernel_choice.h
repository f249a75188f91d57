// SPDX-License-Identifier: Apache-2.0
/* Which kernels -k names: NAME, a pattern of the shell ("sgemm*"), or "regex:EXPRESSION" (POSIX extended,
 * found anywhere in the name). */
#ifndef CLI_KERNEL_CHOICE_H
#define CLI_KERNEL_CHOICE_H

#include <regex.h>

#include "cli/options/analysis.h"

struct kernel_pattern {
    const char *glob; /* NULL: the regular expression */
    regex_t regex;
};

bool kernel_is_pattern(const char *text);
/* `text` must be a pattern. EXIT_USAGE if the expression is malformed; else the pattern must be cleared. */
int kernel_pattern_read(struct cli *cli, const char *text, struct kernel_pattern *out);
void kernel_pattern_clear(struct kernel_pattern *pattern);
/* `name` as in the source; it fits with its namespaces or without them. */
bool kernel_pattern_fits(const struct kernel_pattern *pattern, const char *name);

/* The kernels of a->module that the request names, in a->kernels; the first is a->kernel. */
int kernel_choose(struct analysis *a, const struct command *command);

#endif
