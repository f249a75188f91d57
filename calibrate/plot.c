// SPDX-License-Identifier: Apache-2.0
/* Pictures: measured points and the fitted line, one SVG each. */
#include <stdlib.h>
#include <sys/stat.h>

#include "calibrate/fit.h"

static bool write_picture(ws_context *context, const struct picture *picture, const char *path)
{
    const ws_curve curves[] = {
        {.name = "measured",
         .count = picture->count,
         .x = picture->x,
         .y = picture->measured,
         .only_points = true},
        {.name = "fitted", .count = picture->count, .x = picture->x, .y = picture->fitted}};
    const ws_plot plot = {.size = sizeof plot,
                          .title = picture->title,
                          .text = "measured points and the line that was fitted to them",
                          .x_title = picture->x_label,
                          .y_title = picture->y_label,
                          .x_is_log = picture->log_x,
                          .curves = curves,
                          .curve_count = 2};
    ws_output *output;
    if (ws_output_open(context, path, &output) != WS_OK) return false;
    if (ws_plot_write(context, &plot, ws_output_write, output) == WS_OK)
        return ws_output_close(output) == WS_OK;
    ws_output_discard(output);
    return false;
}

static bool plot(const struct fit *fit, const struct picture *picture, const char *folder)
{
    ws_context *context = fit->calibration->context;
    char *path = calibrate_format("%s/%s.svg", folder, picture->name);
    bool is_written = write_picture(context, picture, path);
    if (!is_written) calibrate_tell(fit->calibration, "%s", ws_context_error(context));
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
