// SPDX-License-Identifier: Apache-2.0
/* The upper part of a report: what ran where, and the answer in four lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/analyze_sections.h"

/* ---- what ran ---------------------------------------------------------------------------------- */

/* "64x64" or "65,536": without dimensions of one. */
static void format_shape(char *out, size_t size, const struct node *shape)
{
    const uint64_t *x = shape->value.items;
    if (x[2] > 1)
        snprintf(out, size, "%llux%llux%llu", (unsigned long long)x[0], (unsigned long long)x[1],
                 (unsigned long long)x[2]);
    else if (x[1] > 1)
        snprintf(out, size, "%llux%llu", (unsigned long long)x[0], (unsigned long long)x[1]);
    else
        snprintf(out, size, "%llu", (unsigned long long)x[0]);
}

void put_launch(struct strbuf *out, const struct node *kernel)
{
    const struct node *launch = node_child(kernel, "launch");
    bool opencl = node_flag(kernel, "is_opencl");
    char grid[72], block[72];
    double blocks = (double)node_count(launch, "blocks"),
           threads = (double)node_count(launch, "threads_per_block"),
           shared = (double)node_count(launch, "shared_bytes");
    format_shape(grid, sizeof grid, node_child(launch, opencl ? "global_size" : "grid"));
    format_shape(block, sizeof block, node_child(launch, "block"));
    strbuf_printf(out, opencl ? "global %s (%s)  local %s (%s)" : "grid %s (%s)  block %s (%s)",
                  grid, quantity_of(blocks, opencl ? "work-group" : "block").text, block,
                  quantity_of(threads, opencl ? "work-item" : "thread").text);
    if (shared > 0)
        strbuf_printf(out, "  shared %s%s", opencl ? "memory " : "",
                      quantity_format(shared, "B").text);
}

/* What the counts are of, and how many blocks they rest on. */
void put_method(struct strbuf *out, const struct node *kernel)
{
    const struct node *profile = node_child(kernel, "profile"),
                      *executed = node_child(profile, "blocks.executed");
    bool viewed = node_is_known(node_child(profile, "inst.ptx.warp"));
    bool native = kernel_is_native(kernel), partial = node_flag(kernel, "partial");
    double blocks = (double)node_count(node_child(kernel, "launch"), "blocks");
    const char *isa = node_word(kernel, "isa"), *from = strstr(isa, " from ");
    bool is_recorded = native && strstr(isa, "trace version");
    strbuf_puts(out, native   ? "native instruction counts"
                     : viewed ? "PTX instruction counts, adjusted to native code"
                              : "PTX instruction counts, not native");
    enum origin origin = executed ? executed->origin : ORIGIN_NONE;
    if (origin == ORIGIN_EMULATED || origin == ORIGIN_SAMPLED || origin == ORIGIN_MEASURED)
        strbuf_printf(out, "; %s%s %s%s",
                      partial                                        ? "PARTIAL: "
                      : node_value(executed) < blocks || blocks == 1 ? ""
                                                                     : "all ",
                      quantity_of(node_value(executed), "block").text,
                      partial       ? "started"
                      : is_recorded ? "recorded"
                                    : "executed",
                      node_number(kernel, "sampled_fraction") < 1 ? " (a sample)" : "");
    strbuf_printf(out, "; %.*s", (int)(from ? from - isa : (long)strlen(isa)), isa);
}

void show_kernel(struct page *page, const struct node *kernel)
{
    /* A long template name must not push the launch out of the line. */
    unsigned room = page->width > 66 ? page->width - 56 : 24;
    const char *name = node_word(kernel, "name");
    bool cut = strlen(name) > room;
    struct strbuf launch = {0}, method = {0};
    put_launch(&launch, kernel);
    put_method(&method, kernel);
    page_line(page, "%.*s%s  %s", (int)(cut ? room - 2 : room), *name ? name : "(unnamed)",
              cut ? ".." : "", launch.data);
    page_line(page, "method    %s", method.data);
    strbuf_clear(&launch);
    strbuf_clear(&method);
}

