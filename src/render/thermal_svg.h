// SPDX-License-Identifier: Apache-2.0
#ifndef RENDER_THERMAL_SVG_H
#define RENDER_THERMAL_SVG_H

#include "render/render.h"

/* The heat map of the question `thermal` as a picture. */
render_fn render_thermal_svg;

#endif
