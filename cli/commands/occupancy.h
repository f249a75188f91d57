// SPDX-License-Identifier: Apache-2.0
/* What the occupancy command asked and found, and its three forms. */
#ifndef CLI_OCCUPANCY_H
#define CLI_OCCUPANCY_H

#include "cli/cli.h"

struct occupancy_request {
    uint32_t block[3];
    ws_occupancy_query query; /* threads_per_block 0: only a curve over block is asked for */
    ws_vary curve;            /* 0: none */
    ws_format format;
    const char *output;
};

/* A change that puts more warps on an SM. */
struct occupancy_next {
    unsigned vary; /* ws_vary */
    ws_occupancy_query query;
    ws_occupancy occupancy;
};

enum { OCCUPANCY_CHANGES = 4 };

struct occupancy_answer {
    ws_machine *machine;
    ws_occupancy occupancy;
    const char *reason; /* why the launch does not fit; NULL: it does, or was not asked for */
    struct occupancy_next next[OCCUPANCY_CHANGES];
    size_t next_count;
    ws_occupancy_point *points;
    size_t point_count;
    unsigned max_warps_per_sm; /* with a curve */
};

int occupancy_write(struct cli *cli, const struct occupancy_request *request,
                    const struct occupancy_answer *answers, size_t count);

/* Warps lost by one more behind a point of the curve; negative: gained, 0: the last point. */
int occupancy_cliff(const struct occupancy_answer *answer, size_t point);
/* The launch's own value lies in this point. */
bool occupancy_is_here(const struct occupancy_request *request, const ws_occupancy_point *point);
const char *occupancy_vary_name(ws_vary vary);

/* Names of the limits, with `between` between them. */
void occupancy_put_limiters(FILE *out, unsigned limiters, const char *between);

struct occupancy_text {
    struct cli *cli;
    FILE *out;
    unsigned width;
    bool utf8;
};
void occupancy_write_text(const struct occupancy_text *text,
                          const struct occupancy_request *request,
                          const struct occupancy_answer *answers, size_t count);

#endif