/* "  80 SMs" if it is known. */
static void put_known(struct strbuf *out, const struct node *parent, const char *id)
{
    const struct node *node = node_child(parent, id);
    if (node_is_known(node))
        strbuf_printf(out, "  %s", quantity_format(node_value(node), node_unit(node)).text);
}

void put_machine(struct strbuf *out, const struct node *machine)
{
    const struct node *hardware = node_child(machine, "hardware");
    strbuf_printf(out, "%s  ", node_word(machine, "name"));
    if (machine_is_cpu(machine))
        strbuf_printf(out, "CPU  %s", quantity_of(node_number(hardware, "cores"), "core").text);
    else
        strbuf_printf(out, "cc %s", node_word(machine, "compute_capability"));
    if (node_is_known(node_child(hardware, "sm_count")))
        strbuf_printf(out, "  %s", quantity_of(node_number(hardware, "sm_count"), "SM").text);
    put_known(out, hardware, "core_clock");
    put_known(out, hardware, "dram_bandwidth");
}

void show_machine(struct page *page, const struct node *machine)
{
    struct strbuf line = {0};
    put_machine(&line, machine);
    page_line(page, "machine   %s  %s", machine->id, line.data);
    strbuf_clear(&line);
}

/* ---- the answer -------------------------------------------------------------------------------- */

const char *word_or(const struct node *node, const char *id, const char *otherwise)
{
    const char *word = node_word(node, id);
    return word ? word : otherwise;
}

/* "  (band 405 to 500 us: two of three kernels of its set)", "  (up to 299 us: mean error 25 %)" where the
 * time is the least that there can be; "" if it is not known. */
void put_band(struct strbuf *out, const struct node *headline, const char *word,
              const char *meaning)
{
    double time = node_number(headline, "time_s"), least = node_number(headline, "lo"),
           most = node_number(headline, "hi");
    if (isnan(least)) return;
    struct quantity low = quantity_format(least, "s"), high = quantity_format(most, "s");
    const char *low_unit = strchr(low.text, ' '), *high_unit = strchr(high.text, ' ');
    bool same_unit = low_unit && high_unit && !strcmp(low_unit, high_unit);
    int digits = (int)(same_unit ? low_unit - low.text : (long)strlen(low.text));
    if (isnan(most))
        strbuf_printf(out, "  (%sfrom %s", word, low.text);
    else if (least < time)
        strbuf_printf(out, "  (%s%.*s to %s", word, digits, low.text, high.text);
    else
        strbuf_printf(out, "  (up to %s", high.text);
    strbuf_printf(out, "%s%s)", *meaning ? ": " : "", meaning);
}

/* " by teg   speed of light: 300 us = 1.49x" */
static void put_bound(struct strbuf *out, const struct node *machine, bool with_bound)
{
    const struct node *best = best_estimate(machine), *bound = bound_estimate(machine);
    double least = node_number(bound, "time_s");
    if (bound == best || !bound)
        strbuf_puts(out, " (speed of light)");
    else if (with_bound)
        strbuf_printf(out, " by %s   speed of light: %s = %s", best->id,
                      quantity_format(least, "s").text,
                      quantity_ratio(node_number(best, "time_s") / least).text);
    else
        strbuf_printf(out, " by %s", best->id);
}

/* TIME with as much of the rest as fits the width: the words of the band go first, then the speed of
 * light, which the list of models has, too. */
static void show_time(struct page *page, const struct node *machine)
{
    const struct node *headline = node_child(machine, "headline"), *best = best_estimate(machine);
    const char *meaning = word_or(headline, "band", ""),
               *brief = word_or(headline, "band_brief", "");
    const struct {
        const char *word, *meaning;
        bool with_bound;
    } forms[] = {{"band ", meaning, true}, {"", brief, true}, {"", "", true}};
    if (!best) return;
    struct strbuf line = {0};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        strbuf_clear(&line);
        strbuf_printf(&line, "TIME      %s%s", best == bound_estimate(machine) ? ">= " : "",
                      quantity_format(node_number(best, "time_s"), "s").text);
        put_band(&line, headline, forms[i].word, forms[i].meaning);
        put_bound(&line, machine, forms[i].with_bound);
        if (line.length <= page->width) break;
    }
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

