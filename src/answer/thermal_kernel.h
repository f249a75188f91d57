// SPDX-License-Identifier: Apache-2.0
/* A kernel on some of the SMs, as the question `thermal` takes it. */
#ifndef ANSWER_THERMAL_KERNEL_H
#define ANSWER_THERMAL_KERNEL_H

#include "answer/question.h"
#include "model/power/core_sweep.h"

struct thermal_kernel {
    const char *name;                     /* NULL: no kernel */
    const char *time_model, *power_model; /* power_model NULL: watts_are_given */
    struct core_sweep_point point;
    /* The power is not modelled for this GPU, or yields: `point` has time and SMs alone, an SM draws what the user or
     * the machine file says. */
    bool watts_are_given;
};

/* Time, SMs and power of the asked profile on as many SMs as are asked for, or as it has blocks for. */
ws_status thermal_kernel_find(const struct asked *asked, struct thermal_kernel *out);

#endif
