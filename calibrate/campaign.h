// SPDX-License-Identifier: Apache-2.0
/* A campaign: every point of the chosen benchmarks is timed and kept in the raw data. */
#ifndef CALIBRATE_CAMPAIGN_H
#define CALIBRATE_CAMPAIGN_H

#include "calibrate/gpu.h"

/* Is the benchmark chosen by --only and --power? */
bool bench_is_chosen(const struct calibration *calibration, const struct bench *bench);
/* An exit code. Points that the raw data have are left out. */
int campaign_run(const struct calibration *calibration, struct gpu *gpu, struct raw *raw);

#endif
