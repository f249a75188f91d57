// SPDX-License-Identifier: Apache-2.0
/* Horizontal bars, stacked where they have parts. */
#include <math.h>
#include <string.h>

#include "render/chart/chart_parts.h"

enum { ROW = 26, BAR = 15, TOP = 6, BOTTOM = 24, LABEL_COLUMNS = 34 };

struct bars {
    struct strbuf *out;
    const struct chart_bars *chart;
    struct chart_scale scale;
    double top;
};

static double sum_of(const struct chart_bars *chart, const struct chart_bar *bar)
{
    double sum = 0;
    for (size_t i = 0; i < chart->part_count; i++)
        if (isfinite(bar->values[i])) sum += bar->values[i];
    return sum;
}

static bool set_scale(struct bars *b)
{
    const struct chart_bars *chart = b->chart;
    double least = INFINITY, most = chart->limit;
    for (size_t i = 0; i < chart->bar_count; i++) {
        const struct chart_bar *bar = &chart->bars[i];
        double sum = sum_of(chart, bar);
        if (sum > 0) least = fmin(least, bar->low > 0 ? fmin(bar->low, sum) : sum);
        most = fmax(most, fmax(sum, bar->high));
    }
    if (!(most > 0) || !isfinite(most)) return false;
    if (chart->high > 0) most = chart->high;
    /* A bar on a logarithmic scale needs some length for the least. */
    double low = chart->is_log ? fmin(least, most) / 2 : 0;
    chart_scale_set(&b->scale, chart->is_log, low, most, chart->high > 0 || chart->is_log, 5);
    return true;
}

static double label_width(const struct chart_bars *chart)
{
    size_t most = 0;
    for (size_t i = 0; i < chart->bar_count; i++) {
        size_t columns = markup_columns(chart->bars[i].label);
        if (columns > most) most = columns;
    }
    return (double)(most < LABEL_COLUMNS ? most : LABEL_COLUMNS) * CHART_COLUMN + 10;
}

static struct quantity value_text(const struct chart_bars *chart, const struct chart_bar *bar)
{
    return chart_value(sum_of(chart, bar), chart->unit);
}

static double note_width(const struct chart_bars *chart)
{
    size_t most = 0;
    for (size_t i = 0; i < chart->bar_count; i++) {
        const char *note = chart->bars[i].note;
        size_t columns = markup_columns(note ? note : value_text(chart, &chart->bars[i]).text);
        if (columns > most) most = columns;
    }
    return (double)most * CHART_COLUMN + 14;
}

static void put_axis(struct bars *b, double bottom)
{
    strbuf_puts(b->out, "<path class=\"grid\" d=\"");
    for (size_t i = 0; i < b->scale.tick_count; i++)
        strbuf_printf(b->out, "M%.1f,%.1fV%.1f", chart_place(&b->scale, b->scale.ticks[i]), b->top,
                      bottom);
    strbuf_puts(b->out, "\"/>\n<g class=\"ticks\">");
    double behind = -1e9;
    for (size_t i = 0; i < b->scale.tick_count; i++) {
        struct quantity text = chart_tick(b->scale.ticks[i], b->chart->unit);
        double at = chart_place(&b->scale, b->scale.ticks[i]),
               half = (double)strlen(text.text) * CHART_COLUMN / 2;
        if (at - half < behind + 6 || at + half > CHART_WIDTH) continue;
        chart_text(b->out, at, bottom + 16, "middle", NULL, text.text);
        behind = at + half;
    }
    strbuf_puts(b->out, "</g>\n");
}

static void put_part(struct bars *b, const struct chart_bar *bar, size_t part, double from,
                     double to, double y)
{
    const struct chart_bars *chart = b->chart;
    strbuf_printf(
        b->out,
        "<rect class=\"bar k%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>",
        chart->parts[part].colour, from, y, to - from > 0.5 ? to - from : 0.5, BAR);
    markup_text(b->out, bar->label);
    if (chart->part_count > 1) markup_printf(b->out, ", %s", chart->parts[part].name);
    markup_printf(b->out, ": %s", chart_value(bar->values[part], chart->unit).text);
    strbuf_puts(b->out, "</title></rect>\n");
}

