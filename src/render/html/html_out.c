// SPDX-License-Identifier: Apache-2.0
/* Sections, texts and tables. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/chart/chart_parts.h"
#include "render/html/html.h"

/* ---- texts ------------------------------------------------------------------------------------- */

void html_raw(struct html *html, const char *markup)
{
    strbuf_puts(html->out, markup);
}

/* In the words of the program's language. */
static void put_words(struct html *html, const char *text)
{
    char *said = html->opencl && text ? page_opencl_words(text) : NULL;
    markup_text(html->out, said ? said : text);
    mem_free(said);
}

void html_text(struct html *html, const char *text)
{
    put_words(html, text);
}

static void put_list(struct html *html, const char *format, va_list list)
{
    struct strbuf text = {0};
    strbuf_vprintf(&text, format, list);
    put_words(html, text.data);
    strbuf_clear(&text);
}

void html_textf(struct html *html, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_list(html, format, list);
    va_end(list);
}

void html_p(struct html *html, const char *class, const char *format, ...)
{
    va_list list;
    if (class)
        strbuf_printf(html->out, "<p class=\"%s\">", class);
    else
        html_raw(html, "<p>");
    va_start(list, format);
    put_list(html, format, list);
    va_end(list);
    html_raw(html, "</p>\n");
}

/* Two blanks and more, which set columns of a text apart, become a dot. */
static void put_dots(struct strbuf *out, const char *text)
{
    for (text += strspn(text, " "); *text;) {
        size_t blanks = strspn(text, " ");
        strbuf_puts(out, blanks > 1 && text[blanks] ? " \xc2\xb7 " : "");
        if (blanks == 1) strbuf_putc(out, ' ');
        text += blanks;
        if (*text) strbuf_putc(out, *text++);
    }
}

void html_facts(struct html *html, const char *text)
{
    struct strbuf facts = {0};
    put_dots(&facts, text);
    html_p(html, "facts", "%s", facts.data ? facts.data : "");
    strbuf_clear(&facts);
}

void html_code(struct html *html, const char *text)
{
    html_raw(html, "<code>");
    markup_text(html->out, text);
    html_raw(html, "</code>");
}

/* The exact value, said in these words. */
static void put_data(struct html *html, double value, const char *words)
{
    char exact[NUMBER_TEXT];
    if (!isfinite(value)) {
        html_raw(html, "<span class=\"none\">unknown</span>");
        return;
    }
    number_exact(exact, value);
    strbuf_printf(html->out, "<data value=\"%s\">", exact);
    markup_text(html->out, words);
    html_raw(html, "</data>");
}

void html_number(struct html *html, double value, const char *unit)
{
    put_data(html, value, chart_value(value, unit).text);
}

void html_count(struct html *html, uint64_t count)
{
    strbuf_printf(html->out, "<data value=\"%llu\">%s</data>", (unsigned long long)count,
                  quantity_count((double)count).text);
}

void html_value(struct html *html, const struct node *node)
{
    const char *reason = node && node->measured ? node->measured->reason : NULL;
    const char *unit = node ? node_unit(node) : NULL;
    if (node_is_known(node) && node->kind == FIGURE_IS_COUNT) {
        strbuf_printf(html->out, "<data value=\"%llu\">", (unsigned long long)node->value.count);
        markup_text(html->out, chart_value((double)node->value.count, unit).text);
        html_raw(html, "</data>");
    } else if (node_is_known(node)) {
        html_number(html, node_value(node), unit);
    } else {
        html_raw(html, "<span class=\"none\"");
        if (reason) {
            html_raw(html, " title=\"");
            markup_text(html->out, reason);
            html_raw(html, "\"");
        }
        html_raw(html, ">unknown</span>");
    }
}

void html_open_fact(struct html *html, const char *name)
{
    html_raw(html, "<div><dt>");
    html_text(html, name);
    html_raw(html, "</dt><dd>");
}

void html_close_fact(struct html *html)
{
    html_raw(html, "</dd></div>\n");
}

/* ---- sections ---------------------------------------------------------------------------------- */

const char *html_section_id(const struct html *html)
{
    return html->level ? html->ids[html->level - 1] : "top";
}

static void list_section(struct html *html, const char *id, const char *title)
{
    unsigned depth = 0;
    for (unsigned i = 0; i + 1 < html->level; i++)
        depth += html->lists_section[i];
    strbuf_printf(&html->contents, "<li class=\"d%u\"><a href=\"#%s\">", depth, id);
    char *said = html->opencl ? page_opencl_words(title) : NULL;
    markup_text(&html->contents, said ? said : title);
    mem_free(said);
    strbuf_puts(&html->contents, "</a></li>\n");
}

