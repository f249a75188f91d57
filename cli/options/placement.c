// SPDX-License-Identifier: Apache-2.0
#include "cli/options/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS = 32
}; /* of a layer in one direction: coarser than a heat map, as a choice need not be */

static int compare_up(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

const char *placement_list(struct cli *cli, const unsigned *sms, size_t count)
{
    const char *text = "";
    unsigned *sorted = cli_alloc(cli, (count + 1) * sizeof *sorted);
    if (!count) return "none";
    memcpy(sorted, sms, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_up);
    for (size_t first = 0, last; first < count; first = last + 1) {
        last = first;
        while (last + 1 < count && sorted[last + 1] == sorted[last] + 1)
            last++;
        if (last == first + 1) last = first; /* two are no range */
        text = cli_format(cli, "%s%s%u", text, first ? ", " : "", sorted[first]);
        if (last > first) text = cli_format(cli, "%s-%u", text, sorted[last]);
    }
    return text;
}

/* So many watts by block, in proportion to the areas. */
static int spread_evenly(struct cli *cli, const ws_thermal *thermal, double watts, double **out)
{
    ws_thermal_plan plan = {.size = sizeof plan};
    ws_status status = ws_thermal_describe_plan(thermal, &plan);
    *out = cli_alloc(cli, (plan.block_count + 1) * sizeof **out);
    for (size_t i = 0; status == WS_OK && i < plan.block_count; i++) {
        ws_thermal_block block = {.size = sizeof block};
        status = ws_thermal_describe_block(thermal, i, &block);
        (*out)[i] = watts * block.width_metres * block.height_metres /
                    (plan.width_metres * plan.height_metres);
    }
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

double placement_activation(const ws_core_point *point)
{
    double rest = point->runtime_watts - point->sms_watts - point->memory_watts;
    return rest > 1e-9 * point->runtime_watts ? rest : 0; /* else rounding */
}

int placement_load(struct cli *cli, const ws_machine *machine, const ws_thermal *thermal,
                   const ws_core_point *point, ws_thermal_load *out)
{
    double per_tpc, *blocks = NULL, activation = placement_activation(point);
    bool is_known = ws_machine_get(machine, "power.active_tpc", &per_tpc) == WS_OK;
    if (activation > 0) CLI_TRY(spread_evenly(cli, thermal, activation, &blocks));
    *out = (ws_thermal_load){.size = sizeof *out,
                             .watts_per_sm = point->sms_watts / point->active_sms,
                             .watts_per_tpc = is_known ? per_tpc : 0,
                             .idle_watts = NAN,
                             .block_watts = blocks};
    return EXIT_DONE;
}

/* The machine's own floorplan, else one in an array. */
static ws_status open_plan(const ws_machine *machine, struct placement *out, ws_thermal **thermal)
{
    ws_thermal_options options = {.size = sizeof options, .cells = CELLS};
    ws_status status = ws_thermal_create(machine, &options, thermal);
    if (status != WS_ERR_NO_MODEL) return status;
    out->made_up = options.grid_floorplan = true;
    return ws_thermal_create(machine, &options, thermal);
}

static ws_status choose(struct cli *cli, ws_thermal *thermal, const ws_thermal_load *load,
                        struct placement *out)
{
    ws_thermal_plan plan = {.size = sizeof plan};
    ws_status status = ws_thermal_describe_plan(thermal, &plan);
    unsigned *sms = cli_alloc(cli, (plan.sm_count + 1) * sizeof *sms);
    out->sm_count = plan.sm_count;
    out->sms = sms;
    if (status != WS_OK) return status;
    return ws_thermal_best(thermal, load, (unsigned)out->count, &out->choice, sms);
}

int placement_find(struct cli *cli, const ws_machine *machine, const ws_core_point *point,
                   struct placement *out)
{
    ws_thermal_load load;
    ws_thermal *thermal;
    *out =
        (struct placement){.choice.size = sizeof out->choice, .count = (size_t)point->active_sms};
    ws_status status = open_plan(machine, out, &thermal);
    if (status == WS_OK) {
        int exit_code = placement_load(cli, machine, thermal, point, &load);
        if (exit_code == EXIT_DONE) status = choose(cli, thermal, &load, out);
        ws_thermal_destroy(thermal);
        if (exit_code != EXIT_DONE) return exit_code;
    }
    if (status != WS_OK) out->reason = cli_copy(cli, ws_context_error(cli->context));
    return EXIT_DONE;
}

const char *placement_text(struct cli *cli, const struct placement *placement)
{
    const ws_thermal_choice *choice = &placement->choice;
    const char *plan = placement->made_up ? "a made-up floorplan" : "the machine's floorplan";
    if (placement->reason) return cli_format(cli, "not known: %s", placement->reason);
    if (placement->count == placement->sm_count)
        return cli_format(cli, "all SMs; %.1f degC at the hottest under %s", choice->peak_celsius,
                          plan);
    const char *proof = "no set is cooler";
    if (!choice->exact) proof = cli_format(cli, "no set is below %.1f", choice->bound_celsius);
    return cli_format(cli, "%s; %.1f degC at the hottest under %s, %s",
                      placement_list(cli, placement->sms, placement->count), choice->peak_celsius,
                      plan, proof);
}
