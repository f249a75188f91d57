// SPDX-License-Identifier: Apache-2.0
/* Where the time goes: components by stage, and what warps wait for. */
#include <math.h>
#include <stdlib.h>

#include "render/html/analyze_parts.h"

/* ---- components by stage ----------------------------------------------------------------------- */

enum { COMPONENTS = 3, STAGES_AS_BARS = 8 };
static const char *const column_ids[COMPONENTS] = {"t_inst", "t_smem", "t_gmem"};
static const char *const component_names[COMPONENTS] = {"instruction pipeline", "shared memory",
                                                        "global memory"};

/* A bar for each component of each stage; the components of a stage run at the same time. */
static void stage_bars(struct html *html, const struct node *estimate)
{
    static const struct chart_part parts[COMPONENTS] = {
        {"instruction pipeline", 1}, {"shared memory", 2}, {"global memory", 3}};
    const struct node *stages = node_child(estimate, "stages");
    struct arena arena = {0};
    size_t count = stages->value.item_count, filled = 0;
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, COMPONENTS * count + 1);
    for (size_t i = 0; i < count; i++) {
        struct node stage = node_row(stages, i, &arena);
        for (size_t k = 0; k < COMPONENTS; k++) {
            double *values = ARENA_ARRAY(&arena, double, COMPONENTS);
            values[k] = node_number(&stage, column_ids[k]);
            for (size_t other = 0; other < COMPONENTS; other++)
                if (other != k) values[other] = NAN;
            bars[filled++] = (struct chart_bar){
                .label = arena_format(&arena, "stage %llu: %s",
                                      (unsigned long long)node_count(&stage, "index"),
                                      component_names[k]),
                .values = values};
        }
    }
    html_bars(html, &(struct chart_bars){
                        .title = "Component times by stage",
                        .text = "Three bars for each stage between barriers: the time of the "
                                "instruction pipeline, of shared and of global memory. The longest "
                                "of a stage is its bottleneck.",
                        .first = "component",
                        .unit = "s",
                        .bars = bars,
                        .bar_count = filled,
                        .parts = parts,
                        .part_count = COMPONENTS});
    arena_clear(&arena);
}

static void stage_points(struct html *html, const struct node *estimate)
{
    const struct node *stages = node_child(estimate, "stages");
    struct arena arena = {0};
    size_t count = stages->value.item_count;
    struct chart_series series[COMPONENTS];
    double *x = ARENA_ARRAY(&arena, double, count + 1);
    node_column(stages, "index", x);
    for (size_t k = 0; k < COMPONENTS; k++) {
        double *y = ARENA_ARRAY(&arena, double, count + 1);
        node_column(stages, column_ids[k], y);
        series[k] = (struct chart_series){.name = component_names[k],
                                          .mark = CHART_POINTS,
                                          .colour = (unsigned)k + 1,
                                          .count = count,
                                          .x = x,
                                          .y = y};
    }
    html_xy(html, &(struct chart_xy){
                      .title = "Component times by stage",
                      .text = "The times of the instruction pipeline, of shared and of global "
                              "memory in each stage "
                              "between barriers. The highest of a stage is its bottleneck.",
                      .x = {.title = "stage"},
                      .y = {.title = "time", .unit = "s", .from_zero = true},
                      .series = series,
                      .series_count = COMPONENTS});
    arena_clear(&arena);
}

/* The same over all stages. */
static void total_bars(struct html *html, const struct node *estimate)
{
    static const struct chart_part part = {"time", 1};
    const struct node *terms = node_child(estimate, "terms");
    struct chart_bar bars[COMPONENTS];
    double values[COMPONENTS];
    for (size_t k = 0; k < COMPONENTS; k++) {
        values[k] = node_value(node_child(terms, column_ids[k]));
        bars[k] = (struct chart_bar){.label = component_names[k], .values = &values[k]};
    }
    html_bars(html,
              &(struct chart_bars){
                  .title = "Component times of the kernel",
                  .text = "The times of the three components over all stages; the line is the "
                          "time that the model predicts.",
                  .first = "component",
                  .unit = "s",
                  .bars = bars,
                  .bar_count = COMPONENTS,
                  .parts = &part,
                  .part_count = 1,
                  .limit = node_number(estimate, "time_s"),
                  .limit_label = "time by this model"});
}

