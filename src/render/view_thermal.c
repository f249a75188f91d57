// SPDX-License-Identifier: Apache-2.0
/* Heat: the load, temperatures, a map of the die, its hottest blocks, a curve. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/thermal_svg.h"
#include "render/views.h"

static const char LEVELS[] = " .:-=+*#%@";
enum { LEVEL_COUNT = sizeof LEVELS - 1, BLOCKS_SHOWN = 12, POINTS_SHOWN = 11 };

static struct quantity number(const struct node *node, const char *id, const char *unit)
{
    return quantity_format(node_number(node, id), unit);
}

static struct quantity count(const struct node *node, const char *id, const char *noun)
{
    return quantity_of(node_number(node, id), noun);
}

static double millimetres(const struct node *node, const char *id)
{
    return 1e3 * node_number(node, id);
}

static struct quantity active_sms(const struct node *load)
{
    return quantity_of((double)node_child(load, "active_sms")->value.item_count, "SM");
}

/* ---- head ------------------------------------------------------------------------------------ */

static void compose_head(struct page *page, const struct node *root)
{
    const struct node *plan = node_child(root, "floorplan"), *load = node_child(root, "load"),
                      *sms = node_child(load, "active_sms");
    struct strbuf work = {0};
    page_line(page, "GPU         %s (%s), %s in %s, die %.1f x %.1f mm, floorplan: %s",
              node_word(root, "machine"), node_word(root, "name"),
              count(plan, "sm_count", "SM").text, count(plan, "tpc_count", "TPC").text,
              millimetres(plan, "width_metres"), millimetres(plan, "height_metres"),
              node_word(plan, "source"));
    strbuf_printf(&work, "%s in %s: ", active_sms(load).text,
                  count(node_child(root, "state"), "active_tpcs", "TPC").text);
    page_put_ranges(&work, sms->value.items, sms->value.item_count);
    page_fill(page, "Active      ", work.data);
    strbuf_clear(&work);
}

static void compose_kernel(struct page *page, const struct node *root)
{
    const struct node *kernel = node_child(root, "kernel"), *load = node_child(root, "load");
    struct strbuf text = {0};
    if (!node_is_known(kernel)) return;
    strbuf_printf(&text, "%s on %.0f SMs: %s by %s, repeated; ", node_word(kernel, "name"),
                  node_number(kernel, "active_sms"), number(kernel, "time_seconds", "s").text,
                  node_word(kernel, "time_model"));
    if (node_is_known(node_child(kernel, "runtime_watts")))
        strbuf_printf(&text,
                      "%.2f W runtime by %s = %.2f in the SMs + %.2f across the die + "
                      "%.2f of L2 and DRAM, not on it",
                      node_number(kernel, "runtime_watts"), node_word(kernel, "power_model"),
                      node_number(kernel, "sms_watts"), node_number(kernel, "activation_watts"),
                      node_number(kernel, "memory_watts"));
    else
        strbuf_printf(&text, "power per SM is not derived from the kernel: %s",
                      node_flag(load, "sm_watts_are_given") ? "given" : "power.active_sm");
    page_fill(page, "KERNEL      ", text.data);
    strbuf_clear(&text);
}

/* Beyond 2^53 the number is a product of doubles: a power of ten says enough. */
static struct quantity count_sets(double sets)
{
    struct quantity text;
    if (sets < 0x1p53) return quantity_of(sets, "set");
    snprintf(text.text, sizeof text.text, "%.3g sets", sets);
    return text;
}

static void compose_choice(struct page *page, const struct node *choice)
{
    struct quantity sets = count_sets(node_number(choice, "sets"));
    if (node_flag(choice, "exact")) {
        page_line(page,
                  "Chosen      from %s: proven to have the lowest power and, among equals, the "
                  "lowest peak",
                  sets.text);
    } else {
        page_line(page, "Chosen      from %s: proven to have the lowest power; among equals,",
                  sets.text);
        page_line(page, "%12snone has a peak below %.2f degC (this one %.2f)", "",
                  node_number(choice, "bound_celsius"), node_number(choice, "peak_celsius"));
    }
    if (node_number(choice, "distance_metres") > 0)
        page_line(page, "%12sthe two closest active TPCs are %.1f mm apart", "",
                  millimetres(choice, "distance_metres"));
}

