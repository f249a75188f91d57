// SPDX-License-Identifier: Apache-2.0
/* Boxes and arrows between them: the memory chart. */
#include <math.h>

#include "render/chart/chart_parts.h"

enum { LINE = 16, HEATS = 5 };

/* How near to its limit, as a class: h-0 is plain. */
static unsigned heat_of(double heat)
{
    if (!(heat > 0)) return 0;
    return heat >= 1 ? HEATS : 1 + (unsigned)(heat * (HEATS - 1));
}

static void put_box(struct strbuf *out, const struct chart_box *box)
{
    size_t count = 0;
    while (count < CHART_LINES && box->lines[count])
        count++;
    strbuf_printf(
        out,
        "<rect class=\"box b%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\"/>\n",
        heat_of(box->heat), box->x, box->y, box->width, box->height);
    double x = box->x + box->width / 2, y = box->y + box->height / 2 - (double)count * LINE / 2 + 4;
    size_t columns = (size_t)(box->width / CHART_COLUMN);
    chart_text_cut(out, x, y, "middle", "strong", box->name, columns);
    for (size_t i = 0; i < count; i++)
        chart_text_cut(out, x, y + (double)(i + 1) * LINE, "middle", NULL, box->lines[i],
                       columns + 2);
}

struct ends {
    double x1, y1, x2, y2;
    bool is_level;
};

/* The middle of what two ranges have in common; of the first if that is nothing. */
static double middle(double a, double a_size, double b, double b_size)
{
    double from = fmax(a, b), to = fmin(a + a_size, b + b_size);
    return to > from ? (from + to) / 2 : a + a_size / 2;
}

static struct ends place_arrow(const struct chart_box *a, const struct chart_box *b, double shift)
{
    struct ends e = {.is_level = b->x >= a->x + a->width || a->x >= b->x + b->width};
    if (e.is_level) {
        e.y1 = e.y2 = middle(a->y, a->height, b->y, b->height) + shift;
        e.x1 = b->x >= a->x ? a->x + a->width : a->x;
        e.x2 = b->x >= a->x ? b->x : b->x + b->width;
    } else {
        e.x1 = e.x2 = middle(a->x, a->width, b->x, b->width) + shift;
        e.y1 = b->y >= a->y ? a->y + a->height : a->y;
        e.y2 = b->y >= a->y ? b->y : b->y + b->height;
    }
    return e;
}

static void put_arrow(struct strbuf *out, const struct chart_diagram *chart,
                      const struct chart_arrow *arrow)
{
    struct ends e = place_arrow(&chart->boxes[arrow->from], &chart->boxes[arrow->to], arrow->shift);
    double thick = 1.5 + 6 * (arrow->weight > 0 ? fmin(arrow->weight, 1) : 0), head = 5 + thick / 2,
           along = e.is_level ? e.x2 - e.x1 : e.y2 - e.y1, way = along < 0 ? -1 : 1;
    double x = (e.x1 + e.x2) / 2, y = (e.y1 + e.y2) / 2, stop = along - way * head;
    strbuf_printf(out, "<path class=\"arrow\" stroke-width=\"%.1f\" d=\"M%.1f,%.1f%c%.1f\"/>",
                  thick, e.x1, e.y1, e.is_level ? 'h' : 'v', stop);
    if (e.is_level)
        strbuf_printf(out, "<path class=\"head\" d=\"M%.1f,%.1fl%.1f,%.1fv%.1fz\"/>\n", e.x2, e.y2,
                      -way * head, -head, 2 * head);
    else
        strbuf_printf(out, "<path class=\"head\" d=\"M%.1f,%.1fl%.1f,%.1fh%.1fz\"/>\n", e.x2, e.y2,
                      -head, -way * head, 2 * head);
    if (e.is_level) {
        chart_text(out, x, y - thick / 2 - 6, "middle", "value", arrow->label);
        if (arrow->note) chart_text(out, x, y + thick / 2 + 14, "middle", NULL, arrow->note);
    } else {
        chart_text(out, x + thick / 2 + 8, y + (arrow->note ? -2 : 4), "start", "value",
                   arrow->label);
        if (arrow->note) chart_text(out, x + thick / 2 + 8, y + 13, "start", NULL, arrow->note);
    }
}

bool chart_draw_diagram(struct strbuf *out, const struct chart_diagram *chart, const char *id)
{
    if (!chart->box_count) return false;
    chart_begin(out, "chart-diagram", id, chart->title, chart->text, chart->width, chart->height);
    for (size_t i = 0; i < chart->arrow_count; i++)
        put_arrow(out, chart, &chart->arrows[i]);
    for (size_t i = 0; i < chart->box_count; i++)
        put_box(out, &chart->boxes[i]);
    chart_end(out);
    return true;
}
