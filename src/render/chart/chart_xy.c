// SPDX-License-Identifier: Apache-2.0
/* Lines, steps, points and bands over two axes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/chart/chart_labels.h"

enum { TOP = 14, BOTTOM = 40, RIGHT = 18, HEIGHT = 340, LEGEND_LEFT = 4 };

struct plot {
    struct strbuf *out;
    const struct chart_xy *chart;
    struct chart_scale x, y;
    double left, right, top, bottom;
    struct chart_labels labels;
};

/* ---- extent ------------------------------------------------------------------------------------ */

static void widen(double *low, double *high, double value, bool is_log)
{
    if (!isfinite(value) || (is_log && value <= 0)) return;
    if (!(value >= *low)) *low = value;
    if (!(value <= *high)) *high = value;
}

static void extent(const struct chart_xy *chart, bool of_y, double *low, double *high)
{
    const struct chart_axis *axis = of_y ? &chart->y : &chart->x;
    *low = *high = NAN;
    for (size_t i = 0; i < chart->series_count; i++) {
        const struct chart_series *s = &chart->series[i];
        for (size_t k = 0; k < s->count; k++) {
            if (!of_y) widen(low, high, s->x[k], axis->is_log);
            if (of_y && s->mark != CHART_BAND) widen(low, high, s->y[k], axis->is_log);
            if (of_y && s->low) widen(low, high, s->low[k], axis->is_log);
            if (of_y && s->high) widen(low, high, s->high[k], axis->is_log);
        }
    }
    for (size_t i = 0; i < chart->rule_count && !isnan(*low); i++)
        if (chart->rules[i].is_horizontal == of_y)
            widen(low, high, chart->rules[i].at, axis->is_log);
    if (axis->from_zero && *low > 0) *low = 0;
    if (axis->from_zero && *high < 0) *high = 0;
}

static bool set_scale(struct chart_scale *scale, const struct chart_xy *chart, bool of_y)
{
    const struct chart_axis *axis = of_y ? &chart->y : &chart->x;
    bool is_fixed = axis->low != 0 || axis->high != 0;
    double low = axis->low, high = axis->high;
    if (!is_fixed) extent(chart, of_y, &low, &high);
    if (isnan(low)) return false;
    chart_scale_set(scale, axis->is_log, low, high, is_fixed || !of_y, of_y ? 5 : 7);
    return true;
}

/* ---- axes -------------------------------------------------------------------------------------- */

static double widest_tick(const struct chart_scale *scale, const char *unit)
{
    size_t most = 0;
    for (size_t i = 0; i < scale->tick_count; i++) {
        size_t columns = markup_columns(chart_tick(scale->ticks[i], unit).text);
        if (columns > most) most = columns;
    }
    return (double)most * CHART_COLUMN;
}

static void put_grid(struct plot *plot)
{
    struct strbuf *out = plot->out;
    strbuf_puts(out, "<path class=\"grid\" d=\"");
    for (size_t i = 0; i < plot->y.tick_count; i++)
        strbuf_printf(out, "M%.1f,%.1fH%.1f", plot->left, chart_place(&plot->y, plot->y.ticks[i]),
                      plot->right);
    for (size_t i = 0; i < plot->x.tick_count; i++)
        strbuf_printf(out, "M%.1f,%.1fV%.1f", chart_place(&plot->x, plot->x.ticks[i]), plot->top,
                      plot->bottom);
    strbuf_printf(out, "\"/>\n<path class=\"axis\" d=\"M%.1f,%.1fV%.1fH%.1f\"/>\n", plot->left,
                  plot->top, plot->bottom, plot->right);
}

/* Texts that would touch the one before are left out. */
static void put_ticks(struct plot *plot)
{
    struct strbuf *out = plot->out;
    const struct chart_xy *chart = plot->chart;
    double behind = -1e9;
    strbuf_puts(out, "<g class=\"ticks x\">");
    for (size_t i = 0; i < plot->x.tick_count; i++) {
        struct quantity text = chart_tick(plot->x.ticks[i], chart->x.unit);
        double at = chart_place(&plot->x, plot->x.ticks[i]),
               half = (double)strlen(text.text) * CHART_COLUMN / 2;
        if (at - half < behind + 4) continue;
        chart_text(out, at, plot->bottom + 16, "middle", NULL, text.text);
        behind = at + half;
    }
    strbuf_puts(out, "</g><g class=\"ticks y\">");
    for (size_t i = 0; i < plot->y.tick_count; i++)
        chart_text(out, plot->left - 6, chart_place(&plot->y, plot->y.ticks[i]) + 4, "end", NULL,
                   chart_tick(plot->y.ticks[i], chart->y.unit).text);
    strbuf_puts(out, "</g>\n");
    chart_text(out, (plot->left + plot->right) / 2, plot->bottom + 34, "middle", "name",
               chart->x.title);
}

