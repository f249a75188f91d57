// SPDX-License-Identifier: Apache-2.0
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void reserve(struct strbuf *buffer, size_t more)
{
    size_t need = buffer->length + more + 1;
    if (need <= buffer->capacity) return;
    buffer->capacity = need < 2 * buffer->capacity ? 2 * buffer->capacity : need + 64;
    buffer->data = mem_realloc(buffer->data, buffer->capacity);
}

void strbuf_append(struct strbuf *buffer, const char *bytes, size_t length)
{
    reserve(buffer, length);
    memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void strbuf_putc(struct strbuf *buffer, char c)
{
    strbuf_append(buffer, &c, 1);
}

void strbuf_puts(struct strbuf *buffer, const char *text)
{
    strbuf_append(buffer, text, strlen(text));
}

void strbuf_vprintf(struct strbuf *buffer, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    reserve(buffer, (size_t)length);
    vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
    va_end(again);
    buffer->length += (size_t)length;
}

void strbuf_printf(struct strbuf *buffer, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    strbuf_vprintf(buffer, format, list);
    va_end(list);
}

char *strbuf_take(struct strbuf *buffer)
{
    reserve(buffer, 0);
    buffer->data[buffer->length] = '\0';
    char *text = buffer->data;
    *buffer = (struct strbuf){0};
    return text;
}

void strbuf_clear(struct strbuf *buffer)
{
    free(buffer->data);
    *buffer = (struct strbuf){0};
}
