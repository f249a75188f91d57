// SPDX-License-Identifier: Apache-2.0
/* Tables are recognised by the columns that are blank in all of their lines: views write them with printf. */
#include "render/reflow.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

enum { GAP = 2, HEADER_LINES = 2, LEAST_WRAPPED = 16, MOST_LEAD = 14 };

struct line {
    const char *at;
    size_t length;
    unsigned columns;
};

/* The end of the character or escape sequence at `at`. */
static const char *next_character(const char *at, const char *end, bool *out_is_escape)
{
    *out_is_escape = *at == '\033';
    if (*out_is_escape) {
        while (at < end && *at != 'm')
            at++;
        return at < end ? at + 1 : end;
    }
    at++;
    while (at < end && ((unsigned char)*at & 0xc0) == 0x80)
        at++;
    return at;
}

unsigned reflow_columns(const char *text, size_t length)
{
    const char *end = text + length;
    unsigned columns = 0;
    bool is_escape;
    for (const char *at = text; at < end; columns += !is_escape)
        at = next_character(at, end, &is_escape);
    return columns;
}

static size_t blanks_before(const char *at, const char *start)
{
    size_t count = 0;
    while (at - count > start && at[-1 - (ptrdiff_t)count] == ' ')
        count++;
    return count;
}

/* ---- paragraphs -------------------------------------------------------------------------------- */

/* Where further lines of a wrapped line begin: below what follows a short lead ("TIME      "), else a little
 * behind its own indentation. */
static unsigned hanging_indent(const struct line *line, unsigned width)
{
    size_t indent = 0, lead;
    while (indent < line->length && line->at[indent] == ' ')
        indent++;
    for (lead = indent + 1; lead + 1 < line->length && lead < MOST_LEAD; lead++)
        if (line->at[lead - 1] == ' ' && line->at[lead - 2] == ' ' && line->at[lead] != ' ') break;
    bool has_lead = lead + 1 < line->length && lead < MOST_LEAD && !indent;
    unsigned hang = (unsigned)(has_lead ? lead : indent ? indent : GAP);
    return hang < width / 2 ? hang : width / 4;
}

/* The part of a line that goes into `room` columns, without the blanks that it ends with; *out_next: behind them. */
static size_t part_that_fits(const char *at, const char *end, unsigned room, const char **out_next)
{
    const char *blank = NULL, *p = at;
    unsigned used = 0;
    bool is_escape, is_word = false;
    while (p < end) {
        const char *next = next_character(p, end, &is_escape);
        if (!is_escape && used == room && *p != ' ') break;
        if (*p == ' ' && is_word) blank = p;
        is_word |= *p != ' ';
        used += !is_escape;
        if (used > room) break;
        p = next;
    }
    if (p == end || (*p == ' ' && is_word)) blank = p;
    if (!blank) blank = p; /* a word that is longer than the room */
    *out_next = blank;
    while (*out_next < end && **out_next == ' ')
        ++*out_next;
    return (size_t)(blank - at) - blanks_before(blank, at);
}

static void put_wrapped(struct strbuf *out, const char *text, size_t length, unsigned begun,
                        unsigned hang, unsigned width)
{
    const char *at = text, *end = text + length;
    for (bool is_first = true; is_first || at < end; is_first = false) {
        if (!is_first) strbuf_printf(out, "\n%*s", (int)hang, "");
        unsigned used = is_first ? begun : hang;
        const char *next;
        size_t part = part_that_fits(at, end, width > used ? width - used : 1, &next);
        strbuf_append(out, at, part);
        at = next;
    }
}

static size_t indent_of(const struct line *line)
{
    size_t indent = 0;
    while (indent < line->length && line->at[indent] == ' ')
        indent++;
    return indent;
}

/* Runs of blanks, two or more, behind the first word: what a row of a table has between its cells. */
static unsigned count_gaps(const struct line *line)
{
    unsigned gaps = 0;
    size_t i = 0;
    while (i < line->length && line->at[i] == ' ')
        i++;
    for (; i + 1 < line->length; i++)
        gaps += line->at[i] == ' ' && line->at[i + 1] == ' ' && line->at[i - 1] != ' ';
    return gaps;
}

