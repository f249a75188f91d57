// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"

void diag_clear(struct diag *diag)
{
    free(diag->text);
    diag->text = NULL;
    diag->status = WS_OK;
}

static void diag_set(struct diag *diag, ws_status status, struct strbuf *text)
{
    free(diag->text);
    diag->text = strbuf_take(text);
    diag->status = status;
}

ws_status diag_error(struct diag *diag, ws_status status, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    diag_set(diag, status, &text);
    return status;
}

/* The quoted line is cut so that the mark stays in sight of an 80-column terminal. */
static void quote_line(struct strbuf *out, const struct source_place *place)
{
    enum { WIDTH = 88 };
    const char *at = place->text, *end = place->text + place->size;
    for (uint32_t line = 1; line < place->line && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((newline ? newline : end) - at);
    size_t column = place->column ? place->column - 1 : 0;
    if (length && at[length - 1] == '\r') length--;
    if (column > length) column = length;
    size_t skip = column > WIDTH / 2 ? column - WIDTH / 2 : 0;
    size_t shown = length - skip < WIDTH ? length - skip : WIDTH;
    strbuf_printf(out, "\n %5u | ", place->line);
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)at[skip + i];
        strbuf_putc(out, c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : (char)c);
    }
    strbuf_puts(out, "\n       | ");
    for (size_t i = skip; i < column; i++)
        strbuf_putc(out, ' ');
    strbuf_putc(out, '^');
    for (size_t i = 1; i < place->length && column + i < skip + shown; i++)
        strbuf_putc(out, '~');
}

ws_status diag_error_at(struct diag *diag, ws_status status, const struct source_place *place,
                        const char *format, ...)
{
    struct strbuf text = {0};
    if (place->file) strbuf_printf(&text, "%s:", place->file);
    if (place->line) strbuf_printf(&text, "%u:", place->line);
    if (place->line && place->column) strbuf_printf(&text, "%u:", place->column);
    strbuf_puts(&text, text.length ? " error: " : "error: ");
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    if (place->text && place->line) quote_line(&text, place);
    diag_set(diag, status, &text);
    return status;
}

void diag_add(struct diag *diag, const char *format, ...)
{
    struct strbuf text = {0};
    if (diag->text) strbuf_puts(&text, diag->text);
    strbuf_putc(&text, '\n');
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    diag_set(diag, diag->status, &text);
}
