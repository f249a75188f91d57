// SPDX-License-Identifier: Apache-2.0
/* What reports suggest, as SARIF (render/sarif.h): of all kernels of `analyze`, of the heaviest launch of `run`. */
#ifndef RENDER_ANALYZE_SARIF_H
#define RENDER_ANALYZE_SARIF_H

#include "render/render.h"

render_fn render_analyze_sarif, render_run_sarif;

#endif
