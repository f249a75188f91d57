// SPDX-License-Identifier: Apache-2.0
/* A growing text. Zero-initialise; strbuf_take hands the text over, to be freed with
 * mem_free, and resets. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf {
    char *data; /* NUL-terminated once anything was added */
    size_t length, capacity;
};

void strbuf_putc(struct strbuf *buffer, char c);
void strbuf_puts(struct strbuf *buffer, const char *text);
void strbuf_append(struct strbuf *buffer, const char *bytes, size_t length);
/* False: memory ran out. For callbacks of other libraries (base/memory.h). */
bool strbuf_try_append(struct strbuf *buffer, const char *bytes, size_t length);
void strbuf_printf(struct strbuf *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *buffer, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
char *strbuf_take(struct strbuf *buffer);
void strbuf_clear(struct strbuf *buffer);

#endif
