// SPDX-License-Identifier: Apache-2.0
/* Two machine files side by side: what differs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/views.h"

static const char not_known[] = "unknown";

static double side(const struct node *difference, size_t i)
{
    return ((const double *)node_child(difference, "values")->value.items)[i];
}

static const char *word(const struct node *words, size_t i)
{
    return ((const char *const *)words->value.items)[i];
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_row(struct page *page, const char *name, const char *first, const char *second,
                    const char *last)
{
    page_line(page, "%-36s %-18s %-18s %s", name, first, second, last);
}

static void put_kinds(struct page *page, const struct node *diff)
{
    const struct node *kinds = node_child(diff, "kinds"),
                      *capabilities = node_child(diff, "compute_capabilities");
    if (strcmp(word(kinds, 0), word(kinds, 1)) != 0)
        put_row(page, "kind", word(kinds, 0), word(kinds, 1), "");
    else if (capabilities && strcmp(word(capabilities, 0), word(capabilities, 1)) != 0)
        put_row(page, "compute capability", word(capabilities, 0), word(capabilities, 1), "");
}

static void put_value(struct page *page, const struct node *value)
{
    const char *unit = node_word(value, "unit");
    double ratio = node_number(value, "ratio");
    struct quantity sides[2];
    char key[64], last[64] = "-";
    snprintf(key, sizeof key, "machine.%s", value->id);
    for (size_t i = 0; i < 2; i++) {
        snprintf(sides[i].text, sizeof sides[i].text, "%s", not_known);
        if (!isnan(side(value, i))) sides[i] = quantity_binary(side(value, i), unit);
    }
    if (ratio >= 1)
        snprintf(last, sizeof last, "%s", quantity_format(ratio, "1").text);
    else if (ratio > 0)
        snprintf(last, sizeof last, "%.3g", ratio);
    put_row(page, key, sides[0].text, sides[1].text, last);
}

static void put_point(struct page *page, const struct node *point)
{
    char sides[2][64];
    for (size_t i = 0; i < 2; i++)
        snprintf(sides[i], sizeof sides[i], isnan(side(point, i)) ? not_known : "%.6g",
                 side(point, i));
    put_row(page, point->id, sides[0], sides[1], node_word(point, "unit"));
}

static void write_place(char out[96], const struct node *block)
{
    snprintf(out, 96, "%s", not_known);
    if (node_is_known(block))
        snprintf(out, 96, "%.4g,%.4g %.4gx%.4g", 1e3 * node_number(block, "x_metres"),
                 1e3 * node_number(block, "y_metres"), 1e3 * node_number(block, "width_metres"),
                 1e3 * node_number(block, "height_metres"));
}

static void put_block(struct page *page, const struct node *block)
{
    char first[96], second[96], key[96];
    write_place(first, node_child(block, "first"));
    write_place(second, node_child(block, "second"));
    snprintf(key, sizeof key, "floorplan.%s", block->id);
    page_line(page, "%-36s %-26s %-26s mm", key, first, second);
}

static void compose(struct page *page, const struct node *diff)
{
    static const struct {
        const char *id;
        compose_fn *put;
    } lists[] = {{"values", put_value}, {"points", put_point}, {"blocks", put_block}};
    const struct node *ids = node_child(diff, "machines");
    size_t start = page->out->length;
    put_row(page, "figure", word(ids, 0), word(ids, 1), "ratio");
    unsigned head = page->lines;
    put_kinds(page, diff);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct node *list = node_child(diff, lists[i].id);
        for (size_t k = 0; k < list->child_count; k++)
            lists[i].put(page, &list->children[k]);
    }
    if (page->lines > head) return;
    page->out->length = start;
    page_line(page, "no differences");
}

static const struct view_part parts[] = {{"", compose}};

/* ---- CSV ------------------------------------------------------------------------------------- */

/* The figures of the files; the machines' ids are titles. */
static void write_csv(struct strbuf *out, const struct node *diff)
{
    const struct node *ids = node_child(diff, "machines"), *values = node_child(diff, "values");
    strbuf_puts(out, "key,");
    csv_put_text(out, word(ids, 0));
    strbuf_putc(out, ',');
    csv_put_text(out, word(ids, 1));
    strbuf_puts(out, ",unit,ratio\n");
    for (size_t i = 0; i < values->child_count; i++) {
        const struct node *value = &values->children[i];
        strbuf_printf(out, "%s,", value->id);
        csv_put_number(out, side(value, 0));
        strbuf_putc(out, ',');
        csv_put_number(out, side(value, 1));
        strbuf_printf(out, ",%s,", node_word(value, "unit"));
        csv_put_number(out, node_number(value, "ratio"));
        strbuf_putc(out, '\n');
    }
}

const struct view view_machine_diff = {
    .question = "machine_diff",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .write_csv = write_csv,
};
