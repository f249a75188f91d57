// SPDX-License-Identifier: Apache-2.0
/* The split of a launch: verdict, blocks, energy, and the times of the split and of each device alone. */
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/views.h"

static struct quantity number(const struct node *node, const char *id, const char *unit)
{
    return quantity_format(node_number(node, id), unit);
}

static struct quantity energy(const struct node *times, const char *none)
{
    struct quantity text = {""};
    if (node_is_known(node_child(times, "energy_j"))) return number(times, "energy_j", "J");
    snprintf(text.text, sizeof text.text, "%s", none);
    return text;
}

static double percent(const struct node *node, const char *id)
{
    return 100 * node_number(node, id);
}

static void put_head(struct page *page, const struct node *pair)
{
    const struct node *link = node_child(pair, "link");
    page_line(page, "%s  %s  %s (%s) and %s (%s)", node_word(pair, "kernel"),
              quantity_of(node_number(pair, "blocks"), "block").text, node_word(pair, "gpu"),
              node_word(pair, "gpu_model"), node_word(pair, "cpu"), node_word(pair, "cpu_model"));
    if (node_is_known(link))
        page_line(page, "link      %s x%llu  %s achievable, %s per transfer; %s in, %s out",
                  node_word(link, "words"), (unsigned long long)node_count(link, "lanes"),
                  number(link, "bandwidth_b_s", "B/s").text, number(link, "latency_s", "s").text,
                  number(link, "bytes_in", "B").text, number(link, "bytes_out", "B").text);
}

static void put_verdict(struct page *page, const struct node *pair)
{
    const char *gpu = node_word(pair, "gpu"), *cpu = node_word(pair, "cpu");
    const char *verdict = node_word(pair, "verdict");
    const struct node *gpu_alone = node_child(pair, "gpu_alone"),
                      *cpu_alone = node_child(pair, "cpu_alone");
    bool is_gpu_better = node_number(gpu_alone, "time_s") <= node_number(cpu_alone, "time_s");
    double speedup = node_number(pair, "speedup");
    if (!strcmp(verdict, "split")) {
        page_line(page, "SPLIT     %.2f %% on %s, %.2f %% on %s: %s, %.2fx of %s alone",
                  percent(pair, "gpu_share"), gpu, percent(pair, "cpu_share"), cpu,
                  number(node_child(pair, "split"), "time_s", "s").text, speedup,
                  is_gpu_better ? gpu : cpu);
        return;
    }
    bool is_gpu = !strcmp(verdict, "gpu");
    page_line(page, "SPLIT     no: %s alone is as fast or faster, %s; %s would gain %.1f %%",
              is_gpu ? gpu : cpu, number(is_gpu_better ? gpu_alone : cpu_alone, "time_s", "s").text,
              is_gpu ? cpu : gpu, 100 * (speedup - 1));
}

static void put_row(struct page *page, const char *device, const char *alone,
                    const struct node *times)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", device, alone);
    page_line(page, "  %-28.28s %8.2f %% %10s %10s %10s %10s %10s", name,
              percent(times, "gpu_share"), number(times, "time_s", "s").text,
              number(times, "gpu_s", "s").text, number(times, "transfer_s", "s").text,
              number(times, "cpu_s", "s").text, energy(times, "-").text);
}

static void put_times(struct page *page, const struct node *pair)
{
    page_line(page, "  %-28s %10s %10s %10s %10s %10s %10s", "", "on GPU", "time", "GPU",
              "transfer", "CPU", "energy");
    put_row(page, "split", "", node_child(pair, "split"));
    put_row(page, node_word(pair, "gpu"), " alone", node_child(pair, "gpu_alone"));
    put_row(page, node_word(pair, "cpu"), " alone", node_child(pair, "cpu_alone"));
    page_line(page, "  by performance alone (5.9)   %8.2f %%", percent(pair, "printed_gpu_share"));
}

static void put_notes(struct page *page, const struct node *pair)
{
    static const char first[] = "Notes     ", further[] = "          ";
    bool ordered = node_flag(pair, "ordered"), atomics = node_flag(pair, "atomics");
    const char *reason = node_word(pair, "energy_reason");
    if (ordered)
        page_fill(page, first,
                  "the result depends on the block order (atomics): a split may change it");
    else if (atomics)
        page_fill(page, first,
                  "each device produces its own results of the atomics; the cost of combining them "
                  "is not modelled");
    page_fill(page, ordered || atomics ? further : first,
              "assumes equal work per block, and device times in proportion to their "
              "shares");
    if (node_is_known(node_child(pair, "link")))
        page_fill(page, further,
                  "assumes transferred bytes in proportion to the share, although data read by "
                  "every block is transferred whole");
    else
        page_fill(page, further, "transfers are ignored: add --transfer, e.g. pcie3x16");
    if (!reason) return;
    struct strbuf text = {0};
    strbuf_printf(&text, "energy: %s", reason);
    page_fill(page, further, text.data);
    strbuf_clear(&text);
}

static void compose_splits(struct page *page, const struct node *splits)
{
    for (size_t i = 0; i < splits->child_count; i++) {
        const struct node *pair = &splits->children[i];
        if (i) page_blank(page);
        put_head(page, pair);
        page_blank(page);
        put_verdict(page, pair);
        page_line(page, "BLOCKS    %llu on %s, %llu on %s",
                  (unsigned long long)node_count(pair, "gpu_blocks"), node_word(pair, "gpu"),
                  (unsigned long long)node_count(pair, "cpu_blocks"), node_word(pair, "cpu"));
        page_line(page, "ENERGY    %s",
                  energy(node_child(pair, "split"), "no power coefficients").text);
        page_blank(page);
        put_times(page, pair);
        page_blank(page);
        put_notes(page, pair);
    }
}

static const struct view_part parts[] = {{"splits", compose_splits}};

const struct view view_split = {
    .question = "split",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
};
