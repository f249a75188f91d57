// SPDX-License-Identifier: Apache-2.0
/* The command energy: rows of speed-up against energy efficiency, and their writers. */
#ifndef CLI_ENERGY_H
#define CLI_ENERGY_H

#include "cli/cli.h"

struct energy_row {
    double swept; /* value of what is swept; NAN: nothing is */
    double share; /* of the data that the GPU gets, 0 to 1; NAN: one device */
    double seconds, watts, speedup, efficiency;
};

/* Rows that make one curve. */
struct energy_curve {
    const char *name;
    struct energy_row *rows;
    size_t count;
    double curvature;      /* 0: a straight line */
    unsigned quadrants[5]; /* of its rows: enum energy_quadrant */
};

enum energy_quadrant {
    QUADRANT_WORSE,   /* slower, more energy: bottom left */
    QUADRANT_BETTER,  /* faster, less energy: top right */
    QUADRANT_FASTER,  /* faster, more energy: bottom right */
    QUADRANT_THRIFTY, /* slower, less energy: top left */
    QUADRANT_BASE,    /* as the baseline in one of them */
};
extern const char *const energy_quadrant_names[5];
enum energy_quadrant energy_quadrant_of(const struct energy_row *row);

struct energy_table {
    ws_format format;
    const char *output;
    const char *swept; /* name of what is swept; NULL: nothing */
    struct energy_curve *curves;
    size_t count;
    bool series; /* of table 16 */
    const char *notes;
};

int energy_write(struct cli *cli, const struct energy_table *table);

#endif
