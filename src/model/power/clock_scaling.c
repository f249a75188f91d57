// SPDX-License-Identifier: Apache-2.0
#include "model/power/clock_scaling.h"

#include <math.h>

void clock_set(struct machine *machine, double clock_hz)
{
    static const enum machine_key outside[] = {MACHINE_DRAM_LATENCY, MACHINE_L2_LATENCY};
    static const enum machine_key dram[] = {
        MACHINE_DRAM_BANDWIDTH, MACHINE_DRAM_SUSTAINED_BANDWIDTH, MACHINE_DRAM_MIXED_BANDWIDTH};
    double ratio = clock_hz / machine_get(machine, MACHINE_CLOCK_CORE, clock_hz);
    double share = machine_dram_share(machine, clock_hz);
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        machine->values[outside[i]].value *= ratio;
    for (size_t i = 0; i < sizeof dram / sizeof dram[0]; i++)
        machine->values[dram[i]].value *= share;
    machine->values[MACHINE_CLOCK_CORE].value = clock_hz;
}

double clock_volts(const struct machine *machine, double clock_hz)
{
    double least_hz = machine_get(machine, MACHINE_CLOCK_LEAST, NAN);
    double most_hz = machine_get(machine, MACHINE_CLOCK_MOST, NAN);
    double least = machine_get(machine, MACHINE_CLOCK_LEAST_VOLTAGE, NAN);
    double most = machine_get(machine, MACHINE_CLOCK_MOST_VOLTAGE, NAN);
    if (!(most_hz > least_hz)) return most_hz == least_hz ? most : (double)NAN;
    double knee_hz = fmax(least_hz, machine_get(machine, MACHINE_CLOCK_VOLTAGE_KNEE, least_hz));
    if (!(most_hz > knee_hz)) return least;
    double volts = least + (most - least) * (clock_hz - knee_hz) / (most_hz - knee_hz);
    return isnan(volts) ? volts : fmax(least, volts);
}

double clock_volts_squared(const struct machine *machine)
{
    double volts = clock_volts(machine, machine_get(machine, MACHINE_CLOCK_CORE, 0)) /
                   machine_get(machine, MACHINE_CLOCK_LEAST_VOLTAGE, NAN);
    return isfinite(volts) ? volts * volts : 1;
}

static double measured_hz(const struct machine *machine)
{
    return machine_get(machine, MACHINE_POWER_CLOCK, machine_get(machine, MACHINE_CLOCK_CORE, 0));
}

double clock_ratio(const struct machine *machine)
{
    double clock = machine_get(machine, MACHINE_CLOCK_CORE, 0), at = measured_hz(machine);
    return clock > 0 && at > 0 ? clock / at : 1;
}

/* Switching power is C V^2 f. */
double clock_power_ratio(const struct machine *machine)
{
    double volts = clock_volts(machine, machine_get(machine, MACHINE_CLOCK_CORE, 0)) /
                   clock_volts(machine, measured_hz(machine));
    return clock_ratio(machine) * (isfinite(volts) ? volts * volts : 1);
}
