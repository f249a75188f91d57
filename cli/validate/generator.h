// SPDX-License-Identifier: Apache-2.0
/* Kernels that a set describes by parameters instead of files: tuned code, one kernel a configuration. */
#ifndef CLI_VALIDATE_GENERATOR_H
#define CLI_VALIDATE_GENERATOR_H

#include "cli/cli.h"

enum { GENERATOR_PARAMETERS_MAX = 16 };

struct generated {
    struct cli_text ptx; /* open: cli_text_drop it once its bytes are not needed any more */
    const char *entry;
    uint32_t grid[3], block[3];
    const char *args; /* as of --arg, with blanks between */
};

struct generator {
    const char *id;
    const char *parameters[GENERATOR_PARAMETERS_MAX]; /* names, then NULL */
    /* `values`: by parameter, whole numbers of at least 0. EXIT_INPUT if they make no kernel. */
    int (*generate)(struct cli *cli, const char *target, const double *values,
                    struct generated *out);
};

extern const struct generator generator_convolution;

/* NULL: no such generator. */
const struct generator *generator_find(const char *id);

#endif