/* Does `next` go on with the paragraph of `line`, in a text that was wrapped at `written` columns? Then its first
 * word did not fit there. */
static bool goes_on(const struct line *line, const struct line *next, unsigned hang,
                    unsigned written)
{
    size_t indent = indent_of(next), word = indent;
    while (word < next->length && next->at[word] != ' ')
        word++;
    bool is_aligned = indent == hang || indent == indent_of(line);
    return is_aligned && !count_gaps(next) && count_gaps(line) < 2 &&
           line->columns + 1 + (word - indent) > written;
}

/* Wraps a line, with those that go on with its paragraph. Returns their number. */
static size_t wrap_lines(struct strbuf *out, const struct line *lines, size_t count,
                         unsigned written, unsigned width)
{
    struct strbuf all = {0};
    unsigned hang = hanging_indent(lines, width);
    size_t used = 1;
    strbuf_append(&all, lines->at, lines->length);
    for (; used < count && goes_on(&lines[used - 1], &lines[used], hang, written); used++) {
        size_t indent = indent_of(&lines[used]);
        strbuf_putc(&all, ' ');
        strbuf_append(&all, lines[used].at + indent, lines[used].length - indent);
    }
    if (used > 1 && hang > indent_of(lines) && indent_of(&lines[1]) == indent_of(lines))
        hang = (unsigned)indent_of(lines);
    put_wrapped(out, all.data, all.length, 0, hang < width / 2 ? hang : width / 4, width);
    strbuf_putc(out, '\n');
    strbuf_clear(&all);
    return used;
}

/* ---- tables ------------------------------------------------------------------------------------ */

struct cell {
    const char *at;
    size_t length;
    unsigned columns;
    bool ends_at_edge; /* of its column: figures are flush right */
};

struct column {
    unsigned from, to; /* columns of the screen */
    unsigned columns;  /* of the widest cell */
    bool is_right, is_bar, is_dropped;
};

struct grid {
    struct arena arena;
    const struct line *lines;
    size_t line_count, column_count, header_count;
    struct column *columns;
    struct cell *cells;
};

static struct cell *cell_at(const struct grid *grid, size_t line, size_t column)
{
    return &grid->cells[line * grid->column_count + column];
}

/* Clears what the line has, of columns that were blank so far. */
static void mark_used(const struct line *line, bool *blank, size_t size)
{
    const char *end = line->at + line->length;
    unsigned column = 0;
    bool is_escape;
    for (const char *at = line->at; at < end && column < size;) {
        if (*at != ' ' && *at != '\033') blank[column] = false;
        at = next_character(at, end, &is_escape);
        column += !is_escape;
    }
}

/* Runs of columns that are not blank. */
static size_t count_columns(const bool *blank, size_t size, struct column *out)
{
    size_t count = 0;
    for (unsigned i = 0; i < size; i++) {
        if (blank[i]) continue;
        unsigned from = i;
        while (i < size && !blank[i])
            i++;
        if (out) out[count] = (struct column){.from = from, .to = i};
        count++;
    }
    return count;
}

/* The bytes of a line between two columns of the screen, trimmed; the first column keeps its indentation. A colour
 * goes with what follows it, its end with what precedes. */
static struct cell cut_cell(const struct line *line, const struct column *column, bool keeps_indent)
{
    const char *end = line->at + line->length, *from = NULL, *to = NULL, *at = line->at;
    unsigned position = 0;
    bool is_escape;
    while (at < end && position < column->to) {
        const char *next = next_character(at, end, &is_escape);
        bool is_blank = *at == ' ' && !(keeps_indent && !to);
        if (position >= column->from && !is_blank && (!is_escape || to || at[2] != '0')) {
            if (!from) from = at;
            to = next;
        }
        position += !is_escape;
        at = next;
    }
    if (to && at < end && *at == '\033' && at[2] == '0') to = next_character(at, end, &is_escape);
    if (!from) return (struct cell){.at = "", .ends_at_edge = true};
    while (to > from && to[-1] == ' ')
        to--;
    struct cell cell = {.at = from, .length = (size_t)(to - from)};
    cell.columns = reflow_columns(from, cell.length);
    unsigned ends = reflow_columns(line->at, (size_t)(to - line->at));
    cell.ends_at_edge = ends == column->to;
    return cell;
}

