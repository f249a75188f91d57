// SPDX-License-Identifier: Apache-2.0
/* Models side by side with their evidence; the mix of instructions; notes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/html/analyze_parts.h"

/* ---- models ------------------------------------------------------------------------------------ */

static void model_bars(struct html *html, const struct node *machine)
{
    static const struct chart_part part = {"time", 1};
    const struct node *estimates = node_child(machine, "estimates"),
                      *headline = node_child(machine, "headline");
    struct arena arena = {0};
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, estimates->child_count + 1);
    for (size_t i = 0; i < estimates->child_count; i++) {
        const struct node *estimate = &estimates->children[i];
        bool is_best = node_flag(estimate, "best");
        double *value = ARENA_ARRAY(&arena, double, 1), low = node_number(headline, "lo"),
               high = node_number(headline, "hi");
        *value = node_number(estimate, "time_s");
        bars[i] = (struct chart_bar){.label = estimate->id,
                                     .values = value,
                                     .is_strong = is_best,
                                     .low = is_best && isfinite(high) ? low : 0,
                                     .high = is_best && isfinite(high) ? high : 0};
    }
    html_bars(html,
              &(struct chart_bars){
                  .title = "The time by each model",
                  .text = "A bar for each model that applies; the line over that of the verdict "
                          "is its band of errors.",
                  .first = "model",
                  .unit = "s",
                  .bars = bars,
                  .bar_count = estimates->child_count,
                  .parts = &part,
                  .part_count = 1});
    arena_clear(&arena);
}

static void model_table(struct html *html, const struct node *estimates)
{
    static const struct html_column columns[] = {{.title = "model"},
                                                 {.title = "time", .is_number = true},
                                                 {.title = "cycles", .is_number = true},
                                                 {.title = "bottleneck"},
                                                 {.title = "next"}};
    struct html_table table =
        html_open_table(html, "Models that apply; the verdict's stands out", columns, 5);
    for (size_t i = 0; i < estimates->child_count; i++) {
        const struct node *estimate = &estimates->children[i];
        html_row(&table, node_flag(estimate, "best") ? "best" : NULL);
        html_cell(&table, estimate->id);
        html_cell_value(&table, node_child(estimate, "time_s"));
        html_cell_value(&table, node_child(estimate, "cycles"));
        html_cell(&table, node_word(estimate, "bottleneck"));
        html_cell(&table, node_word(estimate, "next"));
    }
    html_close_table(&table);
}

