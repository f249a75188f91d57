// SPDX-License-Identifier: Apache-2.0
#include "render/page.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Bytes of the first `columns` columns of text: escape sequences take none, UTF-8 tails neither. */
static size_t bytes_of_columns(const char *text, unsigned columns, bool *out_all)
{
    const char *at = text;
    unsigned used = 0;
    while (*at) {
        if (*at == '\033') {
            while (*at && *at != 'm')
                at++;
            if (*at) at++;
            continue;
        }
        bool is_tail = ((unsigned char)*at & 0xc0) == 0x80;
        if (!is_tail && used == columns) break;
        used += !is_tail;
        at++;
    }
    *out_all = !*at;
    return (size_t)(at - text);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const struct {
    const char *cuda, *opencl;
} words[] = {
    {"shared memory", "local memory"}, {"local memory", "private memory"},
    {"blocks", "work-groups"},         {"block", "work-group"},
    {"threads", "work-items"},         {"thread", "work-item"},
};

/* Part of a name, a path or an option? */
static bool joins(char c)
{
    return isalnum((unsigned char)c) || strchr("_-/.", c);
}

static bool is_word(const char *text, const char *at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(at, word, length) != 0 || (at > text && joins(at[-1]))) return false;
    char next = at[length];
    bool ends_sentence = next == '.' && (!at[length + 1] || at[length + 1] == ' ');
    return !next || ends_sentence || !joins(next);
}

/* Blanks between columns give way to longer words, and fill up behind shorter ones. */
static size_t put_blanks(struct strbuf *out, const char *at, int *debt)
{
    size_t blanks = strspn(at, " ");
    int kept = (int)blanks - *debt;
    if (blanks < 2) kept = (int)blanks;
    if (kept < 1) kept = 1;
    *debt -= (int)blanks - kept;
    strbuf_printf(out, "%*s", kept, "");
    return blanks;
}

/* `text` in the words of a language, to be freed with mem_free. */
static char *translate(bool is_opencl, const char *text)
{
    enum { WORDS = sizeof words / sizeof words[0] };
    struct strbuf out = {0};
    int debt = 0; /* columns that the words took more so far */
    for (const char *at = text; *at;) {
        size_t i = is_opencl ? 0 : WORDS;
        while (i < WORDS && !is_word(text, at, words[i].cuda))
            i++;
        if (i < WORDS) {
            strbuf_puts(&out, words[i].opencl);
            debt += (int)strlen(words[i].opencl) - (int)strlen(words[i].cuda);
            at += strlen(words[i].cuda);
        } else if (*at == ' ' && debt) {
            at += put_blanks(&out, at, &debt);
        } else {
            strbuf_putc(&out, *at++);
        }
    }
    strbuf_append(&out, "", 0);
    return strbuf_take(&out);
}

char *page_opencl_words(const char *text)
{
    return translate(true, text);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* What goes beyond so many columns is cut and marked. */
static void add_line(struct page *page, char *text, unsigned columns)
{
    bool all;
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\033') text[i] = ' ';
    while (length && text[length - 1] == ' ')
        text[--length] = '\0';
    size_t bytes = bytes_of_columns(text, columns, &all);
    if (all) {
        strbuf_puts(page->out, text);
    } else {
        bytes = bytes_of_columns(text, columns - 2, &all);
        strbuf_append(page->out, text, bytes);
        strbuf_puts(page->out, "..");
        if (page->colour) strbuf_puts(page->out, "\033[0m");
    }
    strbuf_putc(page->out, '\n');
    page->lines++;
}

void page_line(struct page *page, const char *format, ...)
{
    enum { LONGEST = 3 * 96 }; /* a longer name tells no more */
    struct strbuf line = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&line, format, list);
    va_end(list);
    char *text = strbuf_take(&line), *said = translate(page->opencl, text);
    add_line(page, said, page->clips || page->width > LONGEST ? page->width : LONGEST);
    mem_free(said);
    mem_free(text);
}

void page_blank(struct page *page)
{
    strbuf_putc(page->out, '\n');
    page->lines++;
}

size_t page_fitting(const char *text, size_t room)
{
    size_t length = strlen(text);
    if (length <= room) return length;
    for (size_t i = room; i > room / 2; i--)
        if (text[i] == ' ') return i;
    while (room > 1 && ((unsigned char)text[room] & 0xc0) == 0x80)
        room--;
    return room;
}

