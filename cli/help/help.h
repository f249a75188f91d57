// SPDX-License-Identifier: Apache-2.0
/* What is generated from the table of commands and options: the overview, man pages, completion for shells. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/options/options.h"

/* Texts about the program as a whole, in the overview and in its man page. */
struct help_section {
    const char *title;
    const char *text;    /* lines with two columns of indentation */
    bool is_in_overview; /* of `warpsage --help`; the man page has all */
};
extern const struct help_section help_sections[]; /* ends with a row without title */
extern const char help_summary[];

/* `warpsage --help` */
void help_overview(FILE *out);

/* A man page: of a command, or with NULL of the program. */
void man_write(const struct command *command, FILE *out);

/* Completion for a shell: "bash", "zsh" or "fish". */
struct shell {
    const char *name;
    void (*write)(FILE *out);
};
extern const struct shell shells[]; /* ends with a row without name */
void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

/* The values of a source, a line each (listed_values.c). `words`: of the command line, among them files for those
 * that are found in one. EXIT_USAGE: an unknown source. */
int values_list(struct cli *cli, const char *source, const char *const *words, size_t count,
                FILE *out);

#endif
