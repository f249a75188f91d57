// SPDX-License-Identifier: Apache-2.0
/* The evidence of a report: throughput, memory, occupancy, models. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "render/analyze_sections.h"

/* ---- throughput -------------------------------------------------------------------------------- */

/* "  fp32 pipe   1.2 us   40  |  ########............" */
static void busy_row(struct page *page, const struct node *busy, double time)
{
    double share = node_value(busy) / time;
    char bar[4 * BAR_COLUMNS + 1];
    page_bar(page, share, bar);
    page_line(page, "  %-32.32s %12s %s%10.0f%s  |  %s", node_text(busy),
              quantity_format(node_value(busy), "s").text, page_heat(page, share), 100 * share,
              page_heat_end(page), bar);
}

void show_throughput(struct page *page, const struct node *machine, size_t max_rows)
{
    const struct node *best = best_estimate(machine), *bound = bound_estimate(machine),
                      *components = node_child(bound, "components");
    size_t shown = 0;
    double time = node_number(best, "time_s");
    if (!bound || !(time > 0)) return;
    page_line(page, "%-34s %12s %10s  |  bar (100 %% = limit)", "Throughput", "at peak",
              "% of time");
    for (size_t i = 0; i < components->child_count; i++) {
        const struct node *busy = &components->children[i];
        if (node_value(busy) == 0 && !page_has_details(page)) continue;
        if (shown == max_rows) break;
        busy_row(page, busy, time);
        shown++;
    }
}

/* ---- components of one model ------------------------------------------------------------------- */

static double stage_seconds(const struct node *stage)
{
    return fmax(node_number(stage, "t_inst"),
                fmax(node_number(stage, "t_smem"), node_number(stage, "t_gmem")));
}

static void stage_row(struct page *page, const struct node *stage)
{
    page_line(
        page, "  %-8llu %8.3g %14s %14s %14s  %s", (unsigned long long)node_count(stage, "index"),
        node_number(stage, "warps"), quantity_format(node_number(stage, "t_inst"), "s").text,
        quantity_format(node_number(stage, "t_smem"), "s").text,
        quantity_format(node_number(stage, "t_gmem"), "s").text, node_word(stage, "bottleneck"));
}

/* The stage that takes longest, in one line; all of them with details. */
static void show_stages(struct page *page, const struct node *estimate)
{
    const struct node *stages = node_child(estimate, "stages");
    size_t count = stages->value.item_count, longest = 0;
    struct arena arena = {0};
    struct node *rows = ARENA_ARRAY(&arena, struct node, count + 1);
    for (size_t i = 0; i < count; i++) {
        rows[i] = node_row(stages, i, &arena);
        if (stage_seconds(&rows[i]) > stage_seconds(&rows[longest])) longest = i;
    }
    page_line(page, "  %zu stages between barriers, %s; longest: %llu, %s by %s", count,
              node_flag(estimate, "stages_overlap") ? "overlapped" : "serialised",
              (unsigned long long)node_count(&rows[longest], "index"),
              quantity_format(stage_seconds(&rows[longest]), "s").text,
              node_word(&rows[longest], "bottleneck"));
    if (page_has_details(page))
        page_line(page, "  %-8s %8s %14s %14s %14s  %s", "stage", "warps", "instructions",
                  "shared memory", "global memory", "bottleneck");
    for (size_t i = 0; page_has_details(page) && i < count; i++)
        stage_row(page, &rows[i]);
    arena_clear(&arena);
}

