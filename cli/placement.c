// SPDX-License-Identifier: Apache-2.0
#include "placement.h"

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

ws_thermal_load placement_load(const ws_machine *machine, const ws_core_point *point)
{
    double per_tpc;
    bool is_known = ws_machine_get(machine, "power.active_tpc", &per_tpc) == WS_OK;
    return (ws_thermal_load){.size = sizeof(ws_thermal_load),
                             .watts_per_sm = point->sms_watts / point->active_sms,
                             .watts_per_tpc = is_known ? per_tpc : 0,
                             .idle_watts = NAN};
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

int placement_find(struct cli *cli, const ws_machine *machine, const ws_core_point *point,
                   struct placement *out)
{
    ws_thermal_load load = placement_load(machine, point);
    ws_thermal_plan plan = {.size = sizeof plan};
    ws_thermal *thermal;
    *out = (struct placement){.choice.size = sizeof out->choice};
    ws_status status = open_plan(machine, out, &thermal);
    if (status != WS_OK) {
        out->reason = cli_copy(cli, ws_context_error(cli->context));
        return EXIT_DONE;
    }
    status = ws_thermal_describe_plan(thermal, &plan);
    out->count = (size_t)point->active_sms;
    out->sm_count = plan.sm_count;
    unsigned *sms = cli_alloc(cli, (plan.sm_count + 1) * sizeof *sms);
    if (status == WS_OK)
        status = ws_thermal_best(thermal, &load, (unsigned)out->count, &out->choice, sms);
    ws_thermal_destroy(thermal);
    out->sms = sms;
    if (status == WS_OK) return EXIT_DONE;
    out->reason = cli_copy(cli, ws_context_error(cli->context));
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
