// SPDX-License-Identifier: Apache-2.0
/* What `split` found, and how it is written. */
#ifndef CLI_SPLIT_H
#define CLI_SPLIT_H

#include "cli/cli.h"

struct split_answer {
    const char *kernel, *gpu, *cpu; /* names of machines */
    const char *link;               /* as the user says it; NULL: none */
    ws_split found;
};

void split_write_text(struct cli *cli, FILE *out, const struct split_answer *answers, size_t count);
void split_write_json(FILE *out, const struct split_answer *answers, size_t count);

#endif
