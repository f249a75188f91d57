// SPDX-License-Identifier: Apache-2.0
/* Statements about curves. A check names a curve, a column, which series it is about (`kernel`,
 * `machine`: patterns; `blocks_per_sm`) and from where to where; doc/papers.md lists the kinds. */
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/papers/papers.h"

struct check {
    struct papers *papers;
    const json_t *source;
    const struct papers_curve *curve;
    size_t column;
    double from, to; /* of x */
    size_t points, failed;
    const char *first; /* the first point that fails */
    double number;
    bool has_number;
};

static int find_column(struct check *check, const char *key, size_t *out)
{
    const char *name = papers_text(check->source, key);
    for (*out = 0; *out < check->curve->column_count; ++*out)
        if (!strcmp(check->curve->columns[*out], name)) return EXIT_DONE;
    return papers_bad_file(check->papers, "published.json", "a check names the column", name);
}

static bool fits(const char *pattern, const char *name)
{
    return !*pattern || fnmatch(pattern, name, 0) == 0;
}

static bool is_meant(const struct check *check, const struct papers_series *series)
{
    double blocks = papers_number(check->source, "blocks_per_sm", -1);
    return fits(papers_text(check->source, "kernel"), series->kernel) &&
           fits(papers_text(check->source, "machine"), series->machine) &&
           (blocks < 0 || blocks == series->blocks_per_sm);
}

/* The series that `series` is compared with: alike but for what than_* says. */
static const struct papers_series *find_partner(const struct check *check,
                                                const struct papers_series *series)
{
    const char *kernel = papers_text(check->source, "than_kernel");
    const char *machine = papers_text(check->source, "than_machine");
    double blocks = papers_number(check->source, "than_blocks_per_sm", series->blocks_per_sm);
    if (!*kernel) kernel = series->kernel;
    if (!*machine) machine = series->machine;
    for (size_t i = 0; i < check->curve->series_count; i++) {
        const struct papers_series *other = &check->curve->series[i];
        if (!strcmp(other->kernel, kernel) && !strcmp(other->machine, machine) &&
            other->blocks_per_sm == blocks)
            return other;
    }
    return NULL;
}

static double value_at(const struct papers_series *series, double x, size_t column)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x == x) return series->points[i].values[column];
    return NAN;
}

static void judge(struct check *check, bool good, const struct papers_series *series, double x,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

static void judge(struct check *check, bool good, const struct papers_series *series, double x,
                  const char *format, ...)
{
    char text[128];
    va_list list;
    check->points++;
    if (good) return;
    if (check->failed++) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    check->first = cli_format(check->papers->cli, "%s on %s at %s %g: %s", series->kernel,
                              series->machine, check->curve->x_name, x, text);
}

/* ---- kinds: each judges one series
 * ---------------------------------------------------------------- */

static double within(const struct check *check)
{
    return papers_number(check->source, "within", 0);
}

/* Never falls (rises) or never rises (falls), and is not the same at both ends. */
static void check_slope(struct check *check, const struct papers_series *series, double sign)
{
    double first = NAN, before = NAN, x = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        double value = series->points[i].values[check->column];
        x = series->points[i].x;
        if (isnan(value) || x < check->from || x > check->to) continue;
        if (!isnan(before))
            judge(check, sign * (value - before) >= -within(check) * fabs(before), series, x,
                  "%.4g after %.4g", value, before);
        if (isnan(first)) first = value;
        before = value;
    }
    judge(check, sign * (before - first) > 0, series, x, "%.4g, at the start %.4g", before, first);
}

static void check_rises(struct check *check, const struct papers_series *series)
{
    check_slope(check, series, 1);
}

static void check_falls(struct check *check, const struct papers_series *series)
{
    check_slope(check, series, -1);
}

/* Within a share of the smallest value. */
static void check_flat(struct check *check, const struct papers_series *series)
{
    double least = INFINITY, most = 0, x = check->from;
    for (size_t i = 0; i < series->point_count; i++) {
        double value = series->points[i].values[check->column];
        if (isnan(value) || series->points[i].x < check->from || series->points[i].x > check->to)
            continue;
        least = fmin(least, value);
        if (value > most) x = series->points[i].x;
        most = fmax(most, value);
    }
    judge(check, most <= least * (1 + within(check)), series, x, "%.3g %% above the least",
          100 * (most / least - 1));
}

