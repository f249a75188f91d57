// SPDX-License-Identifier: Apache-2.0
/* Curves as a picture of their own, drawn as those of pages are. */
#ifndef RENDER_CHART_FILE_H
#define RENDER_CHART_FILE_H

#include "base/diag.h"

/* SVG. WS_ERR_ARGUMENT: no curve has a point; WS_ERR_IO: `write` did not take it. */
ws_status chart_file_write(struct diag *diag, const ws_plot *plot, ws_write_fn *write, void *user);

#endif
