// SPDX-License-Identifier: Apache-2.0
/* Heat of a kernel on the chip, and the SMs on which it is coolest: watts by ipp-power, under the machine's
 * floorplan. */
#ifndef ANSWER_KERNEL_HEAT_H
#define ANSWER_KERNEL_HEAT_H

#include "answer/question.h"
#include "model/power/core_sweep.h"
#include "model/thermal/thermal.h"

/* Watts all over the die as soon as anything runs. */
double heat_activation(const struct core_sweep_point *point);
/* Units of its SMs on these, and the activation over the die; what a TPC draws is in the SMs' watts unless
 * the machine file tells it apart. L2 and DRAM are left out: table 8 of Hong's thesis has the DRAM as off
 * the chip. Watts of blocks are in the arena. */
void heat_load(const struct machine *machine, const struct floorplan *plan,
               const struct core_sweep_point *point, struct arena *arena, struct thermal_load *out);

struct kernel_place {
    const char *reason; /* why it is unknown; NULL: it is known */
    const uint64_t *sms;
    size_t count, sm_count; /* active SMs; of the floorplan */
    bool made_up;           /* the machine file has no floorplan: an array, and a usual package */
    struct thermal_choice choice;
};

/* The SMs with the least power and, of those, the lowest peak, in ascending order. */
void heat_place(const struct asked *asked, const struct machine *machine,
                const struct core_sweep_point *point, struct kernel_place *out);

#endif
