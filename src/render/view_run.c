// SPDX-License-Identifier: Apache-2.0
/* The report of a run: its kernels, the heaviest launch's own report, and what to know of the figures. */
#include <string.h>

#include "base/quantity.h"
#include "render/analyze_sarif.h"
#include "render/markdown.h"

enum { KERNELS_SHOWN = 20, NAME_COLUMNS = 20 };

static struct quantity count_of(const struct node *node, const char *id, const char *noun)
{
    return quantity_of((double)node_count(node, id), noun);
}

/* ---- notes ----------------------------------------------------------------------------------- */

struct notes {
    struct page *page;
    bool has_some;
};

/* A note may have several lines. */
static void put_note(struct notes *notes, const char *text)
{
    struct strbuf line = {0};
    for (; *text; text += strspn(text, " \n")) {
        size_t length = strcspn(text, "\n");
        line.length = 0;
        strbuf_append(&line, text, length);
        page_fill(notes->page, notes->has_some ? "          " : "Notes     ", line.data);
        notes->has_some = true;
        text += length;
    }
    strbuf_clear(&line);
}

static void put_note_of(struct notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_note_of(struct notes *notes, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    put_note(notes, text.data);
    strbuf_clear(&text);
}

/* What the program did that is not supported, or is wrong. */
static void put_told(struct notes *notes, const struct node *run)
{
    const struct node *missing = node_child(run, "missing"), *told = node_child(run, "notes");
    const char *const *texts = told->value.items;
    for (size_t i = 0; i < missing->child_count; i++) {
        const struct node *one = &missing->children[i];
        put_note_of(notes, "%s is not supported: called %s, it returned %s.",
                    node_word(one, "name"), count_of(one, "calls", "time").text,
                    node_word(one, "returned"));
    }
    for (size_t i = 0; i < told->value.item_count; i++)
        put_note(notes, texts[i]);
}

/* How the launches came to their counts. */
static void put_counted(struct notes *notes, const struct node *totals)
{
    if (node_count(totals, "reused"))
        put_note_of(notes,
                    "%llu of %llu launches were counted; %llu had the same geometry, scalar "
                    "arguments and number of instructions as a counted one and reuse its counts "
                    "(--every-launch counts each).",
                    (unsigned long long)node_count(totals, "counted"),
                    (unsigned long long)node_count(totals, "launches"),
                    (unsigned long long)node_count(totals, "reused"));
    if (node_count(totals, "scaled"))
        put_note_of(notes,
                    "%s executed a different number of instructions than the counted ones of the "
                    "same kind: the time is estimated from those with the nearest number "
                    "(--every-launch counts each).",
                    count_of(totals, "scaled", "launch").text);
    if (node_count(totals, "uncounted"))
        put_note_of(notes,
                    "%s ran without counters (--only, --skip, --count): time unknown, reported as "
                    "0 by CUDA events.",
                    count_of(totals, "uncounted", "launch").text);
    if (node_count(totals, "failed"))
        put_note_of(notes, "%s failed: see the messages above.",
                    count_of(totals, "failed", "launch").text);
}

/* Launches by kernels. */
static void put_launched(struct notes *notes, const struct node *kernels)
{
    struct strbuf text = {0};
    for (size_t i = 0; i < kernels->child_count; i++) {
        const struct node *one = &kernels->children[i];
        if (!node_is_known(node_child(one, "launched_by_kernels"))) continue;
        strbuf_printf(&text, "%s%s %s, first by %s", text.length ? "; " : "",
                      node_word(one, "name"), count_of(one, "launched_by_kernels", "time").text,
                      node_word(one, "launched_by"));
    }
    if (text.length)
        put_note_of(notes,
                    "Kernels launched kernels: %s. These begin when the blocks of their parent "
                    "have ended; its own time is without them, the total has them.",
                    text.data);
    strbuf_clear(&text);
}

static void put_notes(struct page *page, const struct node *run)
{
    struct notes notes = {.page = page};
    if (!node_flag(run, "gpu_given"))
        put_note_of(&notes, "No --gpu given: using %s.", node_word(run, "machine"));
    put_note(&notes, "Times cover kernels, each with what a launch costs on the GPU; what the host "
                     "takes for launches, and copies, are excluded. The total adds them up, also "
                     "of streams that overlap.");
    if (node_is_known(node_child(run, "heaviest")))
        put_note(&notes, "Times of the table do without warp traces, which the report of a kernel "
                         "follows: it may have another time.");
    if (strcmp(node_word(run, "l2"), "kept") != 0)
        put_note_of(&notes, "Each launch starts with its L2 %s (--l2).", node_word(run, "l2"));
    put_counted(&notes, node_child(run, "totals"));
    put_launched(&notes, node_child(run, "kernels"));
    put_told(&notes, run);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void put_kernel(struct page *page, const struct node *kernel)
{
    const char *name = node_word(kernel, "name");
    uint64_t launches = node_count(kernel, "launches");
    struct strbuf line = {0};
    /* A longer name has lines of its own, whole: template arguments tell kernels apart. */
    if (strlen(name) > NAME_COLUMNS) {
        page_fill(page, "", name);
        name = "";
    }
    strbuf_printf(&line, "%-*s %8llu %9s %7s ", NAME_COLUMNS, name, (unsigned long long)launches,
                  quantity_format(node_number(kernel, "warp_instructions"), "1").text,
                  quantity_format(node_number(kernel, "host_s"), "s").text);
    if (node_is_known(node_child(kernel, "time_s")))
        strbuf_printf(&line, "%7s %7s %3.0f %%  %.24s",
                      quantity_format(node_number(kernel, "mean_s"), "s").text,
                      quantity_format(node_number(kernel, "time_s"), "s").text,
                      100 * node_number(kernel, "share"), node_word(kernel, "bottleneck"));
    else
        strbuf_printf(&line, "%7s %7s %5s  %s", "-", "-", "-",
                      node_count(kernel, "failed") == launches ? "failed" : "not requested");
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

static void put_kernels(struct page *page, const struct node *run)
{
    const struct node *kernels = node_child(run, "kernels"), *totals = node_child(run, "totals");
    bool is_timed = node_count(totals, "counted") > 0;
    page_line(page, "  %s, %s, %s%s", quantity_of((double)kernels->child_count, "kernel").text,
              count_of(totals, "launches", "launch").text,
              is_timed ? quantity_format(node_number(run, "time_s"), "s").text
                       : "no time predicted",
              is_timed ? " predicted in total" : "");
    page_blank(page);
    page_line(page, "%-*s %8s %9s %7s %7s %7s %5s  %s", NAME_COLUMNS, "kernel", "launches",
              "instr.", "host", "each", "total", "share", "limited by");
    for (size_t i = 0; i < kernels->child_count && i < KERNELS_SHOWN; i++)
        put_kernel(page, &kernels->children[i]);
    if (kernels->child_count > KERNELS_SHOWN)
        page_line(page, "and %s with less time: --format json",
                  quantity_of((double)(kernels->child_count - KERNELS_SHOWN), "kernel").text);
    page_blank(page);
}

/* The report of `analyze`, laid out as its own. */
static void put_heaviest(struct page *page, const struct node *run)
{
    const struct node *heaviest = node_child(run, "heaviest");
    struct page own = *page;
    own.lines = 0;
    if (!node_is_known(heaviest)) return;
    if (node_count(node_child(run, "totals"), "launches") > 1) {
        page_line(page, "The heaviest launch of the heaviest kernel:");
        page_blank(page);
    }
    view_compose(view_find(question_of(heaviest->record)), &own, heaviest);
    page_blank(page);
}

/* ---- layout ---------------------------------------------------------------------------------- */

static void put_title(struct page *page, const struct node *run)
{
    const struct node *program = node_child(run, "program");
    const char *const *words = program->value.items;
    const char *path = program->value.item_count ? words[0] : "";
    const char *slash = strrchr(path, '/');
    struct strbuf text = {0};
    strbuf_printf(&text, "%.60s on %s (%s)", slash ? slash + 1 : path, node_word(run, "machine"),
                  node_word(run, "machine_name"));
    page_fill(page, "", text.data);
    strbuf_clear(&text);
}

static void put_nothing(struct page *page, const struct node *run)
{
    struct notes notes = {.page = page};
    page_line(page, "  no kernel was launched");
    if (!node_flag(run, "gpu_given"))
        page_line(page, "  No --gpu given: using %s.", node_word(run, "machine"));
    if (!node_count(run, "processes")) {
        page_line(page, "  The program did not call the CUDA runtime or driver. (Programs linked "
                        "with -static or running");
        page_line(page, "  with other privileges cannot be intercepted.)");
    }
    put_told(&notes, run);
}

static void compose(struct page *page, const struct node *run)
{
    put_title(page, run);
    if (!node_count(node_child(run, "totals"), "launches")) {
        put_nothing(page, run);
        return;
    }
    put_kernels(page, run);
    put_heaviest(page, run);
    put_notes(page, run);
}

compose_html_fn html_run; /* html/run_page.c */

static const struct view_part parts[] = {{"", compose}};

static const struct csv_column columns[] = {
    {"kernel", "name"},   {"launches", "launches"},     {"counted", "counted"},
    {"reused", "reused"}, {"scaled", "scaled"},         {"uncounted", "uncounted"},
    {"failed", "failed"}, {"time_s", "time_s"},         {"least_s", "least_s"},
    {"most_s", "most_s"}, {"bottleneck", "bottleneck"},
};
static const struct csv_table csv[] = {
    {NULL, "kernels", columns, sizeof columns / sizeof *columns, NULL}};

const struct view view_run = {
    .question = "run",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .csv = csv,
    .csv_count = 1,
    .markdown = render_run_markdown,
    .sarif = render_run_sarif,
    .html = html_run,
};
