// SPDX-License-Identifier: Apache-2.0
/* Statements about curves. A check names a curve, a column, which series it is about and from where to
 * where; doc/papers.md lists the kinds. */
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "answer/papers_answer.h"

struct checking {
    struct diag *diag;
    struct arena *arena;
    const struct paper_row *row;
    const struct check *check;
    const struct curve *curve;
    size_t column, than_column;
    double from, to; /* of x */
    size_t points, failed;
    const char *first; /* the first point that fails */
    double number;
    bool has_number;
};

static double number_or(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static ws_status bad_check(const struct checking *at, const char *what, const char *name)
{
    return diag_error(at->diag, WS_ERR_ARGUMENT, "the check of the row '%s' %s '%s'", at->row->id,
                      what, name ? name : "");
}

static ws_status find_column(const struct checking *at, const char *name, size_t *out)
{
    for (*out = 0; name && *out < at->curve->column_count; ++*out)
        if (!strcmp(at->curve->columns[*out].id, name)) return WS_OK;
    return bad_check(at, "names the column", name);
}

static bool fits(const char *pattern, const char *name)
{
    return !pattern || fnmatch(pattern, name, 0) == 0;
}

/* 0: as many as fit. */
static double blocks_of(const struct curve_series *series)
{
    return number_or(series->blocks_per_sm, 0);
}

static bool is_meant(const struct checking *at, const struct curve_series *series)
{
    double blocks = number_or(at->check->blocks_per_sm, -1);
    return fits(at->check->kernel, series->kernel) && fits(at->check->machine, series->machine) &&
           (blocks < 0 || blocks == blocks_of(series));
}

/* The series that `series` is compared with: alike but for what than_* says. */
static const struct curve_series *find_partner(const struct checking *at,
                                               const struct curve_series *series)
{
    const char *kernel = at->check->than_kernel;
    const char *machine = at->check->than_machine;
    double blocks = number_or(at->check->than_blocks_per_sm, blocks_of(series));
    if (!kernel) kernel = series->kernel;
    if (!machine) machine = series->machine;
    for (size_t i = 0; i < at->curve->series_count; i++) {
        const struct curve_series *other = &at->curve->series[i];
        if (!strcmp(other->kernel, kernel) && !strcmp(other->machine, machine) &&
            blocks_of(other) == blocks)
            return other;
    }
    return NULL;
}

static double value_at(const struct curve_series *series, double x, size_t column)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x == x) return series->points[i].values[column];
    return NAN;
}

static void judge(struct checking *at, bool good, const struct curve_series *series, double x,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

static void judge(struct checking *at, bool good, const struct curve_series *series, double x,
                  const char *format, ...)
{
    char text[128];
    va_list list;
    at->points++;
    if (good) return;
    if (at->failed++) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    at->first = arena_format(at->arena, "%s on %s at %s %g: %s", series->kernel, series->machine,
                             at->curve->x_name, x, text);
}

/* ---- kinds: each judges one series ----------------------------------------------------------- */

static double within(const struct checking *at)
{
    return number_or(at->check->within, 0);
}

/* Never falls (rises) or never rises (falls), and is not the same at both ends. */
static void check_slope(struct checking *at, const struct curve_series *series, double sign)
{
    double first = NAN, before = NAN, x = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        double value = series->points[i].values[at->column];
        x = series->points[i].x;
        if (isnan(value) || x < at->from || x > at->to) continue;
        if (!isnan(before))
            judge(at, sign * (value - before) >= -within(at) * fabs(before), series, x,
                  "%.4g after %.4g", value, before);
        if (isnan(first)) first = value;
        before = value;
    }
    judge(at, sign * (before - first) > 0, series, x, "%.4g, at the start %.4g", before, first);
}

static void check_rises(struct checking *at, const struct curve_series *series)
{
    check_slope(at, series, 1);
}

static void check_falls(struct checking *at, const struct curve_series *series)
{
    check_slope(at, series, -1);
}

/* Within a share of the smallest value. */
static void check_flat(struct checking *at, const struct curve_series *series)
{
    double least = INFINITY, most = 0, x = at->from;
    for (size_t i = 0; i < series->point_count; i++) {
        double value = series->points[i].values[at->column];
        if (isnan(value) || series->points[i].x < at->from || series->points[i].x > at->to)
            continue;
        least = fmin(least, value);
        if (value > most) x = series->points[i].x;
        most = fmax(most, value);
    }
    judge(at, most <= least * (1 + within(at)), series, x, "%.3g %% above the least",
          100 * (most / least - 1));
}

