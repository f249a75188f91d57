// SPDX-License-Identifier: Apache-2.0
/* What a launch does that takes energy, and what one of each takes on a machine: events in, joules out
 * (doc/models/energy-per-instruction.md). Part of energy_per_instruction.c. */
#ifndef MODEL_INSTRUCTION_ENERGY_H
#define MODEL_INSTRUCTION_ENERGY_H

#include "model/core/estimate.h"
#include "model/power/ipp_power.h"

enum energy_unit {
#define ENERGY_UNIT(name, id, dimension, place, text) ENERGY_UNIT_##name,
#include "machine/energy_units.def"
#undef ENERGY_UNIT
    ENERGY_UNIT_COUNT
};
struct energy_unit_info {
    const char *id, *text;
    enum power_unit shown_as;
    bool is_bytes;
};
extern const struct energy_unit_info energy_unit_infos[ENERGY_UNIT_COUNT];

/* Of the launch: threads for instructions, multiply-adds of tensor cores, bytes for memory. */
struct energy_events {
    double counts[ENERGY_UNIT_COUNT];
    double warps[ENERGY_UNIT_COUNT]; /* warp instructions behind them; of bytes: 128 each */
    double lanes;                    /* mean active lanes of a warp instruction, 0 to 32 */
    bool has_caches;                 /* else every byte comes from DRAM */
};
void energy_events_count(const struct model_input *input, struct energy_events *out);

/* Temperature of the chip at which the figures of the machine files hold: AccelWattch measured at 65 degC (its
 * profile_ubench_power.sh); assumed of the other sources. */
#define ENERGY_CELSIUS 65.0
/* Static power at a temperature over that at ENERGY_CELSIUS. */
double energy_leakage_ratio(double celsius);

/* Of a machine at its clock.core and a temperature of the chip: joules of an event, watts. */
struct energy_prices {
    double joules[ENERGY_UNIT_COUNT];
    double sm_cycle_joules;
    double constant_watts, static_watts; /* of the GPU */
    double volts_squared; /* over that of the figures; of all but DRAM and `constant` */
};
void energy_prices_read(const struct machine *machine, double whole_sms, double celsius,
                        struct energy_prices *out);

#endif
