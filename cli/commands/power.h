// SPDX-License-Identifier: Apache-2.0
/* The command power: what was asked, what came out, and its writers. */
#ifndef CLI_POWER_H
#define CLI_POWER_H

#include "cli/options/placement.h"

struct power_request {
    ws_format format;
    const char *output;
    bool wants_cores, all_cores; /* --cores given; all of them */
    unsigned first, last;
    bool wants_clocks; /* --clock-ghz given */
    ws_clock_range clocks;
    bool wants_curve;
    ws_warming warming; /* times and start; power and intensity come from the kernel */
};

/* One kernel on one GPU. */
struct power_answer {
    const char *kernel;
    ws_machine *machine;
    ws_power power;
    ws_core_point *points;
    size_t point_count;
    ws_core_summary cores;
    ws_clock_point *clocks;
    size_t clock_count;
    ws_clock_summary clock;
    struct placement placement; /* of the best clock and number of SMs */
    ws_warming_point *curve;    /* NULL: not asked for */
    size_t curve_count;
};

/* How a metric is called: "runtime", "total", "powergate". */
extern const char *const power_metric_ids[WS_POWER_METRICS];
extern const char *const power_metric_texts[WS_POWER_METRICS];
/* Energy of a point: watts of the metric times time. */
double power_joules(const ws_core_point *point, ws_power_metric metric);
/* What to do, and why: one sentence. */
const char *power_advice(struct cli *cli, const struct power_answer *answer);
/* Where the model passes from one case to another between two numbers of cores or two clocks; "" if
 * nowhere. */
const char *power_jumps(struct cli *cli, const struct power_answer *answer);

/* power_clock.c: the option, the answer, and its forms. */
int power_read_clocks(struct cli *cli, const char *text, ws_clock_range *out);
int power_find_clocks(struct cli *cli, const ws_profile *profile, const ws_predict_options *given,
                      const ws_clock_range *range, struct power_answer *answer);
/* Which clock, on how many SMs, and why: one sentence. */
const char *power_clock_advice(struct cli *cli, const struct power_answer *answer);
void power_put_clocks(FILE *out, struct cli *cli, const struct power_answer *answer);
void power_csv_clocks(FILE *out, const struct power_answer *answer);

int power_write(struct cli *cli, const struct power_request *request,
                const struct power_answer *answers, size_t count);

#endif
