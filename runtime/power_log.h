// SPDX-License-Identifier: Apache-2.0
/* The history of this process' GPU: what it drew and how warm it is, for nvml_sensors.c. */
#ifndef RUNTIME_POWER_LOG_H
#define RUNTIME_POWER_LOG_H

#include "gpu_history.h"
#include "runtime.h"

/* Of the launches of a class with as many instructions as a counted one: with what that one found in the L2, with
 * none of it and with all. Unknown of a GPU without power coefficients. */
struct class_power {
    double l2_found;
    struct launch_power own, cold, warm;
};
struct class_seconds;
/* By the model ipp-power, at these virtual times; `answer`: that of the report's table, or NULL. */
struct class_power class_power_of(const ws_profile *profile, double l2_found,
                                  const ws_answer *answer, const struct class_seconds *seconds);
/* Somebody reads: from here on power is predicted at virtual times, with the hits in caches if virtual time is a
 * model's, and by what launches find in the L2. That costs up to three predictions for each that is counted. */
void power_log_use(void);
/* Of a launch that finds that share of its sectors in the L2. power: NULL: unknown. */
struct launch_power class_power_with(const struct class_power *power, double l2_found);
/* A launch took virtual time, one after another. */
void power_log_ran(const struct launch_power *power, double begin, double end);
/* To be read: with the figures of the machine file in it. */
const struct gpu_history *power_log(void);

#endif
