// SPDX-License-Identifier: Apache-2.0
#include "render/chart/chart_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- frame and texts --------------------------------------------------------------------------- */

void chart_number(struct strbuf *out, double value)
{
    double tenths = floor(value * 10 + 0.5);
    if (tenths == 0) tenths = 0; /* not -0 */
    if (fmod(tenths, 10) == 0)
        strbuf_printf(out, "%.0f", tenths / 10);
    else
        strbuf_printf(out, "%.1f", tenths / 10);
}

void chart_begin(struct strbuf *out, const char *kind, const char *id, const char *title,
                 const char *text, double width, double height)
{
    strbuf_printf(out,
                  "<svg class=\"%s\" role=\"img\" aria-labelledby=\"%s-t %s-d\" viewBox=\"0 0 ",
                  kind, id, id);
    chart_number(out, width);
    strbuf_putc(out, ' ');
    chart_number(out, height);
    strbuf_printf(out, "\"><title id=\"%s-t\">", id);
    markup_text(out, title);
    strbuf_printf(out, "</title><desc id=\"%s-d\">", id);
    markup_text(out, text);
    strbuf_puts(out, "</desc>\n");
}

void chart_end(struct strbuf *out)
{
    strbuf_puts(out, "</svg>\n");
}

void chart_text_cut(struct strbuf *out, double x, double y, const char *anchor, const char *class,
                    const char *text, size_t columns)
{
    strbuf_puts(out, "<text x=\"");
    chart_number(out, x);
    strbuf_puts(out, "\" y=\"");
    chart_number(out, y);
    strbuf_putc(out, '"');
    if (strcmp(anchor, "start") != 0) strbuf_printf(out, " text-anchor=\"%s\"", anchor);
    if (class) strbuf_printf(out, " class=\"%s\"", class);
    strbuf_putc(out, '>');
    if (markup_columns(text) > columns) {
        strbuf_puts(out, "<title>");
        markup_text(out, text);
        strbuf_puts(out, "</title>");
    }
    markup_text_cut(out, text, columns);
    strbuf_puts(out, "</text>\n");
}

void chart_text(struct strbuf *out, double x, double y, const char *anchor, const char *class,
                const char *text)
{
    chart_text_cut(out, x, y, anchor, class, text, 200);
}

struct quantity chart_value(double value, const char *unit)
{
    struct quantity out;
    double percent = 100 * value;
    if (isnan(value)) {
        snprintf(out.text, sizeof out.text, "unknown");
        return out;
    }
    if (!unit || strcmp(unit, "%") != 0 || value == 0)
        return quantity_said(value, unit ? unit : "1");
    snprintf(out.text, sizeof out.text, fabs(percent) < 9.95 ? "%.1f %%" : "%.0f %%", percent);
    return out;
}

struct quantity chart_tick(double value, const char *unit)
{
    struct quantity out = chart_value(value, unit);
    char *point = strchr(out.text, '.');
    if (!point) return out;
    char *end = point + 1 + strspn(point + 1, "0123456789"), *last = end;
    while (last[-1] == '0')
        last--;
    if (last - 1 == point) last = point;
    memmove(last, end, strlen(end) + 1);
    return out;
}

/* ---- scales ------------------------------------------------------------------------------------ */

static void add_tick(struct chart_scale *scale, double value)
{
    if (scale->tick_count < CHART_TICKS) scale->ticks[scale->tick_count++] = value;
}

