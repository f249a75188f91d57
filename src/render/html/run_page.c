// SPDX-License-Identifier: Apache-2.0
/* The page of `run`: what the program took, its timeline, its kernels, and a page for each of these. */
#include <stdio.h>
#include <string.h>

#include "render/html/analyze_parts.h"
#include "render/html/run_parts.h"

/* Pages stay below 2 MB: bytes of the body from which on kernels have no report, and that none may exceed; kernels in the
 * table, and with a section of their own. */
enum {
    BODY_FULL = 1200000,
    BODY_MOST = 1450000,
    KERNELS_LISTED = 300,
    PAGES_MOST = 64,
    NAME_MOST = 200,
    ROWS_OF_CODE = 3000
};

struct quantity run_count(const struct node *node, const char *id, const char *noun)
{
    return quantity_of((double)node_count(node, id), noun);
}

const struct node *run_report_of(const struct node *run, const struct node *kernel)
{
    const struct node *reports = node_child(node_child(run, "heaviest"), "kernels");
    uint64_t number = node_count(kernel, "report");
    return reports && number && number <= reports->child_count ? &reports->children[number - 1]
                                                               : NULL;
}

/* ---- table of kernels -------------------------------------------------------------------------- */

static const struct html_column kernel_columns[] = {
    {.title = "kernel", .is_code = true},
    {.title = "launches", .is_number = true},
    {.title = "total", .is_number = true, .text = "Predicted time of all launches"},
    {.title = "share", .is_number = true, .text = "Of the predicted time of all kernels"},
    {.title = "each", .is_number = true, .text = "Mean predicted time per launch"},
    {.title = "fastest", .is_number = true},
    {.title = "slowest", .is_number = true},
    {.title = "limited by",
     .text = "Bottleneck of the heaviest launch, predicted without warp traces"},
    {.title = "why",
     .text = "Of the report of the heaviest launch, which follows its warp traces"}};
enum { KERNEL_COLUMNS = sizeof kernel_columns / sizeof *kernel_columns };

static const char *why_of(const struct node *run, const struct node *kernel)
{
    const struct node *report = run_report_of(run, kernel),
                      *machines = node_child(report, "machines");
    const char *reason = node_word(kernel, "reason"), *why = NULL;
    if (machines && machines->child_count) why = node_word(machines->children, "why");
    return reason ? reason : why ? why : "";
}

static void put_kernel_row(struct html_table *table, const struct node *run, size_t index)
{
    static const char *const times[] = {"mean_s", "least_s", "most_s"};
    const struct node *kernel = &node_child(run, "kernels")->children[index];
    const char *bottleneck = node_word(kernel, "bottleneck");
    bool is_timed = node_is_known(node_child(kernel, "time_s"));
    html_row(table, NULL);
    html_open_cell(table);
    if (index < PAGES_MOST) strbuf_printf(table->html->out, "<a href=\"#k%zu\">", index + 1);
    markup_text_cut(table->html->out, node_word(kernel, "name"), NAME_MOST);
    html_raw(table->html, index < PAGES_MOST ? "</a>" : "");
    html_close_cell(table);
    html_cell_count(table, node_count(kernel, "launches"));
    html_cell_number(table, node_number(kernel, "time_s"), "s");
    html_cell_share(table, node_number(kernel, "share"));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        html_cell_number(table, node_number(kernel, times[i]), "s");
    html_cell(table, is_timed && bottleneck ? bottleneck : "");
    html_cell(table, why_of(run, kernel));
}

void html_run_kernels(struct html *html, const struct node *run)
{
    const struct node *kernels = node_child(run, "kernels");
    size_t count = kernels->child_count < KERNELS_LISTED ? kernels->child_count : KERNELS_LISTED;
    if (!count) return;
    if (count < kernels->child_count)
        html_p(html, NULL, "The %d heaviest of %zu kernels; the others are in the JSON.",
               KERNELS_LISTED, kernels->child_count);
    html_raw(html, "<div class=\"kernels\">\n");
    struct html_table table =
        html_open_table(html, "All kernels, heaviest first", kernel_columns, KERNEL_COLUMNS);
    for (size_t i = 0; i < count; i++)
        put_kernel_row(&table, run, i);
    html_close_table(&table);
    html_raw(html, "</div>\n");
}

/* ---- a page for each kernel -------------------------------------------------------------------- */

