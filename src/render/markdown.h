// SPDX-License-Identifier: Apache-2.0
/* Markdown as GitHub shows it (GitHub Flavored Markdown): parts of tables for comments on pull requests. */
#ifndef RENDER_MARKDOWN_H
#define RENDER_MARKDOWN_H

#include "render/views.h"

/* A text in a cell or a line: what has a meaning in Markdown or HTML is escaped, nobody is mentioned. NULL:
 * nothing. */
void markdown_put_text(struct strbuf *out, const char *text);
/* The same as code. */
void markdown_put_code(struct strbuf *out, const char *text);
/* The head of a table: titles with '|' between them; those that begin with '>' are of columns of numbers. */
void markdown_put_head(struct strbuf *out, const char *titles);

/* The reports of `analyze` and `run` as tables. */
render_fn render_analyze_markdown, render_run_markdown;

#endif
