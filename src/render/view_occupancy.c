// SPDX-License-Identifier: Apache-2.0
/* Occupancy: one GPU as a page, several as a table, a curve as bars. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/views.h"

static const char more[] = "More warps with one of these changes";

static bool has_limiter(const struct node *limiters, const char *word)
{
    const char *const *words = limiters->value.items;
    for (size_t i = 0; i < limiters->value.item_count; i++)
        if (!strcmp(words[i], word)) return true;
    return false;
}

static void put_limiters(struct strbuf *out, const struct node *limiters, const char *between)
{
    const char *const *words = limiters->value.items;
    for (size_t i = 0; i < limiters->value.item_count; i++)
        strbuf_printf(out, "%s%s", i ? between : "", words[i]);
}

/* The limits that bind have a star, those that do not exist a dash. */
static void put_limit(struct strbuf *out, int columns, const struct node *occupancy,
                      const char *word)
{
    char id[32], text[32] = "-";
    snprintf(id, sizeof id, "block_limit_%s", word);
    const struct node *limit = node_child(occupancy, id);
    bool binds = has_limiter(node_child(occupancy, "limiters"), word);
    if (node_is_known(limit))
        snprintf(text, sizeof text, "%s%llu", binds ? "*" : "",
                 (unsigned long long)limit->value.count);
    strbuf_printf(out, "%*s", columns, text);
}

static struct quantity count_of(const struct node *node, const char *id, const char *noun)
{
    return quantity_of((double)node_count(node, id), noun);
}

static void compose_head(struct page *page, const struct node *root)
{
    const struct node *machines = node_child(root, "machines");
    if (machines->child_count != 1) return;
    const struct node *machine = &machines->children[0];
    page_line(page, "GPU         %s (%s), compute capability %s", node_word(machine, "machine"),
              node_word(machine, "name"), node_word(machine, "compute_capability"));
}

static void compose_launch(struct page *page, const struct node *launch)
{
    struct strbuf line = {0};
    if (node_count(launch, "threads_per_block"))
        strbuf_printf(&line, "%s a block, ", count_of(launch, "threads_per_block", "thread").text);
    if (node_count(launch, "registers_per_thread"))
        strbuf_printf(&line, "%s a thread, ",
                      count_of(launch, "registers_per_thread", "register").text);
    else
        strbuf_puts(&line, "registers unknown, ");
    strbuf_printf(&line, "%s of shared memory", count_of(launch, "shared_bytes", "byte").text);
    if (node_count(launch, "barriers") > 1)
        strbuf_printf(&line, ", %s", count_of(launch, "barriers", "barrier").text);
    page_line(page, "Launch      %s", line.data);
    strbuf_clear(&line);
    if (!node_flag(launch, "granularity"))
        page_line(page, "            allocation granularity and reserved resources ignored");
    if (node_flag(launch, "partitioned_caching"))
        page_line(page, "            partitioned caching where the GPU supports it");
}

/* "at most 32 registers a thread: 8 blocks, 64 warps, 100 %" */
static void put_change(struct strbuf *out, const struct node *change, const struct node *launch)
{
    const struct node *changed = node_child(change, "launch"),
                      *occupancy = node_child(change, "occupancy");
    bool block =
        node_count(changed, "threads_per_block") != node_count(launch, "threads_per_block");
    bool registers =
        node_count(changed, "registers_per_thread") != node_count(launch, "registers_per_thread");
    bool shared = node_count(changed, "shared_bytes") != node_count(launch, "shared_bytes");
    struct quantity bytes = count_of(changed, "shared_bytes", "byte");
    struct quantity each = count_of(changed, "registers_per_thread", "register");
    if (block)
        strbuf_printf(out, "blocks of %s", count_of(changed, "threads_per_block", "thread").text);
    else if (registers && shared)
        strbuf_printf(out, "at most %s and %s", each.text, bytes.text);
    else if (registers)
        strbuf_printf(out, "at most %s per thread", each.text);
    else
        strbuf_printf(out, "at most %s of shared memory", bytes.text);
    strbuf_printf(out, ": %s, %s, %.0f %%", count_of(occupancy, "blocks_per_sm", "block").text,
                  count_of(occupancy, "warps_per_sm", "warp").text,
                  100 * node_number(occupancy, "fraction"));
}

/* ---- one GPU ----------------------------------------------------------------------------------- */

static unsigned columns_of(uint64_t value, uint64_t most, unsigned columns)
{
    if (!most) return 0;
    unsigned filled = (unsigned)((value * columns * 2 + most) / (2 * most));
    return value && !filled ? 1 : filled; /* a little is not nothing */
}

static void limit_line(struct page *page, const struct node *occupancy, const char *name,
                       const char *word)
{
    struct strbuf line = {0};
    put_limit(&line, 6, occupancy, word);
    page_line(page, "  %-24s %s", name, line.data);
    strbuf_clear(&line);
}

