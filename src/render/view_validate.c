// SPDX-License-Identifier: Apache-2.0
/* Predictions beside measured launches: by kernel, by model, by counter; CSV has a row for each launch and
 * model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/views.h"

enum { MODELS = 7, MODEL_COLUMNS = 9 };

/* ---- by kernel ------------------------------------------------------------------------------- */

/* Models of the scores, which name each once for a role; those of the first role are all. */
static size_t find_models(const struct node *set, const char *out[MODELS])
{
    const struct node *scores = node_child(set, "scores");
    size_t count = 0;
    for (size_t i = 0; i < scores->child_count && count < MODELS; i++) {
        const char *model = node_word(&scores->children[i], "model");
        size_t at = 0;
        while (at < count && strcmp(out[at], model) != 0)
            at++;
        if (at == count) out[count++] = model;
    }
    return count;
}

/* The time, or the power. */
static struct quantity measured_text(const struct node *node)
{
    double watts = node_number(node, "measured_w");
    return isnan(watts) ? quantity_format(node_number(node, "measured_s"), "s")
                        : quantity_format(watts, "W");
}

static void kernel_row(struct page *page, const struct node *kernel, const char *const *names,
                       size_t count)
{
    struct strbuf line = {0};
    char name[64];
    snprintf(name, sizeof name, "%.20s %.24s", node_word(kernel, "application"),
             node_word(kernel, "kernel"));
    strbuf_printf(&line, "  %-30.30s %-6.6s %4.0f %9s", name, node_word(kernel, "role"),
                  node_number(kernel, "rows"), measured_text(kernel).text);
    for (size_t i = 0; i < count; i++) {
        double ratio = node_number(node_child(node_child(kernel, "models"), names[i]), "ratio");
        if (isnan(ratio))
            strbuf_printf(&line, " %*s", MODEL_COLUMNS, "-");
        else
            strbuf_printf(&line, " %*s", MODEL_COLUMNS, quantity_ratio(ratio).text);
    }
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

static void put_kernels(struct page *page, const struct node *set)
{
    const struct node *kernels = node_child(set, "kernels");
    const char *names[MODELS];
    size_t count = find_models(set, names);
    struct strbuf line = {0};
    strbuf_printf(&line, "%-32s %-6s %4s %9s", "Predicted / measured", "role", "runs", "measured");
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&line, " %*.*s", MODEL_COLUMNS, MODEL_COLUMNS, names[i]);
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
    for (size_t i = 0; i < kernels->child_count; i++)
        kernel_row(page, &kernels->children[i], names, count);
}

/* ---- by model -------------------------------------------------------------------------------- */

static void score_row(struct page *page, const struct node *score)
{
    char rank[16] = "-";
    double correlation = node_number(score, "rank");
    if (!isnan(correlation)) snprintf(rank, sizeof rank, "%.2f", correlation);
    page_line(page, "  %-8.8s %-16.16s%s %7.0f %10.1f %% %11.1f %% %7.1f %% %7.1f %% %6s %7.0f %%",
              node_word(score, "role"), node_word(score, "model"),
              node_flag(score, "foreign") ? "+" : " ", node_number(score, "kernels"),
              100 * node_number(score, "error_by_kernel"),
              100 * node_number(score, "error_by_application"), 100 * node_number(score, "median"),
              100 * node_number(score, "p90"), rank, 100 * node_number(score, "within_20"));
}

static void put_scores(struct page *page, const struct node *set)
{
    const struct node *scores = node_child(set, "scores");
    bool has_foreign = false;
    page_line(page, "%-28s %7s %12s %13s %9s %9s %6s %9s", "Mean absolute error", "kernels",
              "by kernel", "application", "median", "90 %", "rank", "in 20 %");
    for (size_t i = 0; i < scores->child_count; i++) {
        score_row(page, &scores->children[i]);
        has_foreign |= node_flag(&scores->children[i], "foreign");
    }
    if (has_foreign) page_line(page, "  + a simulator that needs traces recorded on a GPU");
}

/* ---- by instance ----------------------------------------------------------------------------- */

static void put_instances(struct page *page, const struct node *set)
{
    const struct node *instances = node_child(set, "instances");
    if (!instances->child_count) return;
    const struct node *of_models = node_child(&instances->children[0], "models");
    page_blank(page);
    page_line(page, "%-28s %-40s %7s %12s %9s", "Mean absolute error by clock", "model", "runs",
              "error", "ratio");
    for (size_t i = 0; i < instances->child_count; i++)
        for (size_t k = 0; k < of_models->child_count; k++) {
            const struct node *one = &instances->children[i],
                              *model =
                                  node_child(node_child(one, "models"), of_models->children[k].id);
            page_line(page, "  %-26.26s %-40.40s %7.0f %10.1f %% %9s", node_word(one, "instance"),
                      node_word(model, "model"), node_number(one, "rows"),
                      100 * node_number(model, "error"),
                      quantity_ratio(node_number(model, "ratio")).text);
        }
}

/* ---- mechanisms, order ------------------------------------------------------------------------- */

