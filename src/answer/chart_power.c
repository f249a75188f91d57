// SPDX-License-Identifier: Apache-2.0
/* Power of a launch by the number of active SMs, the temperature of the chip over time, and that of the die by
 * place (Hong's thesis, chapters III and IV): what the questions `power` and `thermal` know. */
#include <math.h>
#include <string.h>

#include "answer/charts.h"
#include "base/parallel.h"
#include "model/power/power_estimate.h"

extern const struct question question_thermal;

/* ---- active SMs ------------------------------------------------------------------------------ */

enum { CORES_MAX = 32, CURVE_POINTS = 120 };

struct core_counts {
    const struct prediction *whole;
    unsigned counts[CORES_MAX];
    struct core_sweep_point *points;
};

static ws_status run_count(struct diag *diag, void *argument, size_t i)
{
    const struct core_counts *all = argument;
    return core_sweep_point(diag, all->whole, all->whole->machine, all->counts[i], &all->points[i]);
}

/* From one SM to all, at most CORES_MAX numbers with equal steps. */
static ws_status find_cores(struct asked *asked, const struct prediction *prediction,
                            struct power_chart *out)
{
    struct core_counts all = {.whole = prediction};
    unsigned sms = (unsigned)machine_get(prediction->machine, MACHINE_SM_COUNT, 1);
    size_t count = sms < CORES_MAX ? sms : CORES_MAX;
    for (size_t i = 0; i < count; i++)
        all.counts[i] = count > 1 ? 1 + (unsigned)((sms - 1) * i / (count - 1)) : 1;
    all.points = ARENA_ARRAY(&asked->answer->arena, struct core_sweep_point, count + 1);
    TRY(parallel_each(asked->diag, count, run_count, &all));
    out->cores = out->best = all.points;
    out->core_count = count;
    for (size_t i = 1; i < count; i++)
        if (core_point_joules(&all.points[i].point, POWER_METRIC_TOTAL) <
            core_point_joules(&out->best->point, POWER_METRIC_TOTAL))
            out->best = &all.points[i];
    return WS_OK;
}

/* ---- temperature ----------------------------------------------------------------------------- */

/* Five time constants come within 1 % of where it ends. */
static ws_status find_curve(struct asked *asked, const struct prediction *prediction,
                            struct power_chart *out)
{
    const struct machine *machine = prediction->machine;
    const struct power_estimate *power = prediction->power;
    struct ipp_curve_input in = {.coupling = IPP_COUPLED};
    out->no_curve =
        "the machine file lacks temperature.* or power.static_per_kelvin: temperature is "
        "not modelled without measurements";
    if (!ipp_read_thermal(machine, &in.thermal)) return WS_OK;
    in.idle_watts = power->watts.idle_watts;
    in.runtime_watts = power->watts.runtime_watts;
    in.intensity = power->intensity;
    in.start_celsius = in.thermal.idle_celsius;
    in.run_seconds = 5 * machine_get(machine, MACHINE_TEMPERATURE_RC_RISE, 0);
    in.cool_seconds = 5 * machine_get(machine, MACHINE_TEMPERATURE_RC_DECAY, 0);
    in.step_seconds = (in.run_seconds + in.cool_seconds) / CURVE_POINTS;
    TRY(ipp_curve_check(asked->diag, &in));
    out->curve_count = ipp_curve_count(&in);
    struct ipp_curve_point *points =
        ARENA_ARRAY(&asked->answer->arena, struct ipp_curve_point, out->curve_count);
    ipp_curve(&in, points);
    out->curve = points;
    out->run_seconds = in.run_seconds;
    out->cool_seconds = in.cool_seconds;
    out->no_curve = NULL;
    return WS_OK;
}

/* ---- heat on the die ------------------------------------------------------------------------- */

static void release_answer(void *what)
{
    answer_destroy(what);
}

/* The question `thermal` of the same launch and options; a GPU without a floorplan has an array of SMs. */
static ws_status find_heat(struct asked *asked, const struct prediction *prediction,
                           struct power_chart *out)
{
    enum { OWN = 2, CELLS = 32 };
    static const char *const shared[] = {"model_options", "l2", "spills", "without"};
    ws_input inputs[OWN + sizeof shared / sizeof *shared];
    struct profile *profile = NULL;
    struct machine *machine = NULL;
    struct answer *answer;
    size_t count = 0;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (asked_has(asked, shared[i]))
            inputs[count++] = (ws_input){.name = shared[i], .word = asked_word(asked, shared[i])};
    inputs[count++] = (ws_input){.name = "cells", .value = CELLS}; /* a page draws each */
    if (!prediction->machine->floorplan)
        inputs[count++] = (ws_input){.name = "grid_floorplan", .value = 1};
    for (size_t i = 0; i < asked->profile_count; i++)
        if (asked->profiles[i] == prediction->profile) profile = asked->profiles[i];
    for (size_t i = 0; i < asked->machine_count; i++)
        if (asked->machines[i] == prediction->machine) machine = asked->machines[i];
    struct asked inner = {.diag = asked->diag,
                          .question = &question_thermal,
                          .profile_count = 1,
                          .machine_count = 1,
                          .profiles = &profile,
                          .machines = &machine,
                          .inputs = inputs,
                          .input_count = count,
                          .evidence = asked->evidence};
    ws_status status = question_ask(&inner, &answer);
    if (answer) {
        answer_own(asked->answer, release_answer, answer);
        out->thermal = answer->root.value.items;
    } else if (status == WS_ERR_NO_MODEL || status == WS_ERR_ARGUMENT) {
        char *reason = arena_copy(&asked->answer->arena, diag_text(asked->diag));
        reason[strcspn(reason, "\n")] = '\0';
        out->no_thermal = reason;
        diag_clear(asked->diag);
        status = WS_OK;
    }
    return status;
}

ws_status chart_power(struct asked *asked, const struct prediction *prediction,
                      const struct power_chart **out, const char **out_reason)
{
    *out = NULL;
    *out_reason = prediction->power ? NULL : prediction->no_power;
    if (!prediction->power) {
        if (!*out_reason) *out_reason = "the power is not modelled";
        return WS_OK;
    }
    struct power_chart *chart = ARENA_ARRAY(&asked->answer->arena, struct power_chart, 1);
    chart->time_model = prediction->power->time_model;
    TRY(find_cores(asked, prediction, chart));
    TRY(find_curve(asked, prediction, chart));
    TRY(find_heat(asked, prediction, chart));
    *out = chart;
    return WS_OK;
}
