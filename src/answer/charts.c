// SPDX-License-Identifier: Apache-2.0
#include "answer/charts.h"

#include <math.h>

extern const struct record record_occupancy_curve, record_power_point, record_power_curve_point;
extern const struct question question_thermal;

static const struct record *thermal_record(size_t index)
{
    return index ? NULL : question_thermal.record;
}

static double rate_of(double amount, double seconds)
{
    return amount >= 0 && seconds > 0 ? amount / seconds : NAN;
}

#define FIGURE_FILE "answer/figures/charts.def"
#include "base/figure_tables.h"

/* Every value that the machine allows of each parameter, the others as in the launch. */
static ws_status find_occupancy(struct asked *asked, const struct prediction *prediction,
                                struct machine_charts *out)
{
    struct arena *arena = &asked->answer->arena;
    const struct profile *profile = prediction->profile;
    const struct machine *machine = prediction->machine;
    if (machine->kind == MACHINE_IS_CPU) out->no_occupancy = "CPUs have no occupancy";
    if (machine->kind != MACHINE_IS_CPU && !prediction->occupancy.blocks_per_sm)
        out->no_occupancy = "the occupancy of the launch is unknown";
    if (out->no_occupancy) return WS_OK;
    struct occupancy_curves *curves = ARENA_ARRAY(arena, struct occupancy_curves, 1);
    curves->query = (struct occupancy_query){
        .threads_per_block = profile_threads_per_block(profile),
        .registers_per_thread = prediction->registers,
        .shared_bytes = profile_shared_bytes(profile),
    };
    for (size_t i = 0; i < OCCUPANCY_CURVES; i++)
        TRY(occupancy_curve_find(asked->diag, arena, machine, &curves->query,
                                 occupancy_curve_varied[i], &curves->curves[i]));
    out->occupancy = curves;
    return WS_OK;
}

ws_status charts_find(struct asked *asked, const struct prediction *prediction,
                      const struct machine_charts **out)
{
    struct arena *arena = &asked->answer->arena;
    struct machine_charts *charts = ARENA_ARRAY(arena, struct machine_charts, 1);
    charts->roofline = chart_roofline(arena, prediction, &charts->no_roofline);
    charts->scaling = chart_scaling(arena, prediction, &charts->no_scaling);
    charts->parallelism = chart_parallelism(arena, prediction, &charts->no_parallelism);
    TRY(find_occupancy(asked, prediction, charts));
    TRY(chart_sensitivity(asked, prediction, &charts->sensitivity, &charts->no_sensitivity));
    TRY(chart_power(asked, prediction, &charts->power, &charts->no_power));
    *out = charts;
    return WS_OK;
}
