// SPDX-License-Identifier: Apache-2.0
/* Steady temperatures of a chip by the SMs that work. */
#include "model/thermal/thermal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/thermal/thermal_network.h"

/* ---- create ---------------------------------------------------------------------------------- */

static ws_status run_away(struct diag *diag, const struct machine *machine)
{
    return diag_error(diag, WS_ERR_COMPARE,
                      "%s reaches no steady temperature: static power grows by %.4g W/K, faster "
                      "than the heat sink removes it; check power.static_per_kelvin and "
                      "thermal.sink.resistance",
                      machine->id, machine_get(machine, MACHINE_POWER_STATIC_PER_KELVIN, 0));
}

static ws_status check_plan(struct diag *diag, const struct machine *machine,
                            const struct floorplan *plan)
{
    double sms = machine_get(machine, MACHINE_SM_COUNT, plan->sm_count);
    if (sms == plan->sm_count) return WS_OK;
    return diag_error(diag, WS_ERR_COMPARE,
                      "%s has %.0f SMs, but its floorplan has %u: use the floorplan of this chip",
                      machine->id, sms, plan->sm_count);
}

/* Where the SMs are, and what part of a TPC's heat each block has: by area on its shared parts, else
 * on its SMs. */
static void index_plan(struct thermal *thermal)
{
    const struct floorplan *plan = thermal->plan;
    double *area = mem_zalloc(2 * plan->tpc_count, sizeof *area); /* of SMs, of shared parts */
    thermal->sm_block = ARENA_ARRAY(&thermal->arena, size_t, plan->sm_count);
    thermal->tpc_share = ARENA_ARRAY(&thermal->arena, double, plan->block_count);
    for (size_t i = 0; i < plan->block_count; i++) {
        const struct floorplan_block *block = &plan->blocks[i];
        bool is_sm = block->kind == FLOORPLAN_SM;
        if (!is_sm && block->kind != FLOORPLAN_TPC) continue;
        if (is_sm) thermal->sm_block[block->sm] = i;
        thermal->tpc_share[i] = block->width_metres * block->height_metres;
        area[2 * block->tpc + !is_sm] += thermal->tpc_share[i];
    }
    for (size_t i = 0; i < plan->block_count; i++) {
        const double *whole = &area[2 * plan->blocks[i].tpc];
        bool is_sm = plan->blocks[i].kind == FLOORPLAN_SM;
        if (thermal->tpc_share[i] == 0) continue;
        if (is_sm && whole[1] > 0)
            thermal->tpc_share[i] = 0;
        else
            thermal->tpc_share[i] /= whole[!is_sm];
    }
    mem_free(area);
}

static void free_matrices(void *of)
{
    struct thermal *thermal = of;
    thermal_factor_clear(&thermal->factor);
    cs_di_spfree(thermal->matrix);
    thermal->matrix = NULL;
}

ws_status thermal_create(struct diag *diag, const struct machine *machine,
                         const struct floorplan *plan, unsigned cells, bool assume,
                         struct thermal **out)
{
    *out = NULL;
    TRY(check_plan(diag, machine, plan));
    struct thermal *thermal = mem_zalloc(1, sizeof *thermal);
    *thermal = (struct thermal){.machine = machine, .plan = plan, .cells = cells};
    struct mem_guard guard;
    mem_guard_begin(&guard, free_matrices, thermal);
    ws_status status =
        thermal_package_read(diag, &thermal->arena, machine, plan, assume, &thermal->package,
                             thermal->assumptions, &thermal->assumption_count);
    if (status != WS_OK) {
        mem_guard_end(&guard);
        thermal_destroy(thermal);
        return status;
    }
    index_plan(thermal);
    thermal->layer_nodes = (size_t)cells * cells;
    thermal->nodes = LAYERS * thermal->layer_nodes;
    double **const arrays[] = {&thermal->air, &thermal->capacity, &thermal->static_growth,
                               &thermal->work};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = ARENA_ARRAY(&thermal->arena, double, thermal->nodes);
    thermal_build(thermal);
    bool solvable = thermal_factorise(thermal->matrix, &thermal->factor);
    mem_guard_end(&guard);
    if (!solvable) {
        thermal_destroy(thermal);
        return run_away(diag, machine);
    }
    *out = thermal;
    return WS_OK;
}

