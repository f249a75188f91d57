// SPDX-License-Identifier: Apache-2.0
/* Occupancy against one parameter of a launch: the curves of the questions `occupancy` and `analyze`. */
#ifndef ANSWER_OCCUPANCY_STEPS_H
#define ANSWER_OCCUPANCY_STEPS_H

#include "base/arena.h"
#include "base/diag.h"
#include "machine/machine.h"

struct occupancy_step {
    ws_occupancy_point point;
    double lost;
    bool is_here;
};

struct occupancy_curve {
    const char *over;
    uint64_t here; /* value of the launch ... */
    bool has_here; /* ... if there is one */
    unsigned max_warps;
    size_t count;
    struct occupancy_step *steps; /* NULL: not asked for */
};

/* What can be varied, by name, then NULL; and what each is to machine_occupancy_curve. */
extern const char *const occupancy_curve_words[];
extern const enum occupancy_vary occupancy_curve_varied[];

/* In the arena. */
ws_status occupancy_curve_find(struct diag *diag, struct arena *arena,
                               const struct machine *machine, const struct occupancy_query *query,
                               enum occupancy_vary vary, struct occupancy_curve *out);

/* One over each parameter. */
enum { OCCUPANCY_CURVES = 3 };
struct occupancy_curves {
    struct occupancy_query query;
    struct occupancy_curve curves[OCCUPANCY_CURVES];
};

#endif
