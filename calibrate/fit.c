// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool is_good(const struct raw_point *point)
{
    return point->is_checked && !point->is_skipped;
}

unsigned fit_points(const struct fit *fit, const char *bench, const struct raw_point **out,
                    unsigned room)
{
    unsigned count = 0;
    for (unsigned i = 0; i < fit->raw->count && count < room; i++)
        if (!strcmp(fit->raw->points[i].bench, bench) && is_good(&fit->raw->points[i]))
            out[count++] = &fit->raw->points[i];
    return count;
}

/* The first benchmark that determines a figure gives it; what others say is told. */
static void add(struct fit *fit, struct figure figure)
{
    for (unsigned i = 0; i < fit->figure_count && !figure.unknown; i++)
        if (!strcmp(fit->figures[i].key, figure.key) && fit->figures[i].unknown) {
            fit->figures[i] = figure;
            return;
        }
    figure.is_second = fit_known(fit, figure.key) != NULL;
    fit->figures = calibrate_grow(fit->figures, fit->figure_count, sizeof *fit->figures);
    fit->figures[fit->figure_count++] = figure;
}

const char *fit_text(struct fit *fit, const char *text)
{
    fit->texts = calibrate_grow(fit->texts, fit->text_count, sizeof *fit->texts);
    return fit->texts[fit->text_count++] = calibrate_format("%s", text);
}

void fit_figure(struct fit *fit, const struct bench *bench, const char *key, const char *unit,
                double value, double low, double high)
{
    add(fit, (struct figure){.key = key,
                             .unit = unit,
                             .bench = bench->id,
                             .value = value,
                             .low = low,
                             .high = high,
                             .note = ""});
}

/* What the caller's format and arguments say. */
static const char *words_of(struct fit *fit, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static const char *words_of(struct fit *fit, const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    const char *words = fit_text(fit, text ? text : "");
    free(text);
    return words;
}

void fit_note(struct fit *fit, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *words = words_of(fit, format, arguments);
    va_end(arguments);
    for (unsigned i = 0; i < fit->figure_count; i++)
        if (!strcmp(fit->figures[i].key, key) && !fit->figures[i].unknown)
            fit->figures[i].note = words;
}

void fit_unknown(struct fit *fit, const struct bench *bench, const char *key, const char *format,
                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *words = words_of(fit, format, arguments);
    va_end(arguments);
    add(fit, (struct figure){.key = key,
                             .unit = "",
                             .bench = bench->id,
                             .value = NAN,
                             .low = NAN,
                             .high = NAN,
                             .unknown = words,
                             .note = ""});
}

void fit_withdraw(struct fit *fit, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *words = words_of(fit, format, arguments);
    va_end(arguments);
    for (unsigned i = 0; i < fit->figure_count; i++)
        if (!strcmp(fit->figures[i].key, key)) fit->figures[i].unknown = words;
}

const struct figure *fit_known(const struct fit *fit, const char *key)
{
    for (unsigned i = 0; i < fit->figure_count; i++)
        if (!strcmp(fit->figures[i].key, key) && !fit->figures[i].unknown) return &fit->figures[i];
    return NULL;
}

double fit_value(const struct fit *fit, const char *key)
{
    const struct figure *figure = fit_known(fit, key);
    const struct gpu_facts *gpu = &fit->raw->gpu;
    const struct {
        const char *key;
        double value;
    } told[] = {
        {"sm.count", gpu->sms},
        {"sm.max_threads", gpu->max_threads_sm},
        {"clock.core", gpu->clock},
        {"dram.clock", gpu->memory_clock},
        {"dram.bus_width", gpu->bus_bits},
        {"l2.size", (double)gpu->l2_bytes},
        {"shared.per_sm", (double)gpu->shared_sm},
    };
    if (figure) return figure->value;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!strcmp(told[i].key, key)) return told[i].value > 0 ? told[i].value : NAN;
    return NAN;
}

void fit_curve(struct fit *fit, const struct fitted_curve *curve)
{
    fit->curves = calibrate_grow(fit->curves, fit->curve_count, sizeof *fit->curves);
    fit->curves[fit->curve_count++] = *curve;
}

static double *copy_of(const double *values, unsigned count)
{
    double *copy = calibrate_alloc(count * sizeof *copy);
    for (unsigned i = 0; i < count; i++)
        copy[i] = values ? values[i] : NAN;
    return copy;
}

