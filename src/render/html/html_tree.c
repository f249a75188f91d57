// SPDX-License-Identifier: Apache-2.0
/* An answer as it is: figures as tables of name and value, lists and tables as sections. */
#include <stdio.h>
#include <string.h>

#include "render/html/html.h"

/* Pages stay below 2 MB: from so many bytes on they end. */
enum { ROWS_MAX = 400, COLUMNS_MAX = 24, FULL_PAGE = 1200000 };

static bool is_leaf(const struct node *node)
{
    return node->kind <= FIGURE_IS_WORD || node->kind == FIGURE_IS_MEASURED ||
           (node->kind >= FIGURE_IS_WORDS && node->kind <= FIGURE_IS_NUMBERS);
}

static void put_items(struct html *html, const struct node *node)
{
    for (size_t i = 0; i < node->value.item_count && i < ROWS_MAX; i++) {
        if (i) html_raw(html, ", ");
        if (node->kind == FIGURE_IS_WORDS)
            html_text(html, ((const char *const *)node->value.items)[i]);
        else if (node->kind == FIGURE_IS_COUNTS)
            html_textf(html, "%llu", (unsigned long long)((const uint64_t *)node->value.items)[i]);
        else
            html_number(html, ((const double *)node->value.items)[i], node_unit(node));
    }
}

static void put_leaf(struct html *html, const struct node *node)
{
    if (node->kind == FIGURE_IS_FLAG)
        html_text(html, node->value.count ? "yes" : "no");
    else if (node->kind == FIGURE_IS_WORD)
        html_text(html, node->value.text ? node->value.text : "unknown");
    else if (node->kind >= FIGURE_IS_WORDS && node->kind <= FIGURE_IS_NUMBERS)
        put_items(html, node);
    else
        html_value(html, node);
}

static const char *title_of(const struct node *node)
{
    return node->id ? node->id : "entry";
}

static void put_leaves(struct html *html, const struct node *node)
{
    static const struct html_column columns[] = {
        {.title = "figure", .is_code = true}, {.title = "value"}, {.title = "meaning"}};
    size_t count = 0;
    for (size_t i = 0; i < node->child_count; i++)
        count += is_leaf(&node->children[i]);
    if (!count) return;
    struct html_table table =
        html_open_table(html, node->record ? node->record->text : title_of(node), columns, 3);
    for (size_t i = 0; i < node->child_count; i++) {
        const struct node *leaf = &node->children[i];
        if (!is_leaf(leaf)) continue;
        html_row(&table, NULL);
        html_cell(&table, title_of(leaf));
        html_open_cell(&table);
        put_leaf(html, leaf);
        html_close_cell(&table);
        html_cell(&table, node_text(leaf));
    }
    html_close_table(&table);
}

/* Cells that have nodes of their own below them are left to the JSON. */
static void put_table(struct html *html, const struct node *node)
{
    struct html_column columns[COLUMNS_MAX];
    struct arena arena = {0};
    size_t count = 0, rows = node->value.item_count;
    if (!rows) return;
    struct node first = node_row(node, 0, &arena);
    for (size_t i = 0; i < first.child_count && count < COLUMNS_MAX; i++)
        if (is_leaf(&first.children[i]))
            columns[count++] = (struct html_column){.title = first.children[i].id,
                                                    .text = node_text(&first.children[i])};
    if (rows > ROWS_MAX)
        html_p(html, NULL, "The first %d of %zu rows; the others are in the JSON.", ROWS_MAX, rows);
    struct html_table table = html_open_table(html, node_text(node), columns, count);
    for (size_t i = 0; i < rows && i < ROWS_MAX; i++) {
        struct node row = node_row(node, i, &arena);
        html_row(&table, NULL);
        for (size_t k = 0; k < row.child_count && table.at < count; k++) {
            if (!is_leaf(&row.children[k])) continue;
            html_open_cell(&table);
            put_leaf(html, &row.children[k]);
            html_close_cell(&table);
        }
    }
    html_close_table(&table);
    arena_clear(&arena);
}

void html_tree(struct html *html, const struct node *node)
{
    if (node->kind == FIGURE_IS_TABLE) {
        put_table(html, node);
        return;
    }
    put_leaves(html, node);
    for (size_t i = 0; i < node->child_count; i++) {
        const struct node *child = &node->children[i];
        char id[24];
        if (is_leaf(child)) continue;
        if (html->out->length > FULL_PAGE) {
            html_p(html, NULL, "The page is full: the rest is in the JSON.");
            return;
        }
        snprintf(id, sizeof id, "%zu", i);
        html_part(html, html->level ? id : title_of(child), title_of(child), html->level < 2,
                  html_tree, child);
    }
}
