// SPDX-License-Identifier: Apache-2.0
/* The heat map as a picture: cells in colour, the floorplan over them, a scale beside it. */
#include <math.h>
#include <string.h>

#include "cli/commands/thermal_report.h"

enum { MAP_PIXELS = 640, SCALE_X = 664, WIDTH = 780, TOP = 40, STEPS = 64 };

/* From dark blue over teal and yellow to white: brightness rises all the way, so that it can be read in
 * grey, too. */
static void put_colour(FILE *out, double share)
{
    static const double points[][3] = {
        {20, 20, 60}, {30, 80, 130}, {40, 150, 130}, {210, 200, 60}, {255, 255, 235}};
    enum { LAST = sizeof points / sizeof points[0] - 1 };
    double at = fmin(1, fmax(0, share)) * LAST;
    int low = (int)fmin(floor(at), LAST - 1);
    int rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (int)lround(points[low][i] + (at - low) * (points[low + 1][i] - points[low][i]));
    fprintf(out, "#%02x%02x%02x", (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
}

static unsigned step_of(const struct thermal_answer *answer, double celsius)
{
    double least = answer->state.least_celsius, range = answer->state.peak_celsius - least;
    double step = range > 0 ? floor((celsius - least) / range * STEPS) : 0;
    return (unsigned)fmin(STEPS - 1, fmax(0, step));
}

/* Cells of one colour in a row are one rectangle. */
static void put_cells(FILE *out, const struct thermal_answer *answer, double height)
{
    unsigned n = answer->plan.cells;
    double wide = (double)MAP_PIXELS / n, high = height / n;
    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0, end; x < n; x = end) {
            unsigned step = step_of(answer, answer->cells[(size_t)y * n + x]);
            for (end = x + 1; end < n; end++)
                if (step_of(answer, answer->cells[(size_t)y * n + end]) != step) break;
            fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"",
                    x * wide, TOP + y * high, (end - x) * wide + 0.3, high + 0.3);
            put_colour(out, (step + 0.5) / STEPS);
            fputs("\"/>\n", out);
        }
}

/* Names come from the machine file. */
static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else
            fputc(*text, out);
    }
}

static void put_plan(FILE *out, const struct thermal_answer *answer, double scale)
{
    for (size_t i = 0; i < answer->plan.block_count; i++) {
        const ws_thermal_block *b = &answer->blocks[i];
        double x = b->x_metres * scale, y = TOP + b->y_metres * scale;
        fprintf(out,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
                "stroke=\"#fff\" stroke-width=\"%s\"/>\n",
                x, y, b->width_metres * scale, b->height_metres * scale,
                answer->is_active[i] ? "2" : "0.5");
        if (strcmp(b->kind, "sm") != 0 && b->width_metres * scale < 40) continue;
        fprintf(out, "<text class=\"n\" x=\"%.2f\" y=\"%.2f\">", x + b->width_metres * scale / 2,
                y + b->height_metres * scale / 2 + 4);
        put_escaped(out, b->name);
        fputs("</text>\n", out);
    }
}

static void put_scale(FILE *out, const struct thermal_answer *answer, double height)
{
    enum { TICKS = 5 };
    double least = answer->state.least_celsius, most = answer->state.peak_celsius;
    for (unsigned i = 0; i < STEPS; i++) {
        fprintf(out, "<rect x=\"%d\" y=\"%.2f\" width=\"22\" height=\"%.2f\" fill=\"", SCALE_X,
                TOP + height * (STEPS - 1 - i) / STEPS, height / STEPS + 0.5);
        put_colour(out, (i + 0.5) / STEPS);
        fputs("\"/>\n", out);
    }
    for (unsigned i = 0; i < TICKS; i++)
        fprintf(out, "<text x=\"%d\" y=\"%.2f\">%.1f &#176;C</text>\n", SCALE_X + 28,
                TOP + 4 + height * (TICKS - 1 - i) / (TICKS - 1),
                least + (most - least) * i / (TICKS - 1));
}

int thermal_write_svg(struct cli *cli, const char *path, const struct thermal_answer *answer)
{
    struct cli_text whole;
    double scale = MAP_PIXELS / answer->plan.width_metres;
    double height = answer->plan.height_metres * scale;
    CLI_TRY(cli_text_open(cli, &whole));
    FILE *out = whole.out;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %d %.0f\" role=\"img\">\n<style>text{font:13px sans-serif;"
            "fill:#222}text.n{font-size:11px;fill:#fff;stroke:#000;stroke-width:.4;"
            "text-anchor:middle}</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>"
            "\n<text x=\"0\" y=\"20\">",
            WIDTH, height + TOP + 10, WIDTH, height + TOP + 10);
    put_escaped(out, ws_machine_name(answer->machine));
    fprintf(out, ": %zu SMs at work, %.1f W, peak %.1f &#176;C, mean %.1f &#176;C</text>\n",
            answer->load.active_count, answer->state.sink_watts, answer->state.peak_celsius,
            answer->state.mean_celsius);
    put_cells(out, answer, height);
    put_plan(out, answer, scale);
    put_scale(out, answer, height);
    fputs("</svg>\n", out);
    return cli_text_close(cli, &whole, path);
}
