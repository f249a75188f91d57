// SPDX-License-Identifier: Apache-2.0
/* Energy: a table for each curve, or a line for each series of table 16. */
#include <math.h>
#include <stdio.h>

#include "render/views.h"

static void put_point(struct page *page, const struct node *point)
{
    double swept = node_number(point, "swept"), share = node_number(point, "gpu_share");
    char value[24] = "", percent[24] = "-";
    if (!isnan(swept)) snprintf(value, sizeof value, "%.6g", swept);
    if (!isnan(share)) snprintf(percent, sizeof percent, "%.0f", 100 * share);
    page_line(page, "%-12s %7s %12.6g %12.6g %9.4f %11.4f  %s", value, percent,
              node_number(point, "time"), node_number(point, "power"),
              node_number(point, "speedup"), node_number(point, "energy_efficiency"),
              node_word(point, "quadrant"));
}

static void put_curve(struct page *page, const char *swept, const struct node *curve)
{
    const struct node *points = node_child(curve, "points");
    size_t count = points->value.item_count;
    bool is_straight = node_flag(curve, "straight");
    struct arena arena = {0};
    page_line(page, "%-12s %7s %12s %12s %9s %11s", swept, "GPU %", "time", "power", "speed-up",
              "efficiency");
    for (size_t i = 0; i < count; i++) {
        struct node point = node_row(points, i, &arena);
        put_point(page, &point);
        arena_clear(&arena);
    }
    if (count <= 2) return;
    page_line(page, "Efficiency over speed-up is %s (curvature %.3g; doc/models/energy.md).",
              is_straight ? "a straight line" : "not a straight line",
              is_straight ? 0 : node_number(curve, "curvature"));
}

/* A line a series: how many of its points lie where, and the best one. */
static void put_series(struct page *page, const struct node *curve)
{
    const struct node *quadrants = node_child(curve, "quadrants"),
                      *best = node_child(curve, "best");
    page_line(page, "%-28s %8llu %9llu %8llu %8llu %8llu %8.3f %9.0f", node_word(curve, "name"),
              (unsigned long long)node_count(quadrants, "slower_more_energy"),
              (unsigned long long)node_count(quadrants, "faster_less_energy"),
              (unsigned long long)node_count(quadrants, "faster_more_energy"),
              (unsigned long long)node_count(quadrants, "slower_less_energy"),
              (unsigned long long)node_count(quadrants, "as_before"),
              node_number(best, "energy_efficiency"), 100 * node_number(best, "gpu_share"));
}

static void put_all_series(struct page *page, const struct node *curves)
{
    enum { SERIES = 16 };
    page_line(page, "configuration.series: performance of CPU and GPU, power of CPU and GPU; "
                    "number of points out of 11");
    page_line(page, "%-28s %8s %9s %8s %8s %8s %8s %9s", "", "slower", "faster", "faster", "slower",
              "as", "best", "at GPU %");
    page_line(page, "%-28s %8s %9s %8s %8s %8s %8s", "", "more E", "less E", "more E", "less E",
              "before", "effic.");
    for (size_t i = 0; i < curves->child_count; i++) {
        if (i && i % SERIES == 0) page_blank(page);
        put_series(page, &curves->children[i]);
    }
}

static void compose_curves(struct page *page, const struct node *root)
{
    const struct node *curves = node_child(root, "curves");
    const char *swept = node_word(root, "swept"), *note = node_word(root, "note");
    bool is_series = node_flag(root, "series");
    for (size_t i = 0; i < curves->child_count && !is_series; i++) {
        const struct node *curve = &curves->children[i];
        if (i) page_blank(page);
        if (curves->child_count > 1) page_line(page, "%s", node_word(curve, "name"));
        put_curve(page, swept ? swept : "", curve);
    }
    if (is_series) put_all_series(page, curves);
    if (note) page_line(page, "%s", note);
}

static const struct view_part parts[] = {{"", compose_curves}};

static const struct csv_column columns[] = {
    {"curve", "^/name"},
    {"swept", "swept"},
    {"gpu_share", "gpu_share"},
    {"time", "time"},
    {"power", "power"},
    {"speedup", "speedup"},
    {"energy_efficiency", "energy_efficiency"},
    {"quadrant", "quadrant"},
};

static const struct csv_table table = {
    .rows = "curves/*/points",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
};

const struct view view_energy = {
    .question = "energy",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .csv = &table,
    .csv_count = 1,
};
