// SPDX-License-Identifier: Apache-2.0
/* Published results beside ours, by paper and section; curves as text that gnuplot reads (one data set a
 * series, `plot FILE index "NAME"`), and CSV with one line a value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/views.h"

enum { WIDTH = 96, ITEM_COLUMNS = 44, OURS_COLUMNS = 70 };

/* ---- rows ------------------------------------------------------------------------------------ */

static void put_wrapped(struct page *page, int indent, const char *text)
{
    while (*text) {
        size_t room = (size_t)(WIDTH - indent), length = strlen(text);
        if (length > room) {
            length = room;
            while (length && text[length] != ' ')
                length--;
            if (!length) length = room;
        }
        page_line(page, "%*s%.*s", indent, "", (int)length, text);
        text += length;
        while (*text == ' ')
            text++;
    }
}

/* A number or words; `otherwise` if there is neither. */
static void put_result(struct strbuf *out, const struct node *result, int digits,
                       const char *otherwise)
{
    if (!node_is_known(result))
        strbuf_puts(out, otherwise);
    else if (result->kind == FIGURE_IS_WORD)
        strbuf_puts(out, result->value.text);
    else
        strbuf_printf(out, "%.*g", digits, result->value.number);
}

static const char *unit_of(const struct node *row)
{
    const char *unit = node_word(row, "unit");
    return strcmp(unit, "1") ? unit : "";
}

static const char *verdict_of(const struct node *row)
{
    if (!node_is_known(node_child(row, "agrees"))) return "-";
    return node_flag(row, "agrees") ? "agrees" : "DIFFERS";
}

static bool is_word(const struct node *row, const char *id)
{
    return node_word(row, id) != NULL;
}

/* What the text states, what is judged of it, and what came out. */
static void put_statement(struct page *page, const struct node *row)
{
    const char *unit = unit_of(row), *item = node_word(row, "item");
    bool is_judged = node_is_known(node_child(row, "agrees")) || is_word(row, "ours");
    bool is_text = is_word(row, "published") && is_judged;
    struct strbuf line = {0};
    if (is_text) {
        strbuf_printf(&line, "judged: %s", item);
    } else {
        strbuf_puts(&line, "published: ");
        put_result(&line, node_child(row, "published"), 6, "");
        strbuf_printf(&line, "%s%s", *unit ? " " : "", unit);
    }
    put_wrapped(page, 2, is_text ? node_word(row, "published") : item);
    put_wrapped(page, 4, line.data);
    line.length = 0;
    strbuf_puts(&line, "ours: ");
    put_result(&line, node_child(row, "ours"), 5, "-");
    bool is_long = line.length > OURS_COLUMNS;
    if (is_long) put_wrapped(page, 4, line.data);
    page_line(page, "    %-73s%-10s %s", is_long ? "" : line.data, node_word(row, "evidence"),
              verdict_of(row));
    strbuf_clear(&line);
}

static void put_numbers(struct page *page, const struct node *row)
{
    struct strbuf published = {0}, ours = {0};
    put_result(&published, node_child(row, "published"), 6, "");
    put_result(&ours, node_child(row, "ours"), 5, "");
    page_line(page, "  %-*s %10s %10s %-7s %-10s %s", ITEM_COLUMNS, node_word(row, "item"),
              published.data, ours.data, unit_of(row), node_word(row, "evidence"), verdict_of(row));
    strbuf_clear(&published);
    strbuf_clear(&ours);
}

static void put_row(struct page *page, const struct node *row)
{
    const char *note = node_word(row, "note");
    bool differs = node_is_known(node_child(row, "agrees")) && !node_flag(row, "agrees");
    if (is_word(row, "published") || is_word(row, "ours") ||
        strlen(node_word(row, "item")) > ITEM_COLUMNS)
        put_statement(page, row);
    else
        put_numbers(page, row);
    if (note && (page->details == WS_DETAILS_ALL || differs)) put_wrapped(page, 6, note);
}

static void put_summary(struct page *page, const struct node *summary)
{
    page_blank(page);
    page_line(page,
              "%.0f rows. Of those whose inputs are printed or inferred, %.0f agree and %.0f "
              "differ.",
              node_number(summary, "rows"), node_number(summary, "agree"),
              node_number(summary, "differ"));
    page_line(page,
              "The others are no evidence: %.0f fitted, %.0f definitions, %.0f without the inputs "
              "to judge.",
              node_number(summary, "fitted"), node_number(summary, "definitions"),
              node_number(summary, "without_inputs"));
}

static void put_rows(struct page *page, const struct node *answer)
{
    const struct node *rows = node_child(answer, "rows"), *papers = node_child(answer, "papers");
    const char *paper = "", *section = "";
    for (size_t i = 0; rows && i < rows->child_count; i++) {
        const struct node *row = &rows->children[i];
        const char *own = node_word(row, "paper"), *part = node_word(row, "section");
        if (strcmp(own, paper) != 0) {
            const char *title = node_word(node_child(papers, own), "title");
            if (i) page_blank(page);
            page_line(page, "%s  %s", own, title ? title : "");
            page_line(page, "  %-*s %10s %10s %-7s %s", ITEM_COLUMNS, "", "published", "ours", "",
                      "evidence");
            section = "";
        }
        if (strcmp(part, section) != 0) page_line(page, " %s", part);
        paper = own;
        section = part;
        put_row(page, row);
    }
    if (rows) put_summary(page, node_child(answer, "summary"));
}