static void put_ablations(struct page *page, const struct node *set)
{
    const struct node *ablations = node_child(set, "ablations");
    if (!ablations->child_count) return;
    page_blank(page);
    page_line(page, "%-32s %-8s %7s %12s %13s %9s", "Mean absolute error without", "role",
              "kernels", "by kernel", "application", "worth");
    for (size_t i = 0; i < ablations->child_count; i++) {
        const struct node *one = &ablations->children[i];
        char name[64];
        snprintf(name, sizeof name, "%.12s %.24s", node_word(one, "model"),
                 node_word(one, "without"));
        page_line(page, "  %-30.30s %-8.8s %7.0f %10.1f %% %11.1f %% %+7.1f %%", name,
                  node_word(one, "role"), node_number(one, "kernels"),
                  100 * node_number(one, "error_by_kernel"),
                  100 * node_number(one, "error_by_application"), 100 * node_number(one, "change"));
    }
}

static void put_rankings(struct page *page, const struct node *set)
{
    const struct node *rankings = node_child(set, "rankings");
    if (!rankings->child_count) return;
    page_blank(page);
    page_line(page, "%-28s %10s %14s %18s", "Slower than the fastest", "rank", "first of all",
              "best of first 5");
    for (size_t i = 0; i < rankings->child_count; i++) {
        const struct node *one = &rankings->children[i];
        char rank[16] = "-";
        double correlation = node_number(one, "rank");
        if (!isnan(correlation)) snprintf(rank, sizeof rank, "%.3f", correlation);
        page_line(page, "  %-26.26s %10s %12.1f %% %16.1f %%", node_word(one, "model"), rank,
                  100 * node_number(one, "first_slower"),
                  100 * node_number(one, "best_of_five_slower"));
    }
}

/* ---- counters, bounds ------------------------------------------------------------------------ */

static void put_counters(struct page *page, const struct node *set)
{
    const struct node *counters = node_child(set, "counters");
    if (!counters->child_count) return;
    page_blank(page);
    page_line(page, "%-40s %-8s %5s %15s %14s", "Counters here / on hardware", "role", "runs",
              "mean ratio", "mean error");
    for (size_t i = 0; i < counters->child_count; i++) {
        const struct node *one = &counters->children[i];
        bool in_points = node_flag(one, "is_percentage");
        char ratio[32], error[32];
        snprintf(ratio, sizeof ratio, in_points ? "%+.1f points" : "%.3f",
                 node_number(one, "ratio"));
        snprintf(error, sizeof error, in_points ? "%.1f points" : "%.1f %%",
                 (in_points ? 1 : 100) * node_number(one, "error"));
        page_line(page, "  %-38.38s %-8.8s %5.0f %15s %14s", node_word(one, "counter"),
                  node_word(one, "role"), node_number(one, "rows"), ratio, error);
    }
}

static void put_fast(struct page *page, const struct node *set)
{
    enum { SHOWN = 8 };
    const struct node *fast = node_child(set, "faster_than_light");
    if (!fast->child_count) return;
    page_blank(page);
    page_line(page,
              "%s measured faster than the speed of light: a figure of the machine file is wrong",
              quantity_of((double)fast->child_count, "launch").text);
    for (size_t i = 0; i < fast->child_count; i++) {
        if (i == SHOWN && page->details != WS_DETAILS_ALL) {
            page_line(page, "  and %zu more: --details all", fast->child_count - i);
            return;
        }
        const struct node *row = &fast->children[i],
                          *bound = node_child(node_child(row, "predictions"), "speed-of-light");
        page_line(page, "  %-20.20s %-24.24s %-12.12s %s", node_word(row, "application"),
                  node_word(row, "kernel"), node_word(row, "instance"),
                  quantity_ratio(node_number(bound, "ratio")).text);
    }
}

static void compose_sets(struct page *page, const struct node *sets)
{
    for (size_t i = 0; i < sets->child_count; i++) {
        const struct node *set = &sets->children[i];
        if (i) page_blank(page);
        page_line(page, "%s   %s", node_word(set, "id"), node_word(set, "title"));
        page_line(page, "  predicted for %s; measured by %s", node_word(set, "machine"),
                  node_word(set, "source"));
        if (node_number(set, "gap_s") > 0)
            page_line(page, "  times include %s to the next launch",
                      quantity_format(node_number(set, "gap_s"), "s").text);
        if (node_number(set, "interval_s") > 0)
            page_line(page, "  launches start at least %s apart",
                      quantity_format(node_number(set, "interval_s"), "s").text);
        page_blank(page);
        if (page->details != WS_DETAILS_QUIET && !node_child(set, "rankings")->child_count) {
            put_kernels(page, set);
            page_blank(page);
        }
        put_scores(page, set);
        put_instances(page, set);
        put_rankings(page, set);
        put_ablations(page, set);
        put_counters(page, set);
        put_fast(page, set);
    }
}

static const struct view_part parts[] = {{"sets", compose_sets}};

static const struct csv_column columns[] = {
    {"set", "^/^/id"},
    {"application", "^/application"},
    {"kernel", "^/kernel"},
    {"instance", "^/instance"},
    {"role", "^/role"},
    {"measured_s", "^/measured_s"},
    {"model", "model"},
    {"without", "without"},
    {"time_s", "time_s"},
    {"ratio", "ratio"},
    {"measured_w", "^/measured_w"},
    {"w", "w"},
};

static const struct csv_table table = {
    .rows = "sets/*/rows/*/predictions",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
};

const struct view view_validate = {
    .question = "validate",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .csv = &table,
    .csv_count = 1,
};
