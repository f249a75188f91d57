// SPDX-License-Identifier: Apache-2.0
/* What the four kinds of charts share: frame, texts, scales. Private to src/render/chart/, but for chart_value, which
 * tables use, too. */
#ifndef RENDER_CHART_CHART_PARTS_H
#define RENDER_CHART_CHART_PARTS_H

#include "base/quantity.h"
#include "render/chart/chart.h"
#include "render/chart/markup.h"

enum { CHART_WIDTH = 640, CHART_TICKS = 24 };
/* Of characters of the text of charts, which is 12 units high; enough for any that is not all capitals. */
#define CHART_COLUMN 7.1

/* <svg> with title and description; `kind` is a class. */
void chart_begin(struct strbuf *out, const char *kind, const char *id, const char *title,
                 const char *text, double width, double height);
void chart_end(struct strbuf *out);
/* <text>, `anchor` start, middle or end; `class` NULL: none. */
void chart_text(struct strbuf *out, double x, double y, const char *anchor, const char *class,
                const char *text);
/* The same of at most `columns` characters; the whole text is its tooltip. */
void chart_text_cut(struct strbuf *out, double x, double y, const char *anchor, const char *class,
                    const char *text, size_t columns);
/* A coordinate with at most one decimal. */
void chart_number(struct strbuf *out, double value);
/* A value with its unit: quantity_format, "%" for fractions. */
struct quantity chart_value(double value, const char *unit);
/* The same without zeros behind the point: for ticks. */
struct quantity chart_tick(double value, const char *unit);

/* An axis over pixels. */
struct chart_scale {
    bool is_log;
    double low, high;  /* values at the ends */
    double begin, end; /* places of these */
    double ticks[CHART_TICKS];
    size_t tick_count;
};

/* Widens low and high to nice values and sets the ticks, about `wanted` of them. A fixed scale keeps its ends. */
void chart_scale_set(struct chart_scale *scale, bool is_log, double low, double high, bool is_fixed,
                     size_t wanted);
/* NAN: the value has no place. */
double chart_place(const struct chart_scale *scale, double value);

/* A row of names of colours, from x, y on; returns its height, 0: nothing to tell. */
struct chart_legend {
    const char *name;
    unsigned colour;
    enum chart_mark mark;
    bool is_dashed;
};
double chart_put_legend(struct strbuf *out, const struct chart_legend *entries, size_t count,
                        double x, double y, double width);
/* The shape of a colour slot around a point. */
void chart_put_shape(struct strbuf *out, unsigned colour, double x, double y);

#endif
