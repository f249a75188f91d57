// SPDX-License-Identifier: Apache-2.0
/* Options that `check` and `analyze --check` share, and what their answer says. */
#ifndef CLI_CHECK_OPTIONS_H
#define CLI_CHECK_OPTIONS_H

#include "cli/options/asking.h"
#include "cli/options/options.h"

enum {
    CHECK_OPTION_TOOL = 200, /* behind those of every command */
    CHECK_OPTION_STRICT,
    CHECK_OPTION_ALLOW_UNCHECKED,
    CHECK_OPTION_SUPPRESS,
    CHECK_OPTION_READ,
    CHECK_OPTION_OWN
};

struct check_choice {
    const char *tools;
    const char **suppressions;
    const char **reads; /* files of findings */
    size_t suppression_count, read_count;
    bool is_strict, allows_unchecked;
};

/* One of the options above? */
int check_option_take(struct cli *cli, const struct option_use *use, struct check_choice *choice,
                      bool *out_is_taken);
/* Tools and files, before anything runs: a mistake there must not cost an execution. */
int check_choice_verify(struct cli *cli, const struct check_choice *choice);
void check_choice_ask(struct cli *cli, struct asking *asking, const struct check_choice *choice);
/* For devices. */
int check_create(struct cli *cli, const struct check_choice *choice, ws_check **out);
/* Asks about what it found, and writes the answer; EXIT_CHECK if that fails the run. *out_has_errors: also if they are
 * suppressed. */
int check_write(struct cli *cli, const struct check_choice *choice, ws_check *check,
                const ws_report_options *style, const char *path, bool *out_has_errors);
/* Does what the answer to `check` says fail the run? */
bool check_has_failed(const ws_answer *answer);
/* Were there launches that could not be checked, without being allowed? */
bool check_is_incomplete(const ws_answer *answer);

#endif
