// SPDX-License-Identifier: Apache-2.0
/* Pictures: measured points and the fitted line, one SVG each. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calibrate/fit.h"

enum { WIDTH = 640, HEIGHT = 400, LEFT = 70, RIGHT = 20, TOP = 40, BOTTOM = 50, TICKS = 5 };

struct frame {
    double x_low, x_high, y_high; /* y begins at 0 */
    bool log_x;
};

static double place_x(const struct frame *frame, double x)
{
    double from = frame->log_x ? log(frame->x_low) : frame->x_low;
    double to = frame->log_x ? log(frame->x_high) : frame->x_high;
    double at = frame->log_x ? log(x) : x;
    double share = to > from ? (at - from) / (to - from) : 0.5;
    return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct frame *frame, double y)
{
    return HEIGHT - BOTTOM - y / frame->y_high * (HEIGHT - TOP - BOTTOM);
}

static struct frame frame_of(const struct picture *picture)
{
    struct frame frame = {.x_low = INFINITY, .x_high = -INFINITY, .log_x = picture->log_x};
    for (unsigned i = 0; i < picture->count; i++) {
        frame.x_low = fmin(frame.x_low, picture->x[i]);
        frame.x_high = fmax(frame.x_high, picture->x[i]);
        frame.y_high = fmax(frame.y_high, fmax(picture->measured[i], picture->fitted[i]));
    }
    if (!(frame.x_low > 0)) frame.log_x = false;
    if (!(frame.y_high > 0)) frame.y_high = 1;
    frame.y_high *= 1.05;
    return frame;
}

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
        }
}

static void put_axes(FILE *out, const struct picture *picture, const struct frame *frame)
{
    fprintf(out, "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, TOP,
            HEIGHT - BOTTOM, WIDTH - RIGHT);
    for (unsigned i = 0; i <= TICKS; i++) {
        double share = (double)i / TICKS, y = share * frame->y_high;
        double x = frame->log_x
                       ? exp(log(frame->x_low) + share * (log(frame->x_high) - log(frame->x_low)))
                       : frame->x_low + share * (frame->x_high - frame->x_low);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
                place_x(frame, x), HEIGHT - BOTTOM + 16, x);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n", LEFT - 6,
                place_y(frame, y) + 4, y);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (WIDTH + LEFT) / 2,
            HEIGHT - 12);
    put_text(out, picture->x_label);
    fprintf(
        out,
        "</text>\n<text x=\"14\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 14 %d)\">",
        HEIGHT / 2, HEIGHT / 2);
    put_text(out, picture->y_label);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">",
            WIDTH / 2);
    put_text(out, picture->title);
    fputs("</text>\n", out);
}

static void put_points(FILE *out, const struct picture *picture, const struct frame *frame)
{
    bool is_open = false;
    fputs("<path fill=\"none\" stroke=\"#c33\" d=\"", out);
    for (unsigned i = 0; i < picture->count; i++) {
        bool is_there = isfinite(picture->fitted[i]);
        if (is_there)
            fprintf(out, "%c%.1f %.1f ", is_open ? 'L' : 'M', place_x(frame, picture->x[i]),
                    place_y(frame, picture->fitted[i]));
        is_open = is_there;
    }
    fputs("\"/>\n", out);
    for (unsigned i = 0; i < picture->count; i++)
        if (isfinite(picture->measured[i]))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#236\"/>\n",
                    place_x(frame, picture->x[i]), place_y(frame, picture->measured[i]));
}

static bool plot(const struct fit *fit, const struct picture *picture, const char *folder)
{
    char *path = calibrate_format("%s/%s.svg", folder, picture->name);
    FILE *out = fopen(path, "we");
    struct frame frame = frame_of(picture);
    if (out) {
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                "font-family=\"sans-serif\" "
                "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                WIDTH, HEIGHT);
        put_axes(out, picture, &frame);
        put_points(out, picture, &frame);
        fputs("</svg>\n", out);
    }
    bool is_written = out && !ferror(out);
    is_written = out && fclose(out) == 0 && is_written;
    if (!is_written) {
        calibrate_tell(fit->calibration, "%s: cannot write: %s", path, strerror(errno));
    }
    free(path);
    return is_written;
}

bool plot_all(const struct fit *fit, const char *folder)
{
    bool is_written = true;
    mkdir(folder, 0777); /* a failure shows with the first file */
    for (unsigned i = 0; is_written && i < fit->picture_count; i++)
        is_written = plot(fit, &fit->pictures[i], folder);
    return is_written;
}
