// SPDX-License-Identifier: Apache-2.0
/* The answer first: time with its band, limit, cause, what to do; machines beside each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/html/analyze_parts.h"

/* ---- verdict ----------------------------------------------------------------------------------- */

static void put_place(struct html *html, const char *where)
{
    if (!where || !*where) return;
    html_raw(html, " ");
    html_code(html, where);
}

static void put_time(struct html *html, const struct node *machine)
{
    const struct node *headline = node_child(machine, "headline"), *best = best_estimate(machine),
                      *bound = bound_estimate(machine);
    const char *meaning = node_word(headline, "band");
    struct strbuf band = {0};
    html_raw(html, "<div class=\"time\"><span class=\"label\">Predicted time</span><strong>");
    if (best == bound) html_text(html, "\xe2\x89\xa5 ");
    html_value(html, node_child(best, "time_s"));
    html_raw(html, "</strong><span class=\"band\">");
    put_band(&band, headline, "band ", meaning ? meaning : "");
    html_textf(html, "%s by model %s", band.data ? band.data : "", best->id);
    strbuf_clear(&band);
    html_raw(html, "</span>");
    if (bound && best != bound) {
        html_raw(html, "<span class=\"band\">speed of light ");
        html_value(html, node_child(bound, "time_s"));
        html_textf(html, ", %s faster",
                   quantity_ratio(node_number(best, "time_s") / node_number(bound, "time_s")).text);
        html_raw(html, "</span>");
    }
    html_raw(html, "</div>\n");
}

static void put_advice_fact(struct html *html, const struct node *machine)
{
    const struct node *list = node_child(machine, "advice"), *first = list->children;
    html_open_fact(html, "Do");
    if (!list->child_count) {
        html_text(html, "no modelled change would reduce the time");
    } else {
        html_text(html, node_word(first, "title"));
        put_place(html, node_word(first, "where"));
        if (isfinite(node_number(first, "gain"))) {
            html_textf(html, ": %s, ", quantity_ratio(node_number(first, "gain")).text);
            html_value(html, node_child(first, "time_s"));
        }
    }
    html_close_fact(html);
}

static void put_energy_fact(struct html *html, const struct node *machine)
{
    const struct node *power = node_child(machine, "power"), *mean = node_child(power, "mean");
    html_open_fact(html, "Energy");
    if (node_is_known(mean)) {
        html_value(html, node_child(power, "energy"));
        html_text(html, ", ");
        html_value(html, mean);
        html_text(html, " on average");
    } else {
        html_text(html, mean && mean->measured && mean->measured->reason ? mean->measured->reason
                                                                         : "unknown");
    }
    html_close_fact(html);
}

void html_verdict(struct html *html, const struct node *machine)
{
    const char *limit = node_word(machine, "limit"), *why = node_word(machine, "why");
    if (!best_estimate(machine)) return;
    html_raw(html, "<div class=\"verdict\">\n");
    put_time(html, machine);
    html_raw(html, "<dl>");
    html_open_fact(html, "Limit");
    html_text(html, limit ? limit : "unknown");
    html_close_fact(html);
    html_open_fact(html, "Why");
    html_text(html, why ? why : "unknown");
    put_place(html, node_word(machine, "why_where"));
    html_close_fact(html);
    put_advice_fact(html, machine);
    put_energy_fact(html, machine);
    html_raw(html, "</dl>\n</div>\n");
}

/* ---- machines beside each other ---------------------------------------------------------------- */

