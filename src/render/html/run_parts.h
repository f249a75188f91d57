// SPDX-License-Identifier: Apache-2.0
/* The parts of the page of `run` (run_page.c). */
#ifndef RENDER_HTML_RUN_PARTS_H
#define RENDER_HTML_RUN_PARTS_H

#include "base/quantity.h"
#include "render/html/html.h"

compose_html_fn html_run_summary, html_run_timeline, html_run_kernels, html_run_notes;
/* A section for each kernel, behind all other parts. */
compose_html_fn html_run_kernel_pages;

/* "3 copies" of a child that counts. */
struct quantity run_count(const struct node *node, const char *id, const char *noun);
/* The report of a kernel of the run; NULL: it has none. */
const struct node *run_report_of(const struct node *run, const struct node *kernel);

#endif
