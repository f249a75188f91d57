// SPDX-License-Identifier: Apache-2.0
/* A grid of values in a scale of one hue, with outlines over it. */
#include <math.h>

#include "render/chart/chart_parts.h"

enum { STEPS = 10, TOP = 8, BOTTOM = 8, SCALE_WIDTH = 110, GAP = 14, NAMES = 18 };

struct heat {
    struct strbuf *out;
    const struct chart_heat *chart;
    double left, top, cell_width, cell_height, low, high;
};

static bool set_range(struct heat *h)
{
    const struct chart_heat *chart = h->chart;
    h->low = h->high = NAN;
    for (size_t i = 0; i < chart->columns * chart->rows; i++) {
        double value = chart->values[i];
        if (!isfinite(value)) continue;
        if (!(value >= h->low)) h->low = value;
        if (!(value <= h->high)) h->high = value;
    }
    if (isnan(h->low)) return false;
    if (chart->low != 0 || chart->high != 0) {
        h->low = chart->low;
        h->high = chart->high;
    }
    if (!(h->high > h->low)) h->high = h->low + 1;
    return true;
}

static unsigned step_of(const struct heat *h, double value)
{
    double share = (value - h->low) / (h->high - h->low);
    return share >= 1 ? STEPS - 1 : share > 0 ? (unsigned)(share * STEPS) : 0;
}

static void put_cell(struct heat *h, size_t column, size_t row)
{
    const struct chart_heat *chart = h->chart;
    double value = chart->values[row * chart->columns + column];
    double x = h->left + (double)column * h->cell_width, y = h->top + (double)row * h->cell_height;
    if (!isfinite(value)) return;
    unsigned step = step_of(h, value);
    strbuf_printf(
        h->out, "<rect class=\"h%u\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
        step, x, y, h->cell_width + 0.1, h->cell_height + 0.1);
    if (chart->row_names) markup_printf(h->out, "%s, ", chart->row_names[row]);
    if (chart->column_names) markup_printf(h->out, "%s: ", chart->column_names[column]);
    markup_text(h->out, chart_value(value, chart->unit).text);
    strbuf_puts(h->out, "</title></rect>\n");
    if (chart->writes_values && h->cell_width >= 34)
        chart_text(h->out, x + h->cell_width / 2, y + h->cell_height / 2 + 4, "middle",
                   step >= STEPS / 2 ? "on-dark" : "on-light", chart_tick(value, chart->unit).text);
}

/* Cells too small to point at: those beside each other in one step of the scale are one. */
static void put_runs(struct heat *h, size_t row)
{
    const struct chart_heat *chart = h->chart;
    const double *values = chart->values + row * chart->columns;
    for (size_t begin = 0, end; begin < chart->columns; begin = end) {
        end = begin + 1;
        if (!isfinite(values[begin])) continue;
        unsigned step = step_of(h, values[begin]);
        while (end < chart->columns && isfinite(values[end]) && step_of(h, values[end]) == step)
            end++;
        strbuf_printf(
            h->out, "<rect class=\"h%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
            step, h->left + (double)begin * h->cell_width, h->top + (double)row * h->cell_height,
            (double)(end - begin) * h->cell_width + 0.2, h->cell_height + 0.2);
    }
}

static void put_cells(struct heat *h)
{
    enum { POINTED_AT = 12 };
    for (size_t row = 0; row < h->chart->rows; row++) {
        if (h->cell_width < POINTED_AT) {
            put_runs(h, row);
            continue;
        }
        for (size_t column = 0; column < h->chart->columns; column++)
            put_cell(h, column, row);
    }
}

static void put_names(struct heat *h)
{
    const struct chart_heat *chart = h->chart;
    for (size_t i = 0; chart->row_names && i < chart->rows; i++)
        if (h->cell_height >= 12)
            chart_text_cut(h->out, h->left - 6, h->top + ((double)i + 0.5) * h->cell_height + 4,
                           "end", NULL, chart->row_names[i], 20);
    double behind = -1e9;
    for (size_t i = 0; chart->column_names && i < chart->columns; i++) {
        double at = h->left + ((double)i + 0.5) * h->cell_width,
               half = (double)markup_columns(chart->column_names[i]) * CHART_COLUMN / 2;
        if (at - half < behind + 4) continue;
        chart_text(h->out, at, h->top + (double)chart->rows * h->cell_height + 14, "middle", NULL,
                   chart->column_names[i]);
        behind = at + half;
    }
}