static bool is_bar(const struct cell *cell)
{
    for (size_t i = 0; i < cell->length; i++)
        if (!strchr("#.| ", cell->at[i]) && (unsigned char)cell->at[i] < 0x80) return false;
    return cell->length != 0 && (cell->columns > 3 || *cell->at == '|');
}

static bool is_figure(const struct cell *cell)
{
    const char *at = cell->at;
    size_t sign = cell->length > 1 && strchr("-+(<>=", *at) ? 1 : 0;
    while (sign + 1 < cell->length && strchr("= ", at[sign]))
        sign++;
    return cell->length > sign && isdigit((unsigned char)at[sign]);
}

static bool has_figures(const struct grid *grid, size_t line)
{
    for (size_t c = 1; c < grid->column_count; c++)
        if (is_figure(cell_at(grid, line, c))) return true;
    return false;
}

static void describe_columns(struct grid *grid)
{
    for (size_t c = 0; c < grid->column_count; c++) {
        struct column *column = &grid->columns[c];
        column->is_right = c > 0;
        column->is_bar = true;
        for (size_t i = 0; i < grid->line_count; i++) {
            const struct cell *cell = cell_at(grid, i, c);
            if (cell->columns > column->columns) column->columns = cell->columns;
            column->is_right &= cell->ends_at_edge;
            if (i >= grid->header_count) column->is_bar &= is_bar(cell) || !cell->length;
        }
        column->is_bar &= c > 0;
    }
}

/* Lines from the first on that have their blank columns in common; a table has two columns at least. */
static size_t table_lines(const struct line *lines, size_t count, bool *blank, size_t size)
{
    size_t used = 0, columns = 0;
    bool *next = mem_zalloc(size + 1, sizeof *next);
    memset(blank, true, size);
    while (used < count) {
        if (count_gaps(&lines[used]) < 2) break;
        memcpy(next, blank, size);
        mark_used(&lines[used], next, size);
        size_t found = count_columns(next, size, NULL);
        bool is_table = used == 0 ? found > 2 : found > 2 && 2 * found >= columns;
        if (!is_table) break;
        memcpy(blank, next, size);
        if (found > columns || used < HEADER_LINES) columns = found;
        used++;
    }
    mem_free(next);
    return used;
}

/* Blanks within a cell: columns that were not told apart. */
static bool has_gap(const struct cell *cell)
{
    for (size_t i = 0; i + 1 < cell->length; i++)
        if (cell->at[i] == ' ' && cell->at[i + 1] == ' ' && i > 0 && cell->at[i - 1] != ' ')
            return true;
    return false;
}

static bool is_blank_at(const struct line *line, unsigned column)
{
    const char *end = line->at + line->length;
    unsigned position = 0;
    bool is_escape;
    for (const char *at = line->at; at < end; position += !is_escape) {
        if (*at != '\033' && position == column) return *at == ' ';
        at = next_character(at, end, &is_escape);
    }
    return true;
}

/* One blank between two columns: by chance, if in no line there are more, as beside a shorter figure. */
static bool is_chance(const struct grid *grid, const struct column *left,
                      const struct column *right)
{
    if (right->from - left->to >= GAP) return false;
    for (size_t i = 0; i < grid->line_count; i++)
        if (is_blank_at(&grid->lines[i], left->to - 1) != is_blank_at(&grid->lines[i], right->from))
            return false;
    return true;
}

static void join_columns(struct grid *grid)
{
    size_t kept = 0;
    for (size_t c = 1; c < grid->column_count; c++) {
        struct column *before = &grid->columns[kept], *column = &grid->columns[c];
        if (is_chance(grid, before, column))
            before->to = column->to;
        else
            grid->columns[++kept] = *column;
    }
    grid->column_count = kept + 1;
}

/* Does each title have something below it? Else they are no titles. */
static bool heads_columns(const struct grid *grid)
{
    for (size_t c = 1; c < grid->column_count; c++) {
        bool has_title = false, has_cell = false;
        for (size_t i = 0; i < grid->line_count; i++)
            if (cell_at(grid, i, c)->length)
                *(i < grid->header_count ? &has_title : &has_cell) = true;
        if (has_title && !has_cell) return false;
    }
    return true;
}

