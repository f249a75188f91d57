// SPDX-License-Identifier: Apache-2.0
/* What a program took, at a glance; what was not predicted, and notes. */
#include <stdarg.h>
#include <string.h>

#include "render/html/run_parts.h"

/* ---- figures ----------------------------------------------------------------------------------- */

static void put_time(struct html *html, const struct node *run)
{
    const struct node *totals = node_child(run, "totals");
    html_raw(html, "<div class=\"time\"><span class=\"label\">Predicted GPU time</span><strong>");
    if (node_count(totals, "counted"))
        html_value(html, node_child(run, "time_s"));
    else
        html_text(html, "none");
    html_raw(html, "</strong><span class=\"band\">");
    html_text(html,
              node_count(totals, "counted")
                  ? "all kernels, one after the other; bands are those of single launches, on the "
                    "pages of kernels"
                  : "no launch was counted");
    html_raw(html, "</span></div>\n");
}

static void put_launches(struct html *html, const struct node *run)
{
    static const char *const ways[] = {"counted", "reused", "scaled"};
    const struct node *totals = node_child(run, "totals"), *kernels = node_child(run, "kernels");
    html_open_fact(html, "Kernels");
    html_textf(html, "%s, ", quantity_of((double)kernels->child_count, "kernel").text);
    html_count(html, node_count(totals, "launches"));
    html_text(html, node_count(totals, "launches") == 1 ? " launch: " : " launches: ");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        html_count(html, node_count(totals, ways[i]));
        html_textf(html, " %s%s", ways[i], i + 1 < sizeof ways / sizeof *ways ? ", " : "");
    }
    html_close_fact(html);
}

static void put_moved(struct html *html, const struct node *timeline)
{
    html_open_fact(html, "Copies");
    html_count(html, node_count(timeline, "copies"));
    html_text(html, node_count(timeline, "copies") == 1 ? " copy of " : " copies of ");
    html_value(html, node_child(timeline, "copied_bytes"));
    html_text(html, ", ");
    html_count(html, node_count(timeline, "fills"));
    html_text(html, node_count(timeline, "fills") == 1 ? " memset of " : " memsets of ");
    html_value(html, node_child(timeline, "filled_bytes"));
    html_close_fact(html);
    html_open_fact(html, "API calls");
    html_count(html, node_count(timeline, "calls_made"));
    html_close_fact(html);
}

static void put_unpredicted(struct html *html, const struct node *run)
{
    const struct node *totals = node_child(run, "totals"), *missing = node_child(run, "missing");
    html_open_fact(html, "Not predicted");
    if (node_count(totals, "uncounted"))
        html_textf(html, "%s without counters (--only, --skip, --count); ",
                   run_count(totals, "uncounted", "launch").text);
    if (node_count(totals, "failed"))
        html_textf(html, "%s that failed; ", run_count(totals, "failed", "launch").text);
    if (missing->child_count)
        html_textf(html, "%s that are not supported; ",
                   quantity_of((double)missing->child_count, "CUDA function").text);
    html_text(html,
              "copies between host and GPU (machine files have no link), launch overhead, the "
              "host's own time, overlap of streams");
    html_close_fact(html);
}

static void put_heaviest(struct html *html, const struct node *run)
{
    enum { SHOWN = 10 };
    static const struct chart_part part = {"predicted time", 1};
    const struct node *kernels = node_child(run, "kernels");
    struct chart_bar bars[SHOWN];
    double values[SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < kernels->child_count && count < SHOWN; i++) {
        values[count] = node_number(&kernels->children[i], "time_s");
        if (!(values[count] > 0)) continue;
        bars[count] = (struct chart_bar){.label = node_word(&kernels->children[i], "name"),
                                         .values = &values[count]};
        count++;
    }
    if (!count) return;
    html_bars(html, &(struct chart_bars){
                        .title = "Heaviest kernels",
                        .text = "A bar for each of the heaviest kernels: the predicted time of all "
                                "of its launches.",
                        .first = "kernel",
                        .unit = "s",
                        .bars = bars,
                        .bar_count = count,
                        .parts = &part,
                        .part_count = 1});
}

static void put_nothing(struct html *html, const struct node *run)
{
    html_p(html, NULL, "No kernel was launched.");
    if (!node_count(run, "processes"))
        html_p(
            html, NULL,
            "The program did not call the CUDA runtime or driver. Programs linked with -static or "
            "running with other privileges cannot be intercepted.");
}

void html_run_summary(struct html *html, const struct node *run)
{
    const struct node *timeline = node_child(run, "timeline");
    if (!node_count(node_child(run, "totals"), "launches")) {
        put_nothing(html, run);
        if (!timeline || !node_count(timeline, "calls_made")) return;
    }
    html_raw(html, "<div class=\"verdict\">\n");
    put_time(html, run);
    html_raw(html, "<dl>");
    put_launches(html, run);
    if (timeline) put_moved(html, timeline);
    put_unpredicted(html, run);
    html_raw(html, "</dl>\n</div>\n");
    put_heaviest(html, run);
}

/* ---- notes ------------------------------------------------------------------------------------- */

static void put_note(struct html *html, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_note(struct html *html, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    html_raw(html, "<li>");
    html_text(html, text.data);
    html_raw(html, "</li>\n");
    strbuf_clear(&text);
}

static void put_missing(struct html *html, const struct node *missing)
{
    static const struct html_column columns[] = {{.title = "function", .is_code = true},
                                                 {.title = "calls", .is_number = true},
                                                 {.title = "returned", .is_code = true}};
    if (!missing->child_count) return;
    struct html_table table =
        html_open_table(html, "Unsupported functions that the program called", columns, 3);
    for (size_t i = 0; i < missing->child_count; i++) {
        html_row(&table, NULL);
        html_cell(&table, node_word(&missing->children[i], "name"));
        html_cell_count(&table, node_count(&missing->children[i], "calls"));
        html_cell(&table, node_word(&missing->children[i], "returned"));
    }
    html_close_table(&table);
}

void html_run_notes(struct html *html, const struct node *run)
{
    const struct node *notes = node_child(run, "notes"), *heaviest = node_child(run, "heaviest");
    const char *const *texts = notes->value.items;
    const char *clock = node_word(run, "clock");
    html_raw(html, "<ul class=\"notes\">\n");
    if (!node_flag(run, "gpu_given"))
        put_note(html, "No --gpu given: using %s.", node_word(run, "machine"));
    put_note(html, "Streams are serialised: kernels never overlap each other or copies.");
    put_note(html, "CUDA events report %s (--clock %s). Launches find their L2 %s (--l2).",
             !strcmp(clock, "host") ? "the time of this host" : "virtual time", clock,
             node_word(run, "l2"));
    if (node_is_known(heaviest))
        put_note(html,
                 "Times of launches are predicted without warp traces, which reports of kernels "
                 "follow where a launch has them: these may say another time.");
    if (!node_is_known(heaviest) && node_word(run, "heaviest_reason"))
        put_note(html, "No kernel has a full report: %s.", node_word(run, "heaviest_reason"));
    for (size_t i = 0; i < notes->value.item_count && i < 100; i++)
        put_note(html, "%s", texts[i]);
    html_raw(html, "</ul>\n");
    put_missing(html, node_child(run, "missing"));
}
