// SPDX-License-Identifier: Apache-2.0
/* Named numbers and words, from NAME=VALUE on the command line and from YAML, where
 * {cpu: {C: 12}} is the name cpu.C. Later ones replace earlier ones of the same name. */
#ifndef CLI_NAMED_VALUES_H
#define CLI_NAMED_VALUES_H

#include "cli/cli.h"

struct named_value {
    const char *name, *text;
    double number; /* where the text is one */
    bool is_number;
    const char *place; /* "file.yaml:3:7" or the operand, for messages */
};

struct named_values {
    struct named_value *items;
    size_t count;
};

/* EXIT_INPUT with file, line and column if the file is no mapping of single values. */
int named_values_read(struct cli *cli, const char *path, struct named_values *values);
/* "NAME=VALUE". */
int named_values_parse(struct cli *cli, const char *operand, struct named_values *values);

#endif
