// SPDX-License-Identifier: Apache-2.0
/* The report of `analyze`: 60 lines by 96 columns for one kernel on one GPU, more where
 * the reader has fewer columns. Order: is this the right
 * kernel; the answer in four lines; what to do; the evidence; the caveats, always there. */
#include <stdint.h>
#include <string.h>

#include "render/analyze_sarif.h"
#include "render/analyze_sections.h"
#include "render/html/analyze_parts.h"
#include "render/markdown.h"
#include "render/reflow.h"

enum { REPORT_LINES = 60, USUAL_WIDTH = 96 };

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

/* Reports that have a section: by the number of machines, and whether all details are wanted. */
enum {
    NONE = 1,
    ONE = 2,
    SEVERAL = 4,
    SEVERAL_IN_DETAIL = 8,
    ANY = NONE | ONE | SEVERAL | SEVERAL_IN_DETAIL
};

/* Of the kernel, or of each machine: sections of machines that follow each other come machine by machine. */
enum section_of { KERNEL, MACHINE };

/* If the report exceeds REPORT_LINES, sections with `rows` rows give up rows, down to `least`, in the order
 * of their priority: the lowest first. */
struct section {
    unsigned reports;
    enum section_of of;
    bool follows; /* without a blank line before it */
    void (*show)(struct page *page, const struct node *of);
    void (*show_rows)(struct page *page, const struct node *of, size_t rows); /* or show */
    unsigned rows, least, priority;
};

static const struct section sections[] = {
    {ANY, KERNEL, .show = show_kernel},
    {NONE, KERNEL, .follows = true, .show = show_mix},
    {SEVERAL | SEVERAL_IN_DETAIL, KERNEL, .show = show_comparison},
    {ONE, MACHINE, .follows = true, .show = show_machine},
    {ONE, MACHINE, .show = show_answer},
    {SEVERAL | SEVERAL_IN_DETAIL, MACHINE, .show = show_machine},
    {SEVERAL | SEVERAL_IN_DETAIL, MACHINE, .follows = true, .show = show_answer},
    {SEVERAL, MACHINE, .follows = true, .show = show_best_advice},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, false, NULL, show_advice, 4, 2, 5},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, false, NULL, show_throughput, 6, 3, 4},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, .show = show_components},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, false, NULL, show_memory, 6, 2, 3},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, .follows = true, .show = show_caches},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, .show = show_occupancy},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, .follows = true, .show = show_waits},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, false, NULL, show_models, 2, 1, 1},
    {ONE | SEVERAL_IN_DETAIL, MACHINE, false, NULL, show_hot_code, 5, 1, 2},
    {NONE, KERNEL, false, NULL, show_memory, 12, 4, 3},
    {SEVERAL, KERNEL, false, NULL, show_memory, 4, 2, 3},
    {NONE | SEVERAL | SEVERAL_IN_DETAIL, KERNEL, false, NULL, show_hot_lines, 3, 1, 2},
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections, NOTE_LINES = 2 };

/* A section as it stands in one report. */
struct block {
    const struct section *section;
    const struct node *of;
    size_t rows;
    struct strbuf text;
    unsigned lines; /* with the blank one before it */
};

struct blocks {
    struct block *items;
    size_t count, capacity;
};

static void compose(const struct page *page, struct block *block, bool is_first)
{
    const struct section *section = block->section;
    struct page part = *page;
    strbuf_clear(&block->text);
    part.out = &block->text;
    part.lines = 0;
    if (section->show)
        section->show(&part, block->of);
    else
        section->show_rows(&part, block->of, block->rows);
    reflow_text(&block->text, 0, page->width);
    part.lines = 0;
    for (size_t i = 0; i < block->text.length; i++)
        part.lines += block->text.data[i] == '\n';
    block->lines = part.lines + (part.lines && !section->follows && !is_first);
}

static void add_block(const struct page *page, struct blocks *blocks, const struct section *section,
                      const struct node *of)
{
    GROW(blocks->items, blocks->count, blocks->capacity);
    struct block *block = &blocks->items[blocks->count];
    *block = (struct block){.section = section, .of = of};
    block->rows = page_has_details(page) ? SIZE_MAX : section->rows;
    compose(page, block, blocks->count++ == 0);
}

static unsigned report_of(const struct page *page, size_t machine_count)
{
    if (machine_count < 2) return machine_count ? ONE : NONE;
    return page_has_details(page) ? SEVERAL_IN_DETAIL : SEVERAL;
}