void thermal_destroy(struct thermal *thermal)
{
    if (!thermal) return;
    free_matrices(thermal);
    arena_clear(&thermal->arena);
    mem_free(thermal);
}

const char *thermal_assumption(const struct thermal *thermal, size_t index)
{
    return index < thermal->assumption_count ? thermal->assumptions[index] : NULL;
}

/* ---- heat ------------------------------------------------------------------------------------ */

static unsigned clip(double value, unsigned most)
{
    return (unsigned)fmin(most, fmax(0, value));
}

struct cell_range thermal_range(const struct thermal *thermal, const struct floorplan_block *block)
{
    unsigned n = thermal->cells;
    double width = thermal->plan->width_metres / n, height = thermal->plan->height_metres / n;
    return (struct cell_range){
        .x0 = clip(floor(block->x_metres / width), n),
        .x1 = clip(ceil((block->x_metres + block->width_metres) / width), n),
        .y0 = clip(floor(block->y_metres / height), n),
        .y1 = clip(ceil((block->y_metres + block->height_metres) / height), n),
    };
}

double thermal_share(const struct thermal *thermal, const struct floorplan_block *block, unsigned x,
                     unsigned y)
{
    double width = thermal->plan->width_metres / thermal->cells;
    double height = thermal->plan->height_metres / thermal->cells;
    double w = fmin((x + 1) * width, block->x_metres + block->width_metres) -
               fmax(x * width, block->x_metres);
    double h = fmin((y + 1) * height, block->y_metres + block->height_metres) -
               fmax(y * height, block->y_metres);
    return fmax(0, w) * fmax(0, h) / (width * height);
}

/* The shares are normalised by their sum: the watts are kept to the last digit. */
void thermal_add_heat(const struct thermal *thermal, const struct floorplan_block *block,
                      double watts, double *heat)
{
    struct cell_range range = thermal_range(thermal, block);
    double sum = 0;
    if (watts == 0) return;
    for (unsigned y = range.y0; y < range.y1; y++)
        for (unsigned x = range.x0; x < range.x1; x++)
            sum += thermal_share(thermal, block, x, y);
    for (unsigned y = range.y0; y < range.y1; y++)
        for (unsigned x = range.x0; x < range.x1; x++)
            heat[(size_t)y * thermal->cells + x] +=
                watts * thermal_share(thermal, block, x, y) / sum;
}

unsigned thermal_tpc_of(const struct thermal *thermal, unsigned sm)
{
    return thermal->plan->blocks[thermal->sm_block[sm]].tpc;
}

void thermal_sm_heat(const struct thermal *thermal, unsigned sm, double watts, double *heat)
{
    thermal_add_heat(thermal, &thermal->plan->blocks[thermal->sm_block[sm]], watts, heat);
}

void thermal_tpc_heat(const struct thermal *thermal, unsigned tpc, double watts, double *heat)
{
    for (size_t i = 0; i < thermal->plan->block_count; i++)
        if (thermal->tpc_share[i] > 0 && thermal->plan->blocks[i].tpc == tpc)
            thermal_add_heat(thermal, &thermal->plan->blocks[i], watts * thermal->tpc_share[i],
                             heat);
}

/* The TPCs in which an SM works: true by TPC. Returns how many. */
static unsigned find_active_tpcs(const struct thermal *thermal, const struct thermal_load *load,
                                 bool *active)
{
    unsigned count = 0;
    memset(active, 0, thermal->plan->tpc_count * sizeof *active);
    for (size_t i = 0; i < load->active_count; i++) {
        unsigned tpc = thermal_tpc_of(thermal, load->active_sms[i]);
        count += !active[tpc];
        active[tpc] = true;
    }
    return count;
}