/* Compared with another series or another column, point by point. */
static void compare(struct check *check, const struct papers_series *series,
                    bool (*is_good)(const struct check *check, double value, double other))
{
    size_t column = check->column;
    const struct papers_series *other = find_partner(check, series);
    if (*papers_text(check->source, "than_column") &&
        find_column(check, "than_column", &column) != EXIT_DONE)
        other = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        double x = series->points[i].x, value = series->points[i].values[check->column];
        double limit = other ? value_at(other, x, column) : NAN;
        if (x < check->from || x > check->to || (isnan(value) && isnan(limit))) continue;
        judge(check, is_good(check, value, limit), series, x, "%.5g against %.5g", value, limit);
    }
}

static bool is_below(const struct check *check, double value, double other)
{
    return value <= papers_number(check->source, "factor", 1) * other * (1 + 1e-9);
}

static bool is_above(const struct check *check, double value, double other)
{
    return value >= papers_number(check->source, "factor", 1) * other * (1 - 1e-9);
}

static bool is_same(const struct check *check, double value, double other)
{
    return fabs(value - other) <= (within(check) + 1e-9) * fabs(other);
}

static void check_below(struct check *check, const struct papers_series *series)
{
    compare(check, series, is_below);
}

static void check_above(struct check *check, const struct papers_series *series)
{
    compare(check, series, is_above);
}

static void check_same(struct check *check, const struct papers_series *series)
{
    compare(check, series, is_same);
}

/* `x`, or the last one. */
static double chosen_x(const struct check *check, const struct papers_series *series)
{
    double last = series->point_count ? series->points[series->point_count - 1].x : 0;
    return papers_number(check->source, "x", last);
}

static void check_value(struct check *check, const struct papers_series *series)
{
    double x = chosen_x(check, series);
    double value = value_at(series, x, check->column);
    judge(check, !isnan(value), series, x, "there is no value");
    check->number = value * papers_number(check->source, "scale", 1);
    check->has_number = true;
}

static void check_ratio(struct check *check, const struct papers_series *series)
{
    double x = chosen_x(check, series);
    const struct papers_series *other = find_partner(check, series);
    double below = other ? value_at(other, x, check->column) : NAN;
    check->number = value_at(series, x, check->column) / below;
    check->has_number = true;
    judge(check, !isnan(check->number), series, x, "there is no value");
}

/* The first x at which the time has not fallen as far as x has grown, but for `within`; if there is none,
 * one more than the last. */
static void check_saturates(struct check *check, const struct papers_series *series)
{
    const struct papers_point *first = &series->points[0];
    for (size_t i = 0; i < series->point_count; i++) {
        const struct papers_point *point = &series->points[i];
        double speedup = first->values[check->column] / point->values[check->column];
        check->number = point->x + 1;
        if (speedup >= (1 - within(check)) * point->x / first->x) continue;
        check->number = point->x;
        break;
    }
    check->has_number = true;
    judge(check, series->point_count > 0, series, 0, "there is no point");
}

