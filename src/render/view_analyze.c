// SPDX-License-Identifier: Apache-2.0
/* The report of `analyze`: 60 lines by 96 columns for one kernel on one GPU. Order: is this the right
 * kernel; the answer in four lines; what to do; the evidence; the caveats, always there. */
#include <string.h>

#include "render/analyze_sections.h"

enum { REPORT_LINES = 60, LEAST_WIDTH = 60, MOST_WIDTH = 96, ALL_ROWS = 1 << 30 };

/* ---- what several sections ask ----------------------------------------------------------------- */

bool kernel_is_native(const struct node *kernel)
{
    return !strcmp(node_word(kernel, "counts_are_of"), "native code");
}

bool machine_is_cpu(const struct node *machine)
{
    return !strcmp(node_word(machine, "kind"), "cpu");
}

const struct node *best_estimate(const struct node *machine)
{
    return node_child(node_child(machine, "estimates"), node_word(machine, "best"));
}

const struct node *bound_estimate(const struct node *machine)
{
    return node_child(node_child(machine, "estimates"), "speed-of-light");
}

/* ---- layout ------------------------------------------------------------------------------------ */

static void memory_section(struct page *page, const struct node *machine)
{
    show_memory(page, machine, page_has_details(page) ? ALL_ROWS : 6);
    show_caches(page, machine);
}

static void occupancy_section(struct page *page, const struct node *machine)
{
    show_occupancy(page, machine);
    show_waits(page, machine);
}

/* The evidence, a section after the other with a blank line between. */
static void (*const evidence[])(struct page *page, const struct node *machine) = {
    show_throughput, show_components, memory_section, occupancy_section, show_models,
};

static void show_evidence(struct page *page, const struct node *machine)
{
    enum { SECTIONS = sizeof evidence / sizeof *evidence };
    for (size_t i = 0; i < SECTIONS; i++) {
        unsigned before = page->lines;
        evidence[i](page, machine);
        bool is_wanted = page->lines != before || evidence[i] == occupancy_section;
        if (is_wanted && i + 1 < SECTIONS) page_blank(page);
    }
}

static void one_machine(struct page *page, const struct node *machine)
{
    show_machine(page, machine);
    page_blank(page);
    show_answer(page, machine, true);
    page_blank(page);
    show_advice(page, machine);
    page_blank(page);
    show_evidence(page, machine);
}

/* Several GPUs: the comparison first, then what to know of each. */
static void several_machines(struct page *page, const struct node *kernel)
{
    const struct node *machines = node_child(kernel, "machines");
    page_blank(page);
    show_comparison(page, machines);
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *machine = &machines->children[i];
        page_blank(page);
        show_machine(page, machine);
        show_answer(page, machine, true);
        if (!page_has_details(page)) {
            show_best_advice(page, machine);
            continue;
        }
        page_blank(page);
        show_advice(page, machine);
        page_blank(page);
        show_evidence(page, machine);
    }
    if (page_has_details(page)) return;
    page_blank(page);
    show_memory(page, kernel, 4);
}

static void no_machine(struct page *page, const struct node *kernel)
{
    show_mix(page, kernel);
    page_blank(page);
    show_memory(page, kernel, page_has_details(page) ? ALL_ROWS : 12);
}

static void one_kernel(struct page *page, const struct node *kernel)
{
    const struct node *machines = node_child(kernel, "machines");
    bool details = page_has_details(page);
    unsigned start = page->lines;
    show_kernel(page, kernel);
    if (machines->child_count == 0)
        no_machine(page, kernel);
    else if (machines->child_count == 1)
        one_machine(page, &machines->children[0]);
    else
        several_machines(page, kernel);
    if (node_child(kernel, "instructions")->value.item_count) {
        page_blank(page);
        show_hot_lines(page, kernel, details ? 40 : 3);
    }
    page_blank(page);
    unsigned used = page->lines - start;
    unsigned left = used + 2 < REPORT_LINES ? REPORT_LINES - used - 1 : 1;
    show_notes(page, kernel, details ? 1000 : left);
}

/* -q: five lines a machine, named if there are several kernels or machines. */
static void quiet_kernel(struct page *page, const struct node *kernel, bool several_kernels)
{
    const struct node *machines = node_child(kernel, "machines");
    bool several = several_kernels || machines->child_count > 1;
    for (size_t k = 0; k < machines->child_count; k++) {
        const struct node *machine = &machines->children[k];
        if (several && page->lines) page_blank(page);
        if (several_kernels) page_line(page, "%s", node_word(kernel, "name"));
        if (several) show_machine(page, machine);
        show_answer(page, machine, false);
        show_best_advice(page, machine);
    }
}

static unsigned width_of(const struct page *page)
{
    if (page->details == WS_DETAILS_QUIET && !page->columns) return page->width;
    unsigned columns = page->columns ? page->columns : MOST_WIDTH;
    return columns < LEAST_WIDTH ? LEAST_WIDTH : columns > MOST_WIDTH ? MOST_WIDTH : columns;
}

static void compose_kernels(struct page *page, const struct node *kernels)
{
    page->width = width_of(page);
    for (size_t i = 0; i < kernels->child_count; i++) {
        const struct node *kernel = &kernels->children[i];
        page->opencl = node_flag(kernel, "is_opencl");
        if (page->details == WS_DETAILS_QUIET) {
            quiet_kernel(page, kernel, kernels->child_count > 1);
            continue;
        }
        if (i) page_blank(page);
        one_kernel(page, kernel);
    }
}

static const struct view_part parts[] = {{"kernels", compose_kernels}};

/* ---- CSV: one metric a line -------------------------------------------------------------------- */

static const struct csv_series estimate_series[] = {
    {.metric = "%1/%2/time", .value = "time_s"},
    {.metric = "%1/%2/cycles", .value = "cycles"},
    {.rows = "terms", .metric = "%1/%2/%3", .value = ""},
    {.rows = "details", .metric = "%1/%2/%3", .value = ""},
    {.rows = "without", .metric = "%1/%2/without/%3", .value = "time_s"},
    {0},
};
static const struct csv_series machine_series[] = {
    {.metric = "%1/occupancy", .value = "occupancy/fraction"},
    {.rows = "estimates", .inner = estimate_series},
    {.rows = "power/terms", .metric = "%1/ipp-power/%2", .value = ""},
    {.metric = "%1/ipp-power/energy", .value = "power/energy"},
    {0},
};
static const struct csv_series kernel_series[] = {
    {.rows = "profile", .metric = "%1", .value = "", .has_interval = true},
    {.rows = "machines", .inner = machine_series},
    {0},
};
static const struct csv_series series[] = {
    {.rows = "kernels", .inner = kernel_series},
    {0},
};

const struct view view_analyze = {
    .question = "analyze",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .series = series,
    .series_name = "kernel",
};
