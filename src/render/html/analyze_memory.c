// SPDX-License-Identifier: Apache-2.0
/* Memory: the way of loads and stores through the caches, and what each access costs. */
#include <math.h>
#include <string.h>

#include "render/html/analyze_parts.h"

/* ---- memory chart ------------------------------------------------------------------------------ */

enum { KERNEL, L1, L2, DRAM, SHARED, BOXES };
enum { BOX_WIDTH = 120, BOX_HEIGHT = 130, STEP = 270, WIDE = 960, HIGH = 290, ARROWS = 10 };

struct memory_chart {
    struct arena arena;
    struct chart_box boxes[BOXES];
    struct chart_arrow arrows[ARROWS];
    size_t arrow_count, box_count;
};

static const char *counted(struct memory_chart *chart, double value, const char *noun)
{
    return arena_copy(&chart->arena, quantity_of(value, noun).text);
}

static const char *sized(struct memory_chart *chart, double value)
{
    return arena_copy(&chart->arena, quantity_format(value, "B").text);
}

static const char *rate(struct memory_chart *chart, double value)
{
    return isnan(value) ? "not reached" : arena_format(&chart->arena, "%.3g %% hits", 100 * value);
}

/* Data from box to box; `of` is what the thickest arrow carries. */
static void add_arrow(struct memory_chart *chart, size_t from, size_t to, double amount, double of,
                      const char *label, const char *note)
{
    if (!(amount > 0)) return;
    chart->arrows[chart->arrow_count++] = (struct chart_arrow){.from = from,
                                                               .to = to,
                                                               .label = label,
                                                               .note = note,
                                                               .weight = of > 0 ? amount / of : 0,
                                                               .shift = to < from ? -30 : 30};
}

static void set_boxes(struct memory_chart *chart, const struct node *machine)
{
    const struct node *caches = node_child(machine, "caches"),
                      *hardware = node_child(machine, "hardware");
    static const char *const names[] = {"Kernel", "L1", "L2", "DRAM"};
    for (size_t i = KERNEL; i <= DRAM; i++)
        chart->boxes[i] = (struct chart_box){.name = names[i],
                                             .x = 10 + (double)i * STEP,
                                             .y = 20,
                                             .width = BOX_WIDTH,
                                             .height = BOX_HEIGHT};
    chart->boxes[L1].lines[0] = rate(chart, node_number(caches, "l1_hit_rate"));
    chart->boxes[L2].lines[0] = rate(chart, node_number(caches, "l2_hit_rate"));
    if (isfinite(node_number(hardware, "dram_bandwidth")))
        chart->boxes[DRAM].lines[0] = arena_copy(
            &chart->arena, quantity_format(node_number(hardware, "dram_bandwidth"), "B/s").text);
    chart->box_count = DRAM + 1;
}

static void set_arrows(struct memory_chart *chart, const struct node *caches)
{
    const struct node *sectors = node_child(caches, "sectors");
    double loads = node_number(sectors, "loads"), l2_loads = node_number(sectors, "l2_loads"),
           stores = node_number(sectors, "stores"), atomics = node_number(sectors, "atomics"),
           read = node_number(sectors, "dram_read"), written = node_number(sectors, "dram_written");
    double most = fmax(loads, fmax(stores, fmax(read, written)));
    add_arrow(chart, L1, KERNEL, loads, most, counted(chart, loads, "sector"),
              sized(chart, node_number(caches, "grid_load_bytes")));
    add_arrow(chart, L2, L1, l2_loads, most, counted(chart, l2_loads, "sector"), "past L1");
    add_arrow(chart, DRAM, L2, read, most, counted(chart, read, "sector"),
              sized(chart, node_number(caches, "grid_dram_read_bytes")));
    add_arrow(chart, KERNEL, L1, stores, most, counted(chart, stores, "sector"), "stored");
    add_arrow(chart, L1, L2, stores, most, counted(chart, stores, "sector"),
              atomics > 0 ? arena_format(&chart->arena, "and %s", counted(chart, atomics, "atomic"))
                          : "stored");
    add_arrow(chart, L2, DRAM, written, most, counted(chart, written, "sector"),
              sized(chart, node_number(caches, "grid_dram_written_bytes")));
}

