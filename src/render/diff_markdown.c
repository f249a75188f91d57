// SPDX-License-Identifier: Apache-2.0
/* The question `diff` as a comment on a pull request: a table of times, the gate, and what changed folded up. */
#include <math.h>
#include <string.h>

#include "render/diff_words.h"
#include "render/markdown.h"

enum { ROWS_SHOWN = 30 };

static void put_cell(struct strbuf *out, const char *text)
{
    markdown_put_text(out, text);
    strbuf_puts(out, " | ");
}

static void put_code_cell(struct strbuf *out, const char *text)
{
    markdown_put_code(out, text);
    strbuf_puts(out, " | ");
}

/* ---- times ----------------------------------------------------------------------------------- */

static void put_time(struct strbuf *out, const struct node *kernel, const struct node *machine)
{
    const struct node *time = node_child(machine, "time");
    const char *verdict = node_word(machine, "verdict");
    strbuf_puts(out, "| ");
    put_code_cell(out, node_word(kernel, "name"));
    put_cell(out, node_word(machine, "machine"));
    put_cell(out, diff_value(time, "a", "s").text);
    put_cell(out, diff_value(time, "b", "s").text);
    put_cell(out, diff_change(time).text);
    put_cell(out, diff_band(time).text);
    strbuf_printf(out, !strcmp(verdict, "same") ? "%s |\n" : "**%s** |\n", verdict);
}

static void put_times(struct strbuf *out, const struct node *kernels)
{
    size_t rows = 0;
    for (size_t i = 0; i < kernels->child_count; i++) {
        const struct node *machines = node_child(&kernels->children[i], "machines");
        for (size_t m = 0; m < machines->child_count; m++) {
            if (!rows++)
                markdown_put_head(out, "kernel|machine|>before|>after|>change|>band of the "
                                       "ratio|verdict");
            put_time(out, &kernels->children[i], &machines->children[m]);
        }
    }
    if (rows) strbuf_putc(out, '\n');
}

/* ---- what changed ---------------------------------------------------------------------------- */

static void put_changes(struct strbuf *out, const char *title, const struct node *list)
{
    size_t shown = 0;
    for (size_t i = 0; i < list->child_count && shown < ROWS_SHOWN; i++) {
        const struct node *one = &list->children[i];
        if (!diff_is_usual(one)) continue;
        if (!shown++) {
            strbuf_putc(out, '\n');
            markdown_put_head(out, title);
        }
        const char *unit = node_word(one, "unit"), *reason = node_word(one, "reason");
        struct quantity change = diff_change(one);
        strbuf_puts(out, "| ");
        put_code_cell(out, node_word(one, "id"));
        put_cell(out, diff_value(one, "a", unit).text);
        put_cell(out, diff_value(one, "b", unit).text);
        markdown_put_text(out, *change.text || !reason ? change.text : reason);
        strbuf_puts(out, " |\n");
    }
    if (list->child_count > shown)
        strbuf_printf(out, "\n%zu more in the JSON.\n", list->child_count - shown);
}

static void put_words(struct strbuf *out, const struct node *list)
{
    for (size_t i = 0; i < list->child_count; i++) {
        const struct node *one = &list->children[i];
        strbuf_puts(out, "- ");
        markdown_put_code(out, node_word(one, "id"));
        strbuf_puts(out, ": ");
        markdown_put_text(out, node_word(one, "a") ? node_word(one, "a") : "none");
        strbuf_puts(out, " → ");
        markdown_put_text(out, node_word(one, "b") ? node_word(one, "b") : "none");
        strbuf_putc(out, '\n');
    }
}

static void put_findings(struct strbuf *out, const struct node *list)
{
    for (size_t i = 0; i < list->child_count; i++) {
        const struct node *one = &list->children[i];
        double before = node_number(one, "a_gain"), after = node_number(one, "b_gain");
        strbuf_printf(out, "- %s: %s ", node_word(one, "status"), node_word(one, "code"));
        markdown_put_text(out, node_word(one, "title"));
        const char *where = node_word(one, "where");
        if (where && *where) {
            strbuf_puts(out, ", ");
            markdown_put_code(out, where);
        }
        if (!isnan(before)) strbuf_printf(out, ", gain %s", quantity_ratio(before).text);
        if (!isnan(after))
            strbuf_printf(out, "%s%s", isnan(before) ? ", gain " : " → ",
                          quantity_ratio(after).text);
        strbuf_putc(out, '\n');
    }
}

static void put_reasons(struct strbuf *out, const struct node *texts)
{
    for (size_t i = 0; i < texts->value.item_count; i++) {
        strbuf_puts(out, "- not compared: ");
        markdown_put_text(out, ((const char *const *)texts->value.items)[i]);
        strbuf_putc(out, '\n');
    }
}

