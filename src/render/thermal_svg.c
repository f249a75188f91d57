// SPDX-License-Identifier: Apache-2.0
/* The heat map as a picture: cells in colour, the floorplan over them, a scale beside it. */
#include <math.h>

#include "render/thermal_svg.h"

enum { MAP_PIXELS = 640, SCALE_X = 664, WIDTH = 780, TOP = 40, STEPS = 64 };

/* From dark blue over teal and yellow to white: brightness rises all the way, so that it can be read in
 * grey, too. */
static void put_colour(struct strbuf *out, double share)
{
    static const double points[][3] = {
        {20, 20, 60}, {30, 80, 130}, {40, 150, 130}, {210, 200, 60}, {255, 255, 235}};
    enum { LAST = sizeof points / sizeof points[0] - 1 };
    double at = fmin(1, fmax(0, share)) * LAST;
    int low = (int)fmin(floor(at), LAST - 1);
    int rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (int)lround(points[low][i] + (at - low) * (points[low + 1][i] - points[low][i]));
    strbuf_printf(out, "#%02x%02x%02x", (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
}

/* What the picture needs of the tree. */
struct heat_map {
    const struct node *plan, *blocks, *state;
    unsigned columns;
    const double *celsius; /* by cell */
    double least, most;
    double scale; /* pixels a metre */
    struct arena arena;
};

static unsigned step_of(const struct heat_map *map, double celsius)
{
    double range = map->most - map->least;
    double step = range > 0 ? floor((celsius - map->least) / range * STEPS) : 0;
    return (unsigned)fmin(STEPS - 1, fmax(0, step));
}

/* Cells of one colour in a row are one rectangle. */
static void put_cells(struct strbuf *out, const struct heat_map *map, double height)
{
    unsigned n = map->columns;
    double wide = (double)MAP_PIXELS / n, high = height / n;
    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0, end; x < n; x = end) {
            const double *row = &map->celsius[(size_t)y * n];
            unsigned step = step_of(map, row[x]);
            for (end = x + 1; end < n; end++)
                if (step_of(map, row[end]) != step) break;
            strbuf_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"",
                          x * wide, TOP + y * high, (end - x) * wide + 0.3, high + 0.3);
            put_colour(out, (step + 0.5) / STEPS);
            strbuf_puts(out, "\"/>\n");
        }
}

/* Names come from the machine file. */
static void put_escaped(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            strbuf_puts(out, "&amp;");
        else if (*text == '<')
            strbuf_puts(out, "&lt;");
        else
            strbuf_putc(out, *text);
    }
}

static void put_block(struct strbuf *out, const struct node *block, double scale)
{
    double x = node_number(block, "x_metres") * scale;
    double y = TOP + node_number(block, "y_metres") * scale;
    double width = node_number(block, "width_metres") * scale;
    double height = node_number(block, "height_metres") * scale;
    strbuf_printf(out,
                  "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
                  "stroke=\"#fff\" stroke-width=\"%s\"/>\n",
                  x, y, width, height, node_flag(block, "is_active") ? "2" : "0.5");
    if (!node_is_known(node_child(block, "sm")) && width < 40) return;
    strbuf_printf(out, "<text class=\"n\" x=\"%.2f\" y=\"%.2f\">", x + width / 2,
                  y + height / 2 + 4);
    put_escaped(out, node_word(block, "name"));
    strbuf_puts(out, "</text>\n");
}

static void put_scale(struct strbuf *out, const struct heat_map *map, double height)
{
    enum { TICKS = 5 };
    for (unsigned i = 0; i < STEPS; i++) {
        strbuf_printf(out, "<rect x=\"%d\" y=\"%.2f\" width=\"22\" height=\"%.2f\" fill=\"",
                      SCALE_X, TOP + height * (STEPS - 1 - i) / STEPS, height / STEPS + 0.5);
        put_colour(out, (i + 0.5) / STEPS);
        strbuf_puts(out, "\"/>\n");
    }
    for (unsigned i = 0; i < TICKS; i++)
        strbuf_printf(out, "<text x=\"%d\" y=\"%.2f\">%.1f &#176;C</text>\n", SCALE_X + 28,
                      TOP + 4 + height * (TICKS - 1 - i) / (TICKS - 1),
                      map->least + (map->most - map->least) * i / (TICKS - 1));
}

static void put_title(struct strbuf *out, const struct node *root, const struct node *state)
{
    put_escaped(out, node_word(root, "name"));
    strbuf_printf(out, ": %zu active SMs, %.1f W, peak %.1f &#176;C, mean %.1f &#176;C</text>\n",
                  node_find(root, "load/active_sms")->value.item_count,
                  node_number(state, "sink_watts"), node_number(state, "peak_celsius"),
                  node_number(state, "mean_celsius"));
}

static void open_map(const struct node *root, struct heat_map *out)
{
    const struct node *cells = node_child(root, "cells_celsius");
    *out = (struct heat_map){.plan = node_child(root, "floorplan"),
                             .blocks = node_child(root, "blocks"),
                             .state = node_child(root, "state"),
                             .columns = (unsigned)cells->value.count};
    double *celsius = ARENA_ARRAY(&out->arena, double, cells->value.item_count + 1);
    node_column(cells, "celsius", celsius);
    out->celsius = celsius;
    out->least = node_number(out->state, "least_celsius");
    out->most = node_number(out->state, "peak_celsius");
    out->scale = MAP_PIXELS / node_number(out->plan, "width_metres");
}

void render_thermal_svg(const struct answer *answer, const struct render_options *options,
                        struct strbuf *out)
{
    struct heat_map map;
    (void)options;
    open_map(&answer->root, &map);
    double height = node_number(map.plan, "height_metres") * map.scale;
    strbuf_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
                  "viewBox=\"0 0 %d %.0f\" role=\"img\">\n<style>text{font:13px sans-serif;"
                  "fill:#222}text.n{font-size:11px;fill:#fff;stroke:#000;stroke-width:.4;"
                  "text-anchor:middle}</style>\n<rect width=\"100%%\" height=\"100%%\" "
                  "fill=\"#fff\"/>\n<text x=\"0\" y=\"20\">",
                  WIDTH, height + TOP + 10, WIDTH, height + TOP + 10);
    put_title(out, &answer->root, map.state);
    put_cells(out, &map, height);
    for (size_t i = 0; i < map.blocks->value.item_count; i++) {
        struct node block = node_row(map.blocks, i, &map.arena);
        put_block(out, &block, map.scale);
    }
    put_scale(out, &map, height);
    strbuf_puts(out, "</svg>\n");
    arena_clear(&map.arena);
}