/* ---- marks ------------------------------------------------------------------------------------- */

static bool place_point(const struct plot *plot, double x, double y, double *out_x, double *out_y)
{
    *out_x = chart_place(&plot->x, x);
    *out_y = chart_place(&plot->y, y);
    return !isnan(*out_x) && !isnan(*out_y);
}

static void put_line(struct plot *plot, const struct chart_series *s)
{
    bool is_open = false;
    double x, y, before = 0;
    strbuf_printf(plot->out, "<path class=\"line k%u%s\" d=\"", s->colour,
                  s->is_dashed ? " dashed" : "");
    for (size_t i = 0; i < s->count; i++) {
        bool is_there = place_point(plot, s->x[i], s->y[i], &x, &y);
        if (is_there && is_open && s->mark == CHART_STEPS)
            strbuf_printf(plot->out, "H%.1fV%.1f", x, y);
        else if (is_there)
            strbuf_printf(plot->out, "%c%.1f,%.1f", is_open ? 'L' : 'M', x, y);
        is_open = is_there;
        if (is_there) before = y;
    }
    if (is_open && s->mark == CHART_STEPS) strbuf_printf(plot->out, "V%.1f", before);
    strbuf_puts(plot->out, "\"/>\n");
}

static void put_band(struct plot *plot, const struct chart_series *s)
{
    double x, y;
    bool is_open = false;
    strbuf_printf(plot->out, "<path class=\"band k%u\" d=\"", s->colour);
    for (size_t i = 0; i < s->count; i++)
        if (place_point(plot, s->x[i], s->high[i], &x, &y)) {
            strbuf_printf(plot->out, "%c%.1f,%.1f", is_open ? 'L' : 'M', x, y);
            is_open = true;
        }
    for (size_t i = s->count; i-- > 0;)
        if (place_point(plot, s->x[i], s->low[i], &x, &y))
            strbuf_printf(plot->out, "L%.1f,%.1f", x, y);
    strbuf_printf(plot->out, "%s\"/>\n", is_open ? "z" : "");
}

/* The value at a point, as the tooltip of its mark. */
static void put_tip(struct plot *plot, const struct chart_series *s, size_t i)
{
    const char *label = s->labels ? s->labels[i] : NULL;
    strbuf_puts(plot->out, "<title>");
    markup_text(plot->out, label ? label : s->name);
    markup_printf(plot->out, ": %s %s, %s %s", plot->chart->x.title,
                  chart_value(s->x[i], plot->chart->x.unit).text, plot->chart->y.title,
                  chart_value(s->y[i], plot->chart->y.unit).text);
    strbuf_puts(plot->out, "</title>");
}

static void put_error(struct plot *plot, const struct chart_series *s, size_t i)
{
    double x, low, high;
    if (!s->low || !s->high || !place_point(plot, s->x[i], s->low[i], &x, &low) ||
        !place_point(plot, s->x[i], s->high[i], &x, &high))
        return;
    strbuf_printf(plot->out,
                  "<path class=\"error\" d=\"M%.1f,%.1fV%.1fM%.1f,%.1fh8M%.1f,%.1fh8\"/>", x, low,
                  high, x - 4, low, x - 4, high);
}

static bool has_dots(const struct chart_series *s)
{
    return s->mark == CHART_POINTS || s->has_points;
}

/* Does the dot of a later series lie on this one? */
static bool is_covered(const struct plot *plot, const struct chart_series *s, size_t i, double x,
                       double y)
{
    enum { NEAR = 3 };
    const struct chart_series *end = plot->chart->series + plot->chart->series_count;
    double other_x, other_y;
    for (const struct chart_series *later = s + 1; later < end; later++)
        if (has_dots(later) && i < later->count &&
            place_point(plot, later->x[i], later->y[i], &other_x, &other_y) &&
            fabs(other_x - x) < NEAR && fabs(other_y - y) < NEAR)
            return true;
    return false;
}

