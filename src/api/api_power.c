// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/pipeline.h"
#include "base/float_state.h"
#include "model/closed_form/energy_form.h"
#include "model/power/clock_sweep.h"
#include "model/power/power_estimate.h"

_Static_assert((int)POWER_UNIT_COUNT <= (int)WS_POWER_UNITS, "ws_power holds all units");
_Static_assert((int)POWER_METRIC_COUNT == (int)WS_POWER_METRICS, "the same metrics");

/* ---- one kernel, one machine ----------------------------------------------------------------- */

static void copy_units(const struct power_estimate *power, ws_power *out)
{
    out->unit_count = POWER_UNIT_COUNT;
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++)
        out->units[i] = (ws_power_unit){
            .id = power_unit_infos[i].id,
            .text = power_unit_infos[i].text,
            .access_rate = power->rates[i],
            .effective_rate = power->watts.effective[i],
            .max_watts = power->max_watts[i],
            .watts = power->watts.units[i],
            .reason = power->unit_reasons[i],
        };
}

static void copy_power(const struct power_estimate *power, ws_power *out)
{
    const struct ipp_watts *watts = &power->watts;
    double seconds = power->answer.time_seconds;
    *out = (ws_power){
        .size = out->size,
        .time_model = power->time_model,
        .time_is_measured = power->measured,
        .time_seconds = seconds,
        .active_sms = power->active_sms,
        .gpu_watts = watts->gpu_watts,
        .runtime_watts = watts->runtime_watts,
        .idle_watts = watts->idle_watts,
        .const_sm_watts = watts->const_sm_watts,
        .activation_watts = watts->activation_watts,
        .joules = watts->gpu_watts * seconds,
        .runtime_joules = watts->runtime_watts * seconds,
        .idle_joules = watts->idle_watts * seconds,
        .gated_watts = power->gated_watts,
        .intensity = power->intensity,
        .no_temperature = power->no_thermal,
        .idle_celsius = power->thermal.idle_celsius,
        .rise_kelvin = power->rise_kelvin,
        .static_watts = power->static_watts,
        .printed_rise_kelvin = power->printed_rise_kelvin,
        .assumption_count = power->answer.assumption_count,
        .assumptions = power->answer.assumptions,
    };
    copy_units(power, out);
}

ws_status ws_power_predict(ws_context *context, const ws_profile *profile,
                           const ws_machine *machine, const ws_predict_options *options,
                           ws_power *out)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct prediction *prediction;
    TRY(handle_check_size(&context->diag, "ws_power", out->size, sizeof *out));
    context_keep_prediction(context, NULL);
    TRY(pipeline_predict(context, profile, machine, options, false, &prediction));
    if (!prediction->power) {
        ws_status status =
            diag_error(&context->diag, WS_ERR_NO_MODEL, "no power of %s on %s: %s",
                       profile->profile->kernel ? profile->profile->kernel : "this kernel",
                       machine->machine->name, prediction->no_power);
        prediction_destroy(prediction);
        return status;
    }
    context_keep_prediction(context, prediction);
    copy_power(prediction->power, out);
    return WS_OK;
}

/* ---- number of cores ------------------------------------------------------------------------- */

static ws_core_point copy_point(const struct core_sweep_point *point)
{
    return (ws_core_point){
        .cores = (unsigned)point->point.cores,
        .active_sms = point->active_sms,
        .time_seconds = point->point.seconds,
        .bytes_per_second = point->bytes_per_second,
        .inst_per_second = point->inst_per_second,
        .runtime_watts = point->point.runtime_watts,
        .gpu_watts = point->point.gpu_watts,
        .gated_watts = point->point.gated_watts,
        .sms_watts = point->sms_watts,
        .memory_watts = point->memory_watts,
        .case_number = point->case_number,
        .bottleneck = component_words(point->bottleneck),
    };
}

static void copy_summary(const struct core_sweep *sweep, ws_core_summary *out)
{
    *out = (ws_core_summary){
        .size = out->size,
        .time_model = sweep->time_model,
        .time_factor = sweep->time_factor,
        .all = copy_point(&sweep->all),
        .no_closed_form = sweep->no_closed_form,
        .closed_cores = sweep->closed.cores,
        .closed_exact = sweep->closed.exact,
        .closed_reason = sweep->closed.why,
        .mwp = sweep->terms.mwp,
        .cwp = sweep->terms.cwp,
        .n = sweep->terms.n,
        .mwp_peak_bw = sweep->terms.mwp_peak_bw,
    };
    for (size_t i = 0; i < POWER_METRIC_COUNT; i++) {
        const struct core_point *best = &sweep->points[sweep->best[i]].point;
        out->best[i] = (unsigned)best->cores;
        out->saving[i] = core_point_saving(best, &sweep->all.point, (enum power_metric)i);
    }
}