/* Heat of each block beyond that at rest. */
static void find_block_watts(const struct thermal *thermal, const struct thermal_load *load,
                             double *watts)
{
    const struct floorplan *plan = thermal->plan;
    bool *active = mem_zalloc(plan->tpc_count, sizeof *active);
    find_active_tpcs(thermal, load, active);
    for (size_t i = 0; i < plan->block_count; i++) {
        bool has_share = thermal->tpc_share[i] > 0 && active[plan->blocks[i].tpc];
        watts[i] = has_share ? load->watts_per_tpc * thermal->tpc_share[i] : 0;
        if (load->block_watts) watts[i] += load->block_watts[i];
    }
    for (size_t i = 0; i < load->active_count; i++)
        watts[thermal->sm_block[load->active_sms[i]]] += load->watts_per_sm;
    mem_free(active);
}

void thermal_load_heat(const struct thermal *thermal, const struct thermal_load *load, double *heat)
{
    const struct floorplan *plan = thermal->plan;
    double *watts = mem_zalloc(plan->block_count, sizeof *watts);
    memset(heat, 0, thermal->nodes * sizeof *heat);
    find_block_watts(thermal, load, watts);
    for (size_t i = 0; i < plan->block_count; i++)
        thermal_add_heat(thermal, &plan->blocks[i], watts[i], heat);
    mem_free(watts);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static ws_status check_sms(struct diag *diag, const struct thermal *thermal,
                           const struct thermal_load *load)
{
    unsigned sms = thermal->plan->sm_count;
    for (size_t i = 0; i < load->active_count; i++) {
        unsigned sm = load->active_sms[i];
        if (sm >= sms)
            return diag_error(diag, WS_ERR_ARGUMENT,
                              "SM %u is out of range: %s has %u SMs, 0 to %u", sm,
                              thermal->machine->id, sms, sms - 1);
        for (size_t j = 0; j < i; j++)
            if (load->active_sms[j] == sm)
                return diag_error(diag, WS_ERR_ARGUMENT, "duplicate SM %u in the active SMs", sm);
    }
    return WS_OK;
}

static ws_status get_watts(struct diag *diag, const struct machine *machine, enum machine_key key,
                           const char *what, const char *option, double given, double *out)
{
    *out = isnan(given) ? machine_get(machine, key, NAN) : given;
    if (isnan(*out))
        return diag_error(diag, WS_ERR_NO_MODEL, "%s does not define %s, %s: set it with %s",
                          machine->id, machine_key_infos[key].path, what, option);
    if (*out >= 0 && isfinite(*out)) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT, "%s: power must be finite and at least 0 W (got %g W)",
                      what, *out);
}

ws_status thermal_check_load(struct diag *diag, const struct thermal *thermal,
                             const struct thermal_load *load, struct thermal_load *out)
{
    const struct machine *machine = thermal->machine;
    const struct floorplan *plan = thermal->plan;
    *out = *load;
    TRY(check_sms(diag, thermal, load));
    TRY(get_watts(diag, machine, MACHINE_POWER_ACTIVE_SM, "the power of an active SM",
                  "--watts-per-sm", load->watts_per_sm, &out->watts_per_sm));
    TRY(get_watts(diag, machine, MACHINE_POWER_ACTIVE_TPC, "the power of a TPC with active SMs",
                  "--watts-per-tpc", load->watts_per_tpc, &out->watts_per_tpc));
    TRY(get_watts(diag, machine, MACHINE_POWER_IDLE, "the power of the idle chip", "--watts-idle",
                  load->idle_watts, &out->idle_watts));
    for (size_t i = 0; load->block_watts && i < plan->block_count; i++)
        if (!(load->block_watts[i] >= 0) || !isfinite(load->block_watts[i]))
            return diag_error(diag, WS_ERR_ARGUMENT,
                              "block '%s': power must be finite and at least 0 W (got %g W)",
                              plan->blocks[i].name, load->block_watts[i]);
    return WS_OK;
}

