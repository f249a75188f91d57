// SPDX-License-Identifier: Apache-2.0
/* The parts of the page of `analyze` (analyze_parts.def). */
#ifndef RENDER_HTML_ANALYZE_PARTS_H
#define RENDER_HTML_ANALYZE_PARTS_H

#include "base/quantity.h"
#include "render/analyze_sections.h"
#include "render/html/html.h"

#define ANALYZE_PART(of, id, title, function) compose_html_fn function;
#include "render/html/analyze_parts.def"
#undef ANALYZE_PART

/* The page: its title, then the parts of each kernel. `node`: the list of kernels. */
void html_kernels(struct html *html, const struct node *kernels);
/* The parts of one kernel in the section at hand: for pages that have more than kernels (`run`). */
void html_kernel(struct html *html, const struct node *kernel);

#endif
