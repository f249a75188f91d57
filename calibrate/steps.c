// SPDX-License-Identifier: Apache-2.0
#include "calibrate/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In two blocks each barrier keeps only its own warps in step: more than a block has are measured only up to what
 * the papers' figures have. */
enum { FIGURE_WARPS = 32 };

unsigned many_warps(const struct gpu_facts *gpu)
{
    enum { REGISTERS = 64 };
    unsigned of_block = gpu->max_threads / gpu->warp;
    unsigned fitting = gpu->max_registers_block / (REGISTERS * gpu->warp);
    return fitting && fitting < of_block ? fitting : of_block;
}

unsigned list_warps(const struct gpu_facts *gpu, bool is_short, unsigned *out)
{
    static const unsigned places[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32};
    unsigned of_block = gpu->max_threads / gpu->warp, of_sm = gpu->max_threads_sm / gpu->warp;
    unsigned count = 0;
    if (is_short) {
        out[0] = many_warps(gpu);
        return 1;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i] <= of_sm && (places[i] <= of_block || of_block < FIGURE_WARPS))
            out[count++] = places[i];
    return count;
}

void launch_warps(const struct gpu_facts *gpu, unsigned warps, struct point *point)
{
    unsigned of_block = gpu->max_threads / gpu->warp, blocks = 1;
    while (warps > blocks * of_block || warps % blocks)
        blocks++;
    point->grid = blocks > 1 ? blocks * gpu->sms : 1;
    point->block = warps / blocks * gpu->warp;
}

static bool is_at(const struct raw_point *point, unsigned axis, const double *at)
{
    for (unsigned i = 0; i < BENCH_AXES; i++)
        if (i != axis && point->x[i] != at[i]) return false;
    return true;
}

bool fit_steps(const struct fit *fit, const char *bench, unsigned axis, const double *at,
               struct line *out)
{
    const struct raw_point *points[STEPS_POINTS];
    double x[STEPS_POINTS], y[STEPS_POINTS], spread[STEPS_POINTS];
    unsigned count = fit_points(fit, bench, points, STEPS_POINTS), used = 0;
    for (unsigned i = 0; i < count; i++) {
        bool is_timed = middle(points[i]->seconds, points[i]->count, NULL) > 0;
        if (!is_at(points[i], axis, at) || !is_timed) continue;
        x[used] = points[i]->x[axis];
        y[used] = middle(points[i]->sm_cycles, points[i]->count, &spread[used]);
        used++;
    }
    return fit_line(x, y, spread, used, out);
}

static int by_value(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

unsigned fit_places(const struct fit *fit, const char *bench, unsigned axis, double *out)
{
    const struct raw_point *points[STEPS_POINTS];
    unsigned count = fit_points(fit, bench, points, STEPS_POINTS), used = 0;
    for (unsigned i = 0; i < count; i++)
        out[i] = points[i]->x[axis];
    qsort(out, count, sizeof *out, by_value);
    for (unsigned i = 0; i < count; i++)
        if (!used || out[used - 1] != out[i]) out[used++] = out[i];
    return used;
}

bool fit_rates(const struct fit *fit, const char *bench, unsigned axis, const double *at,
               double per_step, struct rates *out)
{
    double warps[STEPS_POINTS], place[BENCH_AXES];
    unsigned count = fit_places(fit, bench, 0, warps);
    *out = (struct rates){0};
    memcpy(place, at, sizeof place);
    for (unsigned i = 0; i < count; i++) {
        struct line line;
        place[0] = warps[i];
        if (!fit_steps(fit, bench, axis, place, &line) || !(line.slope > 0)) continue;
        double value = warps[i] * per_step / line.slope;
        out->warps[out->count] = warps[i];
        out->values[out->count++] = value;
        if (value <= out->top) continue;
        out->top = value;
        out->top_half = value * line.slope_half / line.slope;
    }
    return out->count > 0;
}

void draw_rates(struct fit *fit, const struct bench *bench, const struct rates *rates,
                const char *unit)
{
    double fitted[STEPS_POINTS];
    for (unsigned i = 0; i < rates->count; i++)
        fitted[i] = fmin(rates->top, rates->values[0] * rates->warps[i] / rates->warps[0]);
    if (rates->count > 1)
        fit_picture(fit, bench->id, bench->id, "warps per SM", unit, rates->warps, rates->values,
                    fitted, rates->count, false);
}

void keep_rates(struct fit *fit, const struct bench *bench, const char *key, const char *unit,
                const struct rates *rates)
{
    struct fitted_curve curve = {.key = key,
                                 .bench = bench->id,
                                 .unit = unit,
                                 .axes = {"warps"},
                                 .place_count = {rates->count}};
    curve.places[0] = calibrate_alloc(rates->count * sizeof(double));
    curve.values = calibrate_alloc(rates->count * sizeof(double));
    memcpy(curve.places[0], rates->warps, rates->count * sizeof(double));
    memcpy(curve.values, rates->values, rates->count * sizeof(double));
    fit_curve(fit, &curve);
}
