// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "api/handles.h"
#include "base/float_state.h"
#include "model/thermal/thermal.h"

struct ws_thermal {
    ws_context *context;
    struct arena arena; /* a floorplan that was made up */
    const struct floorplan *plan;
    struct thermal *thermal;
    unsigned cells;
};

static struct diag *diag_of(const ws_thermal *thermal)
{
    return &thermal->context->diag;
}

/* ---- create ---------------------------------------------------------------------------------- */

static ws_status find_plan(const ws_machine *machine, bool grid, struct arena *arena,
                           const struct floorplan **out)
{
    const struct machine *inner = machine->machine;
    struct diag *diag = &machine->context->diag;
    *out = inner->floorplan;
    if (grid) return machine_floorplan_grid(diag, arena, inner, out);
    if (*out) return WS_OK;
    return diag_error(diag, WS_ERR_NO_MODEL,
                      "%s has no floorplan: add one to the machine file, or ask for --floorplan "
                      "grid, a made-up one",
                      inner->id);
}

ws_status ws_thermal_create(const ws_machine *machine, const ws_thermal_options *options,
                            ws_thermal **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(machine->context, out)
    struct diag *diag = &machine->context->diag;
    const struct floorplan *plan;
    struct arena arena = {0};
    struct thermal *inner;
    TRY(handle_check_size(diag, "ws_thermal_options", options->size, sizeof *options));
    unsigned cells = options->cells ? options->cells : THERMAL_CELLS;
    if (cells < THERMAL_LEAST_CELLS || cells > THERMAL_MOST_CELLS)
        return diag_error(diag, WS_ERR_ARGUMENT, "%u cells: %d to %d are possible", cells,
                          THERMAL_LEAST_CELLS, THERMAL_MOST_CELLS);
    ws_status status = find_plan(machine, options->grid_floorplan, &arena, &plan);
    if (status == WS_OK)
        status =
            thermal_create(diag, machine->machine, plan, cells, options->grid_floorplan, &inner);
    if (status != WS_OK) {
        arena_clear(&arena);
        return status;
    }
    *out = mem_zalloc(1, sizeof **out);
    **out = (ws_thermal){machine->context, arena, plan, inner, cells};
    return WS_OK;
}

void ws_thermal_destroy(ws_thermal *thermal)
{
    if (!thermal) return;
    thermal_destroy(thermal->thermal);
    arena_clear(&thermal->arena);
    mem_free(thermal);
}

const char *ws_thermal_assumption(const ws_thermal *thermal, size_t index)
{
    return thermal_assumption(thermal->thermal, index);
}

ws_status ws_thermal_describe_plan(const ws_thermal *thermal, ws_thermal_plan *out)
{
    STANDARD_FLOATS;
    const struct floorplan *plan = thermal->plan;
    TRY(handle_check_size(diag_of(thermal), "ws_thermal_plan", out->size, sizeof *out));
    *out = (ws_thermal_plan){out->size,         plan->width_metres, plan->height_metres,
                             plan->block_count, plan->sm_count,     plan->tpc_count,
                             thermal->cells,    plan->source};
    return WS_OK;
}

ws_status ws_thermal_describe_block(const ws_thermal *thermal, size_t index, ws_thermal_block *out)
{
    STANDARD_FLOATS;
    const struct floorplan *plan = thermal->plan;
    TRY(handle_check_size(diag_of(thermal), "ws_thermal_block", out->size, sizeof *out));
    if (index >= plan->block_count)
        return diag_error(diag_of(thermal), WS_ERR_ARGUMENT, "there is no block %zu of %zu", index,
                          plan->block_count);
    const struct floorplan_block *block = &plan->blocks[index];
    *out = (ws_thermal_block){.size = out->size,
                              .name = block->name,
                              .kind = floorplan_kind_words[block->kind],
                              .sm = block->sm,
                              .tpc = block->tpc,
                              .x_metres = block->x_metres,
                              .y_metres = block->y_metres,
                              .width_metres = block->width_metres,
                              .height_metres = block->height_metres};
    return WS_OK;
}

/* ---- states ---------------------------------------------------------------------------------- */