ws_status ws_power_cores(ws_context *context, const ws_profile *profile, const ws_machine *machine,
                         const ws_predict_options *options, unsigned first, unsigned last,
                         ws_core_point *out, size_t capacity, size_t *out_count,
                         ws_core_summary *out_summary)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct diag *diag = &context->diag;
    struct predict_options inner;
    struct arena arena = {0};
    struct core_sweep *sweep = NULL;
    *out_count = 0;
    TRY(handle_check_size(diag, "ws_core_summary", out_summary->size, sizeof *out_summary));
    ws_status status = pipeline_read_options(context, options, &arena, &inner);
    inner.without_gains = true;
    if (status == WS_OK)
        status =
            core_sweep_run(diag, profile->profile, machine->machine, &inner, first, last, &sweep);
    arena_clear(&arena);
    if (status != WS_OK) return status;
    core_sweep_destroy(context->last_sweep);
    context->last_sweep = sweep;
    for (size_t i = 0; i < sweep->count && i < capacity; i++)
        out[i] = copy_point(&sweep->points[i]);
    *out_count = sweep->count;
    copy_summary(sweep, out_summary);
    return WS_OK;
}

/* ---- clock ----------------------------------------------------------------------------------- */

static void copy_clocks(const struct clock_sweep *sweep, ws_clock_summary *out)
{
    const struct clock_sweep_point *points = sweep->points;
    *out = (ws_clock_summary){
        .size = out->size,
        .time_model = sweep->time_model,
        .now_hz = sweep->now_hz,
        .now = copy_point(&sweep->now),
        .best_all = sweep->best_all,
        .best = sweep->best,
        .saving_all = core_point_saving(&points[sweep->best_all].all.point, &sweep->now.point,
                                        POWER_METRIC_TOTAL),
        .saving = core_point_saving(&points[sweep->best].best.point, &sweep->now.point,
                                    POWER_METRIC_TOTAL),
        .divided_hz = sweep->divided_hz,
        .every_pair = sweep->every_pair,
    };
}

ws_status ws_power_clocks(ws_context *context, const ws_profile *profile, const ws_machine *machine,
                          const ws_predict_options *options, const ws_clock_range *range,
                          ws_clock_point *out, size_t capacity, size_t *out_count,
                          ws_clock_summary *out_summary)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct diag *diag = &context->diag;
    struct predict_options inner;
    struct arena arena = {0};
    struct clock_sweep *sweep = NULL;
    const struct clock_range clocks = {range->least_hz, range->most_hz, range->step_hz};
    *out_count = 0;
    TRY(handle_check_size(diag, "ws_clock_range", range->size, sizeof *range));
    TRY(handle_check_size(diag, "ws_clock_summary", out_summary->size, sizeof *out_summary));
    ws_status status = pipeline_read_options(context, options, &arena, &inner);
    inner.without_gains = true;
    if (status == WS_OK)
        status = clock_sweep_run(diag, profile->profile, machine->machine, &inner, &clocks, &sweep);
    arena_clear(&arena);
    if (status != WS_OK) return status;
    clock_sweep_destroy(context->last_clocks);
    context->last_clocks = sweep;
    for (size_t i = 0; i < sweep->count && i < capacity; i++)
        out[i] =
            (ws_clock_point){sweep->points[i].clock_hz, sweep->points[i].volts,
                             copy_point(&sweep->points[i].all), copy_point(&sweep->points[i].best)};
    *out_count = sweep->count;
    copy_clocks(sweep, out_summary);
    return WS_OK;
}

/* ---- temperature ----------------------------------------------------------------------------- */

static ws_status check_constants(struct diag *diag, const struct machine *machine,
                                 struct ipp_thermal *out)
{
    if (!ipp_read_thermal(machine, out))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "%s: the machine file lacks temperature.* or power.static_per_kelvin: "
                          "temperature is not modelled without measurements",
                          machine->name);
    if (machine_has(machine, MACHINE_POWER_IDLE)) return WS_OK;
    return diag_error(diag, WS_ERR_NO_MODEL, "%s: the machine file lacks power.idle",
                      machine->name);
}

ws_status ws_machine_warm(const ws_machine *machine, const ws_warming *warming,
                          ws_warming_point *out, size_t capacity, size_t *out_count)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    struct diag *diag = &machine->context->diag;
    struct ipp_curve_input in = {.idle_watts = machine_get(machine->machine, MACHINE_POWER_IDLE, 0),
                                 .runtime_watts = warming->runtime_watts,
                                 .intensity = warming->intensity,
                                 .start_celsius = warming->start_celsius,
                                 .run_seconds = warming->run_seconds,
                                 .cool_seconds = warming->cool_seconds,
                                 .step_seconds = warming->step_seconds,
                                 .coupling = warming->printed ? IPP_PRINTED : IPP_COUPLED};
    *out_count = 0;
    TRY(handle_check_size(diag, "ws_warming", warming->size, sizeof *warming));
    TRY(check_constants(diag, machine->machine, &in.thermal));
    if (isnan(in.start_celsius)) in.start_celsius = in.thermal.idle_celsius;
    TRY(ipp_curve_check(diag, &in));
    size_t count = ipp_curve_count(&in);
    struct ipp_curve_point *points = mem_zalloc(count, sizeof *points);
    ipp_curve(&in, points);
    for (size_t i = 0; i < count && i < capacity; i++)
        out[i] = (ws_warming_point){points[i].seconds, points[i].celsius, points[i].watts,
                                    points[i].joules};
    mem_free(points);
    *out_count = count;
    return WS_OK;
}

double ws_energy_curvature(const double *speedups, const double *efficiencies, size_t count)
{
    STANDARD_FLOATS;
    return energy_curvature(speedups, efficiencies, count);
}
