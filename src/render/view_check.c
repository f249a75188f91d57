// SPDX-License-Identifier: Apache-2.0
/* Findings as a compiler tells them: place, grade, code and title; the source line; then what is known. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "render/check_words.h"
#include "render/views.h"

/* Notes, of which a program may have many; errors and warnings are always shown. */
enum { NOTES_SHOWN = 20, SOURCE_COLUMNS = 84 };

/* ---- a finding ------------------------------------------------------------------------------- */

static const char *colour_of(const struct page *page, const char *grade)
{
    if (!page->colour) return "";
    return *grade == 'e' ? "\033[1;31m" : *grade == 'w' ? "\033[1;33m" : "\033[1;36m";
}

static void put_head(struct page *page, const struct node *finding)
{
    const char *grade = node_word(finding, "grade");
    uint64_t count = node_count(finding, "count");
    struct strbuf place = {0};
    check_put_place(&place, finding);
    page_line(page, "%s: %s%s[%s]%s: %s%s%s", place.data, colour_of(page, grade), grade,
              node_word(finding, "code"), page_heat_end(page), node_word(finding, "title"),
              count > 1 ? ", " : "", count > 1 ? quantity_of((double)count, "time").text : "");
    strbuf_clear(&place);
}

/* The line with its number, and a mark below the column. Tabs become blanks, so that the mark fits. */
static void put_source(struct page *page, const struct node *side)
{
    const char *source = node_word(side, "source");
    uint64_t column = node_count(side, "column");
    struct strbuf text = {0};
    size_t length = source ? strlen(source) : 0, mark = column ? (size_t)column - 1 : 0;
    if (!length) return;
    bool is_useful = column && mark < length && mark < SOURCE_COLUMNS && source[mark] != '}';
    if (!is_useful) mark = 0; /* compilers name the end of a function for what it returns */
    while (!is_useful && (source[mark] == ' ' || source[mark] == '\t'))
        mark++;
    for (size_t i = 0; i < length && i < SOURCE_COLUMNS; i++)
        strbuf_putc(&text, source[i] == '\t' ? ' ' : source[i]);
    page_line(page, "%7llu | %s%s", (unsigned long long)node_count(side, "line"), text.data,
              length > SOURCE_COLUMNS ? ".." : "");
    page_line(page, "        | %*s^", (int)mark, "");
    strbuf_clear(&text);
}

static void put_row(struct page *page, const char *label, const char *text)
{
    char lead[16];
    if (!text || !*text) return;
    snprintf(lead, sizeof lead, "  %-8.8s", label);
    page_fill(page, lead, text);
}

/* Lines of a text one below the other. */
static void put_lines(struct page *page, const char *label, const char *text)
{
    struct strbuf line = {0};
    for (; text && *text; text += strspn(text, "\n")) {
        size_t length = strcspn(text, "\n");
        line.length = 0;
        strbuf_append(&line, text, length);
        put_row(page, label, line.data);
        label = "";
        text += length;
    }
    strbuf_clear(&line);
}

typedef void words_fn(struct strbuf *out, const struct node *node);

static void put_words(struct page *page, const char *label, words_fn *words,
                      const struct node *node)
{
    struct strbuf text = {0};
    words(&text, node);
    put_row(page, label, text.data);
    strbuf_clear(&text);
}

static void put_side(struct page *page, const char *label, const struct node *side)
{
    if (!node_is_known(side)) return;
    put_words(page, label, check_put_side, side);
    put_words(page, "inlined", check_put_inlined, side);
}

/* The other side of a race has a line of its own, unless it is the same. */
static void put_other(struct page *page, const struct node *finding)
{
    const struct node *here = node_child(finding, "here"), *other = node_child(finding, "other");
    if (!node_is_known(other)) return;
    bool is_same_line = node_is_known(here) &&
                        node_count(here, "line") == node_count(other, "line") &&
                        check_same_word(node_word(here, "file"), node_word(other, "file"));
    put_side(page, "and", other);
    if (!is_same_line) put_source(page, other);
}

static void put_finding(struct page *page, const struct node *finding)
{
    const struct node *here = node_child(finding, "here"), *memory = node_child(finding, "memory"),
                      *host = node_child(finding, "host");
    put_head(page, finding);
    if (node_is_known(here)) put_source(page, here);
    if (!node_is_known(here) && host->child_count) put_source(page, &host->children[0]);
    put_lines(page, "what", node_word(finding, "message"));
    put_side(page, "where", here);
    put_other(page, finding);
    if (node_is_known(memory)) {
        put_words(page, "memory", check_put_memory, memory);
        put_words(page, "alloc", check_put_frames, node_child(memory, "created"));
        put_words(page, "freed", check_put_frames, node_child(memory, "freed"));
    }
    put_words(page, "host", check_put_frames, host);
    if (node_is_known(here) && !host->child_count)
        put_words(page, "host", check_put_frames, node_child(here, "host"));
    put_row(page, "do", node_word(finding, "advice"));
    page_blank(page);
}

