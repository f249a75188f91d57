// SPDX-License-Identifier: Apache-2.0
/* The kernel against launch parameters: warps on an SM, block size, registers, shared memory. */
#include <math.h>
#include <string.h>

#include "render/html/analyze_parts.h"

/* Columns of a table as arrays. */
static double *column_of(const struct node *table, const char *id, struct arena *arena)
{
    double *out = ARENA_ARRAY(arena, double, table->value.item_count + 1);
    node_column(table, id, out);
    return out;
}

/* ---- scaling with warps ------------------------------------------------------------------------ */

static void put_throughput(struct html *html, const struct node *points, struct arena *arena)
{
    static const struct html_column columns[] = {
        {.title = "resident warps", .is_number = true},
        {.title = "instructions per cycle", .is_number = true},
        {.title = "of the launch", .is_number = true}};
    struct html_table table =
        html_open_table(html, "Throughput of an SM by resident warps", columns, 3);
    for (size_t i = 0; i < points->value.item_count; i++) {
        struct node row = node_row(points, i, arena);
        html_row(&table, node_flag(&row, "is_here") ? "best" : NULL);
        html_cell_number(&table, node_number(&row, "warps"), "1");
        html_cell_number(&table, node_number(&row, "ipc"), "1");
        html_cell_share(&table, node_number(&row, "relative"));
    }
    html_close_table(&table);
}

void html_scaling(struct html *html, const struct node *machine)
{
    const struct node *scaling = node_child(node_child(machine, "charts"), "scaling");
    if (!scaling || !node_is_known(scaling)) return;
    const struct node *points = node_child(scaling, "points");
    size_t count = points->value.item_count;
    struct arena arena = {0};
    double *warps = column_of(points, "warps", &arena);
    const struct chart_series speedup = {.name = "speed-up",
                                         .mark = CHART_LINE,
                                         .colour = 1,
                                         .has_points = true,
                                         .count = count,
                                         .x = warps,
                                         .y = column_of(points, "speedup", &arena)};
    const struct chart_series time = {.name = "time",
                                      .mark = CHART_LINE,
                                      .colour = 2,
                                      .has_points = true,
                                      .count = count,
                                      .x = warps,
                                      .y = column_of(points, "time_s", &arena)};
    const struct chart_rule here = {.label = "the launch", .at = count ? warps[count - 1] : NAN};
    html_p(html, NULL,
           "The kernel with fewer resident warps, by model %s. Where the curve is flat, more warps "
           "hide no more "
           "latency; where it still rises, a higher occupancy would pay.",
           node_word(scaling, "model"));
    html_xy(html,
            &(struct chart_xy){.title = "Speed-up over one warp",
                               .text = "Throughput of an SM against the number of resident warps, "
                                       "divided by that of one warp. The last point is the "
                                       "launch.",
                               .x = {.title = "resident warps per SM", .from_zero = true},
                               .y = {.title = "speed-up", .from_zero = true},
                               .series = &speedup,
                               .series_count = 1,
                               .rules = &here,
                               .rule_count = 1});
    html_xy(html,
            &(struct chart_xy){
                .title = "Time of the launch by resident warps",
                .text = "The predicted time if only so many warps were resident; the last point is "
                        "the launch. Both axes are logarithmic.",
                .x = {.title = "resident warps per SM", .is_log = true},
                .y = {.title = "time", .unit = "s", .is_log = true},
                .series = &time,
                .series_count = 1,
                .rules = &here,
                .rule_count = 1});
    put_throughput(html, points, &arena);
    arena_clear(&arena);
}

/* ---- MWP and CWP ------------------------------------------------------------------------------- */

void html_parallelism(struct html *html, const struct node *machine)
{
    const struct node *chart = node_child(node_child(machine, "charts"), "warp_parallelism");
    if (!chart || !node_is_known(chart)) return;
    const struct node *points = node_child(chart, "points");
    size_t count = points->value.item_count;
    struct arena arena = {0};
    double *warps = column_of(points, "warps", &arena);
    const struct chart_series series[] = {{.name = "MWP",
                                           .mark = CHART_LINE,
                                           .colour = 1,
                                           .count = count,
                                           .x = warps,
                                           .y = column_of(points, "mwp", &arena)},
                                          {.name = "CWP",
                                           .mark = CHART_LINE,
                                           .colour = 2,
                                           .is_dashed = true,
                                           .count = count,
                                           .x = warps,
                                           .y = column_of(points, "cwp", &arena)}};
    const struct chart_rule here = {.label = "the launch", .at = (double)node_count(chart, "here")};
    html_p(
        html, NULL,
        "By model mwp-cwp: MWP is how many warps of an SM access memory at the same time, CWP how "
        "many could compute "
        "while one of them waits. Where CWP is above MWP, memory limits the kernel; where MWP is "
        "above, "
        "computation does; while both grow with the warps, more warps help.");
    html_xy(html, &(struct chart_xy){.title = "MWP and CWP by warps",
                                     .text = "Memory and computation warp parallelism against the "
                                             "number of warps on an SM. The "
                                             "vertical line is the launch.",
                                     .x = {.title = "warps per SM", .from_zero = true},
                                     .y = {.title = "warps", .from_zero = true},
                                     .series = series,
                                     .series_count = 2,
                                     .rules = &here,
                                     .rule_count = 1});
    arena_clear(&arena);
}