/* Without the first words in parentheses. */
static void drop_parentheses(struct strbuf *text)
{
    char *open = strstr(text->data, " ("), *close = open ? strchr(open, ')') : NULL;
    if (!close) return;
    memmove(open, close + 1, strlen(close + 1) + 1);
    text->length = strlen(text->data);
}

/* How to get the energy that is unknown; the whole reason is in other formats. A quiet report has one line for it,
 * without the words in parentheses, which do not fit there. */
static void show_no_energy(struct page *page, const char *reason)
{
    static const char lead[] = "ENERGY    ";
    bool is_quiet = page->details == WS_DETAILS_QUIET;
    const char *repair = strstr(reason, ": run ");
    struct strbuf text = {0};
    strbuf_printf(&text, "%s%s", repair ? "unknown" : "", repair ? repair : reason);
    if (text.length + strlen(lead) > page->width) drop_parentheses(&text);
    page_wrap(page, lead, text.data, is_quiet ? 1 : 3);
    strbuf_clear(&text);
}

static void show_energy(struct page *page, const struct node *machine)
{
    const struct node *power = node_child(machine, "power"), *mean = node_child(power, "mean"),
                      *parts = node_child(power, "energy_parts");
    if (!node_is_known(mean)) {
        show_no_energy(page, mean->measured->reason ? mean->measured->reason : "not finite");
        return;
    }
    struct strbuf text = {0};
    strbuf_printf(&text, "idle %s", quantity_format(node_number(parts, "idle"), "J").text);
    if (node_number(parts, "activation") > 0)
        strbuf_printf(&text, ", activation %s",
                      quantity_format(node_number(parts, "activation"), "J").text);
    strbuf_printf(&text, ", SMs %s", quantity_format(node_number(parts, "sms"), "J").text);
    strbuf_printf(&text, ", memory %s", quantity_format(node_number(parts, "memory"), "J").text);
    struct strbuf band = {0};
    double low = mean->measured->low, high = mean->measured->high;
    if (low < high)
        strbuf_printf(&band, "%.0f to %s", low, quantity_format(high, "W").text);
    else
        strbuf_puts(&band, "error unknown");
    page_line(page, "ENERGY    %s   %s mean, %s  (%s)",
              quantity_format(node_number(power, "energy"), "J").text,
              quantity_format(node_value(mean), "W").text, band.data, text.data);
    strbuf_clear(&band);
    strbuf_clear(&text);
}

void show_answer(struct page *page, const struct node *machine)
{
    const char *why = word_or(machine, "why", "unknown"),
               *where = word_or(machine, "why_where", "");
    show_time(page, machine);
    page_line(page, "LIMIT     %s", word_or(machine, "limit", "unknown"));
    struct strbuf text = {0};
    strbuf_printf(&text, "%s%s%s", why, *where ? "   " : "", where);
    if (page->details == WS_DETAILS_QUIET)
        page_line(page, "WHY       %s", text.data);
    else
        page_wrap(page, "WHY       ", text.data, 4);
    strbuf_clear(&text);
    show_energy(page, machine);
}

/* ---- several machines -------------------------------------------------------------------------- */

static void comparison_row(struct page *page, const struct node *machine)
{
    const struct node *best = best_estimate(machine), *bound = bound_estimate(machine);
    if (!best) return;
    double time = node_number(best, "time_s"), least = node_number(bound, "time_s");
    const char *bottleneck = node_word(best, "bottleneck");
    char occupancy[16] = "-  ";
    if (!machine_is_cpu(machine))
        snprintf(occupancy, sizeof occupancy, "%.0f %%",
                 100 * node_number(node_child(machine, "occupancy"), "fraction"));
    page_line(page, "%-14s %10s %16s %7s %10s  %s", machine->id, quantity_format(time, "s").text,
              bound ? quantity_format(least, "s").text : "-",
              quantity_ratio(bound ? time / least : NAN).text, occupancy,
              *bottleneck ? bottleneck : word_or(machine, "limit", ""));
}