static void compose_limits(struct page *page, const struct node *occupancy)
{
    enum { BAR = 20 };
    uint64_t warps = node_count(occupancy, "warps_per_sm"),
             most = node_count(occupancy, "max_warps_per_sm");
    struct strbuf bar = {0}, limiters = {0};
    page_put_bar(page, &bar, columns_of(warps, most, BAR), BAR);
    page_line(page, "Occupancy   %3.0f %%  %s  %s, %llu of %s per SM",
              100 * node_number(occupancy, "fraction"), bar.data,
              count_of(occupancy, "blocks_per_sm", "block").text, (unsigned long long)warps,
              quantity_of((double)most, "warp").text);
    put_limiters(&limiters, node_child(occupancy, "limiters"), ", ");
    page_line(page, "Limiter     %s", limiters.data);
    page_blank(page);
    page_line(page, "Blocks per SM under each limit alone (* limiter)");
    limit_line(page, occupancy, "Block Limit SM", "sm");
    limit_line(page, occupancy, "Block Limit Registers", "registers");
    limit_line(page, occupancy, "Block Limit Shared Mem", "shared");
    limit_line(page, occupancy, "Block Limit Warps", "warps");
    if (node_is_known(node_child(occupancy, "block_limit_barriers")))
        limit_line(page, occupancy, "Block Limit Barriers", "barriers");
    strbuf_clear(&bar);
    strbuf_clear(&limiters);
}

static void one_machine(struct page *page, const struct node *machine, const struct node *launch)
{
    const struct node *occupancy = node_child(machine, "occupancy"),
                      *next = node_child(machine, "next");
    bool fits = node_is_known(occupancy);
    if (fits)
        compose_limits(page, occupancy);
    else
        page_line(page, "Occupancy   no block fits");
    if (next->child_count) {
        page_blank(page);
        page_line(page, more);
    }
    for (size_t i = 0; i < next->child_count; i++) {
        struct strbuf line = {0};
        put_change(&line, &next->children[i], launch);
        page_line(page, "  %s", line.data);
        strbuf_clear(&line);
    }
    if (next->child_count || !fits ||
        node_count(occupancy, "warps_per_sm") == node_count(occupancy, "max_warps_per_sm"))
        return;
    page_blank(page);
    page_line(page, "No lower resource use and no other block size increases the warps per SM.");
}

/* ---- several GPUs ------------------------------------------------------------------------------ */

static void machine_row(struct page *page, const struct node *machine, bool has_barriers)
{
    const struct node *occupancy = node_child(machine, "occupancy");
    struct strbuf limits = {0};
    if (!node_is_known(occupancy)) {
        page_line(page, "%-18s no block fits", machine->id);
        return;
    }
    put_limit(&limits, 10, occupancy, "sm");
    put_limit(&limits, 11, occupancy, "registers");
    put_limit(&limits, 12, occupancy, "shared");
    put_limit(&limits, 7, occupancy, "warps");
    if (has_barriers) put_limit(&limits, 10, occupancy, "barriers");
    page_line(page, "%-18s %6llu %3llu/%-3llu %3.0f %%%s", machine->id,
              (unsigned long long)node_count(occupancy, "blocks_per_sm"),
              (unsigned long long)node_count(occupancy, "warps_per_sm"),
              (unsigned long long)node_count(occupancy, "max_warps_per_sm"),
              100 * node_number(occupancy, "fraction"), limits.data);
    strbuf_clear(&limits);
}

static void change_rows(struct page *page, const struct node *machine, const struct node *launch)
{
    const struct node *next = node_child(machine, "next");
    for (size_t i = 0; i < next->child_count; i++) {
        struct strbuf line = {0};
        put_change(&line, &next->children[i], launch);
        page_line(page, "  %-18s %s", i ? "" : machine->id, line.data);
        strbuf_clear(&line);
    }
}

static void machine_table(struct page *page, const struct node *machines, const struct node *launch)
{
    bool has_barriers = node_count(launch, "barriers") > 1;
    size_t changes = 0;
    page_blank(page);
    page_line(page, "%-18s %6s %7s %5s%10s%11s%12s%7s%s", "", "blocks", "warps", "", "SM",
              "Registers", "Shared Mem", "Warps", has_barriers ? "  Barriers" : "");
    page_line(page, "%-18s %6s %7s %5s   %s", "GPU", "per SM", "per SM", "",
              "Block Limit: blocks under each limit alone, * limiter");
    for (size_t i = 0; i < machines->child_count; i++) {
        machine_row(page, &machines->children[i], has_barriers);
        changes += node_child(&machines->children[i], "next")->child_count;
    }
    if (!changes) return;
    page_blank(page);
    page_line(page, more);
    for (size_t i = 0; i < machines->child_count; i++)
        change_rows(page, &machines->children[i], launch);
}

static void compose_machines(struct page *page, const struct node *root)
{
    const struct node *machines = node_child(root, "machines"),
                      *launch = node_child(root, "launch");
    if (!node_count(launch, "threads_per_block")) return;
    if (machines->child_count == 1)
        one_machine(page, &machines->children[0], launch);
    else
        machine_table(page, machines, launch);
}

