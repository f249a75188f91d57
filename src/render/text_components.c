// SPDX-License-Identifier: Apache-2.0
/* Components of a model's time as bars, and by stage between barriers. */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/quantitative.h"
#include "render/text_sections.h"

/* A model that knows them writes one term a component and one row a stage. */
static const char *const component_terms[] = {"t_inst", "t_smem", "t_gmem"};
enum { COMPONENTS = sizeof component_terms / sizeof component_terms[0] };

static void component_row(struct page *page, const struct estimate *estimate, const char *id)
{
    const struct term *term = estimate_term(estimate, id);
    double share = term->value / estimate->time_seconds;
    char bar[4 * BAR_COLUMNS + 1];
    page_bar(page, share, bar);
    page_line(page, "  %-32.32s %12s %s%10.0f%s  |  %s", term->text,
              quantity_format(term->value, "s").text, page_heat(page, share), 100 * share,
              page_heat_end(page), bar);
}

static double stage_seconds(const struct stage_estimate *stage)
{
    return fmax(stage->inst_seconds, fmax(stage->smem_seconds, stage->gmem_seconds));
}

static void stage_table(struct page *page, const struct stage_times *times)
{
    page_line(page, "  %-8s %8s %14s %14s %14s  %s", "stage", "warps", "instructions",
              "shared memory", "global memory", "bottleneck");
    for (size_t i = 0; i < times->count; i++) {
        const struct stage_estimate *stage = &times->stages[i];
        page_line(page, "  %-8u %8.3g %14s %14s %14s  %s", stage->index, stage->warps,
                  quantity_format(stage->inst_seconds, "s").text,
                  quantity_format(stage->smem_seconds, "s").text,
                  quantity_format(stage->gmem_seconds, "s").text,
                  component_words(stage->bottleneck));
    }
}

/* The stage that takes longest, in one line. */
static void longest_stage(struct page *page, const struct stage_times *times)
{
    const struct stage_estimate *longest = &times->stages[0];
    for (size_t i = 1; i < times->count; i++)
        if (stage_seconds(&times->stages[i]) > stage_seconds(longest)) longest = &times->stages[i];
    page_line(page, "  %zu stages between barriers, %s; longest: %u, %s by %s", times->count,
              times->overlap ? "overlapped" : "one after the other", longest->index,
              quantity_format(stage_seconds(longest), "s").text,
              component_words(longest->bottleneck));
}

void text_components(struct page *page, const struct report_machine *item, bool details)
{
    const struct prediction *prediction = item->prediction;
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        const struct estimate *estimate = &prediction->estimates[i];
        if (!estimate_term(estimate, component_terms[0])) continue;
        if (i != prediction->best && !details) continue;
        page_line(page, "%-34.34s %12s %10s  |  bar (100 %% = the predicted time)", estimate->model,
                  "component", "% of time");
        for (unsigned k = 0; k < COMPONENTS; k++)
            component_row(page, estimate, component_terms[k]);
        const struct stage_times *times = estimate_details(estimate, MODEL_QUANTITATIVE);
        if (!times || times->count < 2) continue;
        longest_stage(page, times);
        if (details) stage_table(page, times);
    }
}