static void compose_result(struct page *page, const struct node *root)
{
    const struct node *state = node_child(root, "state"), *load = node_child(root, "load");
    const struct node *further = node_child(load, "further_watts");
    const char *block = node_word(state, "peak_block");
    struct strbuf heat = {0};
    strbuf_printf(&heat, "HEAT        %.2f W = %.2f idle + %s x %s + %s x %s",
                  node_number(state, "sink_watts"), node_number(state, "idle_watts"),
                  active_sms(load).text, number(load, "watts_per_sm", "W").text,
                  count(state, "active_tpcs", "TPC").text, number(load, "watts_per_tpc", "W").text);
    if (node_is_known(further))
        strbuf_printf(&heat, " + %s of blocks", quantity_format(node_value(further), "W").text);
    if (node_number(state, "static_watts") != 0)
        strbuf_printf(&heat, " + %.2f static", node_number(state, "static_watts"));
    page_line(page, "%s", heat.data);
    page_line(page, "PEAK        %.2f degC at [%.1f, %.1f] mm, %s",
              node_number(state, "peak_celsius"), millimetres(state, "peak_x_metres"),
              millimetres(state, "peak_y_metres"), block ? block : "?");
    page_line(page, "DIE         mean %.2f degC, minimum %.2f; idle %.2f",
              node_number(state, "mean_celsius"), node_number(state, "least_celsius"),
              node_number(state, "rest_celsius"));
    page_line(page, "PACKAGE     spreader %.2f, heat sink %.2f, air %.2f degC",
              node_number(state, "spreader_celsius"), node_number(state, "sink_celsius"),
              node_number(state, "ambient_celsius"));
    strbuf_clear(&heat);
}

/* ---- map ------------------------------------------------------------------------------------- */

/* The numbers of the SMs at work, where they are in this of `lines` lines of `n` columns. */
static void put_names(char *line, unsigned index, unsigned lines, unsigned n,
                      const struct node *plan, const struct node *blocks)
{
    struct arena arena = {0};
    double width = node_number(plan, "width_metres"), height = node_number(plan, "height_metres");
    for (size_t b = 0; b < blocks->value.item_count; b++) {
        struct node block = node_row(blocks, b, &arena);
        char name[16];
        double x = node_number(&block, "x_metres") + node_number(&block, "width_metres") / 2;
        double y = node_number(&block, "y_metres") + node_number(&block, "height_metres") / 2;
        bool is_sm = node_is_known(node_child(&block, "sm"));
        if ((unsigned)(y / height * lines) != index || !is_sm || !node_flag(&block, "is_active"))
            continue;
        int length =
            snprintf(name, sizeof name, "%llu", (unsigned long long)node_count(&block, "sm"));
        int at = (int)(x / width * n) - length / 2;
        if (at >= 0 && at + length <= (int)n) memcpy(line + at, name, (size_t)length);
    }
    arena_clear(&arena);
}

/* The mean of `rows` rows of `columns` cells. */
static double mean_of(const double *first, unsigned n, unsigned rows, unsigned columns)
{
    double sum = 0;
    for (unsigned y = 0; y < rows; y++)
        for (unsigned x = 0; x < columns; x++)
            sum += first[(size_t)y * n + x];
    return sum / rows / columns;
}

/* Two rows of cells make a line: characters are about twice as high as wide. Where the reader has too few columns, a
 * character stands for several cells. */
static void compose_map(struct page *page, const struct node *root)
{
    enum { LEAD = 12, FRAME = 2 };
    const struct node *cells = node_child(root, "cells_celsius"),
                      *state = node_child(root, "state");
    unsigned n = (unsigned)cells->value.count, step = 1, lead = LEAD;
    double least = node_number(state, "least_celsius"), most = node_number(state, "peak_celsius");
    double range = most > least ? most - least : 1;
    if (page->details == WS_DETAILS_QUIET) return;
    if (n + LEAD + FRAME > page->width) lead = 0;
    while (n / step + lead + FRAME > page->width)
        step++;
    unsigned columns = n / step, lines = n / (2 * step);
    struct arena arena = {0};
    double *celsius = ARENA_ARRAY(&arena, double, cells->value.item_count + 1);
    char *line = ARENA_ARRAY(&arena, char, n + 1);
    node_column(cells, "celsius", celsius);
    page_blank(page);
    for (unsigned i = 0; i < lines; i++) {
        const double *upper = &celsius[(size_t)2 * step * i * n];
        for (unsigned x = 0; x < columns; x++) {
            double mean = mean_of(upper + (size_t)x * step, n, 2 * step, step);
            int level = (int)((mean - least) / range * LEVEL_COUNT);
            line[x] = LEVELS[level < 0 ? 0 : level >= LEVEL_COUNT ? LEVEL_COUNT - 1 : level];
        }
        put_names(line, i, lines, columns, node_child(root, "floorplan"),
                  node_child(root, "blocks"));
        page_line(page, "%*s|%s|", (int)lead, "", line);
    }
    page_line(page, "%*s'%s' from %.2f to %.2f degC, %.3g K per step; numbers: active SMs",
              (int)lead, "", LEVELS, least, most, range / LEVEL_COUNT);
    arena_clear(&arena);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The hottest block after `last`; of equally hot ones the first. */
static size_t next_block(const double *peaks, size_t count, size_t last)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        bool is_before =
            last < count && (peaks[i] > peaks[last] || (peaks[i] == peaks[last] && i <= last));
        if (!is_before && (best == count || peaks[i] > peaks[best])) best = i;
    }
    return best;
}