void show_comparison(struct page *page, const struct node *kernel)
{
    const struct node *machines = node_child(kernel, "machines");
    bool has_cpu = false;
    for (size_t i = 0; i < machines->child_count; i++)
        has_cpu |= machine_is_cpu(&machines->children[i]);
    page_line(page, "%-14s %10s %16s %7s %10s  %s", has_cpu ? "machine" : "GPU", "time",
              "speed of light", "ratio", "occupancy", "limited by");
    for (size_t i = 0; i < machines->child_count; i++)
        comparison_row(page, &machines->children[i]);
}

/* ---- what to do -------------------------------------------------------------------------------- */

enum { ADVICE_FIGURES = 18, ADVICE_LEAD = 9, ADVICE_ROOM = 24, ADVICE_MOST = 120 };

/* Beyond ADVICE_MOST columns the figures would stand too far from the titles. */
static unsigned advice_width(const struct page *page)
{
    return page->width < ADVICE_MOST ? page->width : ADVICE_MOST;
}

/* The title in the columns beside the figures, with more lines where it is long; below each other where that leaves
 * too little room. */
static void advice_row(struct page *page, size_t rank, const struct node *advice)
{
    struct strbuf text = {0};
    double time = node_number(advice, "time_s");
    const char *evidence = node_word(advice, "evidence"), *where = node_word(advice, "where");
    struct quantity after = quantity_format(time, "s"),
                    gain = quantity_ratio(node_number(advice, "gain"));
    const char *after_text = isfinite(time) ? after.text : "unknown";
    strbuf_printf(&text, "%s%s%s", node_word(advice, "title"), *where ? "   " : "", where);
    if (page->width < ADVICE_FIGURES + ADVICE_LEAD + ADVICE_ROOM) {
        char lead[32];
        snprintf(lead, sizeof lead, "%2zu  %-5s", rank, advice->id);
        strbuf_printf(&text, ": %s after, %s", after_text, gain.text);
        page_wrap(page, lead, text.data, 100);
    } else {
        size_t room = advice_width(page) - ADVICE_FIGURES - ADVICE_LEAD;
        const char *at = text.data + page_fitting(text.data, room);
        page_line(page, "%2zu  %-5s%-*.*s%10s %7s", rank, advice->id, (int)room,
                  (int)(at - text.data), text.data, after_text, gain.text);
        at += strspn(at, " ");
        if (*at) page_wrap(page, "         ", at, 100);
    }
    if (page_has_details(page) && *evidence) page_line(page, "          %s", evidence);
    strbuf_clear(&text);
}

void show_advice(struct page *page, const struct node *machine, size_t max_rows)
{
    const struct node *list = node_child(machine, "advice");
    size_t count = list->child_count, shown = count < max_rows ? count : max_rows;
    if (!count) {
        page_line(page, "What to do: no modelled change would reduce the time");
        return;
    }
    if (page->width < ADVICE_FIGURES + ADVICE_LEAD + ADVICE_ROOM)
        page_line(page, "What to do");
    else
        page_line(page, "%-*s%10s %7s", (int)advice_width(page) - ADVICE_FIGURES, "What to do",
                  "time after", "gain");
    for (size_t i = 0; i < shown; i++)
        advice_row(page, i + 1, &list->children[i]);
    page_line(page, "      Gains are alternatives and do not add up. See `warpsage explain %s`.%s",
              list->children[0].id, count > shown ? " (and more)" : "");
}

void show_best_advice(struct page *page, const struct node *machine)
{
    const struct node *list = node_child(machine, "advice"), *first = list->children;
    if (!list->child_count) {
        page_line(page, "DO        no modelled change would reduce the time");
        return;
    }
    char lead[160];
    double gain = node_number(first, "gain");
    if (isfinite(gain))
        snprintf(lead, sizeof lead, "DO        %.8s  %s (%s): ", first->id,
                 quantity_ratio(gain).text,
                 quantity_format(node_number(first, "time_s"), "s").text);
    else
        snprintf(lead, sizeof lead, "DO        %.8s: ", first->id);
    struct strbuf text = {0};
    const char *where = node_word(first, "where");
    strbuf_printf(&text, "%s%s%s", node_word(first, "title"), *where ? "   " : "", where);
    page_line(page, "%s%s", lead, text.data);
    strbuf_clear(&text);
}