static void add_blocks(const struct page *page, struct blocks *blocks, const struct node *kernel)
{
    const struct node *machines = node_child(kernel, "machines");
    unsigned report = report_of(page, machines->child_count);
    for (size_t i = 0, end; i < SECTION_COUNT; i = end) {
        end = i + 1;
        while (sections[i].of == MACHINE && end < SECTION_COUNT && sections[end].of == MACHINE)
            end++;
        size_t times = sections[i].of == MACHINE ? machines->child_count : 1;
        for (size_t k = 0; k < times; k++)
            for (size_t at = i; at < end; at++)
                if (sections[at].reports & report)
                    add_block(page, blocks, &sections[at],
                              sections[at].of == MACHINE ? &machines->children[k] : kernel);
    }
}

static unsigned line_count(const struct blocks *blocks)
{
    unsigned lines = 0;
    for (size_t i = 0; i < blocks->count; i++)
        lines += blocks->items[i].lines;
    return lines;
}

/* Takes a row from a section of lowest priority that can give one. */
static bool give_row(const struct page *page, struct blocks *blocks)
{
    struct block *lowest = NULL;
    for (size_t i = 0; i < blocks->count; i++) {
        struct block *block = &blocks->items[i];
        if (block->rows <= block->section->least) continue;
        if (!lowest || block->section->priority < lowest->section->priority) lowest = block;
    }
    if (!lowest) return false;
    lowest->rows--;
    compose(page, lowest, lowest == blocks->items);
    return true;
}

static void put_block(struct page *page, struct block *block, bool is_first)
{
    if (block->lines && !block->section->follows && !is_first) page_blank(page);
    if (block->lines) strbuf_append(page->out, block->text.data, block->text.length);
    page->lines += block->lines;
    strbuf_clear(&block->text);
}

/* What is left of the lines has the notes. */
static void one_kernel(struct page *page, const struct node *kernel)
{
    struct blocks blocks = {0};
    bool details = page_has_details(page);
    add_blocks(page, &blocks, kernel);
    unsigned lines = page_lines_for(page, REPORT_LINES) - page->reserved;
    while (!details && line_count(&blocks) + NOTE_LINES + 2 > lines)
        if (!give_row(page, &blocks)) break;
    struct page clipped = *page;
    clipped.clips = true;
    if (!details && line_count(&blocks) + NOTE_LINES + 2 > lines)
        for (size_t i = 0; i < blocks.count; i++)
            compose(&clipped, &blocks.items[i], i == 0);
    unsigned used = line_count(&blocks) + 1;
    for (size_t i = 0; i < blocks.count; i++)
        put_block(page, &blocks.items[i], i == 0);
    mem_free(blocks.items);
    page_blank(page);
    unsigned left = used + 2 < lines ? lines - used - 1 : 1;
    show_notes(page, kernel, details ? 1000 : left);
    show_code(page, kernel);
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
        show_answer(page, machine);
        show_best_advice(page, machine);
    }
    show_code(page, kernel);
}

static unsigned width_of(const struct page *page)
{
    if (page->details == WS_DETAILS_QUIET && !page->columns) return page->width;
    return page->columns ? page->width : USUAL_WIDTH;
}

/* Lines for the ratios, with the blank one before them. */
static void compose_kernels(struct page *page, const struct node *root)
{
    enum { RATIOS = 6 };
    const struct node *kernels = node_child(root, "kernels"),
                      *comparisons = node_child(root, "comparisons");
    size_t ratios = comparisons ? comparisons->value.item_count : 0;
    bool is_quiet = page->details == WS_DETAILS_QUIET, is_brief = page->details == WS_DETAILS_BRIEF;
    page->width = width_of(page);
    if (is_brief) show_brief(page, kernels);
    if (is_brief && ratios) show_ratios(page, comparisons, kernels, SIZE_MAX);
    if (is_brief) return;
    if (!page_has_details(page) && ratios > RATIOS) ratios = RATIOS;
    page->reserved = ratios && !is_quiet && kernels->child_count == 1 ? (unsigned)ratios + 1 : 0;
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
    if (is_quiet || !ratios) return;
    page_blank(page);
    show_ratios(page, comparisons, kernels, ratios);
}

static const struct view_part parts[] = {{"", compose_kernels}};

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
    {.rows = "power/terms", .metric = "%1/{power/model}/%2", .value = ""},
    {.metric = "%1/{power/model}/energy", .value = "power/energy"},
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

static void html_page(struct html *html, const struct node *root)
{
    html_kernels(html, node_child(root, "kernels"));
}

const struct view view_analyze = {
    .question = "analyze",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .series = series,
    .series_name = "kernel",
    .html = html_page,
    .markdown = render_analyze_markdown,
    .sarif = render_analyze_sarif,
};