void show_components(struct page *page, const struct node *machine)
{
    static const char *const ids[] = {"terms/t_inst", "terms/t_smem", "terms/t_gmem"};
    const struct node *estimates = node_child(machine, "estimates");
    for (size_t i = 0; i < estimates->child_count; i++) {
        const struct node *estimate = &estimates->children[i];
        if (!node_find(estimate, ids[0])) continue;
        if (!node_flag(estimate, "best") && !page_has_details(page)) continue;
        page_line(page, "%-34.34s %12s %10s  |  bar (100 %% = the predicted time)", estimate->id,
                  "component", "% of time");
        for (unsigned k = 0; k < sizeof ids / sizeof *ids; k++)
            busy_row(page, node_find(estimate, ids[k]), node_number(estimate, "time_s"));
        if (node_child(estimate, "stages")->value.item_count > 1) show_stages(page, estimate);
    }
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* "32.0 (4)": what a request takes, and the least it could. */
static void format_served(char *out, size_t size, const struct node *access)
{
    double requests = node_number(access, "requests"), served = node_number(access, "served"),
           ideal = node_number(access, "ideal");
    if (isnan(served))
        snprintf(out, size, "-");
    else if (isnan(ideal))
        snprintf(out, size, "%.3g", served / requests);
    else
        snprintf(out, size, "%.3g (%.3g)", served / requests, ideal / requests);
}

static void access_row(struct page *page, const struct node *access, const char *why_where)
{
    char name[40], served[48], used[24] = "-", conflicts[24] = "-";
    const char *place = node_word(access, "place");
    double requests = node_number(access, "requests"), moved = node_number(access, "served");
    uint64_t copies = node_count(access, "copies");
    bool is_shared = node_flag(access, "is_shared");
    format_served(served, sizeof served, access);
    if (copies > 1)
        snprintf(name, sizeof name, "%.17s x%llu", node_word(access, "name"),
                 (unsigned long long)copies);
    else
        snprintf(name, sizeof name, "%.22s", node_word(access, "name"));
    if (!is_shared && moved > 0)
        snprintf(used, sizeof used, "%.3g",
                 node_number(access, "bytes_per_request") * requests / moved);
    if (is_shared && moved >= 0)
        snprintf(conflicts, sizeof conflicts, "%.3g", node_number(access, "conflicts") / requests);
    bool is_cause = why_where && *why_where && !strcmp(why_where, place);
    page_line(page, "  %-22s %-18.18s %9s %13s %11s %10s%s", name, place,
              quantity_format(requests, "1").text, served, used, conflicts, is_cause ? " <-" : "");
}

void show_memory(struct page *page, const struct node *of, size_t max_rows)
{
    const struct node *accesses = node_child(of, "accesses"),
                      *hardware = node_child(of, "hardware");
    bool by_sector = !hardware || node_flag(hardware, "counts_sectors");
    size_t count = accesses->value.item_count;
    struct arena arena = {0};
    if (count) {
        page_line(page, "%-24s %-18s %9s %13s %11s %10s", "Memory", "", "",
                  by_sector ? "sectors per" : "transact. per", "bytes req.", "conflicts");
        page_line(page, "  %-22s %-18s %9s %13s %11s %10s", "access", "line", "requests",
                  "req. (ideal)", by_sector ? "per sector" : "per trans.", "per req.");
    }
    for (size_t i = 0; i < count && i < max_rows; i++) {
        struct node row = node_row(accesses, i, &arena);
        access_row(page, &row, node_word(of, "why_where"));
        arena_clear(&arena);
    }
    if (count > max_rows)
        page_line(page, "  and %s with lower cost: --details all",
                  quantity_of((double)(count - max_rows), "access").text);
}

/* ---- caches ------------------------------------------------------------------------------------ */

static void put_rate(struct strbuf *out, const char *cache, double rate)
{
    if (isnan(rate))
        strbuf_printf(out, "%s -", cache);
    else
        strbuf_printf(out, "%s hit %.3g %%", cache, 100 * rate);
}

void show_caches(struct page *page, const struct node *machine)
{
    const struct node *caches = node_child(machine, "caches");
    if (!node_is_known(caches)) return;
    double read = node_number(caches, "grid_dram_read_bytes");
    struct strbuf line = {0};
    strbuf_printf(&line, "loads %s -> ",
                  quantity_format(node_number(caches, "grid_load_bytes"), "B").text);
    put_rate(&line, "L1", node_number(caches, "l1_hit_rate"));
    strbuf_puts(&line, " -> ");
    put_rate(&line, "L2", node_number(caches, "l2_hit_rate"));
    strbuf_puts(&line, " -> DRAM ");
    strbuf_puts(&line, quantity_format(read, "B").text);
    page_line(page, "Caches    %s", line.data);
    strbuf_clear(&line);
    if (node_number(machine, "l2_found") > 0)
        page_line(page, "          %.3g %% of what it reads is in the L2 as it starts (%s)",
                  100 * node_number(machine, "l2_found"), node_word(machine, "l2"));
    page_line(page, "          %s written; %llu of %s followed on %s with their share of L2",
              quantity_format(node_number(caches, "grid_dram_written_bytes"), "B").text,
              (unsigned long long)node_count(caches, "blocks"),
              quantity_of(node_number(caches, "grid_blocks"), "block").text,
              quantity_of((double)node_count(caches, "sms"), "SM").text);
}

/* ---- occupancy --------------------------------------------------------------------------------- */

static void put_limit(struct strbuf *out, const struct node *occupancy, const char *id,
                      const char *name)
{
    char path[40];
    snprintf(path, sizeof path, "block_limit_%s", id);
    const struct node *limit = node_child(occupancy, path);
    const char *limiter = node_word(occupancy, "limiter");
    if (node_is_known(limit))
        strbuf_printf(out, "  %s %llu%s", name, (unsigned long long)limit->value.count,
                      limiter && !strcmp(limiter, id) ? "*" : "");
    else
        strbuf_printf(out, "  %s -", name);
}

void show_occupancy(struct page *page, const struct node *machine)
{
    const struct node *occupancy = node_child(machine, "occupancy");
    if (!node_is_known(occupancy)) return;
    const char *note = node_word(occupancy, "registers_note");
    struct strbuf line = {0};
    strbuf_printf(&line, "Occupancy %.0f %% (%llu/%.0f warps per SM)  blocks per SM:",
                  100 * node_number(occupancy, "fraction"),
                  (unsigned long long)node_count(occupancy, "warps_per_sm"),
                  node_number(occupancy, "max_warps_per_sm"));
    put_limit(&line, occupancy, "warps", "warps");
    put_limit(&line, occupancy, "registers", "registers");
    put_limit(&line, occupancy, "shared", page->opencl ? "local" : "shared");
    put_limit(&line, occupancy, "sm", "SM");
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
    page_line(page, "          * limiter   waves %s   %s",
              quantity_format(node_number(occupancy, "waves"), "1").text,
              note ? note : "registers unknown");
}

/* ---- waits ------------------------------------------------------------------------------------- */

static int by_share(const void *a, const void *b)
{
    const struct node *x = *(const struct node *const *)a, *y = *(const struct node *const *)b;
    double sx = node_value(x), sy = node_value(y);
    if (sx != sy) return sx > sy ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* "Warps wait (%)  long_scoreboard 41  barrier 22 ...  other 3" */
static void cause_line(struct page *page, const struct node *causes)
{
    enum { SHOWN = 4 };
    struct arena arena = {0};
    const struct node **sorted = ARENA_ARRAY(&arena, const struct node *, causes->child_count + 1);
    struct strbuf line = {0};
    double other = 0;
    for (size_t i = 0; i < causes->child_count; i++)
        sorted[i] = &causes->children[i];
    qsort(sorted, causes->child_count, sizeof *sorted, by_share);
    for (size_t i = 0; i < causes->child_count; i++) {
        if (i < SHOWN && node_value(sorted[i]) >= 0.005)
            strbuf_printf(&line, "  %s %.0f", sorted[i]->id, 100 * node_value(sorted[i]));
        else
            other += node_value(sorted[i]);
    }
    page_line(page, "Warps wait (%%)%s  other %.0f", line.data ? line.data : "", 100 * other);
    strbuf_clear(&line);
    arena_clear(&arena);
}

static void wait_lines(struct page *page, const struct node *lines)
{
    enum { SHOWN = 12 };
    struct arena arena = {0};
    page_line(page, "  %-28s %18s   %s", "line", "of the warps' time", "main reason");
    for (size_t i = 0; i < lines->value.item_count && i < SHOWN; i++) {
        struct node line = node_row(lines, i, &arena);
        page_line(page, "  %-28.28s %16.0f %%   %s %.0f %%", node_word(&line, "place"),
                  100 * node_number(&line, "share"), node_word(&line, "cause"),
                  100 * node_number(&line, "cause_share"));
        arena_clear(&arena);
    }
}

static void wait_scaling(struct page *page, const struct node *scaling)
{
    struct arena arena = {0};
    page_line(page, "  %-8s %14s %8s", "warps", "cycles", "IPC");
    for (size_t i = 0; i < scaling->value.item_count; i++) {
        struct node point = node_row(scaling, i, &arena);
        page_line(page, "  %-8llu %14s %8.3g", (unsigned long long)node_count(&point, "warps"),
                  quantity_format(node_number(&point, "cycles"), "1").text,
                  node_number(&point, "ipc"));
        arena_clear(&arena);
    }
}

void show_waits(struct page *page, const struct node *machine)
{
    const struct node *estimates = node_child(machine, "estimates");
    for (size_t i = 0; i < estimates->child_count; i++) {
        const struct node *waits = node_child(&estimates->children[i], "waits");
        if (!waits) continue;
        cause_line(page, node_child(waits, "causes"));
        if (!page_has_details(page)) continue;
        wait_lines(page, node_child(waits, "lines"));
        wait_scaling(page, node_child(waits, "scaling"));
    }
}

/* ---- models ------------------------------------------------------------------------------------ */

static void estimate_details_rows(struct page *page, const struct node *estimate)
{
    const struct node *terms = node_child(estimate, "terms"),
                      *without = node_child(estimate, "without");
    for (size_t k = 0; k < terms->child_count; k++) {
        const struct node *term = &terms->children[k];
        page_line(page, "      %-26s %16s  %s", term->id,
                  node_is_known(term) ? quantity_format(node_value(term), node_unit(term)).text
                                      : "not finite",
                  term->measured->text ? term->measured->text : "");
    }
    for (size_t k = 0; k < without->child_count; k++) {
        const struct node *effect = &without->children[k];
        if (!node_is_known(node_child(effect, "gain"))) continue;
        page_line(page, "      without %-18s %16s  %s", effect->id,
                  quantity_format(node_number(effect, "time_s"), "s").text,
                  quantity_ratio(node_number(effect, "gain")).text);
    }
}

/* ---- a model's own section ---- */

/* "reuse 2.5" */
static void put_figure(struct strbuf *out, const struct node *figure)
{
    double value = node_value(figure);
    strbuf_printf(out, "%s%s ", out->length ? ", " : "", figure->id);
    if (figure->kind == FIGURE_IS_WORD)
        strbuf_puts(out, figure->value.text ? figure->value.text : "unknown");
    else
        strbuf_puts(out, isnan(value) ? "unknown" : quantity_format(value, node_unit(figure)).text);
}

static void own_table(struct page *page, const struct node *table)
{
    enum { ROWS = 12 };
    struct arena arena = {0};
    page_line(page, "      %s: %s", table->id, table->figure->text);
    for (size_t i = 0; i < table->value.item_count && i < ROWS; i++) {
        struct node row = node_row(table, i, &arena);
        struct strbuf line = {0};
        for (size_t k = 0; k < row.child_count; k++)
            put_figure(&line, &row.children[k]);
        page_line(page, "        %s", line.data);
        strbuf_clear(&line);
        arena_clear(&arena);
    }
}

/* In one line; with details its tables, too. */
static void own_section(struct page *page, const struct node *estimate)
{
    const struct node *own = node_child(estimate, "details");
    struct strbuf line = {0};
    if (!own) return;
    for (size_t i = 0; i < own->child_count; i++)
        if (own->children[i].kind <= FIGURE_IS_WORD) put_figure(&line, &own->children[i]);
    page_wrap(page, "    ", line.length ? line.data : own->record->text,
              page_has_details(page) ? 8 : 1);
    strbuf_clear(&line);
    for (size_t i = 0; i < own->child_count && page_has_details(page); i++)
        if (own->children[i].kind == FIGURE_IS_TABLE) own_table(page, &own->children[i]);
}

static void estimate_row(struct page *page, const struct node *estimate)
{
    const char *next = node_word(estimate, "next");
    page_line(page, "%s %-18s %11s %14s  %s%s%s", node_flag(estimate, "best") ? "*" : " ",
              estimate->id, quantity_format(node_number(estimate, "time_s"), "s").text,
              quantity_format(floor(node_number(estimate, "cycles") + 0.5), "1").text,
              node_word(estimate, "bottleneck"), *next ? ", next " : "", next);
    own_section(page, estimate);
    if (page_has_details(page)) estimate_details_rows(page, estimate);
}

/* Models that tell different stories. */
static void show_spread(struct page *page, const struct node *spread)
{
    struct strbuf text = {0};
    if (!spread) return;
    const char *reason = node_word(spread, "reason");
    strbuf_printf(&text,
                  "models differ by %s: ", quantity_ratio(node_number(spread, "factor")).text);
    if (reason)
        strbuf_puts(&text, reason);
    else
        strbuf_printf(&text, "%s least, %s most", node_word(spread, "fastest"),
                      node_word(spread, "slowest"));
    page_wrap(page, "  ! ", text.data, 2);
    strbuf_clear(&text);
}

void show_models(struct page *page, const struct node *machine, size_t max_refusals)
{
    bool details = page_has_details(page);
    const struct node *estimates = node_child(machine, "estimates"),
                      *refusals = node_child(machine, "refusals");
    const char *reason = node_word(machine, "best_reason");
    page_line(page, "%-20s %11s %14s  %s", "Models side by side", "time", "cycles", "bottleneck");
    for (size_t i = 0; i < estimates->child_count; i++)
        estimate_row(page, &estimates->children[i]);
    if (reason) page_wrap(page, "  * ", reason, details ? 8 : 2);
    show_spread(page, node_child(machine, "models_differ"));
    for (size_t i = 0; i < refusals->child_count && i < max_refusals; i++) {
        char lead[48];
        snprintf(lead, sizeof lead, "    %.24s: ", refusals->children[i].id);
        page_wrap(page, lead, node_word(&refusals->children[i], "reason"), details ? 4 : 1);
    }
}
