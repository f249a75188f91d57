// SPDX-License-Identifier: Apache-2.0
/* What is found, group by group; below what is not, what it is needed for and what to do. */
#include <string.h>

#include "base/quantity.h"
#include "render/views.h"

static void put_field(struct page *page, const char *lead, const char *text)
{
    if (text) page_fill(page, lead, text);
}

/* Two columns between the parts. */
static void put_part(struct strbuf *line, const char *text)
{
    if (text) strbuf_printf(line, "%s%s", line->length ? "  " : "", text);
}

static void put_check(struct page *page, const struct node *check)
{
    enum { NAME_COLUMNS = 19 };
    const char *state = node_word(check, "state");
    bool is_found = !strcmp(state, "found");
    struct strbuf lead = {0}, rest = {0};
    put_part(&rest, node_word(check, "version"));
    put_part(&rest, node_word(check, "where"));
    strbuf_printf(&lead, "  %-7s %-*s%s", state, rest.length ? NAME_COLUMNS : 0,
                  node_word(check, "id"), rest.length ? " " : "");
    page_fill(page, lead.data, rest.length ? rest.data : "");
    strbuf_clear(&lead);
    strbuf_clear(&rest);
    put_field(page, "          ", node_word(check, "problem"));
    if (is_found && page->details != WS_DETAILS_ALL) return;
    put_field(page, "          needed for: ", node_word(check, "needed_for"));
    if (!is_found) put_field(page, "          to do: ", node_word(check, "install"));
}

static void compose_checks(struct page *page, const struct node *checks)
{
    const char *group = "";
    for (size_t i = 0; i < checks->child_count; i++) {
        const struct node *check = &checks->children[i];
        const char *own = node_word(check, "group");
        if (strcmp(own, group) != 0) {
            if (i) page_blank(page);
            page_line(page, "%s", own);
        }
        group = own;
        put_check(page, check);
    }
    if (checks->child_count) page_blank(page);
}

static void compose_summary(struct page *page, const struct node *summary)
{
    double failed = node_number(summary, "core_failed");
    page_line(page, "%.0f found, %.0f missing, %.0f broken.", node_number(summary, "found"),
              node_number(summary, "missing"), node_number(summary, "broken"));
    if (failed > 0)
        page_line(page, "Predictions do not work here: %s of the core failed.",
                  quantity_of(failed, "check").text);
    else
        page_line(page, "Everything that predictions require works; the rest is optional.");
}

static const struct view_part parts[] = {{"checks", compose_checks}, {"summary", compose_summary}};

static const struct csv_column columns[] = {
    {"id", "id"},           {"group", "group"},           {"state", "state"},
    {"core", "core"},       {"version", "version"},       {"where", "where"},
    {"problem", "problem"}, {"needed_for", "needed_for"}, {"install", "install"},
};

static const struct csv_table table = {
    .rows = "checks",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
};

const struct view view_doctor = {
    .question = "doctor",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .csv = &table,
    .csv_count = 1,
};
