// SPDX-License-Identifier: Apache-2.0
#include "model/power/clock_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/power/clock_scaling.h"
#include "model/power/power_estimate.h"

enum { DEFAULT_STEPS = 10 };
static const double LEAST_SHARE = 0.5; /* guess: half of the clock is possible */

/* ---- which clocks ---------------------------------------------------------------------------- */

static void default_range(const struct machine *machine, struct clock_range *out)
{
    double core = machine_get(machine, MACHINE_CLOCK_CORE, 0);
    out->most_hz = machine_get(machine, MACHINE_CLOCK_MOST, core);
    out->least_hz = machine_get(machine, MACHINE_CLOCK_LEAST, LEAST_SHARE * out->most_hz);
    out->step_hz = (out->most_hz - out->least_hz) / DEFAULT_STEPS;
    if (out->step_hz == 0) out->step_hz = out->most_hz; /* one clock */
}

static ws_status check_range(struct diag *diag, const struct machine *machine,
                             const struct clock_range *range)
{
    if (!(range->least_hz > 0) || !(range->most_hz >= range->least_hz) || !isfinite(range->most_hz))
        return diag_error(
            diag, WS_ERR_ARGUMENT,
            "clocks from %g to %g GHz are no range: the first is above 0 and not above "
            "the last",
            range->least_hz / 1e9, range->most_hz / 1e9);
    if (!(range->step_hz > 0) || !isfinite(range->step_hz))
        return diag_error(diag, WS_ERR_ARGUMENT, "clocks in steps of %g GHz: a step is above 0",
                          range->step_hz / 1e9);
    if ((range->most_hz - range->least_hz) / range->step_hz >= CLOCKS_MAX)
        return diag_error(
            diag, WS_ERR_ARGUMENT,
            "clocks from %g to %g GHz in steps of %g: more than %d, take longer steps",
            range->least_hz / 1e9, range->most_hz / 1e9, range->step_hz / 1e9, CLOCKS_MAX);
    double least = machine_get(machine, MACHINE_CLOCK_LEAST, 0);
    double most = machine_get(machine, MACHINE_CLOCK_MOST, INFINITY);
    if (range->least_hz >= least * (1 - 1e-12) && range->most_hz <= most * (1 + 1e-12))
        return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "clocks from %g to %g GHz: %s runs at %g to %g (clock.least, clock.most)",
                      range->least_hz / 1e9, range->most_hz / 1e9, machine->name, least / 1e9,
                      most / 1e9);
}

static size_t count_clocks(const struct clock_range *range)
{
    double steps = (range->most_hz - range->least_hz) / range->step_hz;
    return 1 + (size_t)floor(steps * (1 + 1e-12) + 1e-9);
}

/* ---- points ---------------------------------------------------------------------------------- */

static double joules(const struct core_sweep_point *point)
{
    return core_point_joules(&point->point, POWER_METRIC_TOTAL);
}

/* Of equal ones the later: more SMs, a higher clock. */
static bool is_better(const struct core_sweep_point *point, const struct core_sweep_point *than)
{
    return joules(point) <= joules(than) * (1 + 1e-12);
}

static ws_status find_best(struct diag *diag, const struct prediction *whole,
                           const struct machine *machine, struct core_sweep_point *out_best,
                           struct core_sweep_point *out_all)
{
    unsigned sms = (unsigned)machine_get(whole->machine, MACHINE_SM_COUNT, 1);
    for (unsigned cores = 1; cores <= sms; cores++) {
        TRY(core_sweep_point(diag, whole, machine, cores, out_all));
        if (cores == 1 || is_better(out_all, out_best)) *out_best = *out_all;
    }
    return WS_OK;
}

static ws_status find_point(struct diag *diag, struct clock_sweep *sweep,
                            const struct prediction *whole, unsigned cores,
                            struct clock_sweep_point *out)
{
    unsigned sms = (unsigned)machine_get(whole->machine, MACHINE_SM_COUNT, 1);
    struct machine machine = *whole->machine;
    clock_set(&machine, out->clock_hz);
    out->volts = clock_volts(&machine, out->clock_hz);
    if (sweep->every_pair) return find_best(diag, whole, &machine, &out->best, &out->all);
    TRY(core_sweep_point(diag, whole, &machine, sms, &out->all));
    TRY(core_sweep_point(diag, whole, &machine, cores, &out->best));
    if (is_better(&out->all, &out->best)) out->best = out->all;
    return WS_OK;
}

static ws_status run(struct diag *diag, const struct prediction *whole,
                     const struct clock_range *range, struct clock_sweep *sweep)
{
    struct core_sweep_point best;
    if (!whole->power) return core_sweep_no_power(diag, whole);
    sweep->time_model = whole->power->time_model;
    sweep->every_pair = !model_find(sweep->time_model)->needs_trace;
    sweep->now_hz = machine_get(whole->machine, MACHINE_CLOCK_CORE, 0);
    TRY(find_best(diag, whole, whole->machine, &best, &sweep->now));
    const struct estimate *throughput = prediction_of(whole, MODEL_THROUGHPUT);
    const struct term *divisor = throughput ? estimate_term(throughput, "freq_factor") : NULL;
    sweep->divided_hz = divisor ? sweep->now_hz / divisor->value : (double)NAN;
    sweep->count = count_clocks(range);
    sweep->points = ARENA_ARRAY(&sweep->arena, struct clock_sweep_point, sweep->count);
    for (size_t i = 0; i < sweep->count; i++) {
        struct clock_sweep_point *points = sweep->points, *point = &points[i];
        point->clock_hz = fmin(range->most_hz, range->least_hz + (double)i * range->step_hz);
        TRY(find_point(diag, sweep, whole, (unsigned)best.point.cores, point));
        if (is_better(&point->all, &points[sweep->best_all].all)) sweep->best_all = i;
        if (is_better(&point->best, &points[sweep->best].best)) sweep->best = i;
    }
    return WS_OK;
}

ws_status clock_sweep_run(struct diag *diag, const struct profile *profile,
                          const struct machine *machine, const struct predict_options *options,
                          const struct clock_range *range, struct clock_sweep **out)
{
    struct prediction *whole;
    struct clock_range wanted = *range;
    *out = NULL;
    TRY(model_predict(diag, profile, machine, options, &whole));
    bool is_default = wanted.least_hz == 0 && wanted.most_hz == 0 && wanted.step_hz == 0;
    if (is_default) default_range(machine, &wanted);
    struct clock_sweep *sweep = mem_zalloc(1, sizeof *sweep);
    ws_status status = check_range(diag, machine, &wanted);
    if (status == WS_OK) status = run(diag, whole, &wanted, sweep);
    prediction_destroy(whole);
    if (status != WS_OK) {
        clock_sweep_destroy(sweep);
        return status;
    }
    *out = sweep;
    return WS_OK;
}

void clock_sweep_destroy(struct clock_sweep *sweep)
{
    if (!sweep) return;
    arena_clear(&sweep->arena);
    mem_free(sweep);
}
