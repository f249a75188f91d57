// SPDX-License-Identifier: Apache-2.0
/* The machine file: what the driver tells, what was fitted, and what the data do not determine, as comments. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit.h"

struct machine_text {
    FILE *out;
    const struct fit *fit;
    char section[64]; /* that is open */
};

/* The first word of the path is a section, the rest its key. */
static const char *open_section(struct machine_text *text, const char *path)
{
    const char *dot = strchr(path, '.');
    if (!dot) {
        *text->section = '\0';
        return path;
    }
    size_t length = (size_t)(dot - path);
    if (strlen(text->section) != length || strncmp(text->section, path, length) != 0) {
        snprintf(text->section, sizeof text->section, "%.*s", (int)length, path);
        fprintf(text->out, "%s:\n", text->section);
    }
    fputs("  ", text->out);
    return dot + 1;
}

static void put_unit(FILE *out, const char *unit)
{
    if (*unit) fprintf(out, ", unit: %s", unit);
}

/* What the driver tells of the device. */
static void put_fact(struct machine_text *text, const char *path, double value, const char *unit)
{
    if (!(value > 0) || fit_known(text->fit, path)) return;
    const char *key = open_section(text, path);
    fprintf(text->out, "%s: {value: %.12g", key, value);
    put_unit(text->out, unit);
    fputs(", source: DRIVER}\n", text->out);
}

static void put_origin(const struct machine_text *text, const char *bench)
{
    fprintf(text->out, ", from: measured, date: %s, benchmark: %s}\n", text->fit->raw->date, bench);
}

/* As rounded as the value, which lies in it. */
static void put_interval(FILE *out, const struct figure *figure)
{
    char value[32], low[32], high[32];
    snprintf(value, sizeof value, "%.8g", figure->value);
    snprintf(low, sizeof low, "%.8g", figure->low);
    snprintf(high, sizeof high, "%.8g", figure->high);
    fprintf(out, ", interval: [%s, %s]", atof(low) < atof(value) ? low : value,
            atof(high) > atof(value) ? high : value);
}

static void put_figure(struct machine_text *text, const struct figure *figure)
{
    if (figure->unknown || figure->is_second) return;
    const char *key = open_section(text, figure->key);
    fprintf(text->out, "%s: {value: %.8g", key, figure->value);
    put_unit(text->out, figure->unit);
    if (figure->low < figure->high) put_interval(text->out, figure);
    put_origin(text, figure->bench);
    if (*figure->note) fprintf(text->out, "  # %s\n", figure->note);
}

static void put_list(FILE *out, const double *values, unsigned count)
{
    fputc('[', out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s%.6g", i ? ", " : "", values[i]);
    fputc(']', out);
}

static void put_curve(struct machine_text *text, const struct fitted_curve *curve)
{
    FILE *out = text->out;
    unsigned axes = 0, row, rows = 1;
    while (axes < BENCH_AXES && curve->axes[axes])
        axes++;
    fprintf(out, "%s: {", open_section(text, curve->key));
    for (unsigned i = 0; i < axes; i++) {
        fprintf(out, "%s: ", curve->axes[i]);
        put_list(out, curve->places[i], curve->place_count[i]);
        fputs(", ", out);
        if (i + 1 < axes) rows *= curve->place_count[i];
    }
    row = curve->place_count[axes - 1];
    fputs(axes > 1 ? "value: [" : "value: ", out);
    for (unsigned i = 0; i < rows; i++) {
        if (i) fputs(", ", out);
        put_list(out, curve->values + (size_t)i * row, row);
    }
    fputs(axes > 1 ? "]" : "", out);
    put_unit(out, curve->unit);
    put_origin(text, curve->bench);
}

static void put_facts(struct machine_text *text)
{
    const struct gpu_facts *gpu = &text->fit->raw->gpu;
    const struct {
        const char *path, *unit;
        double value;
    } rows[] = {
        {"sm.count", "", gpu->sms},
        {"sm.warp_size", "", gpu->warp},
        {"sm.max_threads", "", gpu->max_threads_sm},
        {"sm.max_warps", "", gpu->warp ? (double)(gpu->max_threads_sm / gpu->warp) : 0},
        {"sm.max_blocks", "", gpu->max_blocks_sm},
        {"sm.registers", "", gpu->max_registers_sm},
        {"sm.max_registers_per_block", "", gpu->max_registers_block},
        {"block.max_threads", "", gpu->max_threads},
        {"block.max_x", "", gpu->max_block[0]},
        {"block.max_y", "", gpu->max_block[1]},
        {"block.max_z", "", gpu->max_block[2]},
        {"grid.max_x", "", gpu->max_grid[0]},
        {"grid.max_y", "", gpu->max_grid[1]},
        {"grid.max_z", "", gpu->max_grid[2]},
        {"shared.per_sm", "B", (double)gpu->shared_sm},
        {"shared.per_block", "B", (double)gpu->shared_block},
        {"shared.reserved", "B", (double)gpu->shared_reserved},
        {"clock.core", "Hz", gpu->clock},
        {"dram.clock", "Hz", gpu->memory_clock},
        {"dram.bus_width", "bit", gpu->bus_bits},
        {"dram.size", "B", (double)gpu->memory_bytes},
        {"l2.size", "B", (double)gpu->l2_bytes},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_fact(text, rows[i].path, rows[i].value, rows[i].unit);
        const char *dot = strchr(rows[i].path, '.');
        size_t length = (size_t)(dot - rows[i].path) + 1;
        bool is_last = i + 1 == sizeof rows / sizeof *rows ||
                       strncmp(rows[i].path, rows[i + 1].path, length) != 0;
        for (unsigned j = 0; is_last && j < text->fit->figure_count; j++)
            if (!strncmp(text->fit->figures[j].key, rows[i].path, length))
                put_figure(text, &text->fit->figures[j]);
    }
}

/* Was its section written with the facts? */
static bool is_written(const char *path)
{
    static const char *const sections[] = {"sm.",    "block.", "grid.", "shared.",
                                           "clock.", "dram.",  "l2."};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!strncmp(path, sections[i], strlen(sections[i]))) return true;
    return false;
}

