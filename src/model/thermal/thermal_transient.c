// SPDX-License-Identifier: Apache-2.0
/* From one steady state to another. The distance e to the new one obeys C de/dt = -A e, A = G - S. Two
 * implicit stages with one matrix, second order and L-stable (Alexander, SIAM J. Numer. Anal. 14, 1977,
 * SDIRK2), so that neither a die of milliseconds nor a sink of minutes asks for small steps:
 *
 *     (C + g h A) k1 = -A e,  (C + g h A) k2 = -A (e + (1 - g) h k1),  g = 1 - 1 / sqrt 2
 *     e' = e + h ((1 - g) k1 + g k2) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "model/thermal/thermal_network.h"

static const double GAMMA = 0.29289321881345247560;

enum { DEFAULT_STEPS = 100, MOST_STEPS = 1000000 };
/* Steps per time constant of the package: with four, the second order is off by less than 0.1 %. */
enum { STEPS_PER_CONSTANT = 4 };
static const double STEADY_KELVIN = 1e-10; /* nearer than this to the end, nothing changes */

struct transient {
    struct thermal *thermal;
    struct thermal_factor factor; /* of C / (g h) + A */
    double step_seconds;
    double *distance, *image, *k1, *k2, *trial; /* by node */
    const double *end;                          /* the new steady state */
    double given_watts;                         /* at rest and dynamic */
};

double thermal_time_constant_seconds(const struct thermal *thermal)
{
    double capacity = 0, air = 0;
    for (size_t i = 0; i < thermal->nodes; i++) {
        capacity += thermal->capacity[i];
        air += thermal->air[i] - thermal->static_growth[i];
    }
    return air > 0 ? capacity / air : INFINITY;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void prepare(struct transient *run)
{
    const struct thermal *thermal = run->thermal;
    double scale = 1 / (GAMMA * run->step_seconds);
    cs_di *diagonal =
        cs_di_spalloc((int)thermal->nodes, (int)thermal->nodes, (int)thermal->nodes, 1, 1);
    struct mem_guard guards[3];
    if (!diagonal) mem_raise(0);
    mem_guard_begin(&guards[0], thermal_free_matrix, diagonal);
    for (size_t i = 0; i < thermal->nodes; i++)
        if (!cs_di_entry(diagonal, (int)i, (int)i, thermal->capacity[i] * scale)) mem_raise(0);
    cs_di *columns = cs_di_compress(diagonal);
    if (!columns) mem_raise(0);
    mem_guard_begin(&guards[1], thermal_free_matrix, columns);
    cs_di *matrix = cs_di_add(thermal->matrix, columns, 1, 1);
    if (!matrix) mem_raise(0);
    mem_guard_begin(&guards[2], thermal_free_matrix, matrix);
    /* The matrix of rest is positive definite, and a positive diagonal is added to it. */
    if (!thermal_factorise(matrix, &run->factor)) mem_raise(0);
    for (size_t i = 0; i < 3; i++)
        mem_guard_end(&guards[i]);
    cs_di_spfree(diagonal);
    cs_di_spfree(columns);
    cs_di_spfree(matrix);
}

/* k = -(C / (g h) + A)^-1 A e / (g h), which is that of the stages. */
static void stage(struct transient *run, const double *e, double *k)
{
    size_t n = run->thermal->nodes;
    memset(run->image, 0, n * sizeof *run->image);
    cs_di_gaxpy(run->thermal->matrix, e, run->image);
    thermal_solve(&run->factor, n, run->thermal->work, run->image, k);
    for (size_t i = 0; i < n; i++)
        k[i] *= -1 / (GAMMA * run->step_seconds);
}

static void advance(struct transient *run)
{
    size_t n = run->thermal->nodes;
    double h = run->step_seconds;
    stage(run, run->distance, run->k1);
    for (size_t i = 0; i < n; i++)
        run->trial[i] = run->distance[i] + (1 - GAMMA) * h * run->k1[i];
    stage(run, run->trial, run->k2);
    for (size_t i = 0; i < n; i++)
        run->distance[i] = run->trial[i] + GAMMA * h * run->k2[i];
}

static bool is_steady(const struct transient *run)
{
    for (size_t i = 0; i < run->thermal->nodes; i++)
        if (fabs(run->distance[i]) > STEADY_KELVIN) return false;
    return true;
}

/* ---- points ---------------------------------------------------------------------------------- */

static struct thermal_point describe(const struct transient *run, double seconds)
{
    const struct thermal *thermal = run->thermal;
    size_t cells = thermal->layer_nodes;
    struct thermal_point out = {.seconds = seconds, .peak_celsius = -INFINITY};
    double die = 0, sink = 0, growth = 0;
    for (size_t i = 0; i < cells; i++) {
        double celsius = run->end[i] + run->distance[i];
        size_t below = LAYER_SINK * cells + i;
        out.peak_celsius = fmax(out.peak_celsius, celsius);
        die += celsius;
        sink += run->end[below] + run->distance[below];
        growth += thermal->static_growth[i] * (celsius - thermal->rest[i]);
    }
    out.mean_celsius = die / (double)cells;
    out.sink_celsius = sink / (double)cells;
    out.watts = run->given_watts + growth;
    return out;
}

static void walk(struct transient *run, size_t steps, struct thermal_point *out, size_t capacity)
{
    struct thermal_point last = describe(run, 0);
    bool steady = false;
    if (capacity) out[0] = last;
    for (size_t i = 1; i <= steps && i < capacity; i++) {
        if (!steady) {
            advance(run);
            steady = is_steady(run);
        }
        struct thermal_point point = describe(run, (double)i * run->step_seconds);
        point.joules = last.joules + run->step_seconds * (last.watts + point.watts) / 2;
        out[i] = last = point;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

static ws_status choose_step(struct diag *diag, const struct thermal *thermal,
                             const struct thermal_run *run, size_t *out_steps)
{
    double most = thermal_time_constant_seconds(thermal) / STEPS_PER_CONSTANT;
    double step = run->step_seconds;
    if (!(run->seconds > 0) || !isfinite(run->seconds))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "the duration of a transient must be greater than 0 (got %g s)",
                          run->seconds);
    if (!(step >= 0))
        return diag_error(diag, WS_ERR_ARGUMENT, "the time step must be at least 0 s (got %g s)",
                          step);
    if (step > run->seconds)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "the time step of %g s exceeds the transient of %g s", step,
                          run->seconds);
    if (step > most)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "the time step of %g s is too large: the package has a time constant of "
                          "%s, use at most %s",
                          step, quantity_format(most * STEPS_PER_CONSTANT, "s").text,
                          quantity_format(most, "s").text);
    if (step == 0) step = fmin(run->seconds / DEFAULT_STEPS, most);
    double steps = ceil(run->seconds / step * (1 - 1e-12));
    if (steps > MOST_STEPS)
        return diag_error(
            diag, WS_ERR_ARGUMENT,
            "%s of %g s are too many: use steps of at least %s, or a shorter transient",
            quantity_of(steps, "step").text, step,
            quantity_format(run->seconds / MOST_STEPS, "s").text);
    *out_steps = (size_t)steps;
    return WS_OK;
}