/* Compared with another series or another column, point by point. */
static void compare(struct checking *at, const struct curve_series *series,
                    bool (*is_good)(const struct checking *at, double value, double other))
{
    const struct curve_series *other = find_partner(at, series);
    for (size_t i = 0; i < series->point_count; i++) {
        double x = series->points[i].x, value = series->points[i].values[at->column];
        double limit = other ? value_at(other, x, at->than_column) : NAN;
        if (x < at->from || x > at->to || (isnan(value) && isnan(limit))) continue;
        judge(at, is_good(at, value, limit), series, x, "%.5g against %.5g", value, limit);
    }
}

static bool is_below(const struct checking *at, double value, double other)
{
    return value <= number_or(at->check->factor, 1) * other * (1 + 1e-9);
}

static bool is_above(const struct checking *at, double value, double other)
{
    return value >= number_or(at->check->factor, 1) * other * (1 - 1e-9);
}

static bool is_same(const struct checking *at, double value, double other)
{
    return fabs(value - other) <= (within(at) + 1e-9) * fabs(other);
}

static void check_below(struct checking *at, const struct curve_series *series)
{
    compare(at, series, is_below);
}

static void check_above(struct checking *at, const struct curve_series *series)
{
    compare(at, series, is_above);
}

static void check_same(struct checking *at, const struct curve_series *series)
{
    compare(at, series, is_same);
}

/* `x`, or the last one. */
static double chosen_x(const struct checking *at, const struct curve_series *series)
{
    double last = series->point_count ? series->points[series->point_count - 1].x : 0;
    return number_or(at->check->x, last);
}

static void check_value(struct checking *at, const struct curve_series *series)
{
    double x = chosen_x(at, series);
    double value = value_at(series, x, at->column);
    judge(at, !isnan(value), series, x, "no value");
    at->number = value * number_or(at->check->scale, 1);
    at->has_number = true;
}

static void check_ratio(struct checking *at, const struct curve_series *series)
{
    double x = chosen_x(at, series);
    const struct curve_series *other = find_partner(at, series);
    double below = other ? value_at(other, x, at->column) : NAN;
    at->number = value_at(series, x, at->column) / below;
    at->has_number = true;
    judge(at, !isnan(at->number), series, x, "no value");
}

/* The first x at which the time has not fallen as far as x has grown, but for `within`; if there is none,
 * one more than the last. */
static void check_saturates(struct checking *at, const struct curve_series *series)
{
    const struct curve_point *first = &series->points[0];
    for (size_t i = 0; i < series->point_count; i++) {
        const struct curve_point *point = &series->points[i];
        double speedup = first->values[at->column] / point->values[at->column];
        at->number = point->x + 1;
        if (speedup >= (1 - within(at)) * point->x / first->x) continue;
        at->number = point->x;
        break;
    }
    at->has_number = true;
    judge(at, series->point_count > 0, series, 0, "no points");
}