static void put_findings(struct page *page, const struct node *check)
{
    const struct node *list = node_child(check, "findings");
    uint64_t notes = 0, most = page->details == WS_DETAILS_ALL ? UINT64_MAX : NOTES_SHOWN;
    if (page->details == WS_DETAILS_QUIET) most = 0;
    for (size_t i = 0; i < list->child_count; i++) {
        const struct node *finding = &list->children[i];
        bool is_note = *node_word(finding, "grade") == 'n';
        if (node_word(finding, "suppressed") || (is_note && notes++ >= most)) continue;
        put_finding(page, finding);
    }
    if (notes > most && page->details != WS_DETAILS_QUIET)
        page_line(page, "and %s: --details all",
                  quantity_of((double)(notes - most), "further note").text);
    if (notes > most && page->details != WS_DETAILS_QUIET) page_blank(page);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static struct quantity count_of(const struct node *node, const char *id, const char *noun)
{
    return quantity_of((double)node_count(node, id), noun);
}

static void put_checked(struct page *page, const struct node *check)
{
    struct strbuf text = {0};
    check_put_checked(&text, check);
    page_fill(page, "", text.data);
    strbuf_clear(&text);
}

static void put_sums(struct page *page, const struct node *check)
{
    const struct node *tools = node_child(check, "tools"), *total = node_child(check, "total");
    struct strbuf text = {0};
    strbuf_printf(&text, "%s, %s, %s", count_of(total, "errors", "error").text,
                  count_of(total, "warnings", "warning").text,
                  count_of(total, "notes", "note").text);
    if (node_count(total, "suppressed"))
        strbuf_printf(&text, "; %llu suppressed",
                      (unsigned long long)node_count(total, "suppressed"));
    if (node_count(check, "unchecked_launches"))
        strbuf_printf(&text, "; %s NOT CHECKED",
                      count_of(check, "unchecked_launches", "launch").text);
    page_line(page, "%s", text.data);
    strbuf_clear(&text);
    for (size_t i = 0; i < tools->child_count; i++) {
        const struct node *tool = &tools->children[i];
        if (!node_count(tool, "errors") && !node_count(tool, "warnings") &&
            !node_count(tool, "notes"))
            continue;
        page_line(page, "  %-8s%s, %s, %s", node_word(tool, "tool"),
                  count_of(tool, "errors", "error").text,
                  count_of(tool, "warnings", "warning").text, count_of(tool, "notes", "note").text);
    }
}

/* A note may have several lines. */
static void put_note(struct page *page, const char *text, bool is_first)
{
    char *lines = mem_copy(text), *rest = lines;
    for (char *line; (line = strsep(&rest, "\n")) != NULL; is_first = false)
        page_fill(page, is_first ? "Notes     " : "          ", line);
    mem_free(lines);
}

static void put_notes(struct page *page, const struct node *check)
{
    struct arena arena = {0};
    const char *const *notes;
    size_t count = check_list_notes(check, &arena, &notes);
    for (size_t i = 0; i < count; i++)
        put_note(page, notes[i], !i);
    arena_clear(&arena);
}

static void compose(struct page *page, const struct node *check)
{
    put_findings(page, check);
    put_checked(page, check);
    put_sums(page, check);
    if (page->details != WS_DETAILS_QUIET) put_notes(page, check);
}

static const struct view_part parts[] = {{"", compose}};

static const struct csv_column columns[] = {
    {"grade", "grade"},
    {"code", "code"},
    {"tool", "tool"},
    {"title", "title"},
    {"count", "count"},
    {"file", "file"},
    {"line", "line"},
    {"kernel", "here/kernel"},
    {"message", "message"},
    {"other_file", "other/file"},
    {"other_line", "other/line"},
    {"memory", "memory/name"},
    {"suppressed", "suppressed"},
};
static const struct csv_table csv = {
    .rows = "findings", .columns = columns, .column_count = sizeof columns / sizeof *columns};

compose_html_fn html_check; /* html/check_page.c */

const struct view view_check = {
    .question = "check",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .csv = &csv,
    .csv_count = 1,
    .html = html_check,
    .sarif = render_check_sarif,
    .junit = render_check_junit,
};
