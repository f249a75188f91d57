// SPDX-License-Identifier: Apache-2.0
#include "render/markdown.h"

#include <string.h>

void markdown_put_text(struct strbuf *out, const char *text)
{
    for (; text && *text; text++) {
        if (*text == '<')
            strbuf_puts(out, "&lt;");
        else if (*text == '>')
            strbuf_puts(out, "&gt;");
        else if (*text == '&')
            strbuf_puts(out, "&amp;");
        else if (*text == '@')
            strbuf_puts(out, "&#64;");
        else if (*text == '#')
            strbuf_puts(out, "&#35;");
        else if (strchr("\\`*_{}[]|~", *text))
            strbuf_printf(out, "\\%c", *text);
        else
            strbuf_putc(out, (unsigned char)*text < ' ' ? ' ' : *text);
    }
}

/* HTML's element instead of backquotes: a cell's '|' is escaped alike, and no text ends it. */
void markdown_put_code(struct strbuf *out, const char *text)
{
    strbuf_puts(out, "<code>");
    markdown_put_text(out, text);
    strbuf_puts(out, "</code>");
}

void markdown_put_head(struct strbuf *out, const char *titles)
{
    size_t count = 1;
    strbuf_puts(out, "| ");
    for (const char *at = titles; *at; at++) {
        if (*at == '|') count++;
        if (*at == '|') strbuf_puts(out, " | ");
        if (*at != '|' && *at != '>') strbuf_putc(out, *at);
    }
    strbuf_puts(out, " |\n|");
    for (const char *at = titles; count--; at += strcspn(at, "|") + (count > 0))
        strbuf_puts(out, *at == '>' ? "---:|" : "---|");
    strbuf_putc(out, '\n');
}
