// SPDX-License-Identifier: Apache-2.0
/* The shortest report: a line a machine, and how many times faster the fastest is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/analyze_sections.h"

/* "h200", or "saxpy on h200" if there are several kernels. */
static void put_name(struct strbuf *out, const char *kernel, const char *machine, bool with_kernel)
{
    if (with_kernel) strbuf_printf(out, "%s on ", *kernel ? kernel : "(unnamed)");
    strbuf_puts(out, machine);
}

/* "3.58x speed of light", or that the time is this bound. */
static void put_light(struct strbuf *out, const struct node *machine)
{
    const struct node *best = best_estimate(machine), *bound = bound_estimate(machine);
    double least = node_number(bound, "time_s");
    if (best == bound)
        strbuf_puts(out, "speed of light");
    else if (bound && least > 0)
        strbuf_printf(out, "%s speed of light",
                      quantity_ratio(node_number(best, "time_s") / least).text);
    else
        strbuf_puts(out, "-");
}

static void put_energy(struct strbuf *out, const struct node *machine)
{
    const struct node *energy = node_child(node_child(machine, "power"), "energy");
    if (node_is_known(energy))
        strbuf_puts(out, quantity_format(node_value(energy), "J").text);
    else
        strbuf_puts(out, "- J");
}

enum { NAME, TIME, BAND, LIGHT, ENERGY, CELLS };

static void fill_cells(struct strbuf cells[CELLS], const struct node *kernel,
                       const struct node *machine, bool with_kernel)
{
    const struct node *best = best_estimate(machine), *headline = node_child(machine, "headline");
    for (size_t i = 0; i < CELLS; i++)
        strbuf_clear(&cells[i]);
    put_name(&cells[NAME], node_word(kernel, "name"), machine->id, with_kernel);
    if (!best) return;
    strbuf_printf(&cells[TIME], "%s%s", best == bound_estimate(machine) ? ">= " : "",
                  quantity_format(node_number(best, "time_s"), "s").text);
    put_band(&cells[BAND], headline, "", "");
    if (!cells[BAND].length) strbuf_puts(&cells[BAND], "  (error unknown)");
    put_light(&cells[LIGHT], machine);
    put_energy(&cells[ENERGY], machine);
}

void show_brief(struct page *page, const struct node *kernels)
{
    struct strbuf cells[CELLS] = {0};
    size_t widths[CELLS] = {0};
    bool several = kernels->child_count > 1;
    for (int is_shown = 0; is_shown < 2; is_shown++)
        for (size_t i = 0; i < kernels->child_count; i++) {
            const struct node *machines = node_child(&kernels->children[i], "machines");
            for (size_t k = 0; k < machines->child_count; k++) {
                const struct node *machine = &machines->children[k];
                fill_cells(cells, &kernels->children[i], machine, several);
                for (size_t c = 0; c < CELLS && !is_shown; c++)
                    if (cells[c].length > widths[c]) widths[c] = cells[c].length;
                if (!is_shown) continue;
                page_line(page, "%-*s  %*s%-*s  %*s  %*s  %s", (int)widths[NAME], cells[NAME].data,
                          (int)widths[TIME], cells[TIME].length ? cells[TIME].data : "-",
                          (int)widths[BAND], cells[BAND].length ? cells[BAND].data : "",
                          (int)widths[LIGHT], cells[LIGHT].length ? cells[LIGHT].data : "",
                          (int)widths[ENERGY], cells[ENERGY].length ? cells[ENERGY].data : "",
                          word_or(best_estimate(machine), "bottleneck",
                                  word_or(machine, "limit", "limit unknown")));
            }
        }
    for (size_t c = 0; c < CELLS; c++)
        strbuf_clear(&cells[c]);
}

void show_ratios(struct page *page, const struct node *comparisons, const struct node *kernels,
                 size_t max_rows)
{
    bool several = kernels->child_count > 1;
    const char *sign = page->utf8 ? "\u00b1" : "+-";
    for (size_t i = 0; i < comparisons->value.item_count && i < max_rows; i++) {
        struct arena arena = {0};
        struct strbuf line = {0};
        struct node row = node_row(comparisons, i, &arena);
        double ratio = node_number(&row, "ratio"), spread = node_number(&row, "spread");
        put_name(&line, node_word(&row, "kernel"), node_word(&row, "machine"), several);
        strbuf_printf(&line, " is %.3g", ratio);
        if (isfinite(spread)) strbuf_printf(&line, " %s %.2g", sign, spread);
        strbuf_puts(&line, " times faster than ");
        put_name(&line, node_word(&row, "other_kernel"), node_word(&row, "other_machine"), several);
        if (!isfinite(spread))
            strbuf_puts(&line, " (error unknown)");
        else if (!node_flag(&row, "distinct"))
            strbuf_puts(&line, " (within the error)");
        page_line(page, "%s", line.data);
        strbuf_clear(&line);
        arena_clear(&arena);
    }
}
