// SPDX-License-Identifier: Apache-2.0
/* How a GPU changes with the clock of its SMs. */
#ifndef MODEL_CLOCK_SCALING_H
#define MODEL_CLOCK_SCALING_H

#include "machine/machine.h"

/* Another clock.core, with the memory's as it is (Hong's thesis, section 5.5.3). What lies beyond the SMs keeps its time, so that dram.latency and l2.latency, in
 * cycles of the SMs, change with it; bandwidths stay, but for what l2.fill_bandwidth limits. */
void clock_set(struct machine *machine, double clock_hz);
/* Supply voltage at a clock: that at clock.least up to clock.voltage_knee, then a straight line to that at
 * clock.most (a guess). NAN if the machine file lacks a clock or a voltage. */
double clock_volts(const struct machine *machine, double clock_hz);
/* Square of the voltage at clock.core over that at clock.least; 1 where the voltage is unknown. */
double clock_volts_squared(const struct machine *machine);
/* clock.core over the clock at which the coefficients of power were measured (power.clock). */
double clock_ratio(const struct machine *machine);
/* Power of the SMs' switching over that at power.clock: f V^2, or f where the voltage is unknown. */
double clock_power_ratio(const struct machine *machine);

#endif
