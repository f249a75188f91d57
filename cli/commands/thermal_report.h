// SPDX-License-Identifier: Apache-2.0
/* What the thermal command asked and found, and its forms. */
#ifndef CLI_THERMAL_REPORT_H
#define CLI_THERMAL_REPORT_H

#include "cli/options/analysis.h"

enum thermal_table { TABLE_DEFAULT, TABLE_BLOCKS, TABLE_CELLS, TABLE_CURVE };

struct thermal_request {
    bool has_kernel; /* whose watts are taken */
    bool grid_floorplan;
    const char **sets; /* "machine.KEY=VALUE" */
    size_t set_count;
    bool has_active;
    unsigned *active_sms;
    size_t active_count;
    const char *active_text; /* as given */
    unsigned best;           /* 0: not asked for */
    double watts_per_sm, watts_per_tpc, idle_watts;
    const char **block_watts; /* "NAME=W" */
    size_t block_watts_count;
    double transient_seconds; /* 0: not asked for */
    double step_seconds;
    bool cold;
    enum thermal_table table; /* of CSV */
    const char *svg;
    ws_format format;
    const char *output;
};

struct thermal_answer {
    ws_machine *machine;
    const char *kernel; /* NULL: none */
    const char *time_model;
    ws_core_point point;  /* of the kernel on so many SMs */
    bool watts_are_given; /* not modelled for this GPU: `point` has time and SMs alone */
    ws_thermal *thermal;
    ws_thermal_plan plan;
    ws_thermal_block *blocks;
    ws_thermal_load load; /* with the watts that were used */
    bool *is_active;      /* by block: an SM that works, or the shared part of its TPC */
    ws_thermal_state state;
    double *cells;
    ws_thermal_heat *heat;    /* by block */
    ws_thermal_choice choice; /* size 0: no search */
    ws_thermal_point *points;
    size_t point_count;
};

/* "0,7,1,8", "0-3", "all", "none". Numbers are checked against the machine later; `sm_count` is for all. */
int thermal_parse_sms(struct cli *cli, const char *text, unsigned sm_count, unsigned **out,
                      size_t *out_count);

/* thermal_kernel.c: what the kernel draws on the SMs that the request names, or that it has blocks for;
 * answer->point. */
int thermal_find_kernel(struct analysis *a, const struct command *command,
                        const struct thermal_request *request, struct thermal_answer *answer);

/* The --set of the request. */
int thermal_apply_sets(struct cli *cli, const struct thermal_request *request, ws_machine *machine);

int thermal_write(struct cli *cli, const struct thermal_request *request,
                  const struct thermal_answer *answer);
void thermal_write_text(FILE *out, struct cli *cli, const struct thermal_request *request,
                        const struct thermal_answer *answer, bool quiet);
int thermal_write_svg(struct cli *cli, const char *path, const struct thermal_answer *answer);

#endif
