// SPDX-License-Identifier: Apache-2.0
#include "render/chart_file.h"

#include <string.h>

#include "base/memory.h"
#include "render/chart/chart.h"
#include "render/html/embedded.h"

static void describe(const ws_plot *plot, struct chart_series *series, struct chart_xy *out)
{
    for (size_t i = 0; i < plot->curve_count; i++) {
        const ws_curve *curve = &plot->curves[i];
        series[i] = (struct chart_series){.name = curve->name ? curve->name : plot->y_title,
                                          .mark = curve->only_points ? CHART_POINTS : CHART_LINE,
                                          .colour = 1 + (unsigned)(i % CHART_COLOURS),
                                          .is_dashed = i >= CHART_COLOURS,
                                          .has_points = true,
                                          .count = curve->count,
                                          .x = curve->x,
                                          .y = curve->y};
    }
    *out = (struct chart_xy){
        .title = plot->title,
        .text = plot->text,
        .x = {.title = plot->x_title, .unit = plot->x_unit, .is_log = plot->x_is_log},
        .y = {.title = plot->y_title,
              .unit = plot->y_unit,
              .is_log = plot->y_is_log,
              .from_zero = !plot->y_is_log},
        .series = series,
        .series_count = plot->curve_count};
}

/* What makes the element of a page a file: a name space, and the style sheet. */
static ws_status write_file(struct diag *diag, const struct strbuf *drawing, ws_write_fn *write,
                            void *user)
{
    static const char begin[] = "<svg xmlns=\"http://www.w3.org/2000/svg\"", style[] = "<style>",
                      end[] = "</style>";
    const char *attributes = drawing->data + strlen("<svg"), *inside = strchr(attributes, '>') + 1;
    bool is_written =
        write(user, begin, sizeof begin - 1) &&
        write(user, attributes, (size_t)(inside - attributes)) &&
        write(user, style, sizeof style - 1) &&
        write(user, (const char *)embedded_style_css.bytes, embedded_style_css.size) &&
        write(user, end, sizeof end - 1) && write(user, inside, strlen(inside));
    return is_written ? WS_OK : diag_error(diag, WS_ERR_IO, "the picture could not be written");
}

ws_status chart_file_write(struct diag *diag, const ws_plot *plot, ws_write_fn *write, void *user)
{
    struct strbuf drawing = {0};
    struct chart_xy chart;
    struct chart_series *series = mem_alloc((plot->curve_count + 1) * sizeof *series);
    describe(plot, series, &chart);
    ws_status status = chart_draw_xy(&drawing, &chart, "plot")
                           ? write_file(diag, &drawing, write, user)
                           : diag_error(diag, WS_ERR_ARGUMENT, "the plot has no point to draw");
    mem_free(series);
    strbuf_clear(&drawing);
    return status;
}
