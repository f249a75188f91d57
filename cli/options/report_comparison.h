// SPDX-License-Identifier: Apache-2.0
/* Comparisons of reports: `diff A B`, and `analyze --baseline A`. */
#ifndef CLI_REPORT_COMPARISON_H
#define CLI_REPORT_COMPARISON_H

#include "cli/options/options.h"

/* Beside the ids of the commands that have these options. */
enum comparison_option {
    OPTION_BASELINE = 1000,
    OPTION_FAIL_OVER,
    OPTION_METRIC,
    OPTION_MAP,
    OPTION_ALLOW_MISSING,
    OPTION_FORCE,
};

#define COMPARISON_OPTION_ROWS                                                                     \
    {OPTION_FAIL_OVER, 0, "fail-over", "P%",                                                       \
     "exit status 1 if the time of a kernel, or a --metric, is worse by more than P percent"},     \
        {OPTION_METRIC, 0, "metric", "ID",                                                         \
         "figure for --fail-over, instead of time: a counter (inst.warp) or a path "               \
         "(power/energy); may be repeated"},                                                       \
        {OPTION_MAP, 0, "map", "OLD=NEW",                                                          \
         "compare kernel OLD of the first report with NEW of the second, whatever their "          \
         "launches"},                                                                              \
    {                                                                                              \
        OPTION_ALLOW_MISSING, 0, "allow-missing", NULL,                                            \
            "--fail-over passes although kernels or GPUs are in one of the reports only"           \
    }

struct comparison {
    const char *baseline; /* NULL: none */
    double fail_over;     /* a share, if has_threshold */
    bool has_threshold, allows_missing, is_forced;
    const char **metrics, **maps;
    size_t metric_count, map_count;
};

/* Takes the option if it is one of these. */
int comparison_take(struct cli *cli, const struct option_use *use, struct comparison *out);
/* Are they complete? EXIT_USAGE if not. */
int comparison_check(struct cli *cli, const struct comparison *comparison, bool has_reports);

/* A report: a file, or a text that `name` names. */
struct compared {
    const char *name, *text; /* text NULL: the file */
};
/* *out: NULL if there is no answer. */
int comparison_ask(struct cli *cli, const struct comparison *comparison, const struct compared *a,
                   const struct compared *b, ws_answer **out);
/* The exit code of the answer, told on standard error unless it is 0. */
int comparison_conclude(struct cli *cli, const ws_answer *diff);

/* Compares an answer of `analyze` with the baseline, writes both (`path` NULL: standard output), and concludes:
 * in text, the comparison stands below the report; else it is told as text on standard error. */
int comparison_write(struct cli *cli, const struct comparison *comparison, const ws_answer *report,
                     const ws_report_options *style, const char *path);

#endif