/* ---- curves ------------------------------------------------------------------------------------ */

static void curve_step(struct page *page, const struct node *step, uint64_t most, unsigned columns)
{
    struct strbuf bar = {0}, tail = {0};
    char range[48];
    uint64_t warps = node_count(step, "warps_per_sm");
    double cliff = node_number(step, "warps_lost_next");
    snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)node_count(step, "first"),
             (unsigned long long)node_count(step, "last"));
    page_put_bar(page, &bar, columns_of(warps, most, columns), columns);
    if (cliff > 0)
        strbuf_printf(&tail, " -%-3.0f ", cliff);
    else
        strbuf_puts(&tail, "      ");
    if (node_count(step, "blocks_per_sm"))
        put_limiters(&tail, node_child(step, "limiters"), ",");
    else
        strbuf_puts(&tail, "does not fit");
    page_line(page, "%c %14s %7llu %6llu  %s%s", node_flag(step, "is_here") ? '>' : ' ', range,
              (unsigned long long)node_count(step, "blocks_per_sm"), (unsigned long long)warps,
              bar.data, tail.data);
    strbuf_clear(&bar);
    strbuf_clear(&tail);
}

static void one_curve(struct page *page, const struct node *machine)
{
    enum { FIXED = 34, TAIL = 32, LEAST = 8, USUAL = 96 };
    static const struct {
        const char *over, *head, *words;
    } axes[] = {
        {"threads_per_block", "threads", "threads per block"},
        {"registers_per_thread", "registers", "registers per thread"},
        {"shared_bytes", "shared bytes", "shared memory per block"},
    };
    const struct node *curve = node_child(machine, "curve"), *points = node_child(curve, "points");
    uint64_t most = node_count(curve, "max_warps_per_sm");
    unsigned width = page->columns ? page->columns : USUAL;
    unsigned room = width > FIXED + TAIL ? width - FIXED - TAIL : 0;
    unsigned columns = room < LEAST ? LEAST : room > most && most >= LEAST ? (unsigned)most : room;
    size_t axis = 0;
    while (strcmp(axes[axis].over, node_word(curve, "over")) != 0)
        axis++;
    page_blank(page);
    page_line(page, "%s: warps per SM over %s", machine->id, axes[axis].words);
    page_line(page, "  %14s %7s %6s  %-*s %-5s%s", axes[axis].head, "blocks", "warps", (int)columns,
              "", "cliff", " limiter");
    struct arena arena = {0};
    for (size_t i = 0; i < points->value.item_count; i++) {
        struct node step = node_row(points, i, &arena);
        curve_step(page, &step, most, columns);
        arena_clear(&arena);
    }
    page_line(page, "> this launch   cliff: warps lost at the next step");
}

static void compose_curves(struct page *page, const struct node *machines)
{
    for (size_t i = 0; i < machines->child_count; i++)
        if (node_is_known(node_child(&machines->children[i], "curve")))
            one_curve(page, &machines->children[i]);
}

/* ---- all --------------------------------------------------------------------------------------- */

static const struct view_part parts[] = {
    {"", compose_head},
    {"launch", compose_launch},
    {"", compose_machines},
    {"machines", compose_curves},
};

static const struct csv_column curve_columns[] = {
    {"machine", "^/machine"},
    {"over", "^/curve/over"},
    {"first", "first"},
    {"last", "last"},
    {"blocks_per_sm", "blocks_per_sm"},
    {"warps_per_sm", "warps_per_sm"},
    {"limiters", "limiters"},
    {"warps_lost_next", "warps_lost_next"},
    {"is_here", "is_here"},
};

static const struct csv_column limit_columns[] = {
    {"machine", "machine"},
    {"threads_per_block", "/launch/threads_per_block"},
    {"registers_per_thread", "/launch/registers_per_thread"},
    {"shared_bytes", "/launch/shared_bytes"},
    {"blocks_per_sm", "occupancy/blocks_per_sm"},
    {"warps_per_sm", "occupancy/warps_per_sm"},
    {"max_warps_per_sm", "occupancy/max_warps_per_sm"},
    {"fraction", "occupancy/fraction"},
    {"block_limit_sm", "occupancy/block_limit_sm"},
    {"block_limit_registers", "occupancy/block_limit_registers"},
    {"block_limit_shared", "occupancy/block_limit_shared"},
    {"block_limit_warps", "occupancy/block_limit_warps"},
    {"block_limit_barriers", "occupancy/block_limit_barriers"},
    {"limiters", "occupancy/limiters"},
};

static const struct csv_table tables[] = {
    {.rows = "machines/*/curve/points",
     .columns = curve_columns,
     .column_count = sizeof curve_columns / sizeof *curve_columns,
     .if_present = "machines/0/curve"},
    {.rows = "machines",
     .columns = limit_columns,
     .column_count = sizeof limit_columns / sizeof *limit_columns},
};

const struct view view_occupancy = {
    .question = "occupancy",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .csv = tables,
    .csv_count = sizeof tables / sizeof *tables,
};
