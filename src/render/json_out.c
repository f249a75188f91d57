// SPDX-License-Identifier: Apache-2.0
#include "render/json_out.h"

#include <math.h>
#include <string.h>

#include "base/quantity.h"

/* Length of the UTF-8 sequence at `text` (Unicode 15, table 3-7), 0 if it is none. */
static size_t utf8_length(const unsigned char *text)
{
    if (text[0] < 0x80) return 1;
    size_t length = text[0] >= 0xc2 && text[0] <= 0xdf   ? 2
                    : (text[0] & 0xf0) == 0xe0           ? 3
                    : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                         : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if (text[0] == 0xe0 && text[1] < 0xa0) return 0;
    if (text[0] == 0xed && text[1] > 0x9f) return 0;
    if (text[0] == 0xf0 && text[1] < 0x90) return 0;
    if (text[0] == 0xf4 && text[1] > 0x8f) return 0;
    return length;
}

void json_out_quote(struct strbuf *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    strbuf_putc(out, '"');
    while (*at) {
        size_t length = utf8_length(at);
        if (*at == '"' || *at == '\\')
            strbuf_printf(out, "\\%c", *at);
        else if (*at == '\n')
            strbuf_puts(out, "\\n");
        else if (*at < 0x20 || *at == 0x7f)
            strbuf_printf(out, "\\u%04x", *at);
        else if (length)
            strbuf_append(out, (const char *)at, length);
        else
            strbuf_puts(out, "\\ufffd");
        at += length ? length : 1;
    }
    strbuf_putc(out, '"');
}

static void begin_item(struct json_out *json, const char *key)
{
    if (json->in_line) {
        if (json->has_items) strbuf_puts(json->out, ", ");
    } else if (json->depth) {
        strbuf_puts(json->out, json->has_items ? ",\n" : "\n");
        for (unsigned i = 0; i < json->depth; i++)
            strbuf_putc(json->out, ' ');
    }
    json->has_items = true;
    if (!key) return;
    json_out_quote(json->out, key);
    strbuf_puts(json->out, ": ");
}

void json_out_open(struct json_out *json, const char *key, char bracket)
{
    begin_item(json, key);
    strbuf_putc(json->out, bracket);
    json->depth++;
    json->has_items = false;
}

void json_out_close(struct json_out *json, char bracket)
{
    json->depth--;
    if (json->has_items && !json->in_line) {
        strbuf_putc(json->out, '\n');
        for (unsigned i = 0; i < json->depth; i++)
            strbuf_putc(json->out, ' ');
    }
    strbuf_putc(json->out, bracket);
    json->has_items = true;
}

void json_out_string(struct json_out *json, const char *key, const char *text)
{
    begin_item(json, key);
    if (text)
        json_out_quote(json->out, text);
    else
        strbuf_puts(json->out, "null");
}

void json_out_number(struct json_out *json, const char *key, double value)
{
    char number[NUMBER_TEXT] = "null";
    begin_item(json, key);
    if (isfinite(value)) number_exact(number, value);
    strbuf_puts(json->out, number);
}

void json_out_count(struct json_out *json, const char *key, uint64_t value)
{
    begin_item(json, key);
    strbuf_printf(json->out, "%llu", (unsigned long long)value);
}

void json_out_bool(struct json_out *json, const char *key, bool value)
{
    begin_item(json, key);
    strbuf_puts(json->out, value ? "true" : "false");
}

void json_out_null(struct json_out *json, const char *key)
{
    begin_item(json, key);
    strbuf_puts(json->out, "null");
}
