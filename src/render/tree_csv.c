// SPDX-License-Identifier: Apache-2.0
/* Any answer as CSV (RFC 4180): the table of its view, a line for each element of a list. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/views.h"

enum { LEVELS = 5 };

/* An element of a list, and those of the lists around it. */
struct csv_row {
    const struct node *levels[LEVELS]; /* the root first */
    unsigned depth;                    /* of the element itself */
};

void csv_put_text(struct strbuf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        strbuf_puts(out, text);
        return;
    }
    strbuf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"') strbuf_putc(out, '"');
        strbuf_putc(out, *text);
    }
    strbuf_putc(out, '"');
}

void csv_put_number(struct strbuf *out, double value)
{
    char text[NUMBER_TEXT];
    if (!isfinite(value)) return;
    number_exact(text, value);
    strbuf_puts(out, text);
}

static void put_words(struct strbuf *out, const struct node *node)
{
    const char *const *words = node->value.items;
    for (size_t i = 0; i < node->value.item_count; i++)
        strbuf_printf(out, "%s%s", i ? "+" : "", words[i]);
}

static void put_cell(struct strbuf *out, const struct node *node)
{
    if (!node_is_known(node)) return;
    if (node->kind == FIGURE_IS_WORD)
        csv_put_text(out, node->value.text);
    else if (node->kind == FIGURE_IS_WORDS)
        put_words(out, node);
    else if (node->kind == FIGURE_IS_COUNT)
        strbuf_printf(out, "%llu", (unsigned long long)node->value.count);
    else
        csv_put_number(out, node_value(node));
}

/* "fraction" is of the row, "^/machine" of the element around it, "/launch/block" of the root. */
static const struct node *find_cell(const struct csv_row *row, const char *path)
{
    unsigned level = row->depth;
    if (*path == '/') return node_find(row->levels[0], path + 1);
    for (; *path == '^'; path += 2)
        level--;
    return node_find(row->levels[level], path);
}

static void put_row(struct strbuf *out, const struct csv_table *table, const struct csv_row *row)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (i) strbuf_putc(out, ',');
        put_cell(out, find_cell(row, table->columns[i].path));
    }
    strbuf_putc(out, '\n');
}

static void put_rows(struct strbuf *out, const struct csv_table *table, const struct csv_row *at,
                     const char *path);

static void put_element(struct strbuf *out, const struct csv_table *table, const struct csv_row *at,
                        const struct node *element, const char *rest)
{
    struct csv_row row = *at;
    row.levels[++row.depth] = element;
    if (rest)
        put_rows(out, table, &row, rest);
    else
        put_row(out, table, &row);
}

/* Rows of the list or table at a path, each continued by `rest`. */
static void put_list(struct strbuf *out, const struct csv_table *table, const struct csv_row *at,
                     const char *path, const char *rest)
{
    const struct node *list = node_find(at->levels[at->depth], path);
    if (!node_is_known(list)) return;
    for (size_t i = 0; list->kind != FIGURE_IS_TABLE && i < list->child_count; i++)
        put_element(out, table, at, &list->children[i], rest);
    struct arena arena = {0};
    for (size_t i = 0; list->kind == FIGURE_IS_TABLE && i < list->value.item_count; i++) {
        struct node row = node_row(list, i, &arena);
        put_element(out, table, at, &row, rest);
        arena_clear(&arena);
    }
}

/* `path` from the innermost element; '*' stands for every element of a list, '+' is before another
 * path of the same rows. */
static void put_rows(struct strbuf *out, const struct csv_table *table, const struct csv_row *at,
                     const char *path)
{
    char step[64];
    const char *star = strstr(path, "/*");
    if (star) {
        snprintf(step, sizeof step, "%.*s", (int)(star - path), path);
        put_list(out, table, at, step, star[2] ? star + 3 : NULL);
        return;
    }
    for (const char *next; path; path = next) {
        size_t length = strcspn(path, "+");
        snprintf(step, sizeof step, "%.*s", (int)length, path);
        next = path[length] ? path + length + 1 : NULL;
        put_list(out, table, at, step, NULL);
    }
}

/* ---- long form ------------------------------------------------------------------------------- */