/* Below the kernel, with what it asks of it. */
static void set_shared(struct memory_chart *chart, const struct node *profile)
{
    double loads = node_number(profile, "mem.shared.load.requests"),
           stores = node_number(profile, "mem.shared.store.requests");
    if (!(loads > 0) && !(stores > 0)) return;
    chart->boxes[SHARED] = (struct chart_box){
        .name = "Shared memory",
        .x = 10,
        .y = 200,
        .width = 250,
        .height = 76,
        .lines = {arena_format(&chart->arena, "%s loaded", counted(chart, loads, "request")),
                  arena_format(&chart->arena, "%s stored", counted(chart, stores, "request"))}};
    chart->box_count = BOXES;
    chart->arrows[chart->arrow_count++] = (struct chart_arrow){
        .from = SHARED,
        .to = KERNEL,
        .label = sized(chart, node_number(profile, "mem.shared.load.bytes_requested")),
        .weight = 0.2};
}

void html_memory_chart(struct html *html, const struct node *machine)
{
    const struct node *caches = node_child(machine, "caches");
    const char *reason = node_word(machine, "caches_reason");
    struct memory_chart chart = {0};
    if (!node_is_known(caches)) {
        if (reason) html_p(html, NULL, "Cache hits are unknown: %s.", reason);
        return;
    }
    set_boxes(&chart, machine);
    set_arrows(&chart, caches);
    set_shared(&chart, node_child(html->kernel, "profile"));
    html_diagram(
        html,
        &(struct chart_diagram){
            .title = "Data between the kernel and DRAM, for the whole grid",
            .text =
                "Boxes for the kernel, L1, L2 and DRAM; arrows to the left are loads, to the right "
                "stores, in sectors of 32 bytes.",
            .width = WIDE,
            .height = chart.box_count == BOXES ? HIGH : 170,
            .boxes = chart.boxes,
            .box_count = chart.box_count,
            .arrows = chart.arrows,
            .arrow_count = chart.arrow_count});
    html_p(html, "facts",
           "Found by following %s of %s on %s with their share of the L2, which is %s as the "
           "launch starts.",
           quantity_of((double)node_count(caches, "blocks"), "block").text,
           quantity_format(node_number(caches, "grid_blocks"), "1").text,
           quantity_of((double)node_count(caches, "sms"), "SM").text, node_word(machine, "l2"));
    arena_clear(&chart.arena);
}

/* ---- accesses ---------------------------------------------------------------------------------- */

static void access_row(struct html_table *table, const struct node *access, const char *why_where)
{
    double requests = node_number(access, "requests"), served = node_number(access, "served"),
           ideal = node_number(access, "ideal");
    uint64_t copies = node_count(access, "copies");
    const char *place = node_word(access, "place");
    bool is_cause = why_where && *why_where && !strcmp(why_where, place);
    html_row(table, is_cause ? "best" : NULL);
    html_open_cell(table);
    markup_text(table->html->out, node_word(access, "name"));
    if (copies > 1) markup_printf(table->html->out, " x%llu", (unsigned long long)copies);
    if (is_cause) html_text(table->html, " (cause)");
    html_close_cell(table);
    html_cell(table, place);
    html_cell(table, node_flag(access, "is_shared") ? "shared" : "global");
    html_cell_number(table, requests, "1");
    html_cell_number(table, served, "1");
    html_cell_number(table, ideal, "1");
    html_cell_share(table, served > 0 ? ideal / served : NAN);
    html_cell_number(table, node_number(access, "conflicts"), "1");
}

void html_accesses(struct html *html, const struct node *of)
{
    static const struct html_column columns[] = {
        {.title = "access", .is_code = true},
        {.title = "line", .is_code = true},
        {.title = "memory"},
        {.title = "requests", .is_number = true, .text = "warp-level requests"},
        {.title = "served",
         .is_number = true,
         .text = "sectors or transactions; wavefronts of shared memory"},
        {.title = "at best", .is_number = true, .text = "the least that these requests could take"},
        {.title = "efficiency", .is_number = true, .text = "at best, divided by served"},
        {.title = "conflicts", .is_number = true, .text = "wavefronts by bank conflicts"}};
    enum { SHOWN = 40 };
    const struct node *accesses = node_child(of, "accesses"),
                      *hardware = node_child(of, "hardware");
    size_t count = accesses->value.item_count;
    struct arena arena = {0};
    if (!count) return;
    struct html_table table = html_open_table(
        html,
        !hardware || node_flag(hardware, "counts_sectors")
            ? "Accesses, costliest first, in sectors of 32 bytes; of shared memory in wavefronts"
            : "Accesses, costliest first, in transactions of half-warps; of shared memory in "
              "wavefronts",
        columns, 8);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        struct node row = node_row(accesses, i, &arena);
        access_row(&table, &row, node_word(of, "why_where"));
        arena_clear(&arena);
    }
    html_close_table(&table);
    if (count > SHOWN)
        html_p(html, "facts", "And %s with lower cost, in the JSON.",
               quantity_of((double)(count - SHOWN), "access").text);
}
