// SPDX-License-Identifier: Apache-2.0
/* Labels in a plot that keep clear of each other. Private to src/render/chart/. */
#ifndef RENDER_CHART_CHART_LABELS_H
#define RENDER_CHART_CHART_LABELS_H

#include "render/chart/chart_parts.h"

enum { LABELS_MAX = 96 };
struct chart_box_area {
    double x, y, width, height;
};
struct chart_labels {
    struct chart_box_area inside; /* where labels may be */
    struct chart_box_area taken[LABELS_MAX];
    size_t count;
};

/* Keeps labels off the area. */
void chart_labels_take(struct chart_labels *labels, double x, double y, double width,
                       double height);
/* Writes `text` beside a point: right, left, above or below, wherever it is free; else right of it. */
void chart_labels_put(struct chart_labels *labels, struct strbuf *out, double x, double y,
                      const char *class, const char *text);

#endif