/* 1, 2 or 5 times a power of ten. */
static double nice_step(double range, size_t wanted)
{
    double raw = range / (double)wanted, power = pow(10, floor(log10(raw))), share = raw / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

static void set_linear(struct chart_scale *scale, bool is_fixed, size_t wanted)
{
    if (!(scale->high > scale->low)) {
        double margin = scale->low != 0 ? fabs(scale->low) / 2 : 1;
        scale->low -= scale->low > 0 || scale->low < 0 ? margin : 0;
        scale->high += margin;
    }
    double step = nice_step(scale->high - scale->low, wanted), slack = step * 1e-9;
    if (!is_fixed) {
        scale->low = floor((scale->low + slack) / step) * step;
        scale->high = ceil((scale->high - slack) / step) * step;
    }
    for (double i = ceil((scale->low - slack) / step); i * step <= scale->high + slack; i++)
        add_tick(scale, i * step == 0 ? 0 : i * step);
}

static void set_log(struct chart_scale *scale, bool is_fixed, size_t wanted)
{
    if (!(scale->high > scale->low)) {
        scale->low /= 2;
        scale->high *= 2;
    }
    if (!is_fixed) {
        double margin = pow(scale->high / scale->low, 0.03);
        if (!(margin > 1.02)) margin = 1.02;
        scale->low /= margin;
        scale->high *= margin;
    }
    double decades = log10(scale->high / scale->low);
    static const double fine[] = {1, 1.5, 2, 3, 5, 7}, usual[] = {1, 2, 5}, coarse[] = {1};
    const double *steps = decades > 3 ? coarse : decades > 1 ? usual : fine;
    size_t count = decades > 3 ? 1 : decades > 1 ? 3 : 6;
    int every = decades > (double)wanted ? (int)ceil(decades / (double)wanted) : 1;
    int first = (int)floor(log10(scale->low));
    for (int power = first; pow(10, power) <= scale->high * 1.0001; power++)
        for (size_t i = 0; i < count; i++) {
            double value = steps[i] * pow(10, power);
            if ((power - first) % every == 0 && value >= scale->low * 0.9999 &&
                value <= scale->high * 1.0001)
                add_tick(scale, value);
        }
}

void chart_scale_set(struct chart_scale *scale, bool is_log, double low, double high, bool is_fixed,
                     size_t wanted)
{
    scale->is_log = is_log && low > 0;
    scale->low = low;
    scale->high = high;
    scale->tick_count = 0;
    if (scale->is_log)
        set_log(scale, is_fixed, wanted);
    else
        set_linear(scale, is_fixed, wanted);
}

double chart_place(const struct chart_scale *scale, double value)
{
    if (!isfinite(value) || (scale->is_log && value <= 0)) return NAN;
    double share = scale->is_log ? log(value / scale->low) / log(scale->high / scale->low)
                                 : (value - scale->low) / (scale->high - scale->low);
    return scale->begin + share * (scale->end - scale->begin);
}

/* ---- legend and shapes ------------------------------------------------------------------------- */

/* Shapes differ so that colours are not the only sign. */
void chart_put_shape(struct strbuf *out, unsigned colour, double x, double y)
{
    static const char *const paths[] = {
        "m-3.5,-3.5h7v7h-7z",                                         /* square */
        "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",                        /* disc */
        "m0,-4.8l4.8,4.8l-4.8,4.8l-4.8,-4.8z",                        /* diamond */
        "m0,-4.8l4.6,8h-9.2z",                                        /* triangle */
        "m0,4.8l4.6,-8h-9.2z",                                        /* upside down */
        "m-4,-1.3h2.7v-2.7h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7z", /* cross */
        "m-3.5,-3.5h7v7h-7z",
        "m-2.2,-4h4.4l2.2,4l-2.2,4h-4.4l-2.2,-4z", /* hexagon */
        "m0,-4.8l4.6,8h-9.2z",
    };
    strbuf_puts(out, "M");
    chart_number(out, x);
    strbuf_putc(out, ',');
    chart_number(out, y);
    strbuf_puts(out, paths[colour % (sizeof paths / sizeof *paths)]);
}

static void put_sample(struct strbuf *out, const struct chart_legend *entry, double x, double y)
{
    bool is_line = entry->mark == CHART_LINE || entry->mark == CHART_STEPS;
    if (is_line) {
        strbuf_printf(out, "<path class=\"line k%u%s\" d=\"M%.1f,%.1fh16\"/>", entry->colour,
                      entry->is_dashed ? " dashed" : "", x, y);
        return;
    }
    strbuf_printf(out, "<path class=\"%s k%u\" d=\"", entry->mark == CHART_BAND ? "band" : "dot",
                  entry->colour);
    if (entry->mark == CHART_POINTS)
        chart_put_shape(out, entry->colour, x + 8, y);
    else
        strbuf_printf(out, "M%.1f,%.1fh12v10h-12z", x + 2, y - 5);
    strbuf_puts(out, "\"/>");
}

double chart_put_legend(struct strbuf *out, const struct chart_legend *entries, size_t count,
                        double x, double y, double width)
{
    enum { ROW = 18, SAMPLE = 22, GAP = 16 };
    double at = x, top = y;
    if (count < 2) return 0;
    strbuf_puts(out, "<g class=\"legend\">");
    for (size_t i = 0; i < count; i++) {
        double room = SAMPLE + (double)markup_columns(entries[i].name) * CHART_COLUMN;
        if (at > x && at + room > x + width) {
            at = x;
            top += ROW;
        }
        put_sample(out, &entries[i], at, top + 8);
        chart_text(out, at + SAMPLE, top + 12, "start", NULL, entries[i].name);
        at += room + GAP;
    }
    strbuf_puts(out, "</g>\n");
    return top - y + ROW + 6;
}