/* ---- curves ---------------------------------------------------------------------------------- */

static const double *values_of(const struct node *point)
{
    return node_child(point, "values")->value.items;
}

static void put_point(struct page *page, const struct node *point)
{
    const struct node *values = node_child(point, "values");
    struct strbuf line = {0};
    strbuf_printf(&line, "%11g", node_number(point, "x"));
    for (size_t i = 0; i < values->value.item_count; i++)
        if (isfinite(values_of(point)[i]))
            strbuf_printf(&line, " %13.6g", values_of(point)[i]);
        else
            strbuf_printf(&line, " %13s", "NaN");
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

static void put_series(struct page *page, const struct node *curve, const struct node *series)
{
    const struct node *columns = node_child(curve, "columns"),
                      *points = node_child(series, "points");
    struct strbuf line = {0};
    /* gnuplot takes the first comment of a data set as its name. */
    page_line(page, "# %s %s", curve->id, series->id);
    page_line(page, "# %s (%s)", node_word(curve, "title"), node_word(curve, "figure"));
    strbuf_printf(&line, "# %-9s", node_word(curve, "x"));
    for (size_t i = 0; i < columns->child_count; i++)
        strbuf_printf(&line, " %13s", columns->children[i].id);
    page_line(page, "%s", line.data);
    for (size_t i = 0; i < points->child_count; i++)
        put_point(page, &points->children[i]);
    page_blank(page);
    page_blank(page);
    strbuf_clear(&line);
}

static void put_curves(struct page *page, const struct node *curves)
{
    for (size_t i = 0; i < curves->child_count; i++) {
        const struct node *curve = &curves->children[i], *series = node_child(curve, "series");
        for (size_t k = 0; k < series->child_count; k++)
            put_series(page, curve, &series->children[k]);
    }
}

static const struct view_part parts[] = {{"", put_rows}, {"curves", put_curves}};

/* ---- CSV ------------------------------------------------------------------------------------- */

static void put_field(struct strbuf *out, const struct node *row, const char *id)
{
    const struct node *node = node_child(row, id);
    if (node && node->kind == FIGURE_IS_WORD)
        csv_put_text(out, node->value.text ? node->value.text : "");
    else if (node && node->kind == FIGURE_IS_FLAG)
        strbuf_puts(out, !node_is_known(node) ? "" : node->value.count ? "true" : "false");
    else if (node)
        csv_put_number(out, node_value(node));
}

static void csv_rows(struct strbuf *out, const struct node *rows)
{
    static const char *const before[] = {"id",        "paper", "section", "item",
                                         "published", "ours",  "unit"};
    strbuf_puts(out, "id,paper,section,item,published,ours,unit,tolerance_abs,tolerance_rel,"
                     "evidence,agrees,note\n");
    for (size_t i = 0; i < rows->child_count; i++) {
        const struct node *row = &rows->children[i], *tolerance = node_child(row, "tolerance");
        for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
            put_field(out, row, before[k]);
            strbuf_putc(out, ',');
        }
        csv_put_number(out, node_is_known(tolerance) ? node_number(tolerance, "abs") : 0);
        strbuf_putc(out, ',');
        csv_put_number(out, node_is_known(tolerance) ? node_number(tolerance, "rel") : 0);
        strbuf_putc(out, ',');
        put_field(out, row, "evidence");
        strbuf_putc(out, ',');
        put_field(out, row, "agrees");
        strbuf_putc(out, ',');
        put_field(out, row, "note");
        strbuf_putc(out, '\n');
    }
}

static void csv_point(struct strbuf *out, const struct node *curve, const struct node *series,
                      const struct node *point)
{
    const struct node *columns = node_child(curve, "columns");
    for (size_t i = 0; i < columns->child_count; i++) {
        if (!isfinite(values_of(point)[i])) continue;
        strbuf_printf(out, "%s,%s,%s,", curve->id, node_word(series, "kernel"),
                      node_word(series, "machine"));
        put_field(out, series, "blocks_per_sm");
        strbuf_printf(out, ",%s,", node_word(curve, "x"));
        put_field(out, point, "x");
        strbuf_printf(out, ",%s,", columns->children[i].id);
        csv_put_number(out, values_of(point)[i]);
        strbuf_printf(out, ",%s\n", node_word(&columns->children[i], "unit"));
    }
}

static void csv_curves(struct strbuf *out, const struct node *curves)
{
    strbuf_puts(out, "curve,kernel,machine,blocks_per_sm,x_name,x,column,value,unit\n");
    for (size_t i = 0; i < curves->child_count; i++) {
        const struct node *curve = &curves->children[i], *list = node_child(curve, "series");
        for (size_t k = 0; k < list->child_count; k++) {
            const struct node *series = &list->children[k], *points = node_child(series, "points");
            for (size_t p = 0; p < points->child_count; p++)
                csv_point(out, curve, series, &points->children[p]);
        }
    }
}

/* Rows if there are any: curves are of another kind. */
static void write_csv(struct strbuf *out, const struct node *answer)
{
    const struct node *rows = node_child(answer, "rows");
    if (rows)
        csv_rows(out, rows);
    else
        csv_curves(out, node_child(answer, "curves"));
}

const struct view view_papers = {
    .question = "papers",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .write_csv = write_csv,
};