/* Is it one? *grid is to be cleared in any case. */
static bool read_table(const struct line *lines, size_t count, const bool *blank, size_t size,
                       struct grid *grid)
{
    size_t gaps = 0;
    *grid = (struct grid){.lines = lines, .line_count = count};
    grid->columns = ARENA_ARRAY(&grid->arena, struct column, size + 1);
    grid->column_count = count_columns(blank, size, grid->columns);
    if (grid->column_count < 2 || count < 2) return false;
    join_columns(grid);
    if (grid->column_count < 2) return false;
    grid->cells = ARENA_ARRAY(&grid->arena, struct cell, count * grid->column_count);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < grid->column_count; c++) {
            *cell_at(grid, i, c) = cut_cell(&lines[i], &grid->columns[c], c == 0);
            gaps += has_gap(cell_at(grid, i, c));
        }
    if (2 * gaps > count) return false;
    while (grid->header_count < HEADER_LINES && grid->header_count + 1 < count &&
           !has_figures(grid, grid->header_count))
        grid->header_count++;
    if (grid->header_count && !has_figures(grid, grid->header_count)) grid->header_count = 1;
    if (!heads_columns(grid)) grid->header_count = 0;
    describe_columns(grid);
    return grid->header_count || count > 2;
}

static unsigned table_width(const struct grid *grid, unsigned gap, size_t count)
{
    unsigned width = 0;
    for (size_t c = 0, shown = 0; c < count; c++)
        if (!grid->columns[c].is_dropped) width += grid->columns[c].columns + (shown++ ? gap : 0);
    return width;
}

static void put_cell(struct strbuf *out, const struct cell *cell, unsigned columns, bool is_right)
{
    unsigned blanks = columns > cell->columns ? columns - cell->columns : 0;
    strbuf_printf(out, "%*s", is_right ? (int)blanks : 0, "");
    strbuf_append(out, cell->at, cell->length);
    strbuf_printf(out, "%*s", is_right ? 0 : (int)blanks, "");
}

static void end_line(struct strbuf *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    strbuf_putc(out, '\n');
}

/* The last column wraps in what the others leave. */
static void put_rows(struct strbuf *out, const struct grid *grid, unsigned gap, unsigned width)
{
    size_t last = grid->column_count - 1;
    while (last && grid->columns[last].is_dropped)
        last--;
    for (size_t i = 0; i < grid->line_count; i++) {
        unsigned begun = 0;
        for (size_t c = 0; c < last; c++) {
            const struct column *column = &grid->columns[c];
            if (column->is_dropped) continue;
            put_cell(out, cell_at(grid, i, c), column->columns, column->is_right);
            strbuf_printf(out, "%*s", (int)gap, "");
            begun += column->columns + gap;
        }
        const struct cell *cell = cell_at(grid, i, last);
        const struct column *column = &grid->columns[last];
        if (begun + column->columns <= width)
            put_cell(out, cell, column->columns, column->is_right);
        else
            put_wrapped(out, cell->at, cell->length, begun, begun, width);
        end_line(out);
    }
}

/* "sectors per req. (ideal)": the lines of the header, below each other. */
static void put_title(struct strbuf *out, const struct grid *grid, size_t column)
{
    for (size_t i = 0; i < grid->header_count; i++) {
        const struct cell *cell = cell_at(grid, i, column);
        if (!cell->length) continue;
        strbuf_printf(out, "%s%.*s", out->length ? " " : "", (int)cell->length, cell->at);
    }
}