static void put_interval(struct bars *b, const struct chart_bar *bar, double y)
{
    double low = chart_place(&b->scale, bar->low), high = chart_place(&b->scale, bar->high);
    if (!(bar->high > 0) || isnan(low) || isnan(high)) return;
    strbuf_printf(b->out, "<path class=\"error\" d=\"M%.1f,%.1fH%.1fM%.1f,%.1fv8M%.1f,%.1fv8\"/>\n",
                  low, y, high, low, y - 4, high, y - 4);
}

static void put_bar(struct bars *b, const struct chart_bar *bar, double top)
{
    const struct chart_bars *chart = b->chart;
    double sum = 0, y = top + (ROW - BAR) / 2.0, right = b->scale.begin;
    chart_text_cut(b->out, b->scale.begin - 8, top + ROW / 2.0 + 4, "end",
                   bar->is_strong ? "strong" : NULL, bar->label, LABEL_COLUMNS);
    for (size_t i = 0; i < chart->part_count; i++) {
        if (!(bar->values[i] > 0) || !isfinite(bar->values[i])) continue;
        sum += bar->values[i];
        double to = fmin(chart_place(&b->scale, sum), b->scale.end);
        put_part(b, bar, i, right, to, y);
        right = to;
    }
    put_interval(b, bar, top + ROW / 2.0);
}

/* Behind the bar and its interval. */
static void put_note(struct bars *b, const struct chart_bar *bar, double top)
{
    double sum = sum_of(b->chart, bar), end = b->scale.begin,
           high = chart_place(&b->scale, bar->high);
    if (sum > 0) end = fmin(chart_place(&b->scale, sum), b->scale.end);
    if (bar->high > 0 && high > end) end = high;
    const char *note = bar->note ? bar->note : value_text(b->chart, bar).text;
    chart_text(b->out, end + 8, top + ROW / 2.0 + 4, "start", "value", note);
}

static void put_limit(struct bars *b, double bottom)
{
    double at = chart_place(&b->scale, b->chart->limit);
    if (!(b->chart->limit > 0) || isnan(at)) return;
    strbuf_printf(b->out, "<path class=\"rule k0\" d=\"M%.1f,%.1fV%.1f\"/>\n", at, b->top - 2,
                  bottom);
    if (b->chart->limit_label)
        chart_text(b->out, at, b->top - 6, at > CHART_WIDTH * 0.7 ? "end" : "middle", "mark",
                   b->chart->limit_label);
}

bool chart_draw_bars(struct strbuf *out, const struct chart_bars *chart, const char *id)
{
    struct strbuf body = {0};
    struct bars b = {.out = &body, .chart = chart};
    struct chart_legend entries[CHART_COLOURS * 2];
    size_t count = 0;
    if (!set_scale(&b)) return false;
    for (; count < chart->part_count && count < sizeof entries / sizeof *entries; count++)
        entries[count] = (struct chart_legend){chart->parts[count].name, chart->parts[count].colour,
                                               CHART_BAND, false};
    b.top = TOP + chart_put_legend(&body, entries, count, 4, 0, CHART_WIDTH - 8);
    if (chart->limit > 0 && chart->limit_label) b.top += 16;
    b.scale.begin = label_width(chart);
    b.scale.end = CHART_WIDTH - note_width(chart);
    if (b.scale.end < b.scale.begin + 120) b.scale.end = b.scale.begin + 120;
    double bottom = b.top + (double)chart->bar_count * ROW;
    put_axis(&b, bottom);
    for (size_t i = 0; i < chart->bar_count; i++)
        put_bar(&b, &chart->bars[i], b.top + (double)i * ROW);
    put_limit(&b, bottom);
    for (size_t i = 0; i < chart->bar_count; i++)
        put_note(&b, &chart->bars[i], b.top + (double)i * ROW);
    chart_begin(out, "chart-bars", id, chart->title, chart->text,
                fmax(CHART_WIDTH, b.scale.end + note_width(chart)), bottom + BOTTOM);
    strbuf_append(out, body.data, body.length);
    chart_end(out);
    strbuf_clear(&body);
    return true;
}