static const struct {
    const char *name;
    void (*judge_series)(struct checking *at, const struct curve_series *series);
} kinds[] = {
    {"rises", check_rises}, {"falls", check_falls}, {"flat", check_flat},
    {"below", check_below}, {"above", check_above}, {"same", check_same},
    {"value", check_value}, {"ratio", check_ratio}, {"saturates", check_saturates},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* ---- the check ------------------------------------------------------------------------------- */

/* The sum of the values of several kernels (the paths of a branch) over that of one. */
static ws_status check_sum(struct checking *at)
{
    double x = number_or(at->check->x, at->to), sum = 0;
    const char *whole = at->check->than_kernel;
    for (size_t i = 0; i < at->curve->series_count; i++) {
        const struct curve_series *series = &at->curve->series[i];
        double value = value_at(series, x, at->column);
        if (!fits(at->check->machine, series->machine)) continue;
        if (whole && !strcmp(series->kernel, whole))
            at->number = value;
        else if (fits(at->check->kernel, series->kernel))
            sum += value;
    }
    at->points = 1;
    at->number = sum / at->number - 1;
    at->has_number = true;
    return WS_OK;
}

static const struct curve_series *find_series(const struct checking *at, const char *kernel,
                                              const char *machine)
{
    for (size_t i = 0; i < at->curve->series_count; i++) {
        const struct curve_series *series = &at->curve->series[i];
        if (!strcmp(series->kernel, kernel) && !strcmp(series->machine, machine)) return series;
    }
    return NULL;
}

enum { KERNELS_MAX = 16 };

/* `kernels` in the order of their values. */
static void check_order(struct checking *at, const struct curve_series *const *list, size_t count,
                        size_t point)
{
    double x = list[0]->points[point].x;
    for (size_t i = 1; i < count; i++) {
        double before = value_at(list[i - 1], x, at->column);
        double value = value_at(list[i], x, at->column);
        judge(at, value >= before, list[i], x, "%.5g after %.5g", value, before);
    }
}

/* Values of `kernels` on a line over their `loads`: least squares, the distance from the line in
 * shares of the largest value. */
static void check_linear(struct checking *at, const struct curve_series *const *list, size_t count,
                         size_t point)
{
    double x = list[0]->points[point].x, n = (double)count, a = 0, b = 0, aa = 0, ab = 0, most = 0;
    double values[KERNELS_MAX], positions[KERNELS_MAX];
    for (size_t i = 0; i < count; i++) {
        positions[i] = at->check->kernels[i].load;
        values[i] = value_at(list[i], x, at->column);
        a += positions[i];
        b += values[i];
        aa += positions[i] * positions[i];
        ab += positions[i] * values[i];
        most = fmax(most, values[i]);
    }
    double slope = (n * ab - a * b) / (n * aa - a * a), start = (b - slope * a) / n;
    for (size_t i = 0; i < count; i++) {
        double line = start + slope * positions[i];
        judge(at, slope > 0 && fabs(values[i] - line) <= within(at) * most, list[i], x,
              "%.5g, on the line %.5g", values[i], line);
    }
}

/* Kinds about several kernels on one machine. */
static ws_status check_kernels(struct checking *at,
                               void (*judge_point)(struct checking *at,
                                                   const struct curve_series *const *list,
                                                   size_t count, size_t point))
{
    const struct checked_kernel *kernels = at->check->kernels;
    const struct curve_series *list[KERNELS_MAX];
    size_t count = at->check->kernel_count;
    if (!count || count > KERNELS_MAX)
        return bad_check(at, "has no kernels, or too many, of", at->curve->id);
    for (size_t s = 0; s < at->curve->series_count; s++) {
        const struct curve_series *first = &at->curve->series[s];
        if (first != find_series(at, kernels[0].name, first->machine)) continue;
        for (size_t i = 0; i < count; i++) {
            list[i] = find_series(at, kernels[i].name, first->machine);
            if (!list[i]) return bad_check(at, "names the kernel", kernels[i].name);
        }
        for (size_t p = 0; p < first->point_count; p++)
            if (first->points[p].x >= at->from && first->points[p].x <= at->to)
                judge_point(at, list, count, p);
    }
    return WS_OK;
}

static ws_status run_check(struct checking *at)
{
    const char *kind = at->check->kind;
    size_t k = 0;
    if (!strcmp(kind, "sum")) return check_sum(at);
    if (!strcmp(kind, "order")) return check_kernels(at, check_order);
    if (!strcmp(kind, "linear")) return check_kernels(at, check_linear);
    while (k < KIND_COUNT && strcmp(kinds[k].name, kind) != 0)
        k++;
    if (k == KIND_COUNT) return bad_check(at, "is of no kind:", kind);
    for (size_t i = 0; i < at->curve->series_count; i++)
        if (is_meant(at, &at->curve->series[i])) kinds[k].judge_series(at, &at->curve->series[i]);
    return at->points ? WS_OK : bad_check(at, "finds no series or point of", at->curve->id);
}

ws_status papers_check(struct diag *diag, struct arena *arena, const struct papers_answer *answer,
                       struct paper_row *row)
{
    const struct check *check = &row->check;
    struct checking at = {.diag = diag,
                          .arena = arena,
                          .row = row,
                          .check = check,
                          .from = number_or(check->from, -INFINITY),
                          .to = number_or(check->to, INFINITY)};
    for (size_t i = 0; check->curve && i < answer->curve_count; i++)
        if (!strcmp(answer->curves[i].id, check->curve)) at.curve = &answer->curves[i];
    if (!at.curve) return bad_check(&at, "names the curve", check->curve);
    TRY(find_column(&at, check->column, &at.column));
    at.than_column = at.column;
    if (check->than_column) TRY(find_column(&at, check->than_column, &at.than_column));
    TRY(run_check(&at));
    row->fails = at.failed || at.number < number_or(row->least, -INFINITY) ||
                 at.number > number_or(row->most, INFINITY);
    row->ours = NAN;
    if (at.has_number && !at.failed)
        row->ours = at.number;
    else if (!row->fails)
        row->ours_words = arena_format(arena, "holds at %zu of %zu", at.points, at.points);
    else
        row->ours_words =
            arena_format(arena, "fails at %zu of %zu: %s", at.failed, at.points, at.first);
    return WS_OK;
}