static int by_section(const void *a, const void *b)
{
    const struct figure *const *first = a, *const *second = b;
    size_t one = strcspn((*first)->key, "."), other = strcspn((*second)->key, ".");
    int order = strncmp((*first)->key, (*second)->key, one < other ? one : other);
    if (order) return order;
    if (one != other) return one < other ? -1 : 1;
    return (*first > *second) - (*first < *second); /* as they were fitted */
}

static void put_others(struct machine_text *text)
{
    const struct fit *fit = text->fit;
    const struct figure **sorted = calibrate_alloc((fit->figure_count + 1) * sizeof(void *));
    for (unsigned i = 0; i < fit->figure_count; i++)
        sorted[i] = &fit->figures[i];
    qsort(sorted, fit->figure_count, sizeof *sorted, by_section);
    for (unsigned i = 0; i < fit->figure_count; i++)
        if (!is_written(sorted[i]->key)) put_figure(text, sorted[i]);
    for (unsigned i = 0; i < fit->curve_count; i++)
        put_curve(text, &fit->curves[i]);
    free(sorted);
}

/* Undetermined figures and those of second benchmarks, as comments. */
static void put_remarks(const struct machine_text *text)
{
    const struct fit *fit = text->fit;
    fputs("\n# Not determined, or measured by a second benchmark:\n", text->out);
    for (unsigned i = 0; i < fit->figure_count; i++) {
        const struct figure *figure = &fit->figures[i];
        if (figure->unknown)
            fprintf(text->out, "# %s: %s (benchmark %s)\n", figure->key, figure->unknown,
                    figure->bench);
        else if (figure->is_second)
            fprintf(text->out, "# %s: %.8g %s (benchmark %s)\n", figure->key, figure->value,
                    figure->unit, figure->bench);
    }
}

static void put_head(struct machine_text *text)
{
    const struct raw *raw = text->fit->raw;
    fprintf(text->out,
            "# SPDX-License-Identifier: Apache-2.0\n"
            "# Written by warpsage calibrate %s on %s (driver %s). Intervals hold with 95 %%.\n"
            "name: \"%s\"\nvendor: NVIDIA\n"
            "compute_capability: {value: \"%u.%u\", source: DRIVER}\n\n",
            raw->version, raw->date, raw->gpu.driver, raw->gpu.name, raw->gpu.cc / 10,
            raw->gpu.cc % 10);
}

/* It must load, or it takes the place of nothing. */
static bool check_file(const struct fit *fit, const char *path)
{
    ws_machine *machine;
    ws_context *context = fit->calibration->context;
    if (ws_machine_load(context, path, &machine) != WS_OK)
        return calibrate_tell(fit->calibration,
                              "the figures make no machine file, which is a bug of calibrate: %s",
                              ws_context_error(context));
    ws_machine_destroy(machine);
    return true;
}

bool machine_file_write(const struct fit *fit, const char *path)
{
    char *fresh = calibrate_format("%.*s.new.yaml", (int)(strlen(path) - strlen(".yaml")), path);
    struct machine_text text = {.out = fopen(fresh, "we"), .fit = fit};
    bool is_good = text.out != NULL;
    if (is_good) {
        put_head(&text);
        put_facts(&text);
        put_others(&text);
        put_remarks(&text);
        is_good = !ferror(text.out);
        is_good = fclose(text.out) == 0 && is_good;
    }
    if (!is_good) calibrate_tell(fit->calibration, "%s: cannot write: %s", path, strerror(errno));
    is_good = is_good && check_file(fit, fresh);
    if (is_good && rename(fresh, path) != 0)
        is_good = calibrate_tell(fit->calibration, "%s: cannot write: %s", path, strerror(errno));
    if (!is_good) remove(fresh);
    free(fresh);
    return is_good;
}
