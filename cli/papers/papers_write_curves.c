// SPDX-License-Identifier: Apache-2.0
/* Curves as tables: text that gnuplot reads (one data set a series, `plot FILE index "NAME"`), JSON,
 * and CSV with one line a value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/papers/papers.h"

static const char *series_name(struct papers *papers, const struct papers_series *series)
{
    if (series->blocks_per_sm)
        return cli_format(papers->cli, "%s@%s/%u", series->kernel, series->machine,
                          series->blocks_per_sm);
    return cli_format(papers->cli, "%s@%s", series->kernel, series->machine);
}

static void print_series(struct papers *papers, FILE *out, const struct papers_curve *curve,
                         const struct papers_series *series)
{
    /* gnuplot takes the first comment of a data set as its name. */
    fprintf(out, "# %s %s\n# %s (%s)\n# %-9s", curve->id, series_name(papers, series), curve->title,
            curve->figure, curve->x_name);
    for (size_t c = 0; c < curve->column_count; c++)
        fprintf(out, " %13s", curve->columns[c]);
    fputc('\n', out);
    for (size_t i = 0; i < series->point_count; i++) {
        fprintf(out, "%11g", series->points[i].x);
        for (size_t c = 0; c < curve->column_count; c++) {
            double value = series->points[i].values[c];
            if (isfinite(value))
                fprintf(out, " %13.6g", value);
            else
                fprintf(out, " %13s", "NaN");
        }
        fputc('\n', out);
    }
    fputs("\n\n", out);
}

static void print_text(struct papers *papers, FILE *out, const struct papers_curve *const *curves,
                       size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < curves[k]->series_count; i++)
            print_series(papers, out, curves[k], &curves[k]->series[i]);
}

static void print_csv(struct papers *papers, FILE *out, const struct papers_curve *const *curves,
                      size_t count)
{
    (void)papers;
    fputs("curve,kernel,machine,blocks_per_sm,x_name,x,column,value,unit\n", out);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < curves[k]->series_count; i++) {
            const struct papers_curve *curve = curves[k];
            const struct papers_series *series = &curve->series[i];
            for (size_t p = 0; p < series->point_count; p++)
                for (size_t c = 0; c < curve->column_count; c++) {
                    double value = series->points[p].values[c];
                    if (!isfinite(value)) continue;
                    fprintf(out, "%s,%s,%s,", curve->id, series->kernel, series->machine);
                    if (series->blocks_per_sm) fprintf(out, "%u", series->blocks_per_sm);
                    fprintf(out, ",%s,%g,%s,%.9g,%s\n", curve->x_name, series->points[p].x,
                            curve->columns[c], value, curve->units[c]);
                }
        }
}

static json_t *series_json(const struct papers_curve *curve, const struct papers_series *series)
{
    json_t *points = json_array(), *out = json_object();
    for (size_t p = 0; p < series->point_count; p++) {
        json_t *values = json_array();
        for (size_t c = 0; c < curve->column_count; c++) {
            double value = series->points[p].values[c];
            json_array_append_new(values, isfinite(value) ? json_real(value) : json_null());
        }
        json_array_append_new(points,
                              json_pack("{s:f, s:o}", "x", series->points[p].x, "values", values));
    }
    json_object_set_new(out, "kernel", json_string(series->kernel));
    json_object_set_new(out, "machine", json_string(series->machine));
    json_object_set_new(out, "blocks_per_sm",
                        series->blocks_per_sm ? json_integer(series->blocks_per_sm) : json_null());
    json_object_set_new(out, "points", points);
    return out;
}

static json_t *curve_json(const struct papers_curve *curve)
{
    json_t *columns = json_array(), *series = json_array();
    for (size_t c = 0; c < curve->column_count; c++)
        json_array_append_new(
            columns, json_pack("{s:s, s:s}", "id", curve->columns[c], "unit", curve->units[c]));
    for (size_t i = 0; i < curve->series_count; i++)
        json_array_append_new(series, series_json(curve, &curve->series[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "id", curve->id, "title", curve->title,
                     "figure", curve->figure, "x", curve->x_name, "columns", columns, "series",
                     series);
}

static void print_json(FILE *out, const struct papers_curve *const *curves, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, curve_json(curves[i]));
    json_t *document = json_pack("{s:s, s:{s:s, s:s}, s:o}", "schema", "warpsage.papers/1", "tool",
                                 "name", "warpsage", "version", ws_version(), "curves", list);
    json_dumpf(document, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fputc('\n', out);
    json_decref(document);
}

int papers_write_curves(struct papers *papers, const struct papers_curve *const *curves,
                        size_t count, ws_format format, const char *output)
{
    struct cli_text text;
    int exit_code = cli_text_open(papers->cli, &text);
    if (exit_code != EXIT_DONE) return exit_code;
    if (format == WS_FORMAT_JSON)
        print_json(text.out, curves, count);
    else if (format == WS_FORMAT_CSV)
        print_csv(papers, text.out, curves, count);
    else
        print_text(papers, text.out, curves, count);
    return cli_text_close(papers->cli, &text, output);
}
