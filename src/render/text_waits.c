// SPDX-License-Identifier: Apache-2.0
/* What the warps wait for, by the model that follows them. */
#include <stdlib.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "model/teg/warp_waits.h"
#include "render/text_sections.h"

enum { CAUSES_SHOWN = 4, LINES_SHOWN = 12 };

static int by_share(const void *a, const void *b)
{
    const struct wait_cause *x = *(const struct wait_cause *const *)a;
    const struct wait_cause *y = *(const struct wait_cause *const *)b;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* "Warps wait (%)  long_scoreboard 41  barrier 22 ...  other 3" */
static void cause_line(struct page *page, const struct warp_waits *waits)
{
    const struct wait_cause **sorted = mem_alloc((waits->cause_count + 1) * sizeof *sorted);
    struct strbuf line = {0};
    double other = 0;
    for (size_t i = 0; i < waits->cause_count; i++)
        sorted[i] = &waits->causes[i];
    qsort(sorted, waits->cause_count, sizeof *sorted, by_share);
    for (size_t i = 0; i < waits->cause_count; i++) {
        if (i < CAUSES_SHOWN && sorted[i]->share >= 0.005)
            strbuf_printf(&line, "  %s %.0f", sorted[i]->id, 100 * sorted[i]->share);
        else
            other += sorted[i]->share;
    }
    page_line(page, "Warps wait (%%)%s  other %.0f", line.data ? line.data : "", 100 * other);
    strbuf_clear(&line);
    mem_free(sorted);
}

static void wait_lines(struct page *page, const struct warp_waits *waits, bool is_native)
{
    page_line(page, "  %-28s %18s   %s", "line", "of the warps' time", "most of it");
    for (size_t i = 0; i < waits->line_count && i < LINES_SHOWN; i++) {
        const struct wait_line *line = &waits->lines[i];
        char place[200];
        struct instruction_profile at = {.file = line->file, .is_native = is_native};
        *(line->file ? &at.source_line : &at.line) = line->line;
        instruction_place(place, sizeof place, &at);
        page_line(page, "  %-28.28s %16.0f %%   %s %.0f %%", place, 100 * line->share,
                  line->cause->id, 100 * line->cause_share);
    }
}

static void scaling(struct page *page, const struct warp_waits *waits)
{
    page_line(page, "  %-8s %14s %8s", "warps", "cycles", "IPC");
    for (size_t i = 0; i < waits->scaling_count; i++)
        page_line(page, "  %-8u %14s %8.3g", waits->scaling[i].warps,
                  quantity_format(waits->scaling[i].cycles, "1").text, waits->scaling[i].ipc);
}

void text_waits(struct page *page, const struct report_machine *item, bool details)
{
    const struct prediction *prediction = item->prediction;
    const struct profile *profile = prediction->profile;
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        const struct warp_waits *waits = estimate_details(&prediction->estimates[i], MODEL_TEG);
        if (!waits) continue;
        cause_line(page, waits);
        if (!details) continue;
        wait_lines(page, waits, profile->instruction_count && profile->instructions[0].is_native);
        scaling(page, waits);
    }
}
