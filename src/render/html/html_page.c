// SPDX-License-Identifier: Apache-2.0
/* The frame of a page: head, contents, and what style.css, report.js and D3 become part of. */
#include "render/html/html.h"

#include <stdarg.h>
#include <string.h>

#include "render/html/embedded.h"

static void put_file(struct strbuf *out, const struct embedded_file *file)
{
    strbuf_append(out, (const char *)file->bytes, file->size);
}

static void put_head(struct strbuf *out, const struct html *html)
{
    strbuf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta name=\"generator\" content=\"warpsage " WS_VERSION_STRING "\">\n"
                     "<link rel=\"icon\" href=\"data:,\">\n<title>");
    markup_text(out, html->title.data);
    strbuf_puts(out, " \xe2\x80\x93 warpsage</title>\n<style>\n");
    put_file(out, &embedded_style_css);
    strbuf_puts(
        out,
        "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n");
}

static void put_header(struct strbuf *out, const struct html *html)
{
    strbuf_puts(out,
                "<header><p class=\"brand\">warpsage " WS_VERSION_STRING "</p>\n<h1 id=\"top\">");
    markup_text(out, html->title.data);
    strbuf_puts(out, "</h1>\n");
    if (html->lead.length) {
        strbuf_puts(out, "<p class=\"lead\">");
        markup_text(out, html->lead.data);
        strbuf_puts(out, "</p>\n");
    }
    strbuf_puts(out, "</header>\n");
}

static void put_contents(struct strbuf *out, const struct strbuf *contents)
{
    if (!contents->length) return;
    strbuf_puts(out, "<nav aria-label=\"Contents\"><h2 class=\"quiet\">Contents</h2>\n<ul>\n");
    strbuf_append(out, contents->data, contents->length);
    strbuf_puts(out, "</ul>\n</nav>\n");
}

/* D3 first, if the build found it; without it the page has the same contents, and fewer ways to touch them. */
static void put_scripts(struct strbuf *out)
{
    if (!embedded_d3.size) return;
    strbuf_puts(out, "<script>\n");
    put_file(out, &embedded_d3_license);
    put_file(out, &embedded_d3);
    strbuf_puts(out, "</script>\n<script>\n");
    put_file(out, &embedded_report_js);
    strbuf_puts(out, "</script>\n");
}

static void set_text(struct html *html, struct strbuf *out, const char *format, va_list list)
{
    struct strbuf text = {0};
    strbuf_vprintf(&text, format, list);
    char *said = html->opencl && text.data ? page_opencl_words(text.data) : NULL;
    strbuf_clear(out);
    strbuf_puts(out, said ? said : text.data ? text.data : "");
    mem_free(said);
    strbuf_clear(&text);
}

void html_title(struct html *html, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    set_text(html, &html->title, format, list);
    va_end(list);
}

void html_program_title(struct html *html, const struct node *program)
{
    enum { WORDS_MOST = 200 };
    const char *const *words = program->value.items;
    struct strbuf line = {0};
    for (size_t i = 0; i < program->value.item_count && line.length < WORDS_MOST; i++) {
        const char *slash = i ? NULL : strrchr(words[i], '/');
        strbuf_printf(&line, "%s%.*s", i ? " " : "", WORDS_MOST, slash ? slash + 1 : words[i]);
    }
    if (line.length) html_title(html, "%s", line.data);
    strbuf_clear(&line);
}

void html_lead(struct html *html, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    set_text(html, &html->lead, format, list);
    va_end(list);
}

void render_html(const struct answer *answer, const struct render_options *options,
                 struct strbuf *out)
{
    const struct view *view = view_find(answer->question);
    struct strbuf body = {0};
    struct html html = {.out = &body, .options = options};
    strbuf_puts(&body, "");
    html_title(&html, "%s", answer->question->name);
    html_lead(&html, "%s", answer->question->text);
    if (view && view->html)
        view->html(&html, &answer->root);
    else
        html_tree(&html, &answer->root);
    put_head(out, &html);
    put_header(out, &html);
    strbuf_puts(out, "<div class=\"columns\">\n");
    put_contents(out, &html.contents);
    strbuf_puts(out, "<main id=\"main\">\n");
    strbuf_append(out, body.data, body.length);
    strbuf_puts(out, "</main>\n</div>\n<footer><p>Written by warpsage " WS_VERSION_STRING
                     "; no GPU was used. The origin and the exact value of each number are in the "
                     "JSON of the same "
                     "command (<code>-f json</code>).</p></footer>\n");
    put_scripts(out);
    strbuf_puts(out, "</body>\n</html>\n");
    strbuf_clear(&html.title);
    strbuf_clear(&html.lead);
    strbuf_clear(&html.contents);
    strbuf_clear(&body);
}
