// SPDX-License-Identifier: Apache-2.0
/* Events over time, a lane for each stream. Events of less than a pixel column share columns, whose height is the
 * part of its time that is busy; events without duration are strokes. */
#include <math.h>

#include "base/arena.h"
#include "render/chart/chart_parts.h"

enum {
    WIDTH = 960,
    ROW = 26,
    BAR = 16,
    TOP = 6,
    BOTTOM = 24,
    NAME_MOST = 26,
    COLUMN = 2,
    RIGHT = 16
};
/* An event of at least so many units is drawn on its own. */
#define ALONE 3.0

struct lanes {
    struct strbuf *out;
    const struct chart_lanes *chart;
    struct chart_scale scale;
    size_t columns;
    double *busy;      /* of each column of the lane at hand, seconds */
    unsigned *colours; /* of the busiest event of it */
    double *most;      /* and its seconds there */
    bool *strokes;
};

static double name_width(const struct chart_lanes *chart)
{
    size_t most = 0;
    for (size_t i = 0; i < chart->lane_count; i++) {
        size_t columns = markup_columns(chart->lane_names[i]);
        if (columns > most) most = columns;
    }
    return (double)(most < NAME_MOST ? most : NAME_MOST) * CHART_COLUMN + 12;
}

static void put_axis(struct lanes *l, double top, double bottom)
{
    strbuf_puts(l->out, "<path class=\"grid\" d=\"");
    for (size_t i = 0; i < l->scale.tick_count; i++)
        strbuf_printf(l->out, "M%.1f,%.1fV%.1f", chart_place(&l->scale, l->scale.ticks[i]), top,
                      bottom);
    strbuf_puts(l->out, "\"/>\n<g class=\"ticks\">");
    for (size_t i = 0; i < l->scale.tick_count; i++)
        chart_text(l->out, chart_place(&l->scale, l->scale.ticks[i]), bottom + 16, "middle", NULL,
                   chart_tick(l->scale.ticks[i], l->chart->unit).text);
    strbuf_puts(l->out, "</g>\n");
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static double place(const struct lanes *l, double seconds)
{
    return fmin(fmax(chart_place(&l->scale, seconds), l->scale.begin), l->scale.end);
}

static bool is_alone(const struct lanes *l, const struct chart_event *event)
{
    return event->count == 1 && place(l, event->end) - place(l, event->begin) >= ALONE;
}

static void put_event(struct lanes *l, const struct chart_event *event, double y)
{
    double from = place(l, event->begin), to = place(l, event->end);
    strbuf_printf(
        l->out,
        "<rect class=\"bar k%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>",
        event->colour, from, y, to - from, BAR);
    markup_text_cut(l->out, event->name, 120);
    markup_printf(l->out, ": %s", chart_value(event->end - event->begin, l->chart->unit).text);
    strbuf_puts(l->out, "</title></rect>\n");
}

static size_t column_of(const struct lanes *l, double x)
{
    double column = floor((x - l->scale.begin) / COLUMN);
    return column < 0 ? 0 : column >= (double)l->columns ? l->columns - 1 : (size_t)column;
}

/* An event's busy time is spread evenly over its columns. */
static void add_short(struct lanes *l, const struct chart_event *event)
{
    double from = place(l, event->begin), to = place(l, event->end), width = to - from;
    size_t first = column_of(l, from), last = column_of(l, to);
    for (size_t i = first; i <= last; i++) {
        double begin = fmax(from, l->scale.begin + (double)i * COLUMN),
               end = fmin(to, l->scale.begin + (double)(i + 1) * COLUMN),
               share = width > 0 ? fmax(end - begin, 0) / width : 1, seconds = event->busy * share;
        l->busy[i] += seconds;
        l->strokes[i] = l->strokes[i] || i == first;
        if (l->colours[i] && seconds <= l->most[i]) continue;
        l->most[i] = seconds;
        l->colours[i] = event->colour + 1;
    }
}

/* In tenths, so that neighbours can be one shape. */
static unsigned height_of(const struct lanes *l, size_t column)
{
    double seconds = (l->scale.high - l->scale.low) * COLUMN / (l->scale.end - l->scale.begin);
    double share = l->busy[column] / seconds;
    if (!(share > 0)) return l->strokes[column] ? 10 : 0;
    return share >= 1 ? 10 : 1 + (unsigned)(share * 9.999);
}

static void put_columns(struct lanes *l, double y)
{
    for (size_t i = 0; i < l->columns;) {
        unsigned height = height_of(l, i), colour = l->colours[i];
        bool is_stroke = !(l->busy[i] > 0);
        size_t begin = i++;
        if (!height || !colour) continue;
        while (!is_stroke && i < l->columns && l->busy[i] > 0 && l->colours[i] == colour &&
               height_of(l, i) == height)
            i++;
        double tall = BAR * height / 10.0;
        int wide = is_stroke ? 1 : (int)(i - begin) * COLUMN;
        strbuf_printf(l->out, "<path class=\"bar flat k%u\" d=\"M%.1f,%.1fh%dv%.1fh-%dz\"/>\n",
                      colour - 1, l->scale.begin + (double)begin * COLUMN, y + BAR - tall, wide,
                      tall, wide);
    }
}

static void put_lane(struct lanes *l, size_t lane, double top)
{
    const struct chart_lanes *chart = l->chart;
    double y = top + (ROW - BAR) / 2.0;
    bool has_short = false;
    for (size_t i = 0; i < l->columns; i++) {
        l->busy[i] = l->most[i] = 0;
        l->colours[i] = 0;
        l->strokes[i] = false;
    }
    chart_text_cut(l->out, l->scale.begin - 8, top + ROW / 2.0 + 4, "end", NULL,
                   chart->lane_names[lane], NAME_MOST);
    for (size_t i = 0; i < chart->event_count; i++) {
        const struct chart_event *event = &chart->events[i];
        if (event->lane != lane || is_alone(l, event)) continue;
        add_short(l, event);
        has_short = true;
    }
    if (has_short) put_columns(l, y);
    for (size_t i = 0; i < chart->event_count; i++)
        if (chart->events[i].lane == lane && is_alone(l, &chart->events[i]))
            put_event(l, &chart->events[i], y);
}

bool chart_draw_lanes(struct strbuf *out, const struct chart_lanes *chart, const char *id)
{
    struct arena arena = {0};
    struct chart_legend *entries = ARENA_ARRAY(&arena, struct chart_legend, chart->part_count + 1);
    struct lanes l = {.out = out, .chart = chart};
    struct strbuf body = {0};
    if (!chart->event_count || !chart->lane_count) return false;
    for (size_t i = 0; i < chart->part_count; i++)
        entries[i] =
            (struct chart_legend){chart->parts[i].name, chart->parts[i].colour, CHART_BAND, false};
    l.out = &body;
    double top = TOP + chart_put_legend(&body, entries, chart->part_count, 4, 0, WIDTH - 8);
    double bottom = top + (double)chart->lane_count * ROW;
    l.scale.begin = name_width(chart);
    l.scale.end = WIDTH - RIGHT;
    chart_scale_set(&l.scale, false, 0, chart->end > 0 ? chart->end : 1e-6, true, 8);
    l.columns = (size_t)ceil((l.scale.end - l.scale.begin) / COLUMN);
    l.busy = ARENA_ARRAY(&arena, double, l.columns + 1);
    l.most = ARENA_ARRAY(&arena, double, l.columns + 1);
    l.colours = ARENA_ARRAY(&arena, unsigned, l.columns + 1);
    l.strokes = ARENA_ARRAY(&arena, bool, l.columns + 1);
    put_axis(&l, top, bottom);
    for (size_t i = 0; i < chart->lane_count; i++)
        put_lane(&l, i, top + (double)i * ROW);
    chart_begin(out, "chart-lanes", id, chart->title, chart->text, WIDTH, bottom + BOTTOM);
    strbuf_append(out, body.data, body.length);
    chart_end(out);
    strbuf_clear(&body);
    arena_clear(&arena);
    return true;
}
