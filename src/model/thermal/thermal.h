// SPDX-License-Identifier: Apache-2.0
/* Where heat goes: a network of heat resistances and capacities of die, spreader and heat sink, in
 * the manner of HotSpot's grid model (Skadron et al., ISCA 2003), under a floorplan. It answers what
 * Hong's thesis measured in chapter IV: how warm which part of the chip is, given which SMs work.
 * doc/models/thermal.md has the equations.
 *
 * Temperatures are in degrees Celsius, everything else in SI units. The die's temperatures are those of
 * its transistors, on the face away from the spreader. */
#ifndef MODEL_THERMAL_H
#define MODEL_THERMAL_H

#include "machine/machine.h"

enum { THERMAL_CELLS = 64, THERMAL_LEAST_CELLS = 2, THERMAL_MOST_CELLS = 128 };

struct thermal; /* network, factor, influence of every SM */

/* `plan` and `machine` must outlive it. cells: of a layer in one direction. The package (spreader, sink,
 * air) is the machine's; with `assume` its gaps are filled with those of HotSpot's example, else a gap
 * is WS_ERR_NO_MODEL. WS_ERR_COMPARE: static power grows faster with temperature than the sink cools. */
ws_status thermal_create(struct diag *diag, const struct machine *machine,
                         const struct floorplan *plan, unsigned cells, bool assume,
                         struct thermal **out);
void thermal_destroy(struct thermal *thermal);

/* What was assumed to make the network: sentence by sentence, NULL beyond the last. */
const char *thermal_assumption(const struct thermal *thermal, size_t index);

/* Heat of the chip beyond that at rest: watts each. */
struct thermal_load {
    const unsigned *active_sms; /* no SM twice */
    size_t active_count;
    double watts_per_sm, watts_per_tpc; /* NAN: the machine's */
    double idle_watts;                  /* at rest, all of the die by area; NAN: the machine's */
    const double *block_watts;          /* further heat of each block of the plan, or NULL */
};

struct thermal_state {
    unsigned active_tpcs;
    double idle_watts, dynamic_watts; /* given */
    double static_watts; /* that the chip draws more because it is warmer than at rest */
    double sink_watts;   /* that the air takes: the sum of the three */
    double peak_celsius, peak_x_metres, peak_y_metres, mean_celsius, least_celsius; /* of the die */
    double rest_celsius;                   /* mean of the die at rest */
    double spreader_celsius, sink_celsius; /* means */
    double ambient_celsius;
};

struct thermal_heat {
    double watts; /* static power that a warmer chip draws more included */
    double mean_celsius, peak_celsius;
};

/* Checks what the load asks for and fills in the machine's watts. */
ws_status thermal_check_load(struct diag *diag, const struct thermal *thermal,
                             const struct thermal_load *load, struct thermal_load *out);

/* The steady state. cells: of the die, row by row from the top, cells * cells of them, or NULL; blocks:
 * one a block of the plan, or NULL. */
ws_status thermal_steady(struct diag *diag, struct thermal *thermal,
                         const struct thermal_load *load, struct thermal_state *out,
                         double *out_cells, struct thermal_heat *out_blocks);

struct thermal_run {
    double seconds, step_seconds; /* step 0: a hundredth */
    bool cold;                    /* all as warm as the air at first, else the chip is at rest */
};
struct thermal_point {
    double seconds, peak_celsius, mean_celsius, sink_celsius;
    double watts, joules; /* drawn by the die; since the start */
};

/* From the moment at which the load begins. At most `capacity` points are stored; *out_count is how
 * many there are: steps + 1. WS_ERR_ARGUMENT: a step that the curve would be wrong with. */
ws_status thermal_transient(struct diag *diag, struct thermal *thermal,
                            const struct thermal_load *load, const struct thermal_run *run,
                            struct thermal_point *out, size_t capacity, size_t *out_count);
/* Time constant of the whole package as one lump, the longest there is. */
double thermal_time_constant_seconds(const struct thermal *thermal);

struct thermal_choice {
    bool exact;             /* no set is better; else the bound says by how much one might be */
    double sets;            /* that there are of this many SMs */
    unsigned active_tpcs;   /* the fewest that they fit in, if a TPC draws power at all */
    double dynamic_watts;   /* the least */
    double peak_celsius;    /* of the chosen set */
    double bound_celsius;   /* no set of these watts stays below */
    double distance_metres; /* between the two active TPCs that are nearest; 0: one TPC */
};

/* The `count` SMs with the least power, and among those the lowest peak temperature; of equal ones the
 * first in lexicographic order. load->active_sms is not looked at. */
ws_status thermal_best(struct diag *diag, struct thermal *thermal, const struct thermal_load *load,
                       unsigned count, struct thermal_choice *out, unsigned *out_sms);

#endif
