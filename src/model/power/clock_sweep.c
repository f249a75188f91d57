// SPDX-License-Identifier: Apache-2.0
#include "model/power/clock_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "model/power/clock_scaling.h"
#include "model/power/power_estimate.h"

enum { DEFAULT_STEPS = 10 };
static const double LEAST_SHARE = 0.5; /* guess: half of the clock is possible */

/* ---- which clocks ---------------------------------------------------------------------------- */

static double highest_clock(const struct machine *machine)
{
    return machine_get(machine, MACHINE_CLOCK_MOST, machine_get(machine, MACHINE_CLOCK_CORE, 0));
}

static double lowest_clock(const struct machine *machine)
{
    return machine_get(machine, MACHINE_CLOCK_LEAST, LEAST_SHARE * highest_clock(machine));
}

static void default_range(const struct machine *machine, struct clock_range *out)
{
    out->most_hz = highest_clock(machine);
    out->least_hz = lowest_clock(machine);
    out->step_hz = (out->most_hz - out->least_hz) / DEFAULT_STEPS;
    if (out->step_hz == 0) out->step_hz = out->most_hz; /* one clock */
}

static ws_status check_range(struct diag *diag, const struct machine *machine,
                             const struct clock_range *range)
{
    if (!(range->least_hz > 0) || !(range->most_hz >= range->least_hz) || !isfinite(range->most_hz))
        return diag_error(
            diag, WS_ERR_ARGUMENT,
            "invalid clock range %g to %g GHz: the first must be greater than 0 and at most "
            "the last",
            range->least_hz / 1e9, range->most_hz / 1e9);
    if (!(range->step_hz > 0) || !isfinite(range->step_hz))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "the clock step must be greater than 0 (got %g GHz)",
                          range->step_hz / 1e9);
    if ((range->most_hz - range->least_hz) / range->step_hz >= CLOCKS_MAX)
        return diag_error(
            diag, WS_ERR_ARGUMENT,
            "too many clocks from %g to %g GHz in steps of %g: at most %d, use a larger step",
            range->least_hz / 1e9, range->most_hz / 1e9, range->step_hz / 1e9, CLOCKS_MAX);
    double least = machine_get(machine, MACHINE_CLOCK_LEAST, 0);
    double most = machine_get(machine, MACHINE_CLOCK_MOST, INFINITY);
    if (range->least_hz >= least * (1 - 1e-12) && range->most_hz <= most * (1 + 1e-12))
        return WS_OK;
    return diag_error(
        diag, WS_ERR_ARGUMENT,
        "clocks from %g to %g GHz are out of range: %s runs at %g to %g (clock.least, clock.most)",
        range->least_hz / 1e9, range->most_hz / 1e9, machine->name, least / 1e9, most / 1e9);
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

static void choose_best(const struct core_sweep_point *points, size_t count,
                        struct core_sweep_point *out)
{
    *out = points[0];
    for (size_t i = 1; i < count; i++)
        if (is_better(&points[i], out)) *out = points[i];
}

static size_t count_sms(const struct prediction *whole)
{
    return (size_t)machine_get(whole->machine, MACHINE_SM_COUNT, 1);
}

/* At clock.core; returns the best number of SMs. */
static ws_status find_now(struct diag *diag, const struct prediction *whole,
                          const struct core_sweep *known, struct clock_sweep *sweep,
                          unsigned *out_cores)
{
    size_t sms = count_sms(whole);
    struct core_sweep_point best;
    struct core_sweep_point *points = known && known->count == sms ? known->points : NULL;
    if (!points) {
        points = ARENA_ARRAY(&sweep->arena, struct core_sweep_point, sms);
        TRY(core_sweep_points(diag, whole, whole->machine, 1, (unsigned)sms, points));
    }
    choose_best(points, sms, &best);
    *out_cores = (unsigned)best.point.cores;
    sweep->now = points[sms - 1];
    return WS_OK;
}

struct batch {
    const struct prediction *whole;
    struct clock_sweep *sweep;
    unsigned cores; /* the best at clock.core */
};

static ws_status find_best(struct diag *diag, const struct prediction *whole,
                           const struct machine *machine, struct clock_sweep_point *out)
{
    for (unsigned cores = 1; cores <= count_sms(whole); cores++) {
        TRY(core_sweep_point(diag, whole, machine, cores, &out->all));
        if (cores == 1 || is_better(&out->all, &out->best)) out->best = out->all;
    }
    return WS_OK;
}

static ws_status find_point(struct diag *diag, void *argument, size_t i)
{
    const struct batch *batch = argument;
    const struct prediction *whole = batch->whole;
    struct clock_sweep_point *out = &batch->sweep->points[i];
    struct machine machine;
    machine_copy_fields(&machine, whole->machine);
    clock_set(&machine, out->clock_hz);
    out->volts = clock_volts(&machine, out->clock_hz);
    if (batch->sweep->every_pair) return find_best(diag, whole, &machine, out);
    TRY(core_sweep_point(diag, whole, &machine, (unsigned)count_sms(whole), &out->all));
    out->best = out->all;
    if (batch->cores == count_sms(whole)) return WS_OK;
    TRY(core_sweep_point(diag, whole, &machine, batch->cores, &out->best));
    if (is_better(&out->all, &out->best)) out->best = out->all;
    return WS_OK;
}