ws_status thermal_transient(struct diag *diag, struct thermal *thermal,
                            const struct thermal_load *load, const struct thermal_run *run,
                            struct thermal_point *out, size_t capacity, size_t *out_count)
{
    struct thermal_load full;
    size_t n = thermal->nodes, steps = 0;
    *out_count = 0;
    TRY(thermal_check_load(diag, thermal, load, &full));
    TRY(choose_step(diag, thermal, run, &steps));
    *out_count = steps + 1;
    if (!capacity) return WS_OK;
    double *all = mem_zalloc(6 * n, sizeof *all), *end = all + 5 * n;
    struct transient work = {.thermal = thermal,
                             .step_seconds = run->seconds / (double)steps,
                             .distance = all,
                             .image = all + n,
                             .k1 = all + 2 * n,
                             .k2 = all + 3 * n,
                             .trial = all + 4 * n,
                             .end = end,
                             .given_watts = full.idle_watts};
    struct mem_guard guard;
    thermal_find_rest(thermal, full.idle_watts);
    thermal_load_heat(thermal, &full, work.image);
    thermal_solve(&thermal->factor, n, thermal->work, work.image, end);
    for (size_t i = 0; i < n; i++) {
        double start = run->cold ? thermal->package.ambient_celsius : thermal->rest[i];
        work.given_watts += work.image[i];
        end[i] += thermal->rest[i];
        work.distance[i] = start - end[i];
    }
    mem_guard_begin(&guard, thermal_free_factor, &work.factor);
    prepare(&work);
    walk(&work, steps, out, capacity);
    mem_guard_end(&guard);
    thermal_factor_clear(&work.factor);
    mem_free(all);
    return WS_OK;
}