/* {SECTION/WORD}: of the element one level below the outermost. */
static void put_word_at(struct strbuf *text, const char *path, const struct csv_row *row)
{
    char section[32], id[32];
    size_t length = strcspn(path, "/");
    snprintf(section, sizeof section, "%.*s", (int)length, path);
    snprintf(id, sizeof id, "%.*s", (int)strcspn(path + length + 1, "}"), path + length + 1);
    const struct node *node = node_find(row->levels[2], section);
    const char *word = node ? node_word(node, id) : NULL;
    strbuf_puts(text, word ? word : "");
}

/* "%1/{power/model}/%2" with the keys of the elements and the word of one. */
static void put_metric(struct strbuf *out, const char *metric, const struct csv_row *row)
{
    struct strbuf text = {0};
    for (const char *at = metric; *at; at++) {
        if (*at == '%') {
            strbuf_puts(&text, row->levels[1 + *++at - '0']->id);
        } else if (*at == '{') {
            put_word_at(&text, at + 1, row);
            at = strchr(at, '}');
        } else {
            strbuf_putc(&text, *at);
        }
    }
    csv_put_text(out, text.data);
    strbuf_clear(&text);
}

static void put_series_line(struct strbuf *out, const struct csv_series *series,
                            const struct csv_row *row)
{
    const struct node *node = node_find(row->levels[row->depth], series->value);
    bool is_own = !*series->value;
    if (!node || !node_is_numeric(node) || (!is_own && !node_is_known(node))) return;
    bool has_interval = node_is_known(node) && series->has_interval;
    csv_put_text(out, row->levels[1]->id);
    strbuf_putc(out, ',');
    put_metric(out, series->metric, row);
    strbuf_putc(out, ',');
    csv_put_number(out, node_value(node));
    strbuf_printf(out, ",%s,", node_unit(node));
    if (has_interval) csv_put_number(out, node->measured->low);
    strbuf_putc(out, ',');
    if (has_interval) csv_put_number(out, node->measured->high);
    strbuf_printf(out, ",%s\n", origin_infos[node->origin].id);
}

static void put_series(struct strbuf *out, const struct csv_series *series,
                       const struct csv_row *at)
{
    for (; series->rows || series->metric; series++) {
        const struct node *list =
            series->rows ? node_find(at->levels[at->depth], series->rows) : NULL;
        if (!series->rows) put_series_line(out, series, at);
        for (size_t i = 0; list && i < list->child_count; i++) {
            struct csv_row row = *at;
            row.levels[++row.depth] = &list->children[i];
            if (series->inner)
                put_series(out, series->inner, &row);
            else
                put_series_line(out, series, &row);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Is what the table is for in the answer? */
static bool applies(const struct csv_table *table, const struct answer *answer)
{
    if (!table->if_present) return true;
    const struct node *node = node_find(&answer->root, table->if_present);
    if (!node_is_known(node)) return false;
    switch (node->kind) {
    case FIGURE_IS_FLAG:
        return node->value.count != 0;
    case FIGURE_IS_LIST:
    case FIGURE_IS_TABLE:
        return node->value.item_count != 0;
    default:
        return true;
    }
}

static bool is_named(const struct csv_table *table, const char *name)
{
    return table->name && !strcmp(table->name, name);
}

void render_csv(const struct answer *answer, const struct render_options *options,
                struct strbuf *out)
{
    const struct view *view = view_find(answer->question);
    const struct csv_table *table = view->csv;
    const struct csv_row root = {.levels = {&answer->root}};
    if (view->write_csv) {
        view->write_csv(out, &answer->root);
        return;
    }
    if (view->series) {
        strbuf_printf(out, "%s,metric,value,unit,lo,hi,from\n", view->series_name);
        put_series(out, view->series, &root);
        return;
    }
    while (options->table ? !is_named(table, options->table) : !applies(table, answer))
        table++;
    for (size_t i = 0; i < table->column_count; i++)
        strbuf_printf(out, "%s%s", i ? "," : "", table->columns[i].title);
    strbuf_putc(out, '\n');
    put_rows(out, table, &root, table->rows);
}