static void put_shape(struct html *html, const struct node *kernel)
{
    const struct node *grid = node_child(kernel, "grid"), *block = node_child(kernel, "block");
    if (!grid || !block) return;
    const uint64_t *g = grid->value.items, *b = block->value.items;
    html_p(html, "facts",
           "%s, %s \xc2\xb7 heaviest: grid %llux%llux%llu, block %llux%llux%llu \xc2\xb7 counted "
           "%llu, "
           "reused %llu, scaled %llu, not counted %llu, failed %llu",
           run_count(kernel, "launches", "launch").text,
           quantity_of((double)node_count(kernel, "warp_instructions"), "warp instruction").text,
           (unsigned long long)g[0], (unsigned long long)g[1], (unsigned long long)g[2],
           (unsigned long long)b[0], (unsigned long long)b[1], (unsigned long long)b[2],
           (unsigned long long)node_count(kernel, "counted"),
           (unsigned long long)node_count(kernel, "reused"),
           (unsigned long long)node_count(kernel, "scaled"),
           (unsigned long long)node_count(kernel, "uncounted"),
           (unsigned long long)node_count(kernel, "failed"));
}

static void put_times(struct html *html, const struct node *run, size_t index)
{
    html_raw(html, "<div class=\"kernels\">\n");
    struct html_table table =
        html_open_table(html, "Times of all launches", kernel_columns, KERNEL_COLUMNS);
    put_kernel_row(&table, run, index);
    html_close_table(&table);
    html_raw(html, "</div>\n");
}

/* The full parts of `analyze`; false, and nothing is left of them: the page would be too large. */
static bool put_report(struct html *html, const struct node *report, bool is_first)
{
    size_t begin = html->out->length, contents = html->contents.length;
    unsigned next_chart = html->next_chart, next_table = html->next_table;
    html_raw(html, is_first ? "<details class=\"page\" open>" : "<details class=\"page\">");
    html_raw(html, "<summary>Report of the heaviest launch</summary>\n");
    html_kernel(html, report);
    if (begin <= BODY_FULL && html->out->length > BODY_FULL)
        html_p(html, "facts", "The page is full: some parts of this report may be missing.");
    html_raw(html, "</details>\n");
    /* The contents list kernels; with their parts they would be too long to be read. */
    if (!is_first && html->contents.length > contents)
        html->contents.data[html->contents.length = contents] = '\0';
    if (html->out->length < BODY_MOST) return true;
    html->out->data[html->out->length = begin] = '\0';
    if (html->contents.length > contents)
        html->contents.data[html->contents.length = contents] = '\0';
    html->next_chart = next_chart;
    html->next_table = next_table;
    return false;
}

static void put_kernel_page(struct html *html, const struct node *run, size_t index)
{
    const struct node *kernel = &node_child(run, "kernels")->children[index],
                      *report = run_report_of(run, kernel);
    const char *why_short = node_word(kernel, "no_report");
    struct strbuf title = {0};
    char id[24];
    snprintf(id, sizeof id, "k%zu", index + 1);
    strbuf_printf(&title, "%.*s", NAME_MOST, node_word(kernel, "name"));
    html_open_section(html, id, title.data, true);
    strbuf_clear(&title);
    put_shape(html, kernel);
    put_times(html, run, index);
    if (report && !put_report(html, report, index == 0)) why_short = "a page holds less than 2 MB";
    if (!report || why_short)
        html_p(html, "facts",
               "Without a report of its own: %s. --report-dir, or -f json --reports N, have it.",
               why_short ? why_short : "it could not be made");
    html_raw(html, "<p class=\"facts\"><a href=\"#kernels\">All kernels</a></p>\n");
    html_close_section(html);
}

void html_run_kernel_pages(struct html *html, const struct node *run)
{
    const struct node *kernels = node_child(run, "kernels"),
                      *reports = node_child(node_child(run, "heaviest"), "kernels");
    size_t count = kernels->child_count < PAGES_MOST ? kernels->child_count : PAGES_MOST;
    html->row_budget = ROWS_OF_CODE / (reports && reports->child_count ? reports->child_count : 1);
    for (size_t i = 0; i < count; i++)
        put_kernel_page(html, run, i);
}

/* ---- the page ---------------------------------------------------------------------------------- */

static void put_head(struct html *html, const struct node *run)
{
    html_program_title(html, node_child(run, "program"));
    html_lead(html, "on %s (%s), exit status %llu", node_word(run, "machine"),
              node_word(run, "machine_name"), (unsigned long long)node_count(run, "exit_code"));
}

void html_run(struct html *html, const struct node *run)
{
    put_head(html, run);
    html_part(html, "summary", "Summary", true, html_run_summary, run);
    html_part(html, "timeline", "Timeline", true, html_run_timeline, run);
    html_part(html, "kernels", "Kernels", true, html_run_kernels, run);
    html_part(html, "notes", "Notes", true, html_run_notes, run);
    html_run_kernel_pages(html, run);
}
