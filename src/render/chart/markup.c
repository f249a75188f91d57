// SPDX-License-Identifier: Apache-2.0
#include "render/chart/markup.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* Bytes of the UTF-8 sequence at `at`, 0: it is none. Overlong forms, surrogates and what HTML has no
 * character for are none. */
static size_t sequence_bytes(const unsigned char *at)
{
    size_t tails = at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : at[0] < 0xf5 ? 3 : 0;
    uint32_t code = tails ? at[0] & (0x3fu >> tails) : 0;
    if (!tails) return 0;
    for (size_t i = 1; i <= tails; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0xa0, 0x800, 0x10000};
    bool is_character = code >= least[tails] && code <= 0x10ffff &&
                        (code < 0xd800 || code > 0xdfff) && (code & 0xfffe) != 0xfffe &&
                        (code < 0xfdd0 || code > 0xfdef);
    return is_character ? tails + 1 : 0;
}

/* The character at *at, escaped; moves behind it. */
static void put_character(struct strbuf *out, const char **at)
{
    unsigned char c = (unsigned char)**at;
    size_t bytes = c >= 0x80 ? sequence_bytes((const unsigned char *)*at) : 1;
    if (!bytes || c == 0x7f || (c < ' ' && c != '\t' && c != '\n')) {
        strbuf_puts(out, "\xef\xbf\xbd");
        bytes = 1;
    } else if (c == '&') {
        strbuf_puts(out, "&amp;");
    } else if (c == '<') {
        strbuf_puts(out, "&lt;");
    } else if (c == '>') {
        strbuf_puts(out, "&gt;");
    } else if (c == '"') {
        strbuf_puts(out, "&quot;");
    } else {
        strbuf_append(out, *at, bytes);
    }
    *at += bytes;
}

void markup_text(struct strbuf *out, const char *text)
{
    for (const char *at = text; at && *at;)
        put_character(out, &at);
}

size_t markup_columns(const char *text)
{
    size_t columns = 0;
    for (; text && *text; text++)
        columns += ((unsigned char)*text & 0xc0) != 0x80;
    return columns;
}

void markup_text_cut(struct strbuf *out, const char *text, size_t columns)
{
    bool is_cut = markup_columns(text) > columns;
    const char *at = text;
    for (size_t i = 0; at && *at && i < columns - is_cut; i++)
        put_character(out, &at);
    if (is_cut) strbuf_puts(out, "\xe2\x80\xa6");
}

void markup_printf(struct strbuf *out, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    markup_text(out, text.data);
    strbuf_clear(&text);
}
