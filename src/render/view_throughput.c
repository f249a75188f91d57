// SPDX-License-Identifier: Apache-2.0
/* Throughput: each GPU as a page: the answer in a few lines, bounds, what would help, inputs, a sweep. */
#include <math.h>
#include <stdio.h>

#include "base/quantity.h"
#include "render/views.h"

static struct quantity number(const struct node *node, const char *id, const char *unit)
{
    return quantity_format(node_number(node, id), unit);
}

static struct quantity count(const struct node *node, const char *id, const char *noun)
{
    return quantity_of(node_number(node, id), noun);
}

/* Of a node that has both: flop/s, or warp/s where there is no floating-point instruction. */
static struct quantity rate(const struct node *node)
{
    const struct node *flops = node_child(node, "perf_flop_per_s");
    return node_is_known(flops) ? quantity_format(node_value(flops), "flop/s")
                                : number(node, "warps_per_s", "warp/s");
}

static struct quantity category(const struct node *node)
{
    struct quantity text = {"-"};
    if (node_is_known(node_child(node, "category")))
        snprintf(text.text, sizeof text.text, "%llu",
                 (unsigned long long)node_count(node, "category"));
    return text;
}

static double percent_more(const struct node *gains, const char *id)
{
    return 100 * (node_number(gains, id) - 1);
}

/* ---- head ------------------------------------------------------------------------------------ */

static void put_category(struct page *page, const struct node *memory)
{
    struct strbuf line = {0};
    if (!node_is_known(memory)) {
        page_line(page, "CATEGORY  none: no memory accesses");
        return;
    }
    strbuf_printf(&line, "%s of 10", category(memory).text);
    if (node_is_known(node_child(memory, "rank")))
        strbuf_printf(&line, " (rank %llu)", (unsigned long long)node_count(memory, "rank"));
    strbuf_printf(&line, ": %s", node_word(memory, "meaning"));
    page_fill(page, "CATEGORY  ", line.data);
    page_fill(page, "DO        ", node_word(memory, "advice"));
    strbuf_clear(&line);
}

static void put_head(struct page *page, const struct node *root, const struct node *machine)
{
    const char *kernel = node_word(root, "kernel");
    struct strbuf of_peak = {0};
    if (node_is_known(node_child(machine, "peak_flop_per_s")))
        strbuf_printf(&of_peak, " = %.3g %% of %s, the peak of its instruction mix",
                      100 * node_number(machine, "eff_ratio"),
                      number(machine, "peak_flop_per_s", "flop/s").text);
    page_line(page, "%s", kernel ? kernel : "manual inputs");
    page_line(page, "machine   %s  %s  %.0f of %s, %s each", machine->id,
              node_word(machine, "name"), node_number(machine, "active_sms"),
              count(machine, "sms", "SM").text, count(machine, "n", "warp").text);
    page_line(page, "RATE      %s%s", rate(machine).text, of_peak.length ? of_peak.data : "");
    page_line(page, "TIME      %s%s", number(machine, "time_s", "s").text,
              kernel ? "" : "  with this number of warps per SM");
    put_category(page, node_child(machine, "memory"));
    strbuf_clear(&of_peak);
}

static void put_bounds(struct page *page, const struct node *bounds)
{
    page_blank(page);
    page_line(page, "%-50s %14s %12s", "Level serving the accesses", "rate", "category");
    for (size_t i = 0; i < bounds->child_count; i++) {
        const struct node *bound = &bounds->children[i];
        page_line(page, "  %-48s %14s %12s", node_word(bound, "text"), rate(bound).text,
                  category(bound).text);
    }
}

/* ---- what would help ------------------------------------------------------------------------- */

static void put_cores(struct page *page, const struct node *machine, const struct node *memory)
{
    struct strbuf text = {0};
    double suggested = node_number(memory, "cores"), now = node_number(machine, "active_sms");
    struct quantity factor = number(memory, "bandwidth_factor", "");
    if (!(suggested < now)) return;
    strbuf_printf(&text,
                  "%.0f of %.0f SMs (exactly %.4g) saturate the bandwidth; all would need "
                  "%s times the bandwidth, or 1/%s of the bytes per access",
                  suggested, now, node_number(memory, "cores_exact"), factor.text, factor.text);
    page_fill(page, "  SMs     ", text.data);
    strbuf_clear(&text);
}