/* A paragraph a row: its first cell, then title and value of the others. */
static void put_stacked(struct strbuf *out, const struct grid *grid, unsigned width)
{
    struct strbuf one = {0}, title = {0};
    for (size_t i = 0; i < grid->header_count; i++) {
        const struct cell *cell = cell_at(grid, i, 0);
        if (cell->length) put_wrapped(out, cell->at, cell->length, 0, GAP, width);
        if (cell->length) strbuf_putc(out, '\n');
    }
    for (size_t i = grid->header_count; i < grid->line_count; i++) {
        const struct cell *first = cell_at(grid, i, 0);
        size_t indent = 0;
        while (indent < first->length && first->at[indent] == ' ')
            indent++;
        one.length = 0;
        strbuf_append(&one, first->at, first->length);
        for (size_t c = 1; c < grid->column_count; c++) {
            const struct cell *cell = cell_at(grid, i, c);
            if (!cell->length || grid->columns[c].is_dropped) continue;
            title.length = 0;
            put_title(&title, grid, c);
            strbuf_printf(&one, "  %.*s%s%.*s", (int)title.length, title.length ? title.data : "",
                          title.length ? " " : "", (int)cell->length, cell->at);
        }
        put_wrapped(out, one.data, one.length, 0, (unsigned)indent + 2 * GAP, width);
        end_line(out);
    }
    strbuf_clear(&one);
    strbuf_clear(&title);
}

static void put_table(struct strbuf *out, struct grid *grid, unsigned width)
{
    for (int drops = 0; drops < 2; drops++) {
        for (size_t c = 0; drops && c < grid->column_count; c++)
            grid->columns[c].is_dropped = grid->columns[c].is_bar;
        for (unsigned gap = GAP; gap; gap--)
            if (table_width(grid, gap, grid->column_count) <= width) {
                put_rows(out, grid, gap, width);
                return;
            }
    }
    unsigned others = table_width(grid, 1, grid->column_count - 1) + 1;
    const struct column *last = &grid->columns[grid->column_count - 1];
    if (!last->is_right && !last->is_dropped && others + LEAST_WRAPPED <= width &&
        last->columns <= 4 * (width - others))
        put_rows(out, grid, 1, width);
    else
        put_stacked(out, grid, width);
}

/* ---- text -------------------------------------------------------------------------------------- */

static bool any_beyond(const struct line *lines, size_t count, unsigned width)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i].columns > width) return true;
    return false;
}

static unsigned widest(const struct line *lines, size_t count)
{
    unsigned most = 0;
    for (size_t i = 0; i < count; i++)
        if (lines[i].columns > most) most = lines[i].columns;
    return most;
}

/* Lines without a blank one between them. */
static void fit_block(struct strbuf *out, const struct line *lines, size_t count, unsigned width)
{
    size_t size = widest(lines, count);
    bool *blank = mem_zalloc(size + 1, sizeof *blank);
    for (size_t i = 0, used; i < count; i += used) {
        struct grid grid = {0};
        used = table_lines(lines + i, count - i, blank, size);
        bool is_wide = any_beyond(lines + i, used ? used : 1, width);
        if (is_wide && used > 1 && read_table(lines + i, used, blank, size, &grid)) {
            put_table(out, &grid, width);
            arena_clear(&grid.arena);
            continue;
        }
        arena_clear(&grid.arena);
        if (lines[i].columns > width) {
            used = wrap_lines(out, lines + i, count - i, (unsigned)size, width);
            continue;
        }
        used = used && !is_wide ? used : 1;
        for (size_t k = i; k < i + used; k++)
            strbuf_printf(out, "%.*s\n", (int)lines[k].length, lines[k].at);
    }
    mem_free(blank);
}

void reflow_text(struct strbuf *text, size_t from, unsigned width)
{
    struct line *lines = NULL;
    size_t count = 0, capacity = 0;
    for (size_t at = from; at < text->length;) {
        const char *start = text->data + at, *end = memchr(start, '\n', text->length - at);
        size_t length = end ? (size_t)(end - start) : text->length - at;
        GROW(lines, count, capacity);
        lines[count++] = (struct line){start, length, reflow_columns(start, length)};
        at += length + 1;
    }
    if (any_beyond(lines, count, width)) {
        struct strbuf out = {0};
        for (size_t i = 0, block; i < count; i += block) {
            for (block = 0; i + block < count && lines[i + block].length;)
                block++;
            if (block) fit_block(&out, lines + i, block, width);
            if (!block) strbuf_putc(&out, '\n');
            block += !block;
        }
        text->length = from;
        strbuf_append(text, out.data, out.length);
        strbuf_clear(&out);
    }
    mem_free(lines);
}
