// SPDX-License-Identifier: Apache-2.0
/* Buffers that hold an array of a sparse matrix: TYPE[N]=matrix:LAYOUT:SOURCE. */
#ifndef CLI_ARG_MATRIX_H
#define CLI_ARG_MATRIX_H

#include "cli/options/args.h"

/* What stands behind `matrix:`. */
struct arg_matrix {
    uint32_t block; /* of the layout; 1: ell */
    bool is_columns;
    const char *path; /* Matrix Market file; NULL: Wilson's lattice */
    uint32_t extents[4];
};

/* `text` is what follows `matrix:` in `arg`, whose type and count are known. */
int arg_matrix_parse(struct cli *cli, const char *text, struct arg *arg);
/* Fills the buffer at arg->address. */
int arg_matrix_fill(struct cli *cli, ws_device *device, const struct arg *arg);

#endif
