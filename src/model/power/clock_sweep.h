// SPDX-License-Identifier: Apache-2.0
/* The same work at other clocks of the SMs, on any number of them: which clock, and how many SMs, have
 * the best performance per watt. Part of estimate.h. */
#ifndef MODEL_CLOCK_SWEEP_H
#define MODEL_CLOCK_SWEEP_H

#include "model/power/core_sweep.h"

enum { CLOCKS_MAX = 1000 };

/* least_hz, least_hz + step_hz ... most_hz. All 0: ten steps from clock.least to clock.most, or from half
 * of clock.core (a guess) to clock.core where the machine file has none. */
struct clock_range {
    double least_hz, most_hz, step_hz;
};

struct clock_sweep_point {
    double clock_hz;
    double volts;                      /* NAN: unknown, assumed constant over clocks */
    struct core_sweep_point all, best; /* all SMs; the number with the best performance per watt */
};

struct clock_sweep {
    struct arena arena;
    const char *time_model;
    struct core_sweep_point now; /* all SMs at clock.core */
    double now_hz;
    size_t count;
    struct clock_sweep_point *points;
    size_t best_all,
        best; /* by total power: of all SMs; of `best`, so of clock and number together */
    size_t best_edp, best_ed2p; /* by energy x time and energy x time^2, of all SMs */
    /* The highest clock, up to clock.core, at which all SMs stay within power.tdp. */
    bool has_limit, is_limited; /* there is one; it is below clock.core */
    double limit_hz;
    struct core_sweep_point limit;
    double
        divided_hz; /* clock.core over the divisor of (93), by the model throughput; NAN: unknown */
    bool every_pair; /* else, for a model that follows traces: each clock with all SMs and with
                            * the number that is the best at clock.core */
};

/* The launch of `whole` at these clocks. `known`: the same launch at clock.core, whose points are
 * not worked out again if they are those of all numbers of SMs; may be NULL. WS_ERR_ARGUMENT if that is no range; WS_ERR_NO_MODEL if time or power
 * cannot be predicted. */
ws_status clock_sweep_run(struct diag *diag, const struct prediction *whole,
                          const struct core_sweep *known, const struct clock_range *range,
                          struct clock_sweep **out);
void clock_sweep_destroy(struct clock_sweep *sweep);

#endif
