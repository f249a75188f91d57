// SPDX-License-Identifier: Apache-2.0
/* The page of `check`: how many findings, all in a table, and each with its source line and what is known of it. */
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/check_words.h"
#include "render/html/html.h"

enum {
    BODY_FULL = 1200000, /* a page stays below 2 MB: further findings have their place alone */
    ROWS_MOST = 1000,
    LISTED_MOST = 40, /* findings in the contents */
    TITLE_MOST = 120
};

/* ---- summary ----------------------------------------------------------------------------------- */

static const struct {
    const char *id, *noun;
} sums[] = {{"errors", "error"}, {"warnings", "warning"}, {"notes", "note"}};
enum { SUMS = sizeof sums / sizeof *sums };

static struct quantity count_of(const struct node *node, size_t sum)
{
    return quantity_of((double)node_count(node, sums[sum].id), sums[sum].noun);
}

static void put_tools(struct html *html, const struct node *tools)
{
    static const struct html_column columns[] = {{.title = "tool"},
                                                 {.title = "errors", .is_number = true},
                                                 {.title = "warnings", .is_number = true},
                                                 {.title = "notes", .is_number = true},
                                                 {.title = "suppressed", .is_number = true}};
    struct html_table table = html_open_table(html, "Findings by tool, one for each place", columns,
                                              sizeof columns / sizeof *columns);
    for (size_t i = 0; i < tools->child_count; i++) {
        const struct node *tool = &tools->children[i];
        bool is_on = node_flag(tool, "on");
        html_row(&table, NULL);
        html_cellf(&table, "%s%s", node_word(tool, "tool"), is_on ? "" : " (off)");
        for (size_t k = 0; is_on && k < SUMS; k++)
            html_cell_count(&table, node_count(tool, sums[k].id));
        if (is_on) html_cell_count(&table, node_count(tool, "suppressed"));
    }
    html_close_table(&table);
}

static void put_summary(struct html *html, const struct node *check)
{
    const struct node *total = node_child(check, "total");
    struct strbuf checked = {0};
    check_put_checked(&checked, check);
    html_raw(html, "<div class=\"verdict\">\n<div class=\"time\"><span class=\"label\">");
    html_text(html, node_flag(check, "failed") ? "Failed" : "Passed");
    html_raw(html, "</span><strong>");
    html_text(html, count_of(total, 0).text);
    html_raw(html, "</strong><span class=\"band\">");
    html_textf(html, "%s, %s", count_of(total, 1).text, count_of(total, 2).text);
    html_raw(html, "</span></div>\n<dl>");
    html_open_fact(html, "Covered");
    html_text(html, checked.data);
    html_close_fact(html);
    html_open_fact(html, "Program");
    html_textf(html, "ended with exit status %llu",
               (unsigned long long)node_count(check, "exit_code"));
    html_close_fact(html);
    html_raw(html, "</dl>\n</div>\n");
    put_tools(html, node_child(check, "tools"));
    strbuf_clear(&checked);
}

/* ---- findings ---------------------------------------------------------------------------------- */

static void put_grade(struct html *html, const char *grade)
{
    unsigned colour = *grade == 'e' ? 8 : *grade == 'w' ? 2 : 0;
    strbuf_printf(html->out, "<span class=\"badge k%u\">", colour);
    html_text(html, grade);
    html_raw(html, "</span>");
}

static void put_place(struct html *html, const struct node *finding)
{
    struct strbuf place = {0};
    check_put_place(&place, finding);
    html_code(html, place.data);
    strbuf_clear(&place);
}

static void put_row(struct html_table *table, const struct node *finding, size_t number)
{
    struct html *html = table->html;
    html_row(table, NULL);
    html_open_cell(table);
    strbuf_printf(html->out, "<a href=\"#f%zu\">%zu</a>", number, number);
    html_close_cell(table);
    html_open_cell(table);
    put_grade(html, node_word(finding, "grade"));
    html_close_cell(table);
    html_cell(table, node_word(finding, "code"));
    html_open_cell(table);
    put_place(html, finding);
    html_close_cell(table);
    html_cell(table, node_word(finding, "title"));
    html_cell_count(table, node_count(finding, "count"));
}

static bool is_shown(const struct node *finding)
{
    return !node_word(finding, "suppressed");
}

static void put_table(struct html *html, const struct node *check)
{
    static const struct html_column columns[] = {
        {.title = "#", .is_number = true},
        {.title = "grade"},
        {.title = "code", .is_code = true, .text = "warpsage explain CODE"},
        {.title = "place"},
        {.title = "what"},
        {.title = "times", .is_number = true}};
    const struct node *list = node_child(check, "findings");
    size_t shown = 0;
    for (size_t i = 0; i < list->child_count; i++)
        shown += is_shown(&list->children[i]);
    if (!shown) {
        html_p(html, NULL, "None.");
        return;
    }
    if (shown > ROWS_MOST)
        html_p(html, NULL, "The first %d of %zu; the others are in the JSON.", ROWS_MOST, shown);
    struct html_table table = html_open_table(html, "Errors, then warnings, then notes", columns,
                                              sizeof columns / sizeof *columns);
    for (size_t i = 0, number = 0; i < list->child_count && number < ROWS_MOST; i++)
        if (is_shown(&list->children[i])) put_row(&table, &list->children[i], ++number);
    html_close_table(&table);
}