static void comparison_chart(struct html *html, const struct node *machines)
{
    static const struct chart_part part = {"time", 1};
    struct arena arena = {0};
    size_t count = 0;
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, machines->child_count + 1);
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *machine = &machines->children[i], *best = best_estimate(machine),
                          *headline = node_child(machine, "headline");
        double *time = ARENA_ARRAY(&arena, double, 1);
        if (!best) continue;
        *time = node_number(best, "time_s");
        double low = node_number(headline, "lo"), high = node_number(headline, "hi");
        bool has_band = isfinite(low) && isfinite(high);
        bars[count++] =
            (struct chart_bar){.label = machine->id,
                               .values = time,
                               .low = has_band ? low : 0,
                               .high = has_band ? high : 0,
                               .note = arena_copy(&arena, quantity_format(*time, "s").text)};
    }
    html_bars(
        html,
        &(struct chart_bars){
            .title = "Predicted time by machine, with its band",
            .text =
                "A bar for each machine: the predicted time of the kernel; the line over it is the "
                "band of errors. Shorter is better.",
            .first = "machine",
            .unit = "s",
            .bars = bars,
            .bar_count = count,
            .parts = &part,
            .part_count = 1});
    arena_clear(&arena);
}

static void comparison_table(struct html *html, const struct node *machines)
{
    static const struct html_column columns[] = {{.title = "machine"},
                                                 {.title = "time", .is_number = true},
                                                 {.title = "speed of light", .is_number = true},
                                                 {.title = "ratio", .is_number = true},
                                                 {.title = "occupancy", .is_number = true},
                                                 {.title = "limited by"},
                                                 {.title = "model"}};
    struct html_table table = html_open_table(html, "The kernel on each machine", columns, 7);
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *machine = &machines->children[i], *best = best_estimate(machine),
                          *bound = bound_estimate(machine);
        if (!best) continue;
        const char *bottleneck = node_word(best, "bottleneck"),
                   *limit = node_word(machine, "limit");
        double least = node_number(bound, "time_s");
        html_row(&table, NULL);
        html_open_cell(&table);
        strbuf_printf(html->out, "<a href=\"#%s%sm%zu\">",
                      html->level > 1 ? html->ids[html->level - 2] : "", html->level > 1 ? "-" : "",
                      i + 1);
        markup_text(html->out, machine->id);
        html_raw(html, "</a>");
        html_close_cell(&table);
        html_cell_value(&table, node_child(best, "time_s"));
        html_cell_number(&table, least, "s");
        html_cell(&table, quantity_ratio(bound ? node_number(best, "time_s") / least : NAN).text);
        html_cell_number(&table, node_number(node_child(machine, "occupancy"), "fraction"), "%");
        html_cell(&table, *bottleneck ? bottleneck : limit);
        html_cell(&table, best->id);
    }
    html_close_table(&table);
}

void html_comparison(struct html *html, const struct node *kernel)
{
    const struct node *machines = node_child(kernel, "machines");
    if (!machines->child_count) return;
    comparison_chart(html, machines);
    comparison_table(html, machines);
}

/* ---- what to do -------------------------------------------------------------------------------- */

void html_advice(struct html *html, const struct node *machine)
{
    static const struct html_column columns[] = {
        {.title = "change"},
        {.title = "code", .is_code = true, .text = "warpsage explain CODE"},
        {.title = "where", .is_code = true},
        {.title = "time after", .is_number = true},
        {.title = "gain", .is_number = true},
        {.title = "evidence"}};
    const struct node *list = node_child(machine, "advice");
    if (!list->child_count) {
        html_p(html, NULL, "No modelled change would reduce the time.");
        return;
    }
    struct html_table table = html_open_table(
        html, "Changes, largest gain first; gains are alternatives and do not add up", columns, 6);
    for (size_t i = 0; i < list->child_count; i++) {
        const struct node *advice = &list->children[i];
        html_row(&table, NULL);
        html_cell(&table, node_word(advice, "title"));
        html_cell(&table, advice->id);
        html_cell(&table, node_word(advice, "where"));
        html_cell_number(&table, node_number(advice, "time_s"), "s");
        html_cell_ratio(&table, node_number(advice, "gain"));
        html_cell(&table, node_word(advice, "evidence"));
    }
    html_close_table(&table);
}