/* ---- steady state ---------------------------------------------------------------------------- */

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static void describe_die(const struct thermal *thermal, const double *celsius,
                         struct thermal_state *out)
{
    unsigned n = thermal->cells;
    size_t peak = 0;
    out->least_celsius = celsius[0];
    for (size_t i = 0; i < thermal->layer_nodes; i++) {
        if (celsius[i] > celsius[peak]) peak = i;
        out->least_celsius = fmin(out->least_celsius, celsius[i]);
    }
    out->peak_celsius = celsius[peak];
    out->peak_x_metres = ((double)(peak % n) + 0.5) * thermal->plan->width_metres / n;
    out->peak_y_metres = ((double)(peak / n) + 0.5) * thermal->plan->height_metres / n;
    out->mean_celsius = mean(celsius, thermal->layer_nodes);
    out->spreader_celsius = mean(celsius + thermal->layer_nodes, thermal->layer_nodes);
    out->sink_celsius = mean(celsius + LAYER_SINK * thermal->layer_nodes, thermal->layer_nodes);
    out->rest_celsius = mean(thermal->rest, thermal->layer_nodes);
    out->ambient_celsius = thermal->package.ambient_celsius;
    for (size_t i = 0; i < thermal->nodes; i++) {
        out->static_watts += thermal->static_growth[i] * (celsius[i] - thermal->rest[i]);
        out->sink_watts += thermal->air[i] * (celsius[i] - thermal->package.ambient_celsius);
    }
}

/* `celsius` by node; out->watts is that beyond what the block has at rest, so far. */
static void describe_block(const struct thermal *thermal, const struct floorplan_block *block,
                           const double *celsius, double idle_watts, struct thermal_heat *out)
{
    struct cell_range range = thermal_range(thermal, block);
    double weight = 0;
    out->mean_celsius = 0;
    out->peak_celsius = -INFINITY;
    for (unsigned y = range.y0; y < range.y1; y++)
        for (unsigned x = range.x0; x < range.x1; x++) {
            size_t i = (size_t)y * thermal->cells + x;
            double share = thermal_share(thermal, block, x, y);
            if (share <= 1e-9) continue; /* an edge that only touches */
            weight += share;
            out->mean_celsius += share * celsius[i];
            out->peak_celsius = fmax(out->peak_celsius, celsius[i]);
            out->watts += share * thermal->static_growth[i] * (celsius[i] - thermal->rest[i]);
        }
    out->mean_celsius /= weight;
    out->watts += idle_watts * weight / (double)thermal->layer_nodes;
}

static void describe_blocks(const struct thermal *thermal, const struct thermal_load *load,
                            const double *celsius, struct thermal_heat *out)
{
    size_t count = thermal->plan->block_count;
    double *watts = mem_zalloc(count, sizeof *watts);
    find_block_watts(thermal, load, watts);
    for (size_t i = 0; i < count; i++) {
        out[i].watts = watts[i];
        describe_block(thermal, &thermal->plan->blocks[i], celsius, load->idle_watts, &out[i]);
    }
    mem_free(watts);
}

ws_status thermal_steady(struct diag *diag, struct thermal *thermal,
                         const struct thermal_load *load, struct thermal_state *out,
                         double *out_cells, struct thermal_heat *out_blocks)
{
    struct thermal_load full;
    TRY(thermal_check_load(diag, thermal, load, &full));
    size_t n = thermal->nodes;
    double *heat = mem_zalloc(2 * n, sizeof *heat), *celsius = heat + n;
    bool *active = mem_zalloc(thermal->plan->tpc_count, sizeof *active);
    thermal_find_rest(thermal, full.idle_watts);
    thermal_load_heat(thermal, &full, heat);
    thermal_solve(&thermal->factor, n, thermal->work, heat, celsius);
    *out = (struct thermal_state){.idle_watts = full.idle_watts};
    for (size_t i = 0; i < n; i++) {
        out->dynamic_watts += heat[i];
        celsius[i] += thermal->rest[i];
    }
    out->active_tpcs = find_active_tpcs(thermal, &full, active);
    describe_die(thermal, celsius, out);
    if (out_cells) memcpy(out_cells, celsius, thermal->layer_nodes * sizeof *out_cells);
    if (out_blocks) describe_blocks(thermal, &full, celsius, out_blocks);
    mem_free(active);
    mem_free(heat);
    return WS_OK;
}