/* The terms of a model without stages, as it names them. */
static void component_bars(struct html *html, const struct node *estimate)
{
    static const struct chart_part part = {"time", 1};
    const struct node *components = node_child(estimate, "components");
    struct arena arena = {0};
    size_t count = 0;
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, components->child_count + 1);
    for (size_t i = 0; i < components->child_count; i++) {
        double *value = ARENA_ARRAY(&arena, double, 1);
        *value = node_value(&components->children[i]);
        if (*value > 0)
            bars[count++] =
                (struct chart_bar){.label = node_text(&components->children[i]), .values = value};
    }
    html_bars(html,
              &(struct chart_bars){
                  .title = arena_format(&arena, "Busy time of each component, by %s", estimate->id),
                  .text = "A bar for each component that the model times. The line is the time "
                          "that it predicts.",
                  .first = "component",
                  .unit = "s",
                  .bars = bars,
                  .bar_count = count,
                  .parts = &part,
                  .part_count = 1,
                  .limit = node_number(estimate, "time_s"),
                  .limit_label = "predicted time"});
    arena_clear(&arena);
}

void html_components(struct html *html, const struct node *machine)
{
    const struct node *estimates = node_child(machine, "estimates"), *best = best_estimate(machine);
    for (size_t i = 0; i < estimates->child_count; i++) {
        const struct node *estimate = &estimates->children[i];
        size_t count = node_child(estimate, "stages")->value.item_count;
        if (!count) continue;
        html_p(html, NULL,
               "By model %s: barriers cut the kernel into stages, in which instruction pipeline, "
               "shared memory and "
               "global memory work side by side (Zhang and Owens 2011); stages are %s.",
               estimate->id, node_flag(estimate, "stages_overlap") ? "overlapped" : "serialised");
        if (node_child(node_child(estimate, "terms"), column_ids[0])) total_bars(html, estimate);
        if (count > 1 && count <= STAGES_AS_BARS)
            stage_bars(html, estimate);
        else if (count > 1)
            stage_points(html, estimate);
    }
    if (best && best != bound_estimate(machine) && !node_child(best, "stages")->value.item_count)
        component_bars(html, best);
}

/* ---- waits ------------------------------------------------------------------------------------- */

static int by_share(const void *a, const void *b)
{
    const struct node *x = *(const struct node *const *)a, *y = *(const struct node *const *)b;
    if (node_value(x) != node_value(y)) return node_value(x) > node_value(y) ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void wait_bars(struct html *html, const struct node *causes)
{
    static const struct chart_part part = {"share of the warps' time", 1};
    struct arena arena = {0};
    const struct node **sorted = ARENA_ARRAY(&arena, const struct node *, causes->child_count + 1);
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, causes->child_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < causes->child_count; i++)
        sorted[i] = &causes->children[i];
    qsort(sorted, causes->child_count, sizeof *sorted, by_share);
    for (size_t i = 0; i < causes->child_count; i++) {
        double *value = ARENA_ARRAY(&arena, double, 1);
        *value = node_value(sorted[i]);
        if (*value > 0) bars[count++] = (struct chart_bar){.label = sorted[i]->id, .values = value};
    }
    html_bars(html,
              &(struct chart_bars){
                  .title = "What warps wait for",
                  .text = "A bar for each stall reason, in Nsight Compute's words: its share of "
                          "the time of all resident warps; selected: they issue.",
                  .first = "stall reason",
                  .unit = "%",
                  .bars = bars,
                  .bar_count = count,
                  .parts = &part,
                  .part_count = 1});
    arena_clear(&arena);
}

static void wait_lines(struct html *html, const struct node *lines)
{
    static const struct html_column columns[] = {
        {.title = "line", .is_code = true},
        {.title = "of the warps' time", .is_number = true},
        {.title = "main reason"},
        {.title = "its share of the line", .is_number = true}};
    enum { SHOWN = 12 };
    struct arena arena = {0};
    if (!lines->value.item_count) return;
    struct html_table table = html_open_table(html, "Where warps wait", columns, 4);
    for (size_t i = 0; i < lines->value.item_count && i < SHOWN; i++) {
        struct node line = node_row(lines, i, &arena);
        html_row(&table, NULL);
        html_cell(&table, node_word(&line, "place"));
        html_cell_share(&table, node_number(&line, "share"));
        html_cell(&table, node_word(&line, "cause"));
        html_cell_share(&table, node_number(&line, "cause_share"));
    }
    html_close_table(&table);
    arena_clear(&arena);
}

void html_waits(struct html *html, const struct node *machine)
{
    const struct node *estimates = node_child(machine, "estimates");
    for (size_t i = 0; i < estimates->child_count; i++) {
        const struct node *waits = node_child(&estimates->children[i], "waits");
        if (!waits) continue;
        wait_bars(html, node_child(waits, "causes"));
        wait_lines(html, node_child(waits, "lines"));
    }
}
