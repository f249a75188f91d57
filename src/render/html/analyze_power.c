// SPDX-License-Identifier: Apache-2.0
/* Power by unit, performance per watt by active SMs, the temperature over time and over the die. */
#include <math.h>
#include <string.h>

#include "render/html/analyze_parts.h"

/* ---- power by unit ----------------------------------------------------------------------------- */

static void put_units(struct html *html, const struct node *power)
{
    static const struct chart_part part = {"power", 1};
    const struct node *parts = node_child(power, "parts");
    struct arena arena = {0};
    size_t count = 0;
    if (!parts || !parts->child_count) return;
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, parts->child_count);
    double *watts = ARENA_ARRAY(&arena, double, parts->child_count);
    for (size_t i = 0; i < parts->child_count; i++) {
        watts[count] = node_value(&parts->children[i]);
        if (!(watts[count] > 0)) continue;
        bars[count] =
            (struct chart_bar){.label = node_text(&parts->children[i]), .values = &watts[count]};
        count++;
    }
    html_bars(html, &(struct chart_bars){.title = "Mean power by unit",
                                         .text = "A bar for each unit of the GPU that draws power "
                                                 "during the launch, and what is drawn all the "
                                                 "time.",
                                         .first = "unit",
                                         .unit = "W",
                                         .bars = bars,
                                         .bar_count = count,
                                         .parts = &part,
                                         .part_count = 1});
    arena_clear(&arena);
}

/* ---- active SMs -------------------------------------------------------------------------------- */

static double *column_of(const struct node *table, const char *id, struct arena *arena)
{
    double *out = ARENA_ARRAY(arena, double, table->value.item_count + 1);
    node_column(table, id, out);
    return out;
}

static void put_cores(struct html *html, const struct node *chart)
{
    const struct node *cores = node_child(chart, "cores"), *best = node_child(chart, "best");
    struct arena arena = {0};
    size_t count = cores->value.item_count;
    const double *sms = column_of(cores, "cores", &arena);
    const struct chart_series series[] = {
        {.name = "with idle power",
         .mark = CHART_LINE,
         .colour = 1,
         .has_points = true,
         .count = count,
         .x = sms,
         .y = column_of(cores, "inst_per_s_per_w_total", &arena)},
        {.name = "idle SMs power-gated",
         .mark = CHART_LINE,
         .colour = 3,
         .is_dashed = true,
         .count = count,
         .x = sms,
         .y = column_of(cores, "inst_per_s_per_w_powergate", &arena)}};
    const struct chart_rule rule = {
        .label = "most efficient", .at = (double)node_count(best, "cores"), .colour = 1};
    html_raw(html, "<p>The launch takes the least energy with ");
    html_number(html, (double)node_count(best, "cores"), "1");
    html_raw(html, " active SMs, idle power included: ");
    html_value(html, node_child(best, "energy_j_total"));
    html_raw(html, " in ");
    html_value(html, node_child(best, "time_s"));
    html_textf(html, " (times by model %s).", node_word(chart, "time_model"));
    html_raw(html, "</p>\n");
    html_xy(html, &(struct chart_xy){.title = "Performance per watt by active SMs",
                                     .text = "Thread instructions per second and watt against the "
                                             "number of SMs that work.",
                                     .x = {.title = "active SMs", .from_zero = true},
                                     .y = {.title = "thread instructions per second and watt",
                                           .unit = "1",
                                           .from_zero = true},
                                     .series = series,
                                     .series_count = 2,
                                     .rules = &rule,
                                     .rule_count = 1});
    arena_clear(&arena);
}

/* ---- temperature ------------------------------------------------------------------------------- */

static void put_curve(struct html *html, const struct node *chart)
{
    const struct node *points = node_child(chart, "temperature");
    struct arena arena = {0};
    size_t count = points->value.item_count;
    if (!count) {
        html_p(html, NULL, "Temperature over time: %s", node_word(chart, "temperature_reason"));
        return;
    }
    const struct chart_series series = {.name = "temperature",
                                        .mark = CHART_LINE,
                                        .colour = 2,
                                        .count = count,
                                        .x = column_of(points, "time_s", &arena),
                                        .y = column_of(points, "degc", &arena)};
    const struct chart_rule rule = {.label = "idle from here", .at = node_number(chart, "run_s")};
    html_xy(html, &(struct chart_xy){.title = "Temperature of the chip over time",
                                     .text = "The kernel runs again and again for five time "
                                             "constants of heating, then the "
                                             "GPU idles for five of cooling.",
                                     .x = {.title = "time", .unit = "s", .from_zero = true},
                                     .y = {.title = "temperature", .unit = "degC"},
                                     .series = &series,
                                     .series_count = 1,
                                     .rules = &rule,
                                     .rule_count = 1});
    arena_clear(&arena);
}