void fit_picture(struct fit *fit, const char *name, const char *title, const char *x_label,
                 const char *y_label, const double *x, const double *measured, const double *fitted,
                 unsigned count, bool log_x)
{
    fit->pictures = calibrate_grow(fit->pictures, fit->picture_count, sizeof *fit->pictures);
    fit->pictures[fit->picture_count++] = (struct picture){.name = name,
                                                           .title = title,
                                                           .x_label = x_label,
                                                           .y_label = y_label,
                                                           .x = copy_of(x, count),
                                                           .measured = copy_of(measured, count),
                                                           .fitted = copy_of(fitted, count),
                                                           .count = count,
                                                           .log_x = log_x};
}

/* Student's t, 95 %, two-sided (any table of it); from 12 degrees of freedom on within 2 %: 1.96 + 2.5 / degrees. */
static double student(unsigned degrees)
{
    static const double t[] = {NAN,   12.706, 4.303, 3.182, 2.776, 2.571,
                               2.447, 2.365,  2.306, 2.262, 2.228, 2.201};
    return degrees < sizeof t / sizeof *t ? t[degrees] : 1.96 + 2.5 / degrees;
}

/* Least squares, all points alike. The interval is the wider of two: by the scatter about the line, and by the
 * scatter of the repeats, which is all there is of two points. */
bool fit_line(const double *x, const double *y, const double *spread, unsigned count,
              struct line *out)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, left = 0, own = 0;
    if (count < 2) return false;
    for (unsigned i = 0; i < count; i++) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    for (unsigned i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (!(xx > 0)) return false;
    *out = (struct line){.slope = xy / xx, .offset = mean_y - xy / xx * mean_x};
    for (unsigned i = 0; i < count; i++) {
        double error = y[i] - out->offset - out->slope * x[i];
        left += error * error;
        if (spread) own += spread[i] * spread[i] / count;
        if (y[i] != 0 && fabs(error / y[i]) > out->residual) out->residual = fabs(error / y[i]);
    }
    double scatter = count > 2 ? student(count - 2) * sqrt(left / (count - 2)) : 0;
    double repeats = 1.96 * sqrt(own);
    double half = scatter > repeats ? scatter : repeats;
    out->slope_half = half / sqrt(xx);
    out->offset_half = half * sqrt(1.0 / count + mean_x * mean_x / xx);
    return true;
}

/* Has it points for a fit? If it has not, *why says why; NULL: it was not asked for. */
static bool was_measured(const struct fit *fit, const char *bench, const char **why)
{
    *why = NULL;
    for (unsigned i = 0; i < fit->raw->count; i++) {
        const struct raw_point *point = &fit->raw->points[i];
        if (strcmp(point->bench, bench) != 0) continue;
        if (is_good(point)) return true;
        *why = point->is_skipped ? point->remark : "its results were not as expected";
    }
    return false;
}

static void explain(struct fit *fit, const struct bench *bench, const char *reason)
{
    char *keys = calibrate_format("%s", bench->figures);
    for (char *rest = keys, *key; (key = strsep(&rest, " ")) != NULL;)
        if (*key && !fit_known(fit, key)) fit_unknown(fit, bench, fit_text(fit, key), "%s", reason);
    free(keys);
}

void fit_all(struct fit *fit)
{
    for (unsigned i = 0; bench_at(i); i++) {
        const struct bench *bench = bench_at(i);
        const char *why;
        bool is_there = was_measured(fit, bench->id, &why);
        if (is_there && bench->fit) bench->fit(bench, fit);
        if (why && !is_there) explain(fit, bench, why);
    }
}

void fit_clear(struct fit *fit)
{
    for (unsigned i = 0; i < fit->curve_count; i++) {
        for (unsigned axis = 0; axis < BENCH_AXES; axis++)
            free(fit->curves[i].places[axis]);
        free(fit->curves[i].values);
    }
    for (unsigned i = 0; i < fit->picture_count; i++) {
        free(fit->pictures[i].x);
        free(fit->pictures[i].measured);
        free(fit->pictures[i].fitted);
    }
    for (unsigned i = 0; i < fit->text_count; i++)
        free(fit->texts[i]);
    free(fit->texts);
    free(fit->figures);
    free(fit->curves);
    free(fit->pictures);
    *fit = (struct fit){0};
}