/* Energy times a power of the delay. */
static double delay_product(const struct core_sweep_point *point, int exponent)
{
    return joules(point) * pow(point->point.seconds, exponent);
}

/* Of equal ones the later. */
static size_t least_product(const struct clock_sweep *sweep, int exponent)
{
    size_t best = 0;
    for (size_t i = 1; i < sweep->count; i++)
        if (delay_product(&sweep->points[i].all, exponent) <=
            delay_product(&sweep->points[best].all, exponent) * (1 + 1e-12))
            best = i;
    return best;
}

/* ---- the power limit ------------------------------------------------------------------------- */

static ws_status all_sms_at(struct diag *diag, const struct prediction *whole, double clock_hz,
                            struct core_sweep_point *out)
{
    struct machine machine;
    machine_copy_fields(&machine, whole->machine);
    clock_set(&machine, clock_hz);
    return core_sweep_point(diag, whole, &machine, (unsigned)count_sms(whole), out);
}

/* Halves the range of clocks between one within the limit and clock.core, which is not. */
static ws_status find_limit(struct diag *diag, const struct prediction *whole, double least_hz,
                            struct clock_sweep *sweep)
{
    enum { HALVINGS = 8 };
    double limit = machine_get(whole->machine, MACHINE_POWER_TDP, NAN);
    double low = fmin(least_hz, sweep->now_hz), high = sweep->now_hz;
    if (!(limit > 0)) return WS_OK;
    sweep->limit_hz = sweep->now_hz;
    sweep->limit = sweep->now;
    sweep->has_limit = sweep->now.point.gpu_watts <= limit;
    if (sweep->has_limit) return WS_OK;
    struct core_sweep_point point;
    TRY(all_sms_at(diag, whole, low, &point));
    sweep->has_limit = sweep->is_limited = point.point.gpu_watts <= limit;
    sweep->limit_hz = low;
    sweep->limit = point;
    for (int i = 0; sweep->is_limited && i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        TRY(all_sms_at(diag, whole, middle, &point));
        if (point.point.gpu_watts > limit) {
            high = middle;
            continue;
        }
        low = sweep->limit_hz = middle;
        sweep->limit = point;
    }
    return WS_OK;
}

static ws_status run(struct diag *diag, const struct prediction *whole,
                     const struct core_sweep *known, const struct clock_range *range,
                     struct clock_sweep *sweep)
{
    struct batch batch = {.whole = whole, .sweep = sweep};
    sweep->time_model = whole->power->time_model;
    sweep->every_pair = !model_find(sweep->time_model)->needs_trace;
    sweep->now_hz = machine_get(whole->machine, MACHINE_CLOCK_CORE, 0);
    TRY(find_now(diag, whole, known, sweep, &batch.cores));
    const struct estimate *throughput = prediction_of(whole, MODEL_THROUGHPUT);
    const struct term *divisor = throughput ? estimate_term(throughput, "freq_factor") : NULL;
    sweep->divided_hz = divisor ? sweep->now_hz / divisor->value : (double)NAN;
    sweep->count = count_clocks(range);
    struct clock_sweep_point *points = sweep->points =
        ARENA_ARRAY(&sweep->arena, struct clock_sweep_point, sweep->count);
    for (size_t i = 0; i < sweep->count; i++)
        points[i].clock_hz = fmin(range->most_hz, range->least_hz + (double)i * range->step_hz);
    TRY(parallel_each(diag, sweep->count, find_point, &batch));
    for (size_t i = 0; i < sweep->count; i++) {
        if (is_better(&points[i].all, &points[sweep->best_all].all)) sweep->best_all = i;
        if (is_better(&points[i].best, &points[sweep->best].best)) sweep->best = i;
    }
    sweep->best_edp = least_product(sweep, 1);
    sweep->best_ed2p = least_product(sweep, 2);
    return find_limit(diag, whole, lowest_clock(whole->machine), sweep);
}

ws_status clock_sweep_run(struct diag *diag, const struct prediction *whole,
                          const struct core_sweep *known, const struct clock_range *range,
                          struct clock_sweep **out)
{
    struct clock_range wanted = *range;
    *out = NULL;
    if (!whole->power) return core_sweep_no_power(diag, whole);
    bool is_default = wanted.least_hz == 0 && wanted.most_hz == 0 && wanted.step_hz == 0;
    if (is_default) default_range(whole->machine, &wanted);
    struct clock_sweep *sweep = mem_zalloc(1, sizeof *sweep);
    ws_status status = check_range(diag, whole->machine, &wanted);
    if (status == WS_OK) status = run(diag, whole, known, &wanted, sweep);
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
