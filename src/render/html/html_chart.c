// SPDX-License-Identifier: Apache-2.0
/* Figures: a chart, and its values as a table. */
#include <math.h>
#include <stdio.h>

#include "render/chart/chart_parts.h"
#include "render/html/html.h"

struct figure_frame {
    char id[24];
    size_t begin;
};

static struct figure_frame open_figure(struct html *html, const char *title)
{
    struct figure_frame frame = {.begin = html->out->length};
    snprintf(frame.id, sizeof frame.id, "c%u", html->next_chart);
    strbuf_printf(html->out, "<figure id=\"%s\"><figcaption>", frame.id);
    html_text(html, title);
    strbuf_printf(
        html->out,
        "</figcaption>\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"");
    html_text(html, title);
    html_raw(html, "\">\n");
    return frame;
}

/* With the chart's words as the program's language has them, translated behind the fact: ids, classes and
 * numbers have none of these words. */
static bool close_drawing(struct html *html, const struct figure_frame *frame,
                          struct strbuf *drawing, bool is_drawn)
{
    if (is_drawn) {
        char *said = html->opencl ? page_opencl_words(drawing->data) : NULL;
        html_raw(html, said ? said : drawing->data);
        mem_free(said);
        html->next_chart++;
        html_raw(html, "</div>\n<details class=\"values\"><summary>Values</summary>\n");
    } else {
        html->out->data[html->out->length = frame->begin] = '\0';
    }
    strbuf_clear(drawing);
    return is_drawn;
}

static void close_figure(struct html *html)
{
    html_raw(html, "</details></figure>\n");
}

/* ---- lines and points -------------------------------------------------------------------------- */

/* Do all series have the same x? Then each has a column. */
static bool have_same_x(const struct chart_xy *chart)
{
    for (size_t i = 0; i < chart->series_count; i++) {
        const struct chart_series *s = &chart->series[i];
        if (s->count != chart->series[0].count || s->labels || s->low || !s->name) return false;
        for (size_t k = 0; k < s->count; k++)
            if (s->x[k] != chart->series[0].x[k]) return false;
    }
    return chart->series_count > 0 && chart->series_count <= 8;
}

static void wide_table(struct html *html, const struct chart_xy *chart)
{
    struct html_column columns[9] = {{.title = chart->x.title, .is_number = true}};
    for (size_t i = 0; i < chart->series_count; i++)
        columns[i + 1] = (struct html_column){.title = chart->series[i].name, .is_number = true};
    struct html_table table = html_open_table(html, chart->title, columns, chart->series_count + 1);
    for (size_t k = 0; k < chart->series[0].count; k++) {
        html_row(&table, NULL);
        html_cell_number(&table, chart->series[0].x[k], chart->x.unit);
        for (size_t i = 0; i < chart->series_count; i++)
            html_cell_number(&table, chart->series[i].y[k], chart->y.unit);
    }
    html_close_table(&table);
}

static void long_table(struct html *html, const struct chart_xy *chart)
{
    const struct html_column columns[] = {{.title = "what"},
                                          {.title = chart->x.title, .is_number = true},
                                          {.title = chart->y.title, .is_number = true},
                                          {.title = "from", .is_number = true},
                                          {.title = "to", .is_number = true}};
    bool has_bands = false;
    for (size_t i = 0; i < chart->series_count; i++)
        has_bands |= chart->series[i].low != NULL;
    struct html_table table = html_open_table(html, chart->title, columns, has_bands ? 5 : 3);
    for (size_t i = 0; i < chart->series_count; i++) {
        const struct chart_series *s = &chart->series[i];
        for (size_t k = 0; k < s->count; k++) {
            html_row(&table, NULL);
            html_cell(&table, s->labels && s->labels[k] ? s->labels[k] : s->name);
            html_cell_number(&table, s->x[k], chart->x.unit);
            html_cell_number(&table, s->mark == CHART_BAND ? NAN : s->y[k], chart->y.unit);
            if (!s->low || !s->high) continue;
            html_cell_number(&table, s->low[k], chart->y.unit);
            html_cell_number(&table, s->high[k], chart->y.unit);
        }
    }
    html_close_table(&table);
}

void html_xy(struct html *html, const struct chart_xy *chart)
{
    struct strbuf drawing = {0};
    struct figure_frame frame = open_figure(html, chart->title);
    bool is_drawn = chart_draw_xy(&drawing, chart, frame.id);
    if (!close_drawing(html, &frame, &drawing, is_drawn)) return;
    if (have_same_x(chart))
        wide_table(html, chart);
    else
        long_table(html, chart);
    close_figure(html);
}

/* ---- bars -------------------------------------------------------------------------------------- */

static void bars_table(struct html *html, const struct chart_bars *chart)
{
    enum { MOST = 24 };
    struct html_column columns[MOST] = {{.title = chart->first ? chart->first : "what"}};
    size_t count = 1, parts = chart->part_count < MOST - 4 ? chart->part_count : MOST - 4;
    bool has_interval = false, has_note = false;
    for (size_t i = 0; i < chart->bar_count; i++) {
        has_interval |= chart->bars[i].high > 0;
        has_note |= chart->bars[i].note != NULL;
    }
    for (size_t i = 0; i < parts; i++)
        columns[count++] = (struct html_column){.title = chart->parts[i].name, .is_number = true};
    if (has_interval) {
        columns[count++] = (struct html_column){.title = "from", .is_number = true};
        columns[count++] = (struct html_column){.title = "to", .is_number = true};
    }
    if (has_note) columns[count++] = (struct html_column){.title = "note"};
    struct html_table table = html_open_table(html, chart->title, columns, count);
    for (size_t i = 0; i < chart->bar_count; i++) {
        const struct chart_bar *bar = &chart->bars[i];
        html_row(&table, NULL);
        html_cell(&table, bar->label);
        for (size_t k = 0; k < parts; k++)
            html_cell_number(&table, bar->values[k], chart->unit);
        if (has_interval) {
            html_cell_number(&table, bar->high > 0 ? bar->low : NAN, chart->unit);
            html_cell_number(&table, bar->high > 0 ? bar->high : NAN, chart->unit);
        }
        if (has_note) html_cell(&table, bar->note);
    }
    html_close_table(&table);
}

void html_bars(struct html *html, const struct chart_bars *chart)
{
    struct strbuf drawing = {0};
    struct figure_frame frame = open_figure(html, chart->title);
    bool is_drawn = chart_draw_bars(&drawing, chart, frame.id);
    if (!close_drawing(html, &frame, &drawing, is_drawn)) return;
    bars_table(html, chart);
    close_figure(html);
}

/* ---- grids ------------------------------------------------------------------------------------- */

/* Coarse grids as they are; of others the outlines with the values at their middles. */
static void heat_table(struct html *html, const struct chart_heat *chart)
{
    enum { MOST = 33 };
    char numbers[MOST][24];
    struct html_column columns[MOST + 1] = {{.title = chart->y_title ? chart->y_title : "row"}};
    size_t step = chart->columns > MOST ? (chart->columns + MOST - 1) / MOST : 1, count = 1;
    for (size_t i = 0; i < chart->columns; i += step, count++) {
        snprintf(numbers[count - 1], sizeof numbers[0], "%zu", i);
        columns[count] = (struct html_column){.title = chart->column_names ? chart->column_names[i]
                                                                           : numbers[count - 1],
                                              .is_number = true};
    }
    if (step > 1)
        html_p(html, NULL, "Every %zuth value of %zu columns and %zu rows.", step, chart->columns,
               chart->rows);
    struct html_table table = html_open_table(html, chart->title, columns, count);
    for (size_t row = 0; row < chart->rows; row += step) {
        html_row(&table, NULL);
        if (chart->row_names)
            html_cell(&table, chart->row_names[row]);
        else
            html_cellf(&table, "%zu", row);
        for (size_t i = 0; i < chart->columns; i += step)
            html_cell_number(&table, chart->values[row * chart->columns + i], chart->unit);
    }
    html_close_table(&table);
}

void html_heat(struct html *html, const struct chart_heat *chart)
{
    struct strbuf drawing = {0};
    struct figure_frame frame = open_figure(html, chart->title);
    bool is_drawn = chart_draw_heat(&drawing, chart, frame.id);
    if (!close_drawing(html, &frame, &drawing, is_drawn)) return;
    heat_table(html, chart);
    close_figure(html);
}

/* ---- boxes and arrows -------------------------------------------------------------------------- */

static void diagram_table(struct html *html, const struct chart_diagram *chart)
{
    static const struct html_column columns[] = {{.title = "what"}, {.title = "figures"}};
    struct html_table table = html_open_table(html, chart->title, columns, 2);
    for (size_t i = 0; i < chart->box_count; i++) {
        const struct chart_box *box = &chart->boxes[i];
        html_row(&table, NULL);
        html_cell(&table, box->name);
        html_open_cell(&table);
        for (size_t k = 0; k < CHART_LINES && box->lines[k]; k++)
            html_textf(html, "%s%s", k ? "; " : "", box->lines[k]);
        html_close_cell(&table);
    }
    for (size_t i = 0; i < chart->arrow_count; i++) {
        const struct chart_arrow *arrow = &chart->arrows[i];
        html_row(&table, NULL);
        html_cellf(&table, "%s \xe2\x86\x92 %s", chart->boxes[arrow->from].name,
                   chart->boxes[arrow->to].name);
        html_cellf(&table, "%s%s%s", arrow->label, arrow->note ? "; " : "",
                   arrow->note ? arrow->note : "");
    }
    html_close_table(&table);
}

void html_diagram(struct html *html, const struct chart_diagram *chart)
{
    struct strbuf drawing = {0};
    struct figure_frame frame = open_figure(html, chart->title);
    bool is_drawn = chart_draw_diagram(&drawing, chart, frame.id);
    if (!close_drawing(html, &frame, &drawing, is_drawn)) return;
    diagram_table(html, chart);
    close_figure(html);
}

/* ---- events ------------------------------------------------------------------------------------ */

enum { EVENTS_LISTED = 300 };

static void lanes_table(struct html *html, const struct chart_lanes *chart)
{
    static const struct html_column columns[] = {
        {.title = "lane"},
        {.title = "event", .is_code = true},
        {.title = "count", .is_number = true},
        {.title = "begin", .is_number = true},
        {.title = "end", .is_number = true},
        {.title = "busy", .is_number = true, .text = "Time that they take together"}};
    if (chart->event_count > EVENTS_LISTED)
        html_p(html, NULL, "The first %d of %zu rows; the others are in the JSON (--charts).",
               EVENTS_LISTED, chart->event_count);
    struct html_table table = html_open_table(html, chart->title, columns, 6);
    for (size_t i = 0; i < chart->event_count && i < EVENTS_LISTED; i++) {
        const struct chart_event *event = &chart->events[i];
        html_row(&table, NULL);
        html_cell(&table, chart->lane_names[event->lane]);
        html_open_cell(&table);
        markup_text_cut(html->out, event->name, 160);
        html_close_cell(&table);
        html_cell_count(&table, event->count);
        html_cell_number(&table, event->begin, chart->unit);
        html_cell_number(&table, event->end, chart->unit);
        html_cell_number(&table, event->busy, chart->unit);
    }
    html_close_table(&table);
}

void html_lanes(struct html *html, const struct chart_lanes *chart)
{
    struct strbuf drawing = {0};
    struct figure_frame frame = open_figure(html, chart->title);
    bool is_drawn = chart_draw_lanes(&drawing, chart, frame.id);
    if (!close_drawing(html, &frame, &drawing, is_drawn)) return;
    lanes_table(html, chart);
    close_figure(html);
}