static void compose_blocks(struct page *page, const struct node *blocks)
{
    size_t count = blocks->value.item_count, i = count;
    struct arena arena = {0};
    if (page->details == WS_DETAILS_QUIET) return;
    double *peaks = ARENA_ARRAY(&arena, double, count + 1);
    node_column(blocks, "peak_celsius", peaks);
    page_blank(page);
    page_line(page, "%-20s %-18s %9s %9s %9s", "Block", "", "W", "mean degC", "peak degC");
    for (size_t k = 0; k < count && k < BLOCKS_SHOWN; k++) {
        i = next_block(peaks, count, i);
        struct node block = node_row(blocks, i, &arena);
        page_line(page, "%c %-18s %-18s %9.3f %9.2f %9.2f",
                  node_flag(&block, "is_active") ? '*' : ' ', node_word(&block, "name"),
                  node_word(&block, "kind"), node_number(&block, "watts"),
                  node_number(&block, "mean_celsius"), peaks[i]);
    }
    if (count > BLOCKS_SHOWN)
        page_line(page, "* active; and %zu cooler blocks: --format csv", count - BLOCKS_SHOWN);
    else
        page_line(page, "* active");
    arena_clear(&arena);
}

static void compose_curve(struct page *page, const struct node *curve)
{
    const struct node *points = node_child(curve, "points");
    size_t count = points->value.item_count;
    size_t shown = count < POINTS_SHOWN ? count : POINTS_SHOWN;
    struct arena arena = {0};
    if (page->details == WS_DETAILS_QUIET) return;
    page_blank(page);
    page_line(page, "Starting from %s",
              !strcmp(node_word(curve, "start"), "cold") ? "air temperature" : "rest");
    page_line(page, "%12s %9s %9s %9s %9s %12s", "s", "peak degC", "mean degC", "sink degC", "W",
              "J");
    for (size_t k = 0; k < shown; k++) {
        struct node point = node_row(points, shown > 1 ? k * (count - 1) / (shown - 1) : 0, &arena);
        page_line(page, "%12.6g %9.2f %9.2f %9.2f %9.3f %12.6g",
                  node_number(&point, "time_seconds"), node_number(&point, "peak_celsius"),
                  node_number(&point, "mean_celsius"), node_number(&point, "sink_celsius"),
                  node_number(&point, "power_watts"), node_number(&point, "energy_joules"));
    }
    if (count > shown)
        page_line(page, "%zu of %zu points; all: --format csv --table curve", shown, count);
    arena_clear(&arena);
}

/* One paragraph, a semicolon behind each. */
static void compose_notes(struct page *page, const struct node *assumptions)
{
    enum { WIDTH = 96, INDENT = 12 };
    const char *const *texts = assumptions->value.items;
    struct strbuf line = {0};
    if (page->details == WS_DETAILS_QUIET || !assumptions->value.item_count) return;
    page_blank(page);
    strbuf_puts(&line, "Assumed     ");
    for (size_t i = 0; i < assumptions->value.item_count; i++) {
        for (const char *at = texts[i], *next; at; at = next) {
            size_t length = strcspn(at, " ");
            next = at[length] ? at + length + 1 : NULL;
            if (line.length + length + !next + 1 > WIDTH) {
                page_line(page, "%s", line.data);
                line.length = 0;
                strbuf_printf(&line, "%*s", INDENT, "");
            }
            strbuf_printf(&line, "%s%.*s%s", line.length > INDENT ? " " : "", (int)length, at,
                          next ? "" : ";");
        }
    }
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct view_part parts[] = {
    {"", compose_head},
    {"", compose_kernel},
    {"choice", compose_choice},
    {"", compose_result},
    {"", compose_map},
    {"blocks", compose_blocks},
    {"transient", compose_curve},
    {"assumptions", compose_notes},
};

static const struct csv_column curve_columns[] = {
    {"time_seconds", "time_seconds"}, {"peak_celsius", "peak_celsius"},
    {"mean_celsius", "mean_celsius"}, {"sink_celsius", "sink_celsius"},
    {"power_watts", "power_watts"},   {"energy_joules", "energy_joules"},
};

static const struct csv_column block_columns[] = {
    {"block", "name"},
    {"kind", "kind"},
    {"active", "is_active"},
    {"x_metres", "x_metres"},
    {"y_metres", "y_metres"},
    {"width_metres", "width_metres"},
    {"height_metres", "height_metres"},
    {"watts", "watts"},
    {"mean_celsius", "mean_celsius"},
    {"peak_celsius", "peak_celsius"},
};

static const struct csv_column cell_columns[] = {
    {"x_metres", "x_metres"}, {"y_metres", "y_metres"}, {"celsius", "celsius"}};

static const struct csv_table tables[] = {
    {.name = "curve",
     .rows = "transient/points",
     .columns = curve_columns,
     .column_count = sizeof curve_columns / sizeof *curve_columns,
     .if_present = "transient"},
    {.name = "blocks",
     .rows = "blocks",
     .columns = block_columns,
     .column_count = sizeof block_columns / sizeof *block_columns},
    {.name = "cells",
     .rows = "cells_celsius",
     .columns = cell_columns,
     .column_count = sizeof cell_columns / sizeof *cell_columns},
};

const struct view view_thermal = {
    .question = "thermal",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .csv = tables,
    .csv_count = sizeof tables / sizeof *tables,
    .svg = render_thermal_svg,
};
