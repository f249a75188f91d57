// SPDX-License-Identifier: Apache-2.0
/* Sets of launches that were measured on hardware: accuracy/SET.yaml and its table (doc/accuracy.md). */
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include "cli/cli.h"

/* A column of the table that is compared: `counter:ID` or `simulator:NAME`. */
struct validate_column {
    const char *name; /* ID or NAME */
    size_t index;     /* in the table */
};

struct validate_row {
    size_t line; /* of the table */
    const char *application, *kernel, *entry, *instance, *role, *file, *args;
    uint32_t grid[3], block[3];
    uint64_t shared_bytes;
    unsigned registers; /* of the measured binary; 0: not known */
    double measured;    /* in the set's unit */
    double *values;     /* by column; NAN: not measured */
};

struct validate_set {
    const char *id, *folder, *title, *source, *machine;
    const char *table; /* path, for messages */
    bool in_cycles;    /* `measured` is in core cycles of the machine, else in seconds */
    struct validate_column *counters, *simulators;
    size_t counter_count, simulator_count;
    struct validate_row *rows;
    size_t row_count;
};

/* `name`: a set of accuracy/, or the path of a .yaml file. EXIT_INPUT with file and line if it is wrong,
 * EXIT_USAGE with the list of sets if the name is unknown. */
int validate_read(struct cli *cli, const char *name, struct validate_set *out);
/* Ids of the sets of accuracy/, in alphabetical order. */
int validate_list(struct cli *cli, const char ***out, size_t *out_count);

#endif
