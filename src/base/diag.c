// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"

void diag_clear(struct diag *diag)
{
    mem_free(diag->text);
    diag->text = NULL;
    diag->reserve[0] = '\0';
    diag->status = WS_OK;
}

const char *diag_text(const struct diag *diag)
{
    return diag->text ? diag->text : diag->reserve;
}

/* A message in the making. */
struct message {
    const struct source_place *place; /* NULL: none */
    const char *before;               /* "": none */
    const char *subject;              /* NULL: none */
    const char *format;
    va_list *arguments;
    struct strbuf text;
};

static void quote_line(struct strbuf *out, const struct source_place *place);

static void put_place(struct strbuf *out, const struct source_place *place)
{
    if (place->file) strbuf_printf(out, "%s:", place->file);
    if (place->line) strbuf_printf(out, "%u:", place->line);
    if (place->line && place->column) strbuf_printf(out, "%u:", place->column);
    strbuf_puts(out, out->length ? " error: " : "error: ");
}

static void write_message(void *of)
{
    struct message *message = of;
    va_list arguments;
    va_copy(arguments, *message->arguments);
    strbuf_puts(&message->text, message->before);
    if (message->place) put_place(&message->text, message->place);
    if (message->subject) strbuf_printf(&message->text, "'%s': ", message->subject);
    strbuf_vprintf(&message->text, message->format, arguments);
    va_end(arguments);
    if (message->place && message->place->text && message->place->line)
        quote_line(&message->text, message->place);
}

static void set(struct diag *diag, ws_status status, struct message *message)
{
    size_t wanted;
    bool whole = mem_attempt(write_message, message, &wanted);
    diag->status = status;
    mem_free(diag->text);
    diag->text = NULL;
    diag->reserve[0] = '\0';
    if (whole) {
        diag->text = strbuf_take(&message->text);
        if (diag->outlives_calls) mem_keep(diag->text);
    } else {
        vsnprintf(diag->reserve, sizeof diag->reserve, message->format, *message->arguments);
    }
}

ws_status diag_error(struct diag *diag, ws_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    set(diag, status, &(struct message){.before = "", .format = format, .arguments = &list});
    va_end(list);
    return status;
}

ws_status diag_out_of_memory(struct diag *diag, size_t bytes)
{
    diag_clear(diag);
    diag->status = WS_ERR_MEMORY;
    if (bytes)
        snprintf(diag->reserve, sizeof diag->reserve,
                 "out of host memory: cannot allocate %zu more bytes; end other programs, raise "
                 "the limit (ulimit -v), or use a smaller input",
                 bytes);
    else
        snprintf(diag->reserve, sizeof diag->reserve,
                 "out of host memory; end other programs, raise the limit (ulimit -v), or use a "
                 "smaller input");
    return WS_ERR_MEMORY;
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

ws_status diag_verror_at(struct diag *diag, ws_status status, const struct source_place *place,
                         const char *subject, const char *format, va_list list)
{
    struct message message = {.place = place, .before = "", .subject = subject, .format = format};
    va_list arguments;
    va_copy(arguments, list);
    message.arguments = &arguments;
    set(diag, status, &message);
    va_end(arguments);
    return status;
}

ws_status diag_error_at(struct diag *diag, ws_status status, const struct source_place *place,
                        const char *format, ...)
{
    va_list list;
    va_start(list, format);
    diag_verror_at(diag, status, place, NULL, format, list);
    va_end(list);
    return status;
}

static void add_line(void *of)
{
    struct message *message = of;
    strbuf_puts(&message->text, message->before);
    strbuf_putc(&message->text, '\n');
    va_list arguments;
    va_copy(arguments, *message->arguments);
    strbuf_vprintf(&message->text, message->format, arguments);
    va_end(arguments);
}

void diag_add(struct diag *diag, const char *format, ...)
{
    size_t wanted;
    va_list list;
    va_start(list, format);
    struct message message = {.before = diag_text(diag), .format = format, .arguments = &list};
    if (mem_attempt(add_line, &message, &wanted)) {
        mem_free(diag->text);
        diag->text = strbuf_take(&message.text);
        if (diag->outlives_calls) mem_keep(diag->text);
    }
    va_end(list);
}