unsigned page_lines_for(const struct page *page, unsigned lines)
{
    enum { USUAL = 96 };
    return page->width < USUAL ? (lines * USUAL + page->width - 1) / page->width : lines;
}

/* Behind the last word of what is cut. */
#define CUT " .."

void page_wrap(struct page *page, const char *lead, const char *text, unsigned max_lines)
{
    max_lines = page_lines_for(page, max_lines);
    int indent = (int)strlen(lead);
    size_t room = page->width > (unsigned)indent + 16 ? page->width - (unsigned)indent : 16;
    char *said = translate(page->opencl, text);
    const char *at = said;
    for (unsigned line = 0; line < max_lines; line++) {
        bool is_cut = line + 1 == max_lines && strlen(at) > room;
        size_t length = page_fitting(at, is_cut ? room - strlen(CUT) : room);
        struct strbuf one = {0};
        strbuf_printf(&one, "%*s%.*s%s", indent, line ? "" : lead, (int)length, at,
                      is_cut ? CUT : "");
        add_line(page, one.data, page->width);
        strbuf_clear(&one);
        at += length;
        while (*at == ' ')
            at++;
        if (!*at) break;
    }
    mem_free(said);
}

/* Up to where a line may end: a blank; in names of templates that are as long as lines, what opens or ends a part. */
static size_t piece_length(const char *text, size_t most)
{
    enum { LONG = 48 };
    size_t word = strcspn(text, " ");
    if (word <= LONG) return word;
    size_t length = strcspn(text, " <,:");
    length += strspn(text + length, "<,:");
    return length < most ? length : most;
}

void page_fill(struct page *page, const char *lead, const char *text)
{
    enum { WIDTH = 96, INDENT = 10 };
    unsigned width = page->columns ? page->width : WIDTH;
    struct strbuf line = {0};
    strbuf_puts(&line, lead);
    for (bool is_begun = false; *text; is_begun = true) {
        size_t blanks = strspn(text, " "), piece = piece_length(text + blanks, width - INDENT);
        if (is_begun && line.length + blanks + piece > width) {
            page_line(page, "%s", line.data);
            line.length = 0;
            strbuf_printf(&line, "%*s", INDENT, "");
            blanks = 0;
        }
        strbuf_printf(&line, "%*s", (int)blanks, "");
        text += strspn(text, " ");
        strbuf_append(&line, text, piece);
        text += piece;
    }
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

static int compare_up(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void page_put_ranges(struct strbuf *out, const uint64_t *values, size_t count)
{
    uint64_t *sorted = mem_zalloc(count + 1, sizeof *sorted);
    if (count) memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_up);
    if (!count) strbuf_puts(out, "none");
    for (size_t first = 0, last; first < count; first = last + 1) {
        last = first;
        while (last + 1 < count && sorted[last + 1] == sorted[last] + 1)
            last++;
        if (last == first + 1) last = first; /* two are no range */
        strbuf_printf(out, "%s%llu", first ? ", " : "", (unsigned long long)sorted[first]);
        if (last > first) strbuf_printf(out, "-%llu", (unsigned long long)sorted[last]);
    }
    mem_free(sorted);
}

void page_put_bar(const struct page *page, struct strbuf *out, unsigned filled, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++)
        strbuf_puts(out, i < filled ? page->utf8 ? "\u2588" : "#" : page->utf8 ? "\u00b7" : ".");
}

void page_bar(const struct page *page, double fraction, char *out)
{
    double clamped = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    unsigned filled = (unsigned)(clamped * BAR_COLUMNS + 0.5);
    *out = '\0';
    for (unsigned i = 0; i < BAR_COLUMNS; i++)
        strcat(out, i < filled ? page->utf8 ? "\u2588" : "#" : page->utf8 ? "\u00b7" : ".");
}

const char *page_heat(const struct page *page, double fraction)
{
    if (!page->colour) return "";
    return fraction >= 0.8 ? "\033[31m" : fraction >= 0.5 ? "\033[33m" : "\033[32m";
}

const char *page_heat_end(const struct page *page)
{
    return page->colour ? "\033[0m" : "";
}