static void put_kernel(struct strbuf *out, const struct node *kernel)
{
    const struct node *machines = node_child(kernel, "machines");
    strbuf_puts(out, "<details><summary>");
    markdown_put_code(out, node_word(kernel, "name"));
    strbuf_printf(out, ": %s</summary>\n\n", node_word(kernel, "verdict"));
    put_reasons(out, node_child(kernel, "reasons"));
    put_words(out, node_child(kernel, "words"));
    put_changes(out, "counter|>before|>after|>change", node_child(kernel, "changes"));
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *machine = &machines->children[i];
        strbuf_puts(out, "\n**");
        markdown_put_text(out, node_word(machine, "machine"));
        strbuf_puts(out, "**\n\n");
        put_reasons(out, node_child(machine, "reasons"));
        put_words(out, node_child(machine, "words"));
        put_findings(out, node_child(machine, "findings"));
        put_changes(out, "figure|>before|>after|>change", node_child(machine, "changes"));
    }
    strbuf_puts(out, "\n</details>\n");
}

/* ---- gate ------------------------------------------------------------------------------------ */

static void put_checks(struct strbuf *out, const struct node *table)
{
    struct arena arena = {0};
    size_t shown = 0;
    for (size_t i = 0; i < table->value.item_count; i++) {
        struct node row = node_row(table, i, &arena);
        const char *unit = node_word(&row, "unit"), *machine = node_word(&row, "machine"),
                   *reason = node_word(&row, "reason"), *result = node_word(&row, "result");
        double worse = node_number(&row, "worse_by");
        if (!strcmp(result, "passed") || shown++ >= ROWS_SHOWN) continue;
        if (shown == 1)
            markdown_put_head(out, "kernel|machine|metric|>before|>after|>worse by|result");
        strbuf_puts(out, "| ");
        put_code_cell(out, node_word(&row, "kernel"));
        put_cell(out, machine ? machine : "");
        put_code_cell(out, node_word(&row, "metric"));
        put_cell(out, diff_value(&row, "a", unit).text);
        put_cell(out, diff_value(&row, "b", unit).text);
        put_cell(out, isfinite(worse) ? diff_percent(worse).text : "");
        markdown_put_text(out, result);
        strbuf_puts(out, reason ? ": " : "");
        markdown_put_text(out, reason);
        strbuf_puts(out, " |\n");
    }
    if (shown) strbuf_putc(out, '\n');
    arena_clear(&arena);
}

static void put_gate(struct strbuf *out, const struct node *gate)
{
    const struct node *names = node_child(gate, "metrics");
    strbuf_printf(out, "Gate **%s**: ", node_word(gate, "result"));
    for (size_t i = 0; i < names->value.item_count; i++) {
        if (i) strbuf_puts(out, ", ");
        markdown_put_code(out, ((const char *const *)names->value.items)[i]);
    }
    strbuf_printf(out, " may be worse by %s; %llu passed, %llu failed, %llu incomparable.\n\n",
                  diff_percent(node_number(gate, "fail_over")).text,
                  (unsigned long long)node_count(gate, "passed"),
                  (unsigned long long)node_count(gate, "failed"),
                  (unsigned long long)node_count(gate, "incomparable"));
    put_checks(out, node_child(gate, "checks"));
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void put_missing(struct strbuf *out, const struct node *diff)
{
    const struct node *list = node_child(diff, "missing");
    for (size_t i = 0; i < list->child_count && i < ROWS_SHOWN; i++) {
        const struct node *one = &list->children[i];
        strbuf_puts(out, "- only in ");
        markdown_put_code(out, node_word(node_child(diff, node_word(one, "only_in")), "file"));
        strbuf_puts(out, ": ");
        markdown_put_code(out, node_word(one, "kernel"));
        if (node_word(one, "machine")) strbuf_puts(out, " on ");
        markdown_put_text(out, node_word(one, "machine"));
        strbuf_putc(out, '\n');
    }
    if (list->child_count > ROWS_SHOWN)
        strbuf_printf(out, "- %zu more in the JSON\n", list->child_count - ROWS_SHOWN);
    if (list->child_count) strbuf_putc(out, '\n');
}

static void put_notes(struct strbuf *out, const struct node *notes)
{
    for (size_t i = 0; i < notes->value.item_count; i++) {
        strbuf_puts(out, "- ");
        markdown_put_text(out, ((const char *const *)notes->value.items)[i]);
        strbuf_putc(out, '\n');
    }
    if (notes->value.item_count) strbuf_putc(out, '\n');
}

void render_diff_markdown(const struct answer *answer, const struct render_options *options,
                          struct strbuf *out)
{
    const struct node *diff = &answer->root, *kernels = node_child(diff, "kernels");
    const struct node *gate = node_child(diff, "gate");
    (void)options;
    strbuf_printf(out, "### warpsage: %s\n\n", node_word(diff, "verdict"));
    markdown_put_code(out, node_word(node_child(diff, "a"), "file"));
    strbuf_puts(out, " → ");
    markdown_put_code(out, node_word(node_child(diff, "b"), "file"));
    strbuf_printf(out,
                  ": %llu same, %llu better, %llu worse, %llu incomparable (predicted times)\n\n",
                  (unsigned long long)node_count(diff, "same"),
                  (unsigned long long)node_count(diff, "better"),
                  (unsigned long long)node_count(diff, "worse"),
                  (unsigned long long)node_count(diff, "incomparable"));
    if (node_is_known(gate)) put_gate(out, gate);
    put_times(out, kernels);
    put_missing(out, diff);
    put_notes(out, node_child(diff, "notes"));
    for (size_t i = 0; i < kernels->child_count; i++)
        put_kernel(out, &kernels->children[i]);
}