/* Lines of a text stay lines. */
static void put_fact(void *user, const char *name, const char *text)
{
    struct html *html = user;
    html_open_fact(html, name);
    for (const char *line = text; *line; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        if (line > text) html_raw(html, "<br>");
        html_textf(html, "%.*s", (int)length, line);
        line += length;
    }
    html_close_fact(html);
}

static void put_source(struct html *html, const struct node *side)
{
    const char *source = node_is_known(side) ? node_word(side, "source") : NULL;
    if (!source || !*source) return;
    strbuf_printf(html->out, "<pre class=\"source\"><span class=\"number\">%llu</span> ",
                  (unsigned long long)node_count(side, "line"));
    markup_text(html->out, source);
    html_raw(html, "</pre>\n");
}

static void put_finding(struct html *html, const struct node *finding)
{
    const struct node *here = node_child(finding, "here"), *host = node_child(finding, "host");
    uint64_t count = node_count(finding, "count");
    html_raw(html, "<p class=\"facts\">");
    put_grade(html, node_word(finding, "grade"));
    html_raw(html, " ");
    html_code(html, node_word(finding, "code"));
    html_raw(html, " at ");
    put_place(html, finding);
    if (count > 1) html_textf(html, ", %s", quantity_of((double)count, "time").text);
    html_raw(html, "</p>\n");
    if (html->out->length > BODY_FULL) {
        html_p(html, NULL, "The page is full: the rest is in the JSON.");
        return;
    }
    put_source(html, node_is_known(here) || !host->child_count ? here : &host->children[0]);
    html_raw(html, "<dl>");
    check_each_fact(finding, put_fact, html);
    html_raw(html, "</dl>\n");
}

static void put_findings(struct html *html, const struct node *check)
{
    const struct node *list = node_child(check, "findings");
    for (size_t i = 0, number = 0; i < list->child_count; i++) {
        const struct node *finding = &list->children[i];
        char id[24], title[TITLE_MOST + 24];
        if (!is_shown(finding)) continue;
        snprintf(id, sizeof id, "f%zu", ++number);
        snprintf(title, sizeof title, "%zu. %.*s", number, TITLE_MOST, node_word(finding, "title"));
        if (number > ROWS_MOST) return;
        html_part(html, id, title, number <= LISTED_MOST, put_finding, finding);
    }
}

/* ---- what was not covered, or not shown -------------------------------------------------------- */

static void put_suppressed(struct html *html, const struct node *check)
{
    static const struct html_column columns[] = {{.title = "place"},
                                                 {.title = "code", .is_code = true},
                                                 {.title = "what"},
                                                 {.title = "suppressed by", .is_code = true},
                                                 {.title = "reason"}};
    const struct node *list = node_child(check, "findings");
    if (!node_count(node_child(check, "total"), "suppressed")) return;
    struct html_table table =
        html_open_table(html, "Suppressed findings", columns, sizeof columns / sizeof *columns);
    size_t rows = 0;
    for (size_t i = 0; i < list->child_count && rows < ROWS_MOST; i++) {
        const struct node *finding = &list->children[i];
        if (is_shown(finding)) continue;
        rows++;
        html_row(&table, NULL);
        html_open_cell(&table);
        put_place(html, finding);
        html_close_cell(&table);
        html_cell(&table, node_word(finding, "code"));
        html_cell(&table, node_word(finding, "title"));
        html_cell(&table, node_word(finding, "suppressed"));
        html_cell(&table, node_word(finding, "reason"));
    }
    html_close_table(&table);
}

static void put_notes(struct html *html, const struct node *check)
{
    struct arena arena = {0};
    const char *const *notes;
    size_t count = check_list_notes(check, &arena, &notes);
    if (count) html_raw(html, "<ul class=\"notes\">\n");
    for (size_t i = 0; i < count; i++) {
        html_raw(html, "<li>");
        html_text(html, notes[i]);
        html_raw(html, "</li>\n");
    }
    if (count) html_raw(html, "</ul>\n");
    arena_clear(&arena);
}

void html_check(struct html *html, const struct node *check)
{
    html_program_title(html, node_child(check, "program"));
    html_part(html, "summary", "Summary", true, put_summary, check);
    html_part(html, "findings", "Findings", true, put_table, check);
    html_part(html, "suppressed", "Suppressed", true, put_suppressed, check);
    html_part(html, "notes", "Notes", true, put_notes, check);
    put_findings(html, check);
}
