// SPDX-License-Identifier: Apache-2.0
/* The terms of a closed form, one a line, with all their digits. */
#include "render/views.h"

static void put_terms(struct page *page, const struct node *terms)
{
    for (size_t i = 0; i < terms->child_count; i++)
        page_line(page, "%-20s %.15g", terms->children[i].id, terms->children[i].value.number);
}

static const struct view_part parts[] = {{"terms", put_terms}};

static void write_csv(struct strbuf *out, const struct node *answer)
{
    const struct node *terms = node_child(answer, "terms");
    strbuf_puts(out, "term,value\n");
    for (size_t i = 0; i < terms->child_count; i++) {
        strbuf_printf(out, "%s,", terms->children[i].id);
        csv_put_number(out, terms->children[i].value.number);
        strbuf_putc(out, '\n');
    }
}

const struct view view_closed_form = {
    .question = "closed_form",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .write_csv = write_csv,
};