/* ---- the die ----------------------------------------------------------------------------------- */

static size_t find_outlines(const struct node *thermal, size_t columns, size_t rows,
                            struct arena *arena, struct chart_outline *out)
{
    const struct node *plan = node_child(thermal, "floorplan"),
                      *blocks = node_child(thermal, "blocks");
    double x_cells = (double)columns / node_number(plan, "width_metres"),
           y_cells = (double)rows / node_number(plan, "height_metres");
    for (size_t i = 0; i < blocks->value.item_count; i++) {
        struct node block = node_row(blocks, i, arena);
        out[i] = (struct chart_outline){.label = node_word(&block, "name"),
                                        .x = node_number(&block, "x_metres") * x_cells,
                                        .y = node_number(&block, "y_metres") * y_cells,
                                        .width = node_number(&block, "width_metres") * x_cells,
                                        .height = node_number(&block, "height_metres") * y_cells,
                                        .is_strong = node_flag(&block, "is_active")};
    }
    return blocks->value.item_count;
}

static void put_assumptions(struct html *html, const struct node *words)
{
    if (!words->value.item_count) return;
    html_raw(html, "<details><summary>Assumptions of the thermal model</summary>\n"
                   "<ul class=\"notes\">\n");
    for (size_t i = 0; i < words->value.item_count; i++) {
        html_raw(html, "<li>");
        html_text(html, ((const char *const *)words->value.items)[i]);
        html_raw(html, "</li>\n");
    }
    html_raw(html, "</ul></details>\n");
}

static void put_die(struct html *html, const struct node *chart)
{
    const struct node *thermal = node_child(chart, "thermal");
    struct arena arena = {0};
    if (!thermal || !node_is_known(thermal)) {
        html_p(html, NULL, "Heat on the die: %s", node_word(chart, "thermal_reason"));
        return;
    }
    const struct node *cells = node_child(thermal, "cells_celsius"),
                      *state = node_child(thermal, "state"),
                      *plan = node_child(thermal, "floorplan");
    size_t columns = (size_t)node_count(plan, "cells"), rows = cells->value.item_count / columns;
    const struct node *blocks = node_child(thermal, "blocks");
    struct chart_outline *outlines =
        ARENA_ARRAY(&arena, struct chart_outline, blocks->value.item_count + 1);
    html_raw(html, "<p>Where the die is warm while the kernel runs for long: from ");
    html_value(html, node_child(state, "least_celsius"));
    html_raw(html, " to ");
    html_value(html, node_child(state, "peak_celsius"));
    if (node_word(state, "peak_block"))
        html_textf(html, ", in block %s", node_word(state, "peak_block"));
    html_raw(html, ".</p>\n");
    html_heat(
        html,
        &(struct chart_heat){
            .title = "Heat map of the die",
            .text = "Temperature of each cell of the die in the steady state; outlines are blocks "
                    "of the floorplan, those of active SMs strong.",
            .unit = "degC",
            .columns = columns,
            .rows = rows,
            .values = column_of(cells, "celsius", &arena),
            .aspect = node_number(plan, "height_metres") / node_number(plan, "width_metres") *
                      (double)columns / (double)rows,
            .outlines = outlines,
            .outline_count = find_outlines(thermal, columns, rows, &arena, outlines)});
    put_assumptions(html, node_child(thermal, "assumptions"));
    arena_clear(&arena);
}

void html_power(struct html *html, const struct node *machine)
{
    const struct node *power = node_child(machine, "power"),
                      *chart = node_child(node_child(machine, "charts"), "power");
    if (!node_is_known(node_child(power, "mean"))) return;
    put_units(html, power);
    if (!chart || !node_is_known(chart)) return;
    put_cores(html, chart);
    put_curve(html, chart);
    put_die(html, chart);
}
