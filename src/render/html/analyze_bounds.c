// SPDX-License-Identifier: Apache-2.0
/* How near the kernel is to the limits of the machine. */
#include <math.h>

#include "render/html/analyze_parts.h"

void html_throughput(struct html *html, const struct node *machine)
{
    static const struct chart_part part = {"time at peak throughput", 1};
    const struct node *best = best_estimate(machine), *bound = bound_estimate(machine),
                      *components = node_child(bound, "components");
    double time = node_number(best, "time_s");
    struct arena arena = {0};
    size_t count = 0;
    if (!bound || !(time > 0)) return;
    struct chart_bar *bars = ARENA_ARRAY(&arena, struct chart_bar, components->child_count + 1);
    for (size_t i = 0; i < components->child_count; i++) {
        const struct node *busy = &components->children[i];
        double *value = ARENA_ARRAY(&arena, double, 1);
        *value = node_value(busy);
        if (*value > 0)
            bars[count++] = (struct chart_bar){
                .label = node_text(busy),
                .values = value,
                .note = arena_format(&arena, "%s, %.0f %%", quantity_format(*value, "s").text,
                                     100 * *value / time)};
    }
    html_p(html, NULL,
           "The time that each unit would need at its peak, beside the predicted time: the longest "
           "bar is the speed of "
           "light of this kernel, and the gap to the line is what a better kernel could win.");
    html_bars(html, &(struct chart_bars){
                        .title = "Busy time of each unit at its peak",
                        .text = "A bar for each unit of the machine: how long it is busy at peak "
                                "throughput. The line is the predicted time.",
                        .first = "unit",
                        .unit = "s",
                        .bars = bars,
                        .bar_count = count,
                        .parts = &part,
                        .part_count = 1,
                        .limit = time,
                        .limit_label = "predicted time"});
    arena_clear(&arena);
}
