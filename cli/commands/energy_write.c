// SPDX-License-Identifier: Apache-2.0
/* The table of energy: text, JSON (schemas/energy.schema.json), CSV. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "cli/commands/energy.h"

const char *const energy_quadrant_names[5] = {"slower, more energy", "faster, less energy",
                                              "faster, more energy", "slower, less energy",
                                              "as before"};

/* Within rounding of the baseline is the baseline. */
static int side_of(double ratio)
{
    return ratio > 1 + 1e-9 ? 1 : ratio < 1 - 1e-9 ? -1 : 0;
}

enum energy_quadrant energy_quadrant_of(const struct energy_row *row)
{
    int faster = side_of(row->speedup), less = side_of(row->efficiency);
    if (!faster || !less) return QUADRANT_BASE;
    if (faster > 0) return less > 0 ? QUADRANT_BETTER : QUADRANT_FASTER;
    return less > 0 ? QUADRANT_THRIFTY : QUADRANT_WORSE;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *straightness(double curvature)
{
    return curvature < 1e-9 ? "a straight line" : "no straight line";
}

static void put_rows(FILE *out, const struct energy_table *table, const struct energy_curve *curve)
{
    fprintf(out, "%-12s %7s %12s %12s %9s %11s  %s\n", table->swept ? table->swept : "", "GPU %",
            "time", "power", "speed-up", "efficiency", "");
    for (size_t i = 0; i < curve->count; i++) {
        const struct energy_row *row = &curve->rows[i];
        if (isfinite(row->swept))
            fprintf(out, "%-12.6g ", row->swept);
        else
            fprintf(out, "%-12s ", "");
        if (isfinite(row->share))
            fprintf(out, "%7.0f ", 100 * row->share);
        else
            fprintf(out, "%7s ", "-");
        fprintf(out, "%12.6g %12.6g %9.4f %11.4f  %s\n", row->seconds, row->watts, row->speedup,
                row->efficiency, energy_quadrant_names[energy_quadrant_of(row)]);
    }
    if (curve->count > 2)
        fprintf(out, "Efficiency over speed-up is %s (curvature %.3g; doc/models/energy.md).\n",
                straightness(curve->curvature), curve->curvature < 1e-9 ? 0 : curve->curvature);
}

/* A line a series: the ends, the best, and how many of its points lie where. */
static void put_series(FILE *out, const struct energy_table *table)
{
    fputs(
        "configuration.series: performance of CPU and GPU, power of CPU and GPU; of 11 points, how "
        "many\n",
        out);
    fprintf(out, "%-28s %8s %9s %8s %8s %8s %8s %9s\n", "", "slower", "faster", "faster", "slower",
            "as", "best", "at GPU %");
    fprintf(out, "%-28s %8s %9s %8s %8s %8s %8s %9s\n", "", "more E", "less E", "more E", "less E",
            "before", "effic.", "");
    for (size_t i = 0; i < table->count; i++) {
        const struct energy_curve *curve = &table->curves[i];
        size_t best = 0;
        for (size_t k = 1; k < curve->count; k++)
            if (curve->rows[k].efficiency > curve->rows[best].efficiency) best = k;
        if (i && i % 16 == 0) fputc('\n', out);
        fprintf(out, "%-28s %8u %9u %8u %8u %8u %8.3f %9.0f\n", curve->name,
                curve->quadrants[QUADRANT_WORSE], curve->quadrants[QUADRANT_BETTER],
                curve->quadrants[QUADRANT_FASTER], curve->quadrants[QUADRANT_THRIFTY],
                curve->quadrants[QUADRANT_BASE], curve->rows[best].efficiency,
                100 * curve->rows[best].share);
    }
}

static void write_text(FILE *out, const struct energy_table *table)
{
    for (size_t i = 0; i < table->count && !table->series; i++) {
        if (table->count > 1) fprintf(out, "%s%s\n", i ? "\n" : "", table->curves[i].name);
        put_rows(out, table, &table->curves[i]);
    }
    if (table->series) put_series(out, table);
    if (table->notes) fprintf(out, "%s\n", table->notes);
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *curve_json(const struct energy_curve *curve)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < curve->count; i++) {
        const struct energy_row *row = &curve->rows[i];
        json_array_append_new(rows,
                              json_pack("{s:o,s:o,s:f,s:f,s:f,s:f,s:s}", "swept",
                                        number(row->swept), "gpu_share", number(row->share), "time",
                                        row->seconds, "power", row->watts, "speedup", row->speedup,
                                        "energy_efficiency", row->efficiency, "quadrant",
                                        energy_quadrant_names[energy_quadrant_of(row)]));
    }
    return json_pack("{s:s,s:f,s:o}", "name", curve->name, "curvature", curve->curvature, "points",
                     rows);
}

static void write_json(FILE *out, const struct energy_table *table)
{
    json_t *curves = json_array();
    for (size_t i = 0; i < table->count; i++)
        json_array_append_new(curves, curve_json(&table->curves[i]));
    json_t *root = json_pack("{s:s,s:{s:s,s:s},s:s?,s:s?,s:o}", "schema", "warpsage.energy/1",
                             "tool", "name", "warpsage", "version", ws_version(), "swept",
                             table->swept, "note", table->notes, "curves", curves);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fprintf(out, "%s\n", text ? text : "null");
    free(text);
    json_decref(root);
}

static void write_csv(FILE *out, const struct energy_table *table)
{
    fputs("curve,swept,gpu_share,time,power,speedup,energy_efficiency,quadrant\n", out);
    for (size_t i = 0; i < table->count; i++)
        for (size_t k = 0; k < table->curves[i].count; k++) {
            const struct energy_row *row = &table->curves[i].rows[k];
            fprintf(out, "%s,", table->curves[i].name);
            if (isfinite(row->swept)) fprintf(out, "%.9g", row->swept);
            fputc(',', out);
            if (isfinite(row->share)) fprintf(out, "%.9g", row->share);
            fprintf(out, ",%.9g,%.9g,%.9g,%.9g,\"%s\"\n", row->seconds, row->watts, row->speedup,
                    row->efficiency, energy_quadrant_names[energy_quadrant_of(row)]);
        }
}

int energy_write(struct cli *cli, const struct energy_table *table)
{
    struct cli_text text;
    CLI_TRY(cli_text_open(cli, &text));
    if (table->format == WS_FORMAT_JSON)
        write_json(text.out, table);
    else if (table->format == WS_FORMAT_CSV)
        write_csv(text.out, table);
    else
        write_text(text.out, table);
    return cli_text_close(cli, &text, table->output);
}
