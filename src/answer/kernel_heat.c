// SPDX-License-Identifier: Apache-2.0
#include "answer/kernel_heat.h"

#include <math.h>

/* Of a layer in one direction: coarser than a heat map, as a choice need not be as fine. */
enum { CELLS = 32 };

double heat_activation(const struct core_sweep_point *point)
{
    double runtime = point->point.runtime_watts;
    double rest = runtime - point->sms_watts - point->memory_watts;
    return rest > 1e-9 * runtime ? rest : 0; /* else rounding */
}

/* So many watts by block, in proportion to the areas. */
static const double *spread_evenly(const struct floorplan *plan, double watts, struct arena *arena)
{
    double *out = ARENA_ARRAY(arena, double, plan->block_count + 1);
    for (size_t i = 0; i < plan->block_count; i++)
        out[i] = watts * plan->blocks[i].width_metres * plan->blocks[i].height_metres /
                 (plan->width_metres * plan->height_metres);
    return out;
}

void heat_load(const struct machine *machine, const struct floorplan *plan,
               const struct core_sweep_point *point, struct arena *arena, struct thermal_load *out)
{
    double activation = heat_activation(point);
    *out = (struct thermal_load){
        .watts_per_sm = point->sms_watts / point->active_sms,
        .watts_per_tpc = machine_get(machine, MACHINE_POWER_ACTIVE_TPC, 0),
        .idle_watts = NAN,
        .block_watts = activation > 0 ? spread_evenly(plan, activation, arena) : NULL,
    };
}

/* Under the machine's own floorplan, else under one in an array. */
static ws_status open_plan(const struct asked *asked, const struct machine *machine,
                           const struct floorplan **plan, struct thermal **out, bool *made_up)
{
    *plan = machine->floorplan;
    *made_up = false;
    if (*plan) {
        ws_status status = thermal_create(asked->diag, machine, *plan, CELLS, false, out);
        if (status != WS_ERR_NO_MODEL) return status;
        diag_clear(asked->diag);
    }
    *made_up = true;
    TRY(machine_floorplan_grid(asked->diag, &asked->answer->arena, machine, plan));
    return thermal_create(asked->diag, machine, *plan, CELLS, true, out);
}

static ws_status choose(const struct asked *asked, struct thermal *thermal,
                        const struct thermal_load *load, struct kernel_place *out)
{
    struct arena *arena = &asked->answer->arena;
    unsigned *sms = ARENA_ARRAY(arena, unsigned, out->sm_count + 1);
    TRY(thermal_best(asked->diag, thermal, load, (unsigned)out->count, &out->choice, sms));
    uint64_t *counts = ARENA_ARRAY(arena, uint64_t, out->count + 1);
    for (size_t i = 0; i < out->count; i++)
        counts[i] = sms[i];
    out->sms = counts;
    return WS_OK;
}

static void release_thermal(void *what)
{
    thermal_destroy(what);
}

void heat_place(const struct asked *asked, const struct machine *machine,
                const struct core_sweep_point *point, struct kernel_place *out)
{
    const struct floorplan *plan;
    struct thermal_load load;
    struct thermal *thermal = NULL;
    *out = (struct kernel_place){.count = (size_t)point->active_sms};
    ws_status status = open_plan(asked, machine, &plan, &thermal, &out->made_up);
    if (status == WS_OK) {
        out->sm_count = plan->sm_count;
        struct mem_guard guard;
        mem_guard_begin(&guard, release_thermal, thermal);
        heat_load(machine, plan, point, &asked->answer->arena, &load);
        status = choose(asked, thermal, &load, out);
        mem_guard_end(&guard);
        thermal_destroy(thermal);
    }
    if (status == WS_OK) return;
    out->reason = arena_copy(&asked->answer->arena, diag_text(asked->diag));
    diag_clear(asked->diag);
}
