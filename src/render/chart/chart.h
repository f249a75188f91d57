// SPDX-License-Identifier: Apache-2.0
/* Charts as SVG, from numbers that the caller has. A chart is a struct that the caller fills and a call that
 * draws it:
 *
 *     struct chart_series series[] = {{.name = "time", .mark = CHART_LINE, .colour = 1,
 *                                      .count = n, .x = warps, .y = seconds}};
 *     struct chart_xy chart = {.title = "Time by warps", .text = "How the time falls ...",
 *                              .x = {.title = "warps per SM"}, .y = {.title = "time", .unit = "s"},
 *                              .series = series, .series_count = 1};
 *     html_xy(html, &chart);          in a page: the figure with its caption and its table of values
 *     chart_draw_xy(out, &chart, id); only the SVG
 *
 * There are five kinds: chart_xy (lines, steps, points, bands on linear or logarithmic axes), chart_bars (horizontal,
 * stacked), chart_heat (a grid of values), chart_diagram (boxes and arrows), chart_lanes (events over time). Texts and arrays are the caller's and
 * need only live during the call. Zeros are sensible defaults everywhere; NAN is a gap. Colours are slots of the
 * palette of style.css, so that dark pages and print have their own; slots differ for the colour-blind, and whoever
 * uses several also uses dashes, labels or the order. Coordinates are rounded to a tenth of a unit of the
 * view box: the same figures make the same bytes. */
#ifndef RENDER_CHART_CHART_H
#define RENDER_CHART_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* Slots of the palette, 1 to CHART_COLOURS; 0 is grey. */
enum { CHART_GREY, CHART_COLOURS = 8 };

/* ---- lines and points -------------------------------------------------------------------------- */

struct chart_axis {
    const char *title;
    const char
        *unit; /* of quantity_format: "s", "B/s"; "%": a fraction is shown in per cent; NULL: "1" */
    bool is_log; /* values that are not positive are left out */
    bool
        from_zero; /* of linear axes: begins at zero. y axes should, unless differences are what matters */
    double low, high; /* both 0: from the data */
};

enum chart_mark {
    CHART_LINE,
    CHART_STEPS,  /* a value holds until the next x */
    CHART_POINTS, /* a shape for each colour slot; with `low` and `high` an error bar */
    CHART_BAND,   /* between `low` and `high` */
};

struct chart_series {
    const char *name; /* in the legend, or at the end of the line if chart_xy.labels_lines */
    enum chart_mark mark;
    unsigned colour;
    bool is_dashed, has_points; /* of lines: a mark at each value */
    size_t count;
    const double *x, *y;
    const double *low, *high;  /* of bands, and error bars of points; NULL: none */
    const char *const *labels; /* of points; NULL, or elements NULL: none */
};

/* A line across the whole plot: where the kernel is, a limit. */
struct chart_rule {
    const char *label;
    bool is_horizontal;
    double at;
    unsigned colour;
};

struct chart_xy {
    const char *title,
        *text; /* text: what the chart shows, a sentence or two; for those who do not see it, too */
    struct chart_axis x, y;
    const struct chart_series *series;
    size_t series_count;
    const struct chart_rule *rules;
    size_t rule_count;
    bool labels_lines; /* names at the right ends of lines instead of a legend */
    unsigned height;   /* of the view box, which is 640 wide; 0: 340 */
};

/* ---- horizontal bars --------------------------------------------------------------------------- */

struct chart_part {
    const char *name;
    unsigned colour;
};

struct chart_bar {
    const char *label;
    const double *values; /* part_count of them, one behind the other; NAN: nothing */
    double low, high;     /* interval of their sum, drawn as an error bar; both 0: none */
    const char *note;     /* behind the bar, instead of its value; NULL: the value */
    bool is_strong;       /* its label stands out */
};

struct chart_bars {
    const char *title, *text;
    const char *first; /* title of the first column of the table: what the bars are of */
    const char *unit;  /* as of chart_axis */
    const struct chart_bar *bars;
    size_t bar_count;
    const struct chart_part *parts; /* one: no legend */
    size_t part_count;
    bool is_log;
    double limit; /* a line across all bars; 0: none */
    const char *limit_label;
    double high; /* 0: from the data */
};

/* ---- a grid of values -------------------------------------------------------------------------- */

struct chart_outline {
    const char *label;
    double x, y, width, height; /* in cells */
    bool is_strong;
};

struct chart_heat {
    const char *title, *text;
    const char *unit; /* as of chart_axis */
    const char *x_title, *y_title;
    size_t columns, rows;
    const double *values; /* row by row, from the top; NAN: an empty cell */
    const char *const *column_names, *const *row_names; /* NULL: none */
    bool writes_values;                                 /* in the cells, if there is room */
    double low, high;                                   /* both 0: from the data */
    double aspect; /* height of a cell divided by its width; 0: 1 */
    const struct chart_outline *outlines;
    size_t outline_count;
};

/* ---- boxes and arrows -------------------------------------------------------------------------- */

enum { CHART_LINES = 4 };

struct chart_box {
    const char *name;
    double x, y, width, height;     /* in the units of the diagram */
    const char *lines[CHART_LINES]; /* below the name; NULL: no more */
    double heat;                    /* 0 to 1: how near to its limit; NAN or 0: plain */
};

/* Between the nearest sides of two boxes. */
struct chart_arrow {
    size_t from, to;   /* indices of boxes */
    const char *label; /* above it */
    const char *note;  /* below it; NULL: none */
    double weight;     /* 0 to 1: how thick */
    double
        shift; /* units of the diagram to the side: of two arrows between the same boxes; 0: none */
};

struct chart_diagram {
    const char *title, *text;
    double width, height; /* of the diagram; a unit is a unit of the view box */
    const struct chart_box *boxes;
    size_t box_count;
    const struct chart_arrow *arrows;
    size_t arrow_count;
};

/* ---- events over time -------------------------------------------------------------------------- */

/* One, or `count` that share a name, between the begin of the first and the end of the last. */
struct chart_event {
    size_t lane;
    double begin, end, busy; /* seconds; busy: of end - begin; all 0 wide: a stroke */
    size_t count;
    unsigned colour;
    const char *name;
};

struct chart_lanes {
    const char *title, *text;
    const char *unit; /* of time, as of chart_axis */
    const char *const *lane_names;
    size_t lane_count;
    const struct chart_event *events;
    size_t event_count;
    const struct chart_part *parts; /* the legend */
    size_t part_count;
    double end; /* of the axis, which begins at 0 */
};

/* ---- drawing ----------------------------------------------------------------------------------- */

/* Appends an <svg> with <title> and <desc>, named by `id`, which must be unique in the page. Its classes are
 * those of style.css. False, and nothing is appended: there is nothing to draw. */
bool chart_draw_xy(struct strbuf *out, const struct chart_xy *chart, const char *id);
bool chart_draw_bars(struct strbuf *out, const struct chart_bars *chart, const char *id);
bool chart_draw_heat(struct strbuf *out, const struct chart_heat *chart, const char *id);
bool chart_draw_diagram(struct strbuf *out, const struct chart_diagram *chart, const char *id);
bool chart_draw_lanes(struct strbuf *out, const struct chart_lanes *chart, const char *id);

#endif
