// SPDX-License-Identifier: Apache-2.0
/* Files that become part of the library when it is built (cmake/embed.cmake). */
#ifndef RENDER_HTML_EMBEDDED_H
#define RENDER_HTML_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const unsigned char *bytes;
    size_t size; /* 0: the build did not find it */
};

extern const struct embedded_file embedded_style_css, embedded_report_js;
/* D3 (d3js.org), its licence as a comment of JavaScript. */
extern const struct embedded_file embedded_d3, embedded_d3_license;

#endif