/* What leaves room for so many warps: fewer blocks by shared memory, or smaller blocks. */
static void put_reach(struct strbuf *out, const struct node *root, const struct node *memory)
{
    if (!node_is_known(node_child(memory, "n_blocks"))) return;
    if (node_is_known(node_child(memory, "n_threads"))) {
        strbuf_printf(out, ": blocks of at most %.0f threads", node_number(memory, "n_threads"));
        return;
    }
    strbuf_printf(out, ": %s of %s", count(memory, "n_blocks", "block").text,
                  count(root, "warps_per_block", "warp").text);
    if (node_is_known(node_child(memory, "n_shared_bytes")))
        strbuf_printf(out, ", if each takes more than %s of shared memory",
                      count(memory, "n_shared_bytes", "byte").text);
}

static void put_warps(struct page *page, const struct node *root, const struct node *machine,
                      const struct node *memory)
{
    struct strbuf text = {0};
    double suggested = node_number(memory, "n"), now = node_number(machine, "n");
    if (!(suggested < now) || suggested == 0) return;
    strbuf_printf(&text, "%.0f of %.4g warps per SM (exactly %.4g) saturate the bandwidth",
                  suggested, now, node_number(memory, "n_exact"));
    put_reach(&text, root, memory);
    page_fill(page, "  warps   ", text.data);
    strbuf_clear(&text);
}

static void put_clock(struct page *page, const struct node *machine, const struct node *memory)
{
    struct strbuf text = {0};
    double divisor = node_number(memory, "frequency_divisor");
    if (!(divisor > 1)) return;
    strbuf_printf(&text,
                  "1/%s of the core clock (%.1f %% less) costs little: N = %.4g warps wait on "
                  "memory",
                  quantity_format(divisor, "").text, 100 * (1 - 1 / divisor),
                  node_number(machine, "n"));
    page_fill(page, "  clock   ", text.data);
    strbuf_clear(&text);
}

/* More bandwidth or more cores? */
static void put_purchase(struct page *page, const struct node *gains)
{
    struct strbuf text = {0};
    double cores = percent_more(gains, "sms_10_percent");
    double bandwidth = percent_more(gains, "bandwidth_10_percent");
    const char *better = fabs(cores - bandwidth) < 0.05 ? "both help equally"
                         : cores > bandwidth            ? "SMs help more"
                                                        : "bandwidth helps more";
    strbuf_printf(&text, "10 %% more SMs: %+.1f %%; 10 %% more bandwidth: %+.1f %%; %s", cores,
                  bandwidth, better);
    page_fill(page, "  buy     ", text.data);
    strbuf_clear(&text);
}

/* Memory for computation, or the reverse? */
static void put_trade(struct page *page, const struct node *gains)
{
    struct strbuf text = {0};
    double memory = percent_more(gains, "fewer_accesses_10_percent");
    double computation = percent_more(gains, "fewer_other_instructions_10_percent");
    const char *better = memory <= 0 && computation <= 0 ? "keep the mix"
                         : memory > computation          ? "recompute rather than load"
                                                         : "load rather than recompute";
    strbuf_printf(&text,
                  "10 %% fewer accesses and 10 %% more other instructions: %+.1f %%; the reverse: "
                  "%+.1f %%; %s",
                  memory, computation, better);
    page_fill(page, "  trade   ", text.data);
    strbuf_clear(&text);
}

static void put_suggestions(struct page *page, const struct node *root, const struct node *machine)
{
    const struct node *memory = node_child(machine, "memory"),
                      *gains = node_child(machine, "gains");
    page_blank(page);
    page_line(page, "What would help");
    page_line(page, "  one more SM: %+.2f %%; one more warp per SM: %+.2f %%",
              percent_more(gains, "one_more_sm"), percent_more(gains, "one_more_warp"));
    put_cores(page, machine, memory);
    put_warps(page, root, machine, memory);
    put_clock(page, machine, memory);
    put_purchase(page, gains);
    if (node_is_known(memory)) put_trade(page, gains);
}

/* ---- terms ----------------------------------------------------------------------------------- */

static void put_inputs(struct page *page, const struct node *inputs)
{
    page_blank(page);
    page_line(page, "Per warp (* given)");
    for (size_t i = 0; i < inputs->child_count; i++) {
        const struct node *input = &inputs->children[i];
        page_line(page, "%c %-24s %12.6g  %s", node_flag(input, "given") ? '*' : ' ', input->id,
                  node_number(input, "value"), node_word(input, "text"));
    }
}

