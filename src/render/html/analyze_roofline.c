// SPDX-License-Identifier: Apache-2.0
/* The roofline: a chart for each kind of operations that the kernel has. */
#include <math.h>
#include <string.h>

#include "render/html/analyze_parts.h"

enum { LEVELS = 4, CORNERS = 3 };

struct roofline_lines {
    struct chart_series series[2 * LEVELS];
    double x[2 * LEVELS][CORNERS], y[2 * LEVELS][CORNERS];
    const char *labels[LEVELS];
    size_t count;
};

/* The same colour for a level in all charts. */
static unsigned colour_of(const char *level)
{
    static const char *const levels[LEVELS] = {"dram", "l2", "l1", "shared"};
    for (unsigned i = 0; i < LEVELS; i++)
        if (!strcmp(levels[i], level)) return i + 1;
    return CHART_GREY;
}

static const char *name_of(const struct node *roofline, const char *level)
{
    return node_word(node_child(node_child(roofline, "levels"), level), "name");
}

/* Roofs have CORNERS rows each. */
static void add_roofs(struct roofline_lines *lines, const struct node *roofline,
                      const struct node *kind, struct arena *arena)
{
    const struct node *table = node_child(kind, "roofs");
    for (size_t i = 0; i + CORNERS <= table->value.item_count && lines->count < LEVELS;
         i += CORNERS) {
        size_t at = lines->count++;
        const char *level = NULL;
        for (size_t k = 0; k < CORNERS; k++) {
            struct node row = node_row(table, i + k, arena);
            level = node_word(&row, "level");
            lines->x[at][k] = node_number(&row, "intensity");
            lines->y[at][k] = node_number(&row, "rate");
        }
        lines->series[at] = (struct chart_series){
            .name = arena_format(arena, "roof of %s", name_of(roofline, level)),
            .mark = CHART_LINE,
            .colour = colour_of(level),
            .count = CORNERS,
            .x = lines->x[at],
            .y = lines->y[at]};
    }
}

static void add_points(struct roofline_lines *lines, const struct node *roofline,
                       const struct node *kind, struct arena *arena)
{
    const struct node *points = node_child(kind, "points");
    for (size_t i = 0; i < points->child_count && i < LEVELS; i++) {
        const struct node *point = &points->children[i];
        size_t at = lines->count++;
        lines->x[at][0] = node_number(point, "intensity");
        lines->y[at][0] = node_number(kind, "rate");
        lines->labels[i] = name_of(roofline, point->id);
        lines->series[at] = (struct chart_series){
            .name = arena_format(arena, "kernel at %s", name_of(roofline, point->id)),
            .mark = CHART_POINTS,
            .colour = colour_of(point->id),
            .count = 1,
            .x = lines->x[at],
            .y = lines->y[at]};
    }
}

static void put_kind(struct html *html, const struct node *roofline, const struct node *kind)
{
    struct arena arena = {0};
    struct roofline_lines lines = {.count = 0};
    const char *words = !strcmp(node_word(kind, "unit"), "inst") ? "instructions" : "operations";
    add_roofs(&lines, roofline, kind, &arena);
    add_points(&lines, roofline, kind, &arena);
    struct chart_rule attained = {.label = "attained",
                                  .is_horizontal = true,
                                  .at = node_number(kind, "rate"),
                                  .colour = CHART_GREY};
    html_xy(html,
            &(struct chart_xy){
                .title = arena_format(&arena, "Roofline: %s", node_word(kind, "name")),
                .text =
                    "The rate that the machine allows against operations per byte, for each "
                    "level of memory, on logarithmic axes. The kernel is a point at each level, "
                    "all at the rate that it attains: the nearer below its roof, the more this "
                    "level limits it.",
                .x = {.title = arena_format(&arena, "%s per byte", words), .is_log = true},
                .y = {.title = "rate", .unit = node_word(kind, "rate_unit"), .is_log = true},
                .series = lines.series,
                .series_count = lines.count,
                .rules = &attained,
                .rule_count = 1,
                .height = 380});
    arena_clear(&arena);
}

static void put_levels(struct html *html, const struct node *roofline)
{
    static const struct html_column columns[] = {
        {.title = "level"},
        {.title = "bytes", .is_number = true, .text = "bytes of the launch that pass this level"},
        {.title = "rate", .is_number = true},
        {.title = "peak", .is_number = true},
        {.title = "of peak", .is_number = true},
        {.title = "bytes are"},
        {.title = "peak from"}};
    const struct node *levels = node_child(roofline, "levels");
    struct html_table table = html_open_table(
        html, "Bytes by level of memory, against the bandwidth of the whole GPU", columns, 7);
    for (size_t i = 0; i < levels->child_count; i++) {
        const struct node *level = &levels->children[i];
        const char *basis = node_word(level, "basis"), *reason = node_word(level, "reason"),
                   *source = node_word(level, "source");
        html_row(&table, NULL);
        html_cell(&table, node_word(level, "name"));
        html_cell_value(&table, node_child(level, "bytes"));
        html_cell_value(&table, node_child(level, "rate"));
        html_cell_value(&table, node_child(level, "bandwidth"));
        html_cell_share(&table, node_number(level, "share"));
        html_cell(&table, basis ? basis : reason);
        html_cell(&table, source ? source : "unknown");
    }
    html_close_table(&table);
}

static void put_kinds(struct html *html, const struct node *roofline)
{
    static const struct html_column columns[] = {{.title = "operations"},
                                                 {.title = "of the launch", .is_number = true},
                                                 {.title = "rate", .is_number = true},
                                                 {.title = "peak", .is_number = true},
                                                 {.title = "of peak", .is_number = true},
                                                 {.title = "peak from"}};
    const struct node *kinds = node_child(roofline, "kinds");
    struct html_table table =
        html_open_table(html, "Operations, against the peak of the whole GPU", columns, 6);
    for (size_t i = 0; i < kinds->child_count; i++) {
        const struct node *kind = &kinds->children[i];
        const char *unit = node_word(kind, "rate_unit"), *source = node_word(kind, "source");
        html_row(&table, NULL);
        html_cell(&table, node_word(kind, "name"));
        html_cell_value(&table, node_child(kind, "operations"));
        html_cell_number(&table, node_number(kind, "rate"), unit);
        html_cell_number(&table, node_number(kind, "peak"), unit);
        html_cell_share(&table, node_number(kind, "share"));
        html_cell(&table, source ? source : "unknown");
    }
    html_close_table(&table);
}

void html_roofline(struct html *html, const struct node *machine)
{
    const struct node *roofline = node_child(node_child(machine, "charts"), "roofline");
    if (!roofline || !node_is_known(roofline)) return;
    const struct node *kinds = node_child(roofline, "kinds");
    html_p(html, NULL,
           "What the machine allows at each intensity, and where the kernel is, by the time that "
           "model %s "
           "predicts. Left of a ridge the bandwidth of the level limits the rate, right of it the "
           "units do.",
           node_word(roofline, "model"));
    for (size_t i = 0; i < kinds->child_count; i++)
        put_kind(html, roofline, &kinds->children[i]);
    put_kinds(html, roofline);
    put_levels(html, roofline);
}