static ws_status read_load(const ws_thermal *thermal, const ws_thermal_load *load,
                           struct thermal_load *out)
{
    TRY(handle_check_size(diag_of(thermal), "ws_thermal_load", load->size, sizeof *load));
    *out = (struct thermal_load){load->active_sms,    load->active_count, load->watts_per_sm,
                                 load->watts_per_tpc, load->idle_watts,   load->block_watts};
    return WS_OK;
}

ws_status ws_thermal_steady(ws_thermal *thermal, const ws_thermal_load *load, ws_thermal_state *out,
                            double *out_cells, ws_thermal_heat *out_blocks)
{
    STANDARD_FLOATS;
    API_CALL(thermal->context)
    struct thermal_load asked;
    struct thermal_state found;
    size_t count = thermal->plan->block_count;
    TRY(handle_check_size(diag_of(thermal), "ws_thermal_state", out->size, sizeof *out));
    TRY(read_load(thermal, load, &asked));
    struct thermal_heat *heat = out_blocks ? mem_zalloc(count, sizeof *heat) : NULL;
    ws_status status =
        thermal_steady(diag_of(thermal), thermal->thermal, &asked, &found, out_cells, heat);
    for (size_t i = 0; heat && status == WS_OK && i < count; i++)
        out_blocks[i] =
            (ws_thermal_heat){heat[i].watts, heat[i].mean_celsius, heat[i].peak_celsius};
    mem_free(heat);
    if (status != WS_OK) return status;
    *out = (ws_thermal_state){.size = out->size,
                              .active_tpcs = found.active_tpcs,
                              .idle_watts = found.idle_watts,
                              .dynamic_watts = found.dynamic_watts,
                              .static_watts = found.static_watts,
                              .sink_watts = found.sink_watts,
                              .peak_celsius = found.peak_celsius,
                              .peak_x_metres = found.peak_x_metres,
                              .peak_y_metres = found.peak_y_metres,
                              .mean_celsius = found.mean_celsius,
                              .least_celsius = found.least_celsius,
                              .rest_celsius = found.rest_celsius,
                              .spreader_celsius = found.spreader_celsius,
                              .sink_celsius = found.sink_celsius,
                              .ambient_celsius = found.ambient_celsius};
    return WS_OK;
}

ws_status ws_thermal_transient(ws_thermal *thermal, const ws_thermal_load *load,
                               const ws_thermal_run *run, ws_thermal_point *out, size_t capacity,
                               size_t *out_count)
{
    STANDARD_FLOATS;
    API_CALL(thermal->context)
    struct diag *diag = diag_of(thermal);
    struct thermal_load asked;
    *out_count = 0;
    TRY(handle_check_size(diag, "ws_thermal_run", run->size, sizeof *run));
    TRY(read_load(thermal, load, &asked));
    struct thermal_run inner = {run->seconds, run->step_seconds, run->cold};
    struct thermal_point *points = mem_zalloc(capacity + 1, sizeof *points);
    ws_status status =
        thermal_transient(diag, thermal->thermal, &asked, &inner, points, capacity, out_count);
    size_t stored = *out_count < capacity ? *out_count : capacity;
    for (size_t i = 0; status == WS_OK && i < stored; i++)
        out[i] = (ws_thermal_point){points[i].seconds,      points[i].peak_celsius,
                                    points[i].mean_celsius, points[i].sink_celsius,
                                    points[i].watts,        points[i].joules};
    mem_free(points);
    return status;
}

ws_status ws_thermal_best(ws_thermal *thermal, const ws_thermal_load *load, unsigned count,
                          ws_thermal_choice *out, unsigned *out_sms)
{
    STANDARD_FLOATS;
    API_CALL(thermal->context)
    struct thermal_load asked;
    struct thermal_choice found;
    TRY(handle_check_size(diag_of(thermal), "ws_thermal_choice", out->size, sizeof *out));
    TRY(read_load(thermal, load, &asked));
    TRY(thermal_best(diag_of(thermal), thermal->thermal, &asked, count, &found, out_sms));
    *out = (ws_thermal_choice){out->size,           found.exact,          found.sets,
                               found.active_tpcs,   found.dynamic_watts,  found.peak_celsius,
                               found.bound_celsius, found.distance_metres};
    return WS_OK;
}
