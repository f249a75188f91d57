// SPDX-License-Identifier: Apache-2.0
/* The table of changes: three models a line, a row a change; watts and joules; then what must be said about some. */
#include <stdio.h>

#include "base/quantity.h"
#include "render/views.h"

enum { MODELS_A_LINE = 3 };

/* ---- text ------------------------------------------------------------------------------------ */

static void put_cell(struct strbuf *line, const struct node *estimate, bool is_first)
{
    const char *reason = node_word(estimate, "reason");
    struct quantity time = quantity_format(node_number(estimate, "time_s"), "s");
    if (reason)
        strbuf_printf(line, " %18s", reason);
    else if (is_first)
        strbuf_printf(line, " %10s        ", time.text);
    else
        strbuf_printf(line, " %10s %6.3gx", time.text, node_number(estimate, "gain"));
}

static void put_models(struct page *page, const struct node *estimates, size_t from, size_t end)
{
    struct strbuf line = {0};
    strbuf_printf(&line, "%-38s", "change");
    for (size_t i = from; i < end; i++) {
        const struct node *estimate = &estimates->children[i];
        strbuf_printf(&line, " %17s%s", node_word(estimate, "model"),
                      node_flag(estimate, "best") ? "*" : " ");
    }
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

static void put_row(struct page *page, const struct node *row, size_t from, size_t end,
                    bool is_first)
{
    const struct node *estimates = node_child(row, "estimates");
    struct strbuf line = {0};
    strbuf_printf(&line, "%-38.38s", node_word(row, "change"));
    for (size_t i = from; i < end; i++)
        put_cell(&line, &estimates->children[i], is_first);
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

static const char *why_no_watts(const struct node *row)
{
    return node_word(node_child(row, "power"), "reason");
}

static void put_power_row(struct page *page, const struct node *row, bool is_first)
{
    const struct node *power = node_child(row, "power");
    struct quantity watts = quantity_format(node_number(power, "gpu_w"), "W");
    struct quantity joules = quantity_format(node_number(power, "energy_j"), "J");
    struct strbuf line = {0};
    strbuf_printf(&line, "%-38.38s", node_word(row, "change"));
    if (why_no_watts(row))
        strbuf_printf(&line, " %18s", why_no_watts(row));
    else
        strbuf_printf(&line, " %10s %18s", watts.text, joules.text);
    if (!why_no_watts(row) && !is_first)
        strbuf_printf(&line, " %6.3gx", node_number(power, "energy_gain"));
    if (!why_no_watts(row) && node_flag(power, "exceeds_tdp")) strbuf_puts(&line, "  above TDP");
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

static void put_power(struct page *page, const struct node *rows)
{
    const struct node *base = node_child(&rows->children[0], "power");
    if (node_word(base, "reason")) {
        page_line(page, "Power unknown: %s", node_word(base, "reason"));
        return;
    }
    page_line(page,
              "Power by %s over the time of %s, energy / energy after:", node_word(base, "model"),
              node_word(base, "time_model"));
    page_line(page, "%-38s %10s %18s", "change", "power", "energy");
    for (size_t i = 0; i < rows->child_count; i++)
        put_power_row(page, &rows->children[i], i == 0);
}

static void put_machine(struct page *page, const struct node *machine)
{
    const struct node *rows = node_child(machine, "rows");
    const struct node *estimates = node_child(&rows->children[0], "estimates");
    page_blank(page);
    page_line(page, "machine   %s  %s", node_word(machine, "machine"), node_word(machine, "name"));
    for (size_t from = 0; from < estimates->child_count; from += MODELS_A_LINE) {
        size_t left = estimates->child_count - from;
        size_t end = from + (left < MODELS_A_LINE ? left : MODELS_A_LINE);
        put_models(page, estimates, from, end);
        for (size_t i = 0; i < rows->child_count; i++)
            put_row(page, &rows->children[i], from, end, i == 0);
    }
    put_power(page, rows);
}

static void put_note(struct page *page, const struct node *row)
{
    const char *change = node_word(row, "change"), *why = node_word(row, "impossible");
    const char *launch = node_word(row, "launch");
    if (why)
        page_line(page, "%s: impossible: %s", change, why);
    else if (node_flag(row, "executed_again"))
        page_line(page, "%s: the kernel was executed again%s%s", change, launch ? ", " : "",
                  launch ? launch : "");
}

static void put_surprise(struct page *page, const struct node *row)
{
    struct strbuf text = {0};
    const char *surprise = node_word(row, "surprise");
    if (!surprise) return;
    strbuf_printf(&text, "%s: %s", node_word(row, "change"), surprise);
    page_fill(page, "  ! ", text.data);
    strbuf_clear(&text);
}

static void compose(struct page *page, const struct node *whatif)
{
    const struct node *machines = node_child(whatif, "machines");
    const struct node *rows = node_child(&machines->children[0], "rows");
    page_line(page, "%s", node_word(whatif, "kernel"));
    for (size_t i = 0; i < machines->child_count; i++)
        put_machine(page, &machines->children[i]);
    page_line(page,
              "Gains are time / time after: alternatives, they do not add up.   * suits this GPU "
              "best");
    for (size_t i = 0; i < rows->child_count; i++)
        put_note(page, &rows->children[i]);
    for (size_t i = 0; i < rows->child_count; i++)
        put_surprise(page, &rows->children[i]);
}

static const struct view_part parts[] = {{"", compose}};

/* ---- CSV ------------------------------------------------------------------------------------- */

static void put_line(struct strbuf *out, const char *machine, const struct node *row,
                     const struct node *estimate)
{
    const char *why = node_word(row, "impossible"), *reason = node_word(estimate, "reason");
    struct strbuf said = {0};
    strbuf_printf(&said, "%s%s%s", reason ? reason : "", why ? ": " : "", why ? why : "");
    strbuf_printf(out, "%s,", machine);
    csv_put_text(out, node_word(row, "change"));
    strbuf_printf(out, ",%s,", node_word(estimate, "model"));
    csv_put_number(out, node_number(estimate, "time_s"));
    strbuf_putc(out, ',');
    csv_put_number(out, node_number(estimate, "gain"));
    strbuf_putc(out, ',');
    csv_put_text(out, said.data);
    strbuf_putc(out, '\n');
    strbuf_clear(&said);
}

static void write_csv(struct strbuf *out, const struct node *whatif)
{
    const struct node *machines = node_child(whatif, "machines");
    strbuf_puts(out, "machine,change,model,time_s,gain,reason\n");
    for (size_t m = 0; m < machines->child_count; m++) {
        const struct node *machine = &machines->children[m], *rows = node_child(machine, "rows");
        for (size_t r = 0; r < rows->child_count; r++) {
            const struct node *row = &rows->children[r], *estimates = node_child(row, "estimates");
            for (size_t i = 0; i < estimates->child_count; i++)
                put_line(out, node_word(machine, "machine"), row, &estimates->children[i]);
        }
    }
}

const struct view view_whatif = {
    .question = "whatif",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .write_csv = write_csv,
};