void html_open_section(struct html *html, const char *id, const char *title, bool is_listed)
{
    unsigned at = html->level < HTML_LEVELS ? html->level : HTML_LEVELS - 1;
    char own[HTML_ID];
    if (html->level)
        snprintf(own, sizeof own, "%.60s-%.30s", html_section_id(html), id);
    else
        snprintf(own, sizeof own, "%.60s", id);
    snprintf(html->ids[at], sizeof html->ids[at], "%s", own);
    html->lists_section[at] = is_listed;
    bool is_landmark = html->level == 0; /* of others several have one name */
    if (html->level < HTML_LEVELS) html->level++;
    unsigned heading = html->level + 1 < 6 ? html->level + 1 : 6;
    strbuf_printf(html->out, "<section id=\"%s\"%s", own,
                  html->opens_card ? " class=\"card\"" : "");
    if (is_landmark) strbuf_printf(html->out, " aria-labelledby=\"%s-h\"", own);
    strbuf_printf(html->out, ">\n<h%u id=\"%s-h\">", heading, own);
    html->opens_card = false;
    html_text(html, title);
    strbuf_printf(html->out, "</h%u>\n", heading);
    if (is_listed) list_section(html, own, title);
}

void html_close_section(struct html *html)
{
    html_raw(html, "</section>\n");
    if (html->level) html->level--;
}

void html_part(struct html *html, const char *id, const char *title, bool is_listed,
               compose_html_fn *write, const struct node *node)
{
    size_t out = html->out->length, contents = html->contents.length;
    bool is_card = !html->is_in_card;
    html->opens_card = is_card;
    html->is_in_card = true;
    html_open_section(html, id, title, is_listed);
    size_t begin = html->out->length;
    write(html, node);
    bool is_empty = html->out->length == begin;
    html_close_section(html);
    if (is_card) html->is_in_card = false;
    if (!is_empty) return;
    html->out->data[html->out->length = out] = '\0';
    if (contents < html->contents.length)
        html->contents.data[html->contents.length = contents] = '\0';
}

/* ---- tables ------------------------------------------------------------------------------------ */

struct html_table html_open_table(struct html *html, const char *caption,
                                  const struct html_column *columns, size_t count)
{
    unsigned id = html->next_table++;
    strbuf_printf(
        html->out,
        "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-labelledby=\"t%u\"><table>"
        "<caption id=\"t%u\">",
        id, id);
    html_text(html, caption);
    html_raw(html, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        strbuf_printf(html->out, "<th scope=\"col\"%s", columns[i].is_number ? " class=\"n\"" : "");
        if (columns[i].text) {
            html_raw(html, " title=\"");
            html_text(html, columns[i].text);
            html_raw(html, "\"");
        }
        html_raw(html, ">");
        html_text(html, columns[i].title);
        html_raw(html, "</th>");
    }
    html_raw(html, "</tr></thead>\n<tbody>");
    return (struct html_table){
        .html = html, .columns = columns, .column_count = count, .at = count};
}

static void end_row(struct html_table *table)
{
    size_t left = table->column_count - table->at;
    if (!table->has_row) return;
    if (left) strbuf_printf(table->html->out, "<td colspan=\"%zu\"></td>", left);
    html_raw(table->html, "</tr>\n");
}

void html_row(struct html_table *table, const char *class)
{
    end_row(table);
    if (class)
        strbuf_printf(table->html->out, "<tr class=\"%s\">", class);
    else
        html_raw(table->html, "<tr>");
    table->at = 0;
    table->has_row = true;
}

static bool is_header(const struct html_table *table)
{
    return table->at == 0;
}

void html_open_cell(struct html_table *table)
{
    const struct html_column *column = &table->columns[table->at];
    html_raw(table->html, is_header(table) ? "<th scope=\"row\"" : "<td");
    if (column->is_number) html_raw(table->html, " class=\"n\"");
    if (column->is_code) html_raw(table->html, " class=\"code\"");
    html_raw(table->html, ">");
}

void html_close_cell(struct html_table *table)
{
    html_raw(table->html, is_header(table) ? "</th>" : "</td>");
    table->at++;
}

void html_cell(struct html_table *table, const char *text)
{
    html_open_cell(table);
    if (table->columns[table->at].is_code)
        markup_text(table->html->out, text);
    else
        html_text(table->html, text);
    html_close_cell(table);
}

void html_cellf(struct html_table *table, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    html_cell(table, text.data);
    strbuf_clear(&text);
}

void html_cell_value(struct html_table *table, const struct node *node)
{
    html_open_cell(table);
    html_value(table->html, node);
    html_close_cell(table);
}

void html_cell_count(struct html_table *table, uint64_t count)
{
    html_open_cell(table);
    html_count(table->html, count);
    html_close_cell(table);
}

void html_cell_number(struct html_table *table, double value, const char *unit)
{
    html_open_cell(table);
    if (isnan(value))
        html_raw(table->html, "<span class=\"none\">\xe2\x80\x93</span>");
    else
        html_number(table->html, value, unit);
    html_close_cell(table);
}

void html_cell_ratio(struct html_table *table, double ratio)
{
    html_open_cell(table);
    put_data(table->html, ratio, quantity_ratio(ratio).text);
    html_close_cell(table);
}

void html_cell_share(struct html_table *table, double share)
{
    if (!(share >= 0)) {
        html_cell_number(table, NAN, "%");
        return;
    }
    html_open_cell(table);
    strbuf_printf(table->html->out, "<span class=\"share\" style=\"--f:%.3f\">", fmin(share, 1));
    markup_text(table->html->out, chart_value(share, "%").text);
    html_raw(table->html, "</span>");
    html_close_cell(table);
}

void html_close_table(struct html_table *table)
{
    end_row(table);
    html_raw(table->html, "</tbody></table></div>\n");
}
