// SPDX-License-Identifier: Apache-2.0
/* A table that a verb of `sweep` prints: as text, JSON or CSV. */
#ifndef CLI_SWEEP_TABLE_H
#define CLI_SWEEP_TABLE_H

#include "cli/cli.h"

struct table_column {
    const char *name;
    const char *unit; /* "s": shown with a prefix, "%": a fraction; NULL: as it is */
};

struct table_cell {
    const char *text; /* NULL: the number */
    double number;    /* NAN: unknown */
};

struct sweep_table {
    const struct table_column *columns;
    size_t column_count;
    struct table_cell *cells; /* row by row */
    size_t row_count;
    const char *title; /* above the text; NULL: none */
};

/* To `path`, NULL: standard output. Text, JSON and CSV. */
int table_write(struct cli *cli, const struct sweep_table *table, ws_format format,
                const char *path);

#endif