static const struct {
    const char *name;
    void (*judge_series)(struct check *check, const struct papers_series *series);
} kinds[] = {
    {"rises", check_rises}, {"falls", check_falls}, {"flat", check_flat},
    {"below", check_below}, {"above", check_above}, {"same", check_same},
    {"value", check_value}, {"ratio", check_ratio}, {"saturates", check_saturates},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* ---- the check
 * ------------------------------------------------------------------------------------ */

/* The sum of the values of several kernels (the paths of a branch) over that of one. */
static int check_sum(struct check *check)
{
    double x = papers_number(check->source, "x", check->to), sum = 0;
    const char *whole = papers_text(check->source, "than_kernel");
    for (size_t i = 0; i < check->curve->series_count; i++) {
        const struct papers_series *series = &check->curve->series[i];
        double value = value_at(series, x, check->column);
        if (!fits(papers_text(check->source, "machine"), series->machine)) continue;
        if (!strcmp(series->kernel, whole))
            check->number = value;
        else if (fits(papers_text(check->source, "kernel"), series->kernel))
            sum += value;
    }
    check->points = 1;
    check->number = sum / check->number - 1;
    check->has_number = true;
    return EXIT_DONE;
}

static const struct papers_series *find_series(const struct check *check, const json_t *kernel,
                                               const char *machine)
{
    const char *name = json_string_value(kernel);
    for (size_t i = 0; name && i < check->curve->series_count; i++) {
        const struct papers_series *series = &check->curve->series[i];
        if (!strcmp(series->kernel, name) && !strcmp(series->machine, machine)) return series;
    }
    return NULL;
}

enum { KERNELS_MAX = 16 };

/* `kernels` in the order of their values. */
static void check_order(struct check *check, const struct papers_series *const *list, size_t count,
                        size_t point)
{
    double x = list[0]->points[point].x;
    for (size_t i = 1; i < count; i++) {
        double before = value_at(list[i - 1], x, check->column);
        double value = value_at(list[i], x, check->column);
        judge(check, value >= before, list[i], x, "%.5g after %.5g", value, before);
    }
}

/* Values of `kernels` on a line over their `loads`: least squares, the distance from the line in
 * shares of the largest value. */
static void check_linear(struct check *check, const struct papers_series *const *list, size_t count,
                         size_t point)
{
    const json_t *loads = json_object_get(check->source, "loads");
    double x = list[0]->points[point].x, n = (double)count, a = 0, b = 0, aa = 0, ab = 0, most = 0;
    double values[KERNELS_MAX], positions[KERNELS_MAX];
    for (size_t i = 0; i < count; i++) {
        positions[i] = json_number_value(json_array_get(loads, i));
        values[i] = value_at(list[i], x, check->column);
        a += positions[i];
        b += values[i];
        aa += positions[i] * positions[i];
        ab += positions[i] * values[i];
        most = fmax(most, values[i]);
    }
    double slope = (n * ab - a * b) / (n * aa - a * a), start = (b - slope * a) / n;
    for (size_t i = 0; i < count; i++) {
        double line = start + slope * positions[i];
        judge(check, slope > 0 && fabs(values[i] - line) <= within(check) * most, list[i], x,
              "%.5g, on the line %.5g", values[i], line);
    }
}

/* Kinds about several kernels on one machine. */
static int check_kernels(struct check *check,
                         void (*judge_point)(struct check *check,
                                             const struct papers_series *const *list, size_t count,
                                             size_t point))
{
    const json_t *kernels = json_object_get(check->source, "kernels");
    const struct papers_series *list[KERNELS_MAX];
    size_t count = json_array_size(kernels);
    if (count > KERNELS_MAX) count = KERNELS_MAX;
    for (size_t s = 0; s < check->curve->series_count; s++) {
        const struct papers_series *first = &check->curve->series[s];
        if (first != find_series(check, json_array_get(kernels, 0), first->machine)) continue;
        for (size_t i = 0; i < count; i++) {
            list[i] = find_series(check, json_array_get(kernels, i), first->machine);
            if (!list[i])
                return papers_bad_file(check->papers, "published.json",
                                       "a check names a kernel that is not in", check->curve->id);
        }
        for (size_t p = 0; p < first->point_count; p++)
            if (first->points[p].x >= check->from && first->points[p].x <= check->to)
                judge_point(check, list, count, p);
    }
    return EXIT_DONE;
}

static int run_check(struct check *check)
{
    const char *kind = papers_text(check->source, "check");
    size_t k = 0;
    if (!strcmp(kind, "sum")) return check_sum(check);
    if (!strcmp(kind, "order")) return check_kernels(check, check_order);
    if (!strcmp(kind, "linear")) return check_kernels(check, check_linear);
    while (k < KIND_COUNT && strcmp(kinds[k].name, kind))
        k++;
    if (k == KIND_COUNT)
        return papers_bad_file(check->papers, "published.json", "no kind of check is", kind);
    for (size_t i = 0; i < check->curve->series_count; i++)
        if (is_meant(check, &check->curve->series[i]))
            kinds[k].judge_series(check, &check->curve->series[i]);
    if (check->points) return EXIT_DONE;
    return papers_bad_file(check->papers, "published.json", "a check finds no series or point of",
                           check->curve->id);
}

int papers_check(struct papers *papers, const json_t *source, double *number, const char **text,
                 bool *holds)
{
    struct check check = {.papers = papers,
                          .source = source,
                          .from = papers_number(source, "from", -INFINITY),
                          .to = papers_number(source, "to", INFINITY)};
    CLI_TRY(papers_curve_compute(papers, papers_text(source, "curve"), &check.curve));
    CLI_TRY(find_column(&check, "column", &check.column));
    CLI_TRY(run_check(&check));
    *number = check.number;
    *holds = check.failed == 0 && check.number >= papers_number(source, "least", -INFINITY) &&
             check.number <= papers_number(source, "most", INFINITY);
    *text = NULL;
    if (check.has_number && !check.failed) return EXIT_DONE;
    if (*holds)
        *text = cli_format(papers->cli, "holds at %zu of %zu", check.points, check.points);
    else
        *text = cli_format(papers->cli, "fails at %zu of %zu: %s", check.failed, check.points,
                           check.first);
    return EXIT_DONE;
}