static void put_scale(struct heat *h, double height)
{
    double x = CHART_WIDTH - SCALE_WIDTH + GAP, step = height / STEPS;
    for (unsigned i = 0; i < STEPS; i++)
        strbuf_printf(h->out,
                      "<rect class=\"h%u\" x=\"%.1f\" y=\"%.2f\" width=\"14\" height=\"%.2f\"/>", i,
                      x, h->top + height - (i + 1) * step, step + 0.1);
    for (unsigned i = 0; i <= 2; i++)
        chart_text(h->out, x + 20,
                   h->top + height - i * height / 2 +
                       (i == 2 ? 10
                        : i    ? 4
                               : 0),
                   "start", NULL,
                   chart_tick(h->low + (h->high - h->low) * i / 2, h->chart->unit).text);
}

/* Across its block, else upright, else not at all. */
static void put_outline_label(struct heat *h, const char *label, double x, double y, double width,
                              double height)
{
    enum { MARGIN = 4, LINE = 12 };
    double length = (double)markup_columns(label) * CHART_COLUMN;
    bool is_upright = length >= width - MARGIN;
    if (is_upright && (length >= height - MARGIN || width < LINE)) return;
    strbuf_printf(h->out, "<g transform=\"translate(%.1f,%.1f)%s\">", x + width / 2, y + height / 2,
                  is_upright ? " rotate(-90)" : "");
    chart_text(h->out, 0, 4, "middle", "over", label);
    strbuf_puts(h->out, "</g>");
}

static void put_outline(struct heat *h, const struct chart_outline *o)
{
    double x = h->left + o->x * h->cell_width, y = h->top + o->y * h->cell_height,
           width = o->width * h->cell_width, height = o->height * h->cell_height;
    strbuf_printf(h->out,
                  "<rect class=\"outline%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                  "height=\"%.1f\"><title>",
                  o->is_strong ? " strong" : "", x, y, width, height);
    markup_text(h->out, o->label);
    strbuf_puts(h->out, "</title></rect>\n");
    if (o->label) put_outline_label(h, o->label, x, y, width, height);
}

bool chart_draw_heat(struct strbuf *out, const struct chart_heat *chart, const char *id)
{
    struct strbuf body = {0};
    struct heat h = {.out = &body, .chart = chart, .top = TOP};
    size_t names = 0;
    if (!chart->columns || !chart->rows || !set_range(&h)) return false;
    for (size_t i = 0; chart->row_names && i < chart->rows; i++) {
        size_t columns = markup_columns(chart->row_names[i]);
        if (columns > names) names = columns < 20 ? columns : 20;
    }
    h.left = names ? (double)names * CHART_COLUMN + 12 : 4;
    if (chart->y_title) h.top += NAMES;
    h.cell_width = (CHART_WIDTH - SCALE_WIDTH - h.left) / (double)chart->columns;
    h.cell_height = h.cell_width * (chart->aspect > 0 ? chart->aspect : 1);
    double height = h.cell_height * (double)chart->rows, bottom = h.top + height + BOTTOM;
    put_cells(&h);
    for (size_t i = 0; i < chart->outline_count; i++)
        put_outline(&h, &chart->outlines[i]);
    put_names(&h);
    put_scale(&h, height);
    if (chart->column_names) bottom += 14;
    if (chart->y_title) chart_text(&body, 4, 12, "start", "name", chart->y_title);
    if (chart->x_title) {
        bottom += NAMES;
        chart_text(&body, h.left + (CHART_WIDTH - SCALE_WIDTH - h.left) / 2, bottom - 6, "middle",
                   "name", chart->x_title);
    }
    chart_begin(out, "chart-heat", id, chart->title, chart->text, CHART_WIDTH, bottom);
    strbuf_append(out, body.data, body.length);
    chart_end(out);
    strbuf_clear(&body);
    return true;
}
