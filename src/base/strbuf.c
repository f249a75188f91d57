// SPDX-License-Identifier: Apache-2.0
#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"

static bool try_reserve(struct strbuf *buffer, size_t more)
{
    size_t need = buffer->length + more + 1;
    if (need <= buffer->capacity) return true;
    size_t room = need < 2 * buffer->capacity ? 2 * buffer->capacity : need + 64;
    char *larger = mem_try_realloc(buffer->data, room);
    if (!larger) return false;
    buffer->data = larger;
    buffer->capacity = room;
    return true;
}

static void reserve(struct strbuf *buffer, size_t more)
{
    if (!try_reserve(buffer, more)) mem_raise(buffer->length + more);
}

bool strbuf_try_append(struct strbuf *buffer, const char *bytes, size_t length)
{
    if (!try_reserve(buffer, length)) return false;
    memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
    return true;
}

void strbuf_append(struct strbuf *buffer, const char *bytes, size_t length)
{
    if (!strbuf_try_append(buffer, bytes, length)) mem_raise(buffer->length + length);
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
    size_t room = buffer->capacity - buffer->length;
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(room ? buffer->data + buffer->length : NULL, room, format, list);
    if (length < 0) mem_raise(0);
    if ((size_t)length >= room) {
        reserve(buffer, (size_t)length);
        vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
    }
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
    mem_free(buffer->data);
    *buffer = (struct strbuf){0};
}
