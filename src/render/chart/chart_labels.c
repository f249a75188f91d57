// SPDX-License-Identifier: Apache-2.0
#include "render/chart/chart_labels.h"

enum { HIGH = 13, GAP = 8 };

void chart_labels_take(struct chart_labels *labels, double x, double y, double width, double height)
{
    if (labels->count == LABELS_MAX) return;
    labels->taken[labels->count++] = (struct chart_box_area){x, y, width, height};
}

static bool is_free(const struct chart_labels *labels, const struct chart_box_area *area)
{
    const struct chart_box_area *in = &labels->inside;
    if (area->x < in->x || area->y < in->y || area->x + area->width > in->x + in->width ||
        area->y + area->height > in->y + in->height)
        return false;
    for (size_t i = 0; i < labels->count; i++) {
        const struct chart_box_area *taken = &labels->taken[i];
        if (area->x < taken->x + taken->width && taken->x < area->x + area->width &&
            area->y < taken->y + taken->height && taken->y < area->y + area->height)
            return false;
    }
    return true;
}

void chart_labels_put(struct chart_labels *labels, struct strbuf *out, double x, double y,
                      const char *class, const char *text)
{
    double width = (double)markup_columns(text) * CHART_COLUMN;
    const struct chart_box_area tries[] = {
        {x + GAP, y - HIGH / 2.0, width, HIGH},
        {x - GAP - width, y - HIGH / 2.0, width, HIGH},
        {x - width / 2, y - GAP - HIGH, width, HIGH},
        {x - width / 2, y + GAP, width, HIGH},
        {x + GAP, y - GAP - HIGH, width, HIGH},
        {x + GAP, y + GAP, width, HIGH},
        {x - GAP - width, y - GAP - HIGH, width, HIGH},
        {x - GAP - width, y + GAP, width, HIGH},
    };
    size_t best = 0, count = sizeof tries / sizeof *tries;
    while (best < count && !is_free(labels, &tries[best]))
        best++;
    if (best == count) best = x + GAP + width > labels->inside.x + labels->inside.width;
    const struct chart_box_area *area = &tries[best];
    chart_labels_take(labels, area->x, area->y, area->width, area->height);
    chart_text(out, area->x, area->y + 10, "start", class, text);
}