static void put_points(struct plot *plot, const struct chart_series *s)
{
    double x, y;
    for (size_t i = 0; i < s->count; i++) {
        if (!place_point(plot, s->x[i], s->y[i], &x, &y)) continue;
        put_error(plot, s, i);
        if (has_dots(s)) {
            strbuf_printf(plot->out, "<path class=\"dot k%u%s\" d=\"", s->colour,
                          is_covered(plot, s, i, x, y) ? " under" : "");
            chart_put_shape(plot->out, s->colour, x, y);
            strbuf_puts(plot->out, "\">");
            put_tip(plot, s, i);
            strbuf_puts(plot->out, "</path>\n");
            chart_labels_take(&plot->labels, x - 4, y - 4, 8, 8);
        } else {
            strbuf_printf(plot->out, "<circle class=\"hit\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\">", x,
                          y);
            put_tip(plot, s, i);
            strbuf_puts(plot->out, "</circle>\n");
        }
    }
}

static void put_rules(struct plot *plot)
{
    for (size_t i = 0; i < plot->chart->rule_count; i++) {
        const struct chart_rule *rule = &plot->chart->rules[i];
        double at = chart_place(rule->is_horizontal ? &plot->y : &plot->x, rule->at);
        if (isnan(at)) continue;
        strbuf_printf(plot->out, "<path class=\"rule k%u\" d=\"", rule->colour);
        if (rule->is_horizontal)
            strbuf_printf(plot->out, "M%.1f,%.1fH%.1f\"/>\n", plot->left, at, plot->right);
        else
            strbuf_printf(plot->out, "M%.1f,%.1fV%.1f\"/>\n", at, plot->top, plot->bottom);
    }
}

/* ---- labels ------------------------------------------------------------------------------------ */

/* Above a horizontal line, at its beginning. */
static void put_above(struct plot *plot, double y, const char *label)
{
    double width = (double)markup_columns(label) * CHART_COLUMN;
    chart_labels_take(&plot->labels, plot->left, y - 17, width + 6, 14);
    chart_text(plot->out, plot->left + 6, y - 5, "start", "mark", label);
}

static void put_rule_labels(struct plot *plot)
{
    for (size_t i = 0; i < plot->chart->rule_count; i++) {
        const struct chart_rule *rule = &plot->chart->rules[i];
        double at = chart_place(rule->is_horizontal ? &plot->y : &plot->x, rule->at);
        if (isnan(at) || !rule->label) continue;
        if (rule->is_horizontal)
            put_above(plot, at, rule->label);
        else
            chart_labels_put(&plot->labels, plot->out, at, plot->top + 8, "mark", rule->label);
    }
}

static void put_point_labels(struct plot *plot)
{
    double x, y;
    for (size_t i = 0; i < plot->chart->series_count; i++) {
        const struct chart_series *s = &plot->chart->series[i];
        for (size_t k = 0; s->labels && k < s->count; k++)
            if (s->labels[k] && place_point(plot, s->x[k], s->y[k], &x, &y))
                chart_labels_put(&plot->labels, plot->out, x, y, NULL, s->labels[k]);
    }
}

/* Names at the last points of lines, in the margin. */
static void put_line_names(struct plot *plot)
{
    double x = 0, y = 0;
    plot->labels.inside = (struct chart_box_area){plot->left, 0, 1e4, 1e4};
    for (size_t i = 0; i < plot->chart->series_count; i++) {
        const struct chart_series *s = &plot->chart->series[i];
        size_t last = s->count;
        while (last && !place_point(plot, s->x[last - 1], s->y[last - 1], &x, &y))
            last--;
        if (last && s->mark != CHART_BAND)
            chart_labels_put(&plot->labels, plot->out, plot->right - 2, y, NULL, s->name);
    }
}

static double put_legend(struct plot *plot, double y)
{
    struct chart_legend entries[24];
    size_t count = 0;
    for (size_t i = 0; i < plot->chart->series_count && count < 24; i++) {
        const struct chart_series *s = &plot->chart->series[i];
        if (!s->name || s->labels) continue;
        entries[count++] = (struct chart_legend){s->name, s->colour, s->mark, s->is_dashed};
    }
    return chart_put_legend(plot->out, entries, count, LEGEND_LEFT, y,
                            CHART_WIDTH - 2 * LEGEND_LEFT);
}

