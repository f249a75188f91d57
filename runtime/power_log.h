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
/* By the model ipp-power, at the times that are predicted; `answer`: that of the counted launch, or NULL. */
struct class_power class_power_of(const ws_profile *profile, double l2_found,
                                  const ws_answer *answer);
/* Somebody reads: from here on launches are told apart by what they find in the L2, which costs two more
 * predictions for each that is counted. */
void power_log_use(void);
/* Of a launch that finds that share of its sectors in the L2. power: NULL: unknown. */
struct launch_power class_power_with(const struct class_power *power, double l2_found);
/* A launch took virtual time, one after another. */
void power_log_ran(const struct launch_power *power, double begin, double end);
/* To be read: with the figures of the machine file in it. */
const struct gpu_history *power_log(void);

#endif
