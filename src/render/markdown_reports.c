// SPDX-License-Identifier: Apache-2.0
/* The reports of `analyze` and `run` in Markdown: a row for each kernel on each machine. */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "render/markdown.h"

static void put_cell(struct strbuf *out, const char *text)
{
    markdown_put_text(out, text);
    strbuf_puts(out, " | ");
}

static void put_number(struct strbuf *out, double value, const char *unit)
{
    put_cell(out, isnan(value) ? "" : quantity_format(value, unit).text);
}

static void put_band(struct strbuf *out, const struct node *headline)
{
    double low = node_number(headline, "lo"), high = node_number(headline, "hi");
    if (!isnan(low) && !isnan(high)) {
        markdown_put_text(out, quantity_format(low, "s").text);
        strbuf_puts(out, " to ");
        markdown_put_text(out, quantity_format(high, "s").text);
    }
    strbuf_puts(out, " | ");
}

/* The suggestion that gains most, with its line. */
static void put_advice(struct strbuf *out, const struct node *machine)
{
    const struct node *advice = node_child(machine, "advice");
    if (advice->child_count) {
        const struct node *first = &advice->children[0];
        double gain = node_number(first, "gain");
        strbuf_printf(out, "%s ", node_word(first, "code"));
        markdown_put_text(out, node_word(first, "title"));
        if (!isnan(gain)) strbuf_printf(out, " (%s)", quantity_ratio(gain).text);
        if (node_word(first, "where") && *node_word(first, "where")) {
            strbuf_puts(out, " ");
            markdown_put_code(out, node_word(first, "where"));
        }
    }
    strbuf_puts(out, " |\n");
}

static void put_machine(struct strbuf *out, const struct node *kernel, const struct node *machine)
{
    const struct node *headline = node_child(machine, "headline");
    strbuf_puts(out, "| ");
    markdown_put_code(out, node_word(kernel, "name"));
    strbuf_puts(out, " | ");
    put_cell(out, node_word(machine, "machine"));
    if (node_word(headline, "below_bound")) strbuf_puts(out, "≥ ");
    put_number(out, node_number(headline, "time_s"), "s");
    put_band(out, headline);
    put_cell(out, node_word(machine, "limit"));
    put_number(out, node_value(node_find(machine, "power/energy")), "J");
    put_advice(out, machine);
}

static void put_analyzed(struct strbuf *out, const struct node *report)
{
    const struct node *kernels = node_child(report, "kernels");
    size_t rows = 0;
    for (size_t i = 0; i < kernels->child_count; i++) {
        const struct node *kernel = &kernels->children[i],
                          *machines = node_child(kernel, "machines");
        for (size_t m = 0; m < machines->child_count; m++) {
            if (!rows++)
                markdown_put_head(out, "kernel|machine|>time|band|limit|>energy|first suggestion");
            put_machine(out, kernel, &machines->children[m]);
        }
        if (!machines->child_count) {
            strbuf_puts(out, "- ");
            markdown_put_code(out, node_word(kernel, "name"));
            strbuf_puts(out, ": counted, no machine given\n");
        }
    }
}

void render_analyze_markdown(const struct answer *answer, const struct render_options *options,
                             struct strbuf *out)
{
    (void)options;
    put_analyzed(out, &answer->root);
}

void render_run_markdown(const struct answer *answer, const struct render_options *options,
                         struct strbuf *out)
{
    const struct node *run = &answer->root, *kernels = node_child(run, "kernels");
    (void)options;
    markdown_put_text(out, node_word(run, "machine_name"));
    strbuf_printf(
        out, ": %s in ",
        quantity_of((double)node_count(node_child(run, "totals"), "launches"), "launch").text);
    markdown_put_text(out, quantity_format(node_number(run, "time_s"), "s").text);
    strbuf_puts(out, " (predicted)\n\n");
    if (kernels->child_count)
        markdown_put_head(out, "kernel|>launches|>time|>share|>mean|limit of the heaviest");
    for (size_t i = 0; i < kernels->child_count; i++) {
        const struct node *kernel = &kernels->children[i];
        double share = node_number(kernel, "share");
        strbuf_puts(out, "| ");
        markdown_put_code(out, node_word(kernel, "name"));
        strbuf_puts(out, " | ");
        put_number(out, (double)node_count(kernel, "launches"), "1");
        put_number(out, node_number(kernel, "time_s"), "s");
        if (!isnan(share)) strbuf_printf(out, "%.1f %%", 100 * share);
        strbuf_puts(out, " | ");
        put_number(out, node_number(kernel, "mean_s"), "s");
        markdown_put_text(out, node_word(kernel, "bottleneck"));
        strbuf_puts(out, " |\n");
    }
}
