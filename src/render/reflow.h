// SPDX-License-Identifier: Apache-2.0
/* A text in fewer columns than it was written for. */
#ifndef RENDER_REFLOW_H
#define RENDER_REFLOW_H

#include "base/strbuf.h"

enum { REFLOW_LEAST = 40, REFLOW_MOST = 200 }; /* columns that texts are made for */

/* Columns of `length` bytes: escape sequences take none, a character of UTF-8 takes one. */
unsigned reflow_columns(const char *text, size_t length);

/* Changes what stands in `text` behind the first `from` bytes so that no line has more than `width` columns. Lines
 * that fit stay. Tables move together, then lose bars (which repeat a number), then wrap their last column, then
 * become a paragraph a row with the titles of the columns in it; other lines wrap. Only bars and blanks are
 * lost. */
void reflow_text(struct strbuf *text, size_t from, unsigned width);

#endif