/* ---- the chart --------------------------------------------------------------------------------- */

static void lay_out(struct plot *plot, double top)
{
    const struct chart_xy *chart = plot->chart;
    size_t names = 0;
    for (size_t i = 0; chart->labels_lines && i < chart->series_count; i++) {
        size_t columns = markup_columns(chart->series[i].name);
        if (columns > names) names = columns;
    }
    double left = widest_tick(&plot->y, chart->y.unit) + 12;
    plot->left = left > 30 ? left : 30;
    plot->right = CHART_WIDTH - RIGHT - (double)names * CHART_COLUMN;
    plot->top = top + TOP + 8;
    plot->bottom = top + (chart->height ? chart->height : HEIGHT) - BOTTOM;
    plot->x.begin = plot->left;
    plot->x.end = plot->right;
    plot->y.begin = plot->bottom;
    plot->y.end = plot->top;
    plot->labels.inside = (struct chart_box_area){
        plot->left, plot->top - 8, plot->right - plot->left, plot->bottom - plot->top + 8};
}

/* "0 64 linear 1": ends, kind and unit, for report.js. */
static void put_scale(struct plot *plot, const char *name, const struct chart_scale *scale,
                      const struct chart_axis *axis)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_exact(low, scale->low);
    number_exact(high, scale->high);
    strbuf_printf(plot->out, " data-%s=\"%s %s %s ", name, low, high,
                  scale->is_log ? "log" : "linear");
    markup_text(plot->out, axis->unit ? axis->unit : "1");
    strbuf_puts(plot->out, "\"");
}

/* What report.js zooms. */
static void begin_plot(struct plot *plot, const char *id)
{
    enum { MARGIN = 6 }; /* marks at the edge are whole */
    strbuf_printf(
        plot->out,
        "<clipPath id=\"%s-p\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
        "</clipPath>\n<g clip-path=\"url(#%s-p)\"><g class=\"plot\" data-box=\"%.1f %.1f "
        "%.1f %.1f\"",
        id, plot->left - MARGIN, plot->top - MARGIN, plot->right - plot->left + 2 * MARGIN,
        plot->bottom - plot->top + 2 * MARGIN, id, plot->left, plot->top, plot->right,
        plot->bottom);
    put_scale(plot, "x", &plot->x, &plot->chart->x);
    put_scale(plot, "y", &plot->y, &plot->chart->y);
    strbuf_puts(plot->out, ">\n");
}

static void put_all(struct plot *plot, const char *id, double top)
{
    const struct chart_xy *chart = plot->chart;
    lay_out(plot, top);
    chart_text(plot->out, LEGEND_LEFT, top + 10, "start", "name", chart->y.title);
    put_grid(plot);
    put_ticks(plot);
    begin_plot(plot, id);
    for (size_t i = 0; i < chart->series_count; i++)
        if (chart->series[i].mark == CHART_BAND) put_band(plot, &chart->series[i]);
    put_rules(plot);
    for (size_t i = 0; i < chart->series_count; i++)
        if (chart->series[i].mark == CHART_LINE || chart->series[i].mark == CHART_STEPS)
            put_line(plot, &chart->series[i]);
    for (size_t i = 0; i < chart->series_count; i++)
        if (chart->series[i].mark != CHART_BAND) put_points(plot, &chart->series[i]);
    put_rule_labels(plot);
    put_point_labels(plot);
    strbuf_puts(plot->out, "</g></g>\n");
    if (chart->labels_lines) put_line_names(plot);
}

bool chart_draw_xy(struct strbuf *out, const struct chart_xy *chart, const char *id)
{
    struct strbuf body = {0};
    struct plot plot = {.out = &body, .chart = chart};
    if (!set_scale(&plot.x, chart, false) || !set_scale(&plot.y, chart, true)) return false;
    double legend = chart->labels_lines ? 0 : put_legend(&plot, 0);
    put_all(&plot, id, legend);
    chart_begin(out, "chart-xy", id, chart->title, chart->text, CHART_WIDTH, plot.bottom + BOTTOM);
    strbuf_append(out, body.data, body.length);
    chart_end(out);
    strbuf_clear(&body);
    return true;
}