/* ---- occupancy --------------------------------------------------------------------------------- */

struct occupancy_chart {
    const char *id, *title, *axis, *unit;
};

/* A step for each range of values, and the end of the last. */
static struct chart_series steps_of(const struct node *points, struct arena *arena)
{
    size_t count = points->value.item_count;
    double *x = ARENA_ARRAY(arena, double, count + 1), *y = ARENA_ARRAY(arena, double, count + 1);
    node_column(points, "first", x);
    node_column(points, "warps_per_sm", y);
    if (count) {
        x[count] = column_of(points, "last", arena)[count - 1];
        y[count] = y[count - 1];
    }
    return (struct chart_series){.name = "resident warps",
                                 .mark = CHART_STEPS,
                                 .colour = 1,
                                 .count = count ? count + 1 : 0,
                                 .x = x,
                                 .y = y};
}

/* The range that the launch is in. */
static struct chart_series range_of(const struct node *points, struct arena *arena)
{
    double *x = ARENA_ARRAY(arena, double, 2), *y = ARENA_ARRAY(arena, double, 2);
    x[0] = x[1] = y[0] = y[1] = NAN;
    for (size_t i = 0; i < points->value.item_count; i++) {
        struct node row = node_row(points, i, arena);
        if (!node_flag(&row, "is_here")) continue;
        x[0] = node_number(&row, "first");
        x[1] = node_number(&row, "last");
        y[0] = y[1] = node_number(&row, "warps_per_sm");
    }
    return (struct chart_series){
        .name = "range of the launch", .mark = CHART_LINE, .colour = 2, .count = 2, .x = x, .y = y};
}

static void put_curve(struct html *html, const struct node *curve,
                      const struct occupancy_chart *what)
{
    struct arena arena = {0};
    const struct node *points = node_child(curve, "points");
    const struct chart_series series[] = {steps_of(points, &arena), range_of(points, &arena)};
    const struct chart_rule here = {
        .label = "the launch", .at = node_number(curve, "here"), .colour = 2};
    html_xy(html,
            &(struct chart_xy){
                .title = what->title,
                .text = "Resident warps per SM against this parameter, all others as in the "
                        "launch, which is the vertical line. Where its range ends, the occupancy "
                        "or its limiter changes.",
                .x = {.title = what->axis, .unit = what->unit, .from_zero = true},
                .y = {.title = "resident warps per SM",
                      .low = 0,
                      .high = (double)node_count(curve, "max_warps_per_sm")},
                .series = series,
                .series_count = 2,
                .rules = &here,
                .rule_count = isfinite(here.at) ? 1 : 0,
                .height = 240});
    arena_clear(&arena);
}

static void put_limits(struct html *html, const struct node *occupancy)
{
    static const struct html_column columns[] = {{.title = "limit"},
                                                 {.title = "blocks per SM", .is_number = true}};
    static const struct {
        const char *id, *words, *limiter;
    } limits[] = {{"block_limit_warps", "warps", "warps"},
                  {"block_limit_registers", "registers", "registers"},
                  {"block_limit_shared", "shared memory", "shared"},
                  {"block_limit_sm", "blocks", "sm"}};
    const char *limiter = node_word(occupancy, "limiter");
    struct html_table table = html_open_table(html, "Blocks that each limit allows", columns, 2);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct node *limit = node_child(occupancy, limits[i].id);
        if (!node_is_known(limit)) continue;
        bool is_least = limiter && !strcmp(limiter, limits[i].limiter);
        html_row(&table, is_least ? "best" : NULL);
        html_cellf(&table, "%s%s", limits[i].words, is_least ? " (limits)" : "");
        html_cell_number(&table, node_value(limit), "1");
    }
    html_close_table(&table);
}

void html_occupancy(struct html *html, const struct node *machine)
{
    static const struct occupancy_chart charts[] = {
        {"threads_per_block", "Occupancy by block size", "threads per block", NULL},
        {"registers_per_thread", "Occupancy by registers", "registers per thread", NULL},
        {"shared_bytes", "Occupancy by shared memory", "shared memory per block", "B"}};
    const struct node *occupancy = node_child(machine, "occupancy"),
                      *curves = node_child(node_child(machine, "charts"), "occupancy");
    if (!occupancy || !node_is_known(occupancy)) return;
    html_raw(html, "<p>");
    html_number(html, (double)node_count(occupancy, "warps_per_sm"), "1");
    html_raw(html, " resident warps per SM of ");
    html_number(html, node_number(occupancy, "max_warps_per_sm"), "1");
    html_raw(html, " (");
    html_number(html, node_number(occupancy, "fraction"), "%");
    html_textf(html, ", %s); the grid has ", node_word(occupancy, "registers_note"));
    html_number(html, node_number(occupancy, "waves"), "1");
    html_raw(html, " waves of resident blocks.</p>\n");
    put_limits(html, occupancy);
    if (!curves || !node_is_known(curves)) return;
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++)
        put_curve(html, node_child(curves, charts[i].id), &charts[i]);
}
