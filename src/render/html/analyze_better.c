// SPDX-License-Identifier: Apache-2.0
/* Better GPUs, ranked by what they would gain. */
#include <math.h>
#include <string.h>

#include "render/html/analyze_parts.h"

static void put_bars(struct html *html, const struct node *changes, double time)
{
    static const struct chart_part part = {"time", 1};
    struct arena arena = {0};
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, changes->child_count + 1);
    double *times = ARENA_ARRAY(&arena, double, changes->child_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < changes->child_count; i++) {
        const struct node *change = &changes->children[i];
        times[count] = node_number(change, "time_s");
        if (isnan(times[count])) continue;
        bars[count] = (struct chart_bar){
            .label = node_word(change, "text"),
            .values = &times[count],
            .note = arena_format(&arena, "%s, %s", quantity_format(times[count], "s").text,
                                 quantity_ratio(node_number(change, "gain")).text)};
        count++;
    }
    html_bars(html, &(struct chart_bars){
                        .title = "Time on each better GPU",
                        .text = "A bar for each change of the GPU: the time of the launch "
                                "on it. The line is the predicted time as it is.",
                        .first = "change",
                        .unit = "s",
                        .bars = bars,
                        .bar_count = count,
                        .parts = &part,
                        .part_count = 1,
                        .limit = time,
                        .limit_label = "predicted time"});
    arena_clear(&arena);
}

static void put_table(struct html *html, const struct node *changes)
{
    static const struct html_column columns[] = {{.title = "change"},
                                                 {.title = "gain", .is_number = true},
                                                 {.title = "time", .is_number = true},
                                                 {.title = "then limited by"},
                                                 {.title = "figures", .is_code = true},
                                                 {.title = "factor", .is_number = true},
                                                 {.title = "note"}};
    struct html_table table =
        html_open_table(html, "Changes of the GPU, largest gain first", columns, 7);
    for (size_t i = 0; i < changes->child_count; i++) {
        const struct node *change = &changes->children[i];
        html_row(&table, NULL);
        html_cell(&table, node_word(change, "text"));
        html_cell_ratio(&table, node_number(change, "gain"));
        html_cell_value(&table, node_child(change, "time_s"));
        html_cell(&table, node_word(change, "bottleneck"));
        html_cell(&table, node_word(change, "keys"));
        html_cell_ratio(&table, node_number(change, "factor"));
        html_cell(&table, node_word(change, "note"));
    }
    html_close_table(&table);
}

void html_sensitivity(struct html *html, const struct node *machine)
{
    const struct node *sensitivity = node_child(node_child(machine, "charts"), "sensitivity");
    if (!sensitivity || !node_is_known(sensitivity)) return;
    const struct node *changes = node_child(sensitivity, "changes");
    if (!changes->child_count) return;
    html_p(html, NULL,
           "The launch on better GPUs, each changed in one way, by model %s: what gains most is "
           "what the "
           "kernel depends on. Changes are alternatives; warpsage whatif --set tries others.",
           node_word(sensitivity, "model"));
    put_bars(html, changes, node_number(sensitivity, "time_s"));
    put_table(html, changes);
}
