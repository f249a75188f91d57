// SPDX-License-Identifier: Apache-2.0
/* What disturbs a campaign: other programs on the GPU, clocks that change, heat. A reference kernel, which always
 * does the same work, runs before and after each benchmark; NVML says the rest. */
#ifndef CALIBRATE_WATCH_H
#define CALIBRATE_WATCH_H

#include "calibrate/power.h"

struct watch {
    const struct calibration *calibration;
    struct gpu *gpu;
    struct raw *raw;
    struct nvml *nvml;        /* NULL: not available */
    char no_nvml[128];        /* why */
    struct power_meter meter; /* with NVML */
    bool has_power;           /* NVML tells power */
    unsigned plans;
    bool is_watched;        /* the plan that is loaded has the reference */
    struct point reference; /* of the plan that is loaded */
    double seconds, cycles; /* of the reference before the benchmark; 0: none yet */
};

/* Opens NVML; tells what is amiss. */
void watch_open(struct watch *watch, const struct calibration *calibration, struct gpu *gpu,
                struct raw *raw);
void watch_close(struct watch *watch);
/* Adds the reference kernel to a plan that has points. Points of power have readings of their own; under `warpsage
 * run`, where nothing disturbs, one plan in ten is watched. */
void watch_plan(struct watch *watch, const struct bench *bench, struct plan *plan);
/* Runs the reference before a benchmark. false: told. */
bool watch_begin(struct watch *watch, const struct plan *plan);
/* Runs it after it: *out is what disturbed the points in between, "" for nothing. false: told. */
bool watch_end(struct watch *watch, const struct plan *plan, const char **out);
/* Notes clock and throttling of a point that was just timed. */
void watch_point(struct watch *watch, struct raw_point *point);

#endif
