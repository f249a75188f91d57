// SPDX-License-Identifier: Apache-2.0
#include "model/power/core_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "model/power/power_estimate.h"

extern const struct model model_ipp_power;

static ws_status check_range(struct diag *diag, const struct machine *machine, unsigned first,
                             unsigned last)
{
    double sms = machine_get(machine, MACHINE_SM_COUNT, 0);
    if (first > last)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "invalid range %u..%u of active SMs: it must be ascending", first, last);
    if (first < 1)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "the number of active SMs must be at least 1 (got 0)");
    if (last > sms)
        return diag_error(diag, WS_ERR_ARGUMENT, "%u active SMs exceed the %.0f of %s", last, sms,
                          machine->name);
    return WS_OK;
}

/* Bytes as the machine moves them; as requested where that was not counted. */
static double bytes_of(const struct profile *profile, const struct machine *machine)
{
    struct accesses all = accesses_sum(profile, ACCESS_ALL, coalescing_rule_of(machine));
    double moved = all.parts[ACCESS_BYTES_MOVED];
    return moved > 0 ? moved : all.parts[ACCESS_BYTES_REQUESTED];
}

ws_status core_sweep_no_power(struct diag *diag, const struct prediction *prediction)
{
    return diag_error(diag, WS_ERR_NO_MODEL, "cannot predict the power of %s on %s: %s",
                      prediction->profile->kernel ? prediction->profile->kernel : "this kernel",
                      prediction->machine->name, prediction->no_power);
}

static void describe(const struct prediction *prediction, const struct estimate *time,
                     struct core_sweep_point *out)
{
    const struct power_estimate *power = prediction->power;
    const struct term *which = estimate_term(time, "case");
    double seconds = power->answer.time_seconds;
    double cores = machine_get(prediction->machine, MACHINE_SM_COUNT, 1);
    *out = (struct core_sweep_point){
        .point = {cores, seconds, power->watts.runtime_watts, power->watts.gpu_watts,
                  power->gated_watts},
        .active_sms = power->active_sms,
        .sms_watts = power->watts.const_sm_watts,
        .bytes_per_second = bytes_of(prediction->profile, prediction->machine) / seconds,
        .inst_per_second =
            profile_get(prediction->profile, COUNTER_INST_WARP) * WARP_LANES / seconds,
        .case_number = which ? (unsigned)which->value : 0,
        .bottleneck = time->bottleneck,
    };
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++)
        *(power_unit_infos[i].once_per_gpu ? &out->memory_watts : &out->sms_watts) +=
            power->watts.units[i];
}

ws_status core_sweep_point(struct diag *diag, const struct prediction *whole,
                           const struct machine *machine, unsigned cores,
                           struct core_sweep_point *out)
{
    struct machine fewer;
    machine_copy_fields(&fewer, machine);
    struct prediction *prediction;
    struct predict_options options = whole->options;
    options.only = whole->power->time_model;
    options.without_details = true;
    options.whole_sms = machine_get(whole->machine, MACHINE_SM_COUNT, 1);
    options.time_factor = whole->power->time_factor;
    options.caches = whole->caches; /* as all SMs find them: reading P-16 */
    fewer.values[MACHINE_SM_COUNT].value = cores;
    TRY(model_predict(diag, whole->profile, &fewer, &options, &prediction));
    ws_status status = prediction->power ? WS_OK : core_sweep_no_power(diag, prediction);
    if (status == WS_OK) describe(prediction, prediction_find(prediction, options.only), out);
    prediction_destroy(prediction);
    return status;
}

static double term_of(const struct estimate *estimate, const char *id, double otherwise)
{
    const struct term *term = estimate_term(estimate, id);
    return term ? term->value : otherwise;
}

/* (63) asks mwp-cwp at all SMs, whatever model gives the times. */
static void find_closed(struct core_sweep *sweep, const struct prediction *whole)
{
    const struct estimate *mwp = prediction_of(whole, MODEL_MWP_CWP);
    struct model_input input = {.option_count = whole->options.option_count,
                                .options = whole->options.options};
    sweep->no_closed_form = mwp ? NULL : "mwp-cwp does not apply to this kernel and GPU";
    if (!mwp) return;
    sweep->terms = (struct ipp_cores_input){
        .mwp = term_of(mwp, "mwp", 0),
        .cwp = term_of(mwp, "cwp", 0),
        .n = term_of(mwp, "n", 0),
        .mwp_peak_bw = term_of(mwp, "mwp_peak_bw", 0),
        .sms = machine_get(whole->machine, MACHINE_SM_COUNT, 1),
        .condition =
            (enum ipp_condition)model_option_get(&model_ipp_power, &input, "cores_condition"),
        .rounding = (enum ipp_rounding)model_option_get(&model_ipp_power, &input, "cores_rounding"),
    };
    sweep->closed = ipp_optimal_cores(&sweep->terms);
}

static void find_best(struct core_sweep *sweep)
{
    struct core_point *points = mem_zalloc(sweep->count, sizeof *points);
    for (size_t i = 0; i < sweep->count; i++)
        points[i] = sweep->points[i].point;
    for (unsigned metric = 0; metric < POWER_METRIC_COUNT; metric++)
        sweep->best[metric] = core_points_best(points, sweep->count, (enum power_metric)metric);
    mem_free(points);
}

struct batch {
    const struct prediction *whole;
    const struct machine *machine;
    unsigned first;
    struct core_sweep_point *points;
};

static ws_status run_one(struct diag *diag, void *argument, size_t i)
{
    const struct batch *batch = argument;
    return core_sweep_point(diag, batch->whole, batch->machine, batch->first + (unsigned)i,
                            &batch->points[i]);
}

ws_status core_sweep_points(struct diag *diag, const struct prediction *whole,
                            const struct machine *machine, unsigned first, unsigned last,
                            struct core_sweep_point *out)
{
    struct batch batch = {whole, machine, first, out};
    return parallel_each(diag, last - first + 1, run_one, &batch);
}

static ws_status run(struct diag *diag, const struct prediction *whole, unsigned first,
                     unsigned last, struct core_sweep *sweep)
{
    const struct machine *machine = whole->machine;
    sweep->time_model = whole->power->time_model;
    sweep->time_factor = whole->power->time_factor;
    unsigned sms = (unsigned)machine_get(machine, MACHINE_SM_COUNT, 1);
    sweep->points = ARENA_ARRAY(&sweep->arena, struct core_sweep_point, last - first + 1);
    sweep->count = last - first + 1;
    TRY(core_sweep_points(diag, whole, machine, first, last, sweep->points));
    sweep->all = sweep->points[sweep->count - 1];
    if (last < sms) TRY(core_sweep_point(diag, whole, machine, sms, &sweep->all));
    find_best(sweep);
    find_closed(sweep, whole);
    return WS_OK;
}

ws_status core_sweep_run(struct diag *diag, const struct prediction *whole, unsigned first,
                         unsigned last, struct core_sweep **out)
{
    *out = NULL;
    TRY(check_range(diag, whole->machine, first, last));
    if (!whole->power) return core_sweep_no_power(diag, whole);
    struct core_sweep *sweep = mem_zalloc(1, sizeof *sweep);
    ws_status status = run(diag, whole, first, last, sweep);
    if (status != WS_OK) {
        core_sweep_destroy(sweep);
        return status;
    }
    *out = sweep;
    return WS_OK;
}

void core_sweep_destroy(struct core_sweep *sweep)
{
    if (!sweep) return;
    arena_clear(&sweep->arena);
    mem_free(sweep);
}