static void put_parallelism(struct page *page, const struct node *machine,
                            const struct node *memory)
{
    if (!node_is_known(memory)) return;
    page_blank(page);
    page_line(page, "Memory-level parallelism  MWP %s = minimum of MWP_App %s, MWP_BW %s, N %s",
              number(memory, "mwp", "").text, number(memory, "mwp_app", "").text,
              number(memory, "mwp_bw", "").text, number(machine, "n", "").text);
    if (node_is_known(node_child(memory, "mwp_proc")))
        page_line(page, "%26sand MWP_Proc %s", "", number(memory, "mwp_proc", "").text);
    page_line(page, "%26sMWP_App of unlimited warps %s; EffMem %s, EffComp %s,", "",
              number(memory, "mwp_app_infin", "").text, number(memory, "eff_mem_cycles", "").text,
              number(memory, "eff_comp_cycles", "").text);
    page_line(page, "%26sidle %s; %.2f %% of the memory time is exposed", "",
              count(memory, "idle_cycles", "cycle").text, 100 * node_number(memory, "hidden"));
}

/* ---- sweep ----------------------------------------------------------------------------------- */

/* Rows of the sweep are by warps, then by SMs: lines by SMs, at most ROWS of them and the last. */
static void put_sweep(struct page *page, const struct node *machine)
{
    enum { ROWS = 33 };
    const struct node *sweep = node_child(machine, "sweep");
    size_t sms = (size_t)node_number(machine, "sms"), step = (sms + ROWS - 1) / ROWS;
    size_t columns = sms ? sweep->value.item_count / sms : 0;
    struct arena arena = {0};
    struct strbuf line = {0};
    if (!columns) return;
    page_blank(page);
    strbuf_printf(&line, "%5s", "SMs");
    for (size_t w = 0; w < columns; w++) {
        struct node point = node_row(sweep, w * sms, &arena);
        char title[32];
        snprintf(title, sizeof title, "N = %.0f", node_number(&point, "n"));
        strbuf_printf(&line, " %18s", title);
    }
    page_line(page, "%s", line.data);
    for (size_t c = 0; c < sms; c = c + step >= sms && c + 1 < sms ? sms - 1 : c + step) {
        line.length = 0;
        strbuf_printf(&line, "%5zu", c + 1);
        for (size_t w = 0; w < columns; w++) {
            struct node point = node_row(sweep, w * sms + c, &arena);
            strbuf_printf(&line, " %14s %3s", rate(&point).text, category(&point).text);
        }
        page_line(page, "%s", line.data);
        arena_clear(&arena);
    }
    arena_clear(&arena);
    strbuf_clear(&line);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void put_notes(struct page *page, const struct node *assumptions)
{
    const char *const *words = assumptions->value.items;
    if (assumptions->value.item_count) page_blank(page);
    for (size_t i = 0; i < assumptions->value.item_count; i++)
        page_fill(page, i ? "          " : "Notes     ", words[i]);
}

static void compose_machines(struct page *page, const struct node *root)
{
    const struct node *machines = node_child(root, "machines");
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *machine = &machines->children[i];
        if (i) page_blank(page);
        put_head(page, root, machine);
        put_bounds(page, node_child(machine, "bounds"));
        put_suggestions(page, root, machine);
        put_inputs(page, node_child(machine, "inputs"));
        put_parallelism(page, machine, node_child(machine, "memory"));
        put_sweep(page, machine);
        put_notes(page, node_child(machine, "assumptions"));
    }
}

/* Where to run it. */
static void compose_order(struct page *page, const struct node *root)
{
    const struct node *machines = node_child(root, "machines");
    const char *fastest = node_word(root, "fastest");
    if (machines->child_count < 2 || !node_word(root, "kernel")) return;
    const struct node *best = node_child(machines, fastest);
    page_blank(page);
    page_line(page, "RUN IT ON %s: %s", fastest, number(best, "time_s", "s").text);
    for (size_t i = 0; i < machines->child_count; i++)
        if (&machines->children[i] != best)
            page_line(page, "          %s takes %s times as long", machines->children[i].id,
                      number(&machines->children[i], "slowdown", "").text);
}

static const struct view_part parts[] = {
    {"", compose_machines},
    {"", compose_order},
};

const struct view view_throughput = {
    .question = "throughput",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
};
