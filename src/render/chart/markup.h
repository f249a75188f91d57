// SPDX-License-Identifier: Apache-2.0
/* Text in HTML and SVG. Everything that comes from outside goes through here: names, paths, source lines. */
#ifndef RENDER_CHART_MARKUP_H
#define RENDER_CHART_MARKUP_H

#include "base/strbuf.h"

/* `text` escaped for contents and for attributes in double quotes. Control characters but tabs and ends of lines,
 * and what is not UTF-8, become U+FFFD. NULL: nothing. */
void markup_text(struct strbuf *out, const char *text);
/* The first `columns` characters of it; if there are more, the last of them is an ellipsis. */
void markup_text_cut(struct strbuf *out, const char *text, size_t columns);
void markup_printf(struct strbuf *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Characters of a text; NULL has none. */
size_t markup_columns(const char *text);

#endif
