// SPDX-License-Identifier: Apache-2.0
/* The history of this process' GPU: what it drew and how warm it is, for nvml_sensors.c. */
#ifndef RUNTIME_POWER_LOG_H
#define RUNTIME_POWER_LOG_H

#include "gpu_history.h"
#include "runtime.h"

/* What the model ipp-power says in an answer about one launch, at the time that the answer predicts. */
struct launch_power launch_power_of(const ws_answer *answer);
/* A launch took virtual time, one after another. power: NULL: its time is unknown, and so is its power. */
void power_log_ran(const struct launch_power *power, double begin, double end);
/* To be read: with the figures of the machine file in it. */
const struct gpu_history *power_log(void);

#endif