static void put_evidence(struct html *html, const struct node *machine)
{
    const struct node *evidence = node_child(node_child(machine, "headline"), "evidence"),
                      *spread = node_child(machine, "models_differ");
    const char *reason = node_word(machine, "best_reason"), *why = node_word(spread, "reason");
    if (reason) html_p(html, NULL, "Chosen: %s: %s.", node_word(machine, "best"), reason);
    if (spread)
        html_p(html, NULL, "Models differ by %s%s%s.",
               quantity_ratio(node_number(spread, "factor")).text, why ? ": " : "", why ? why : "");
    if (!node_is_known(evidence)) return;
    html_raw(html, "<dl>");
    static const struct {
        const char *id, *name;
        const char *unit; /* NULL: a count */
    } rows[] = {{"kernels", "kernels", NULL},
                {"median_error", "median error", "%"},
                {"p90_error", "90th percentile", "%"},
                {"held_out_kernels", "held out", NULL},
                {"held_out_median_error", "their median", "%"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct node *node = node_child(evidence, rows[i].id);
        if (!node_is_known(node)) continue;
        html_raw(html, "<div><dt>");
        html_text(html, rows[i].name);
        html_raw(html, "</dt><dd>");
        if (rows[i].unit)
            html_number(html, node_value(node), rows[i].unit);
        else
            html_value(html, node);
        html_raw(html, "</dd></div>\n");
    }
    html_raw(html, "<div><dt>source</dt><dd>");
    html_text(html, node_word(evidence, "source"));
    html_raw(html, "</dd></div></dl>\n");
}

/* Terms of the equations of one model, with the time without each effect: folded. */
static void put_terms(struct html *html, const struct node *estimate)
{
    static const struct html_column columns[] = {{.title = "term", .is_code = true},
                                                 {.title = "value", .is_number = true},
                                                 {.title = "meaning"}};
    const struct node *terms = node_child(estimate, "terms"),
                      *without = node_child(estimate, "without");
    char caption[160];
    html_raw(html, "<details><summary>");
    html_textf(html, "Terms of %s", estimate->id);
    html_raw(html, "</summary>\n");
    snprintf(caption, sizeof caption,
             "Terms of the equations of %.100s, and its time without an effect", estimate->id);
    struct html_table table = html_open_table(html, caption, columns, 3);
    for (size_t i = 0; i < terms->child_count; i++) {
        html_row(&table, NULL);
        html_cell(&table, terms->children[i].id);
        html_cell_value(&table, &terms->children[i]);
        html_cell(&table, terms->children[i].measured->text);
    }
    for (size_t i = 0; i < without->child_count; i++) {
        const struct node *effect = &without->children[i];
        if (!(node_number(effect, "gain") > 1)) continue;
        html_row(&table, NULL);
        html_cellf(&table, "without %s", effect->id);
        html_cell_value(&table, node_child(effect, "time_s"));
        html_cellf(&table, "%s faster without it",
                   quantity_ratio(node_number(effect, "gain")).text);
    }
    html_close_table(&table);
    html_raw(html, "</details>\n");
}

static void put_refusals(struct html *html, const struct node *refusals)
{
    static const struct html_column columns[] = {{.title = "model"}, {.title = "what it lacks"}};
    if (!refusals->child_count) return;
    struct html_table table = html_open_table(html, "Models that do not apply", columns, 2);
    for (size_t i = 0; i < refusals->child_count; i++) {
        html_row(&table, NULL);
        html_cell(&table, refusals->children[i].id);
        html_cell(&table, node_word(&refusals->children[i], "reason"));
    }
    html_close_table(&table);
}

void html_models(struct html *html, const struct node *machine)
{
    const struct node *estimates = node_child(machine, "estimates");
    if (estimates->child_count) {
        model_bars(html, machine);
        model_table(html, estimates);
    }
    put_evidence(html, machine);
    for (size_t i = 0; i < estimates->child_count; i++)
        if (node_child(&estimates->children[i], "terms")->child_count)
            put_terms(html, &estimates->children[i]);
    put_refusals(html, node_child(machine, "refusals"));
}

/* ---- the kernel's instructions, notes ---------------------------------------------------------- */

void html_mix(struct html *html, const struct node *kernel)
{
    static const struct chart_part part = {"warp instructions", 1};
    static const char prefix[] = "inst.warp.";
    const struct node *profile = node_child(kernel, "profile");
    struct arena arena = {0};
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, profile->child_count + 1);
    size_t count = 0;
    double all = node_number(profile, "inst.warp"), threads = node_number(profile, "inst.thread");
    if (!(all > 0)) return;
    for (size_t i = 0; i < profile->child_count; i++) {
        const struct node *counter = &profile->children[i];
        double *value = ARENA_ARRAY(&arena, double, 1);
        *value = node_value(counter);
        if (strncmp(counter->id, prefix, strlen(prefix)) != 0 || !(*value > 0)) continue;
        size_t at = count++;
        for (; at > 0 && *bars[at - 1].values < *value; at--)
            bars[at] = bars[at - 1];
        bars[at] = (struct chart_bar){.label = counter->id + strlen(prefix), .values = value};
    }
    if (threads > 0)
        html_p(html, NULL, "%s; %.1f of 32 lanes active on average.",
               quantity_of(all, "warp instruction").text, threads / all);
    html_bars(html, &(struct chart_bars){
                        .title = "Warp instructions by class",
                        .text = "A bar for each class of instructions that the kernel executes.",
                        .first = "class",
                        .bars = bars,
                        .bar_count = count,
                        .parts = &part,
                        .part_count = 1});
    arena_clear(&arena);
}

void html_notes(struct html *html, const struct node *kernel)
{
    struct note_list notes = {0};
    note_list_fill(&notes, kernel);
    html_raw(html, "<ul class=\"notes\">\n");
    for (size_t i = 0; i < notes.count; i++) {
        html_raw(html, "<li>");
        html_text(html, notes.items[i]);
        html_raw(html, "</li>\n");
    }
    html_raw(html, "</ul>\n");
    note_list_clear(&notes);
}
