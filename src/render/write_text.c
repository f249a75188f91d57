// SPDX-License-Identifier: Apache-2.0
/* The text report: 60 lines by 96 columns for one kernel on one GPU. Order: is this the right
 * kernel; the answer in four lines; what to do; the evidence; the caveats, always there. */
#include "render/text_sections.h"

static unsigned lines_left(const struct page *page, unsigned start)
{
    unsigned used = page->lines - start;
    return used + 2 < REPORT_LINES ? REPORT_LINES - used - 1 : 1;
}

static void write_evidence(struct page *page, const struct report_kernel *kernel,
                           const struct report_machine *item, bool details)
{
    unsigned before = page->lines;
    text_throughput(page, item, details);
    if (page->lines != before) page_blank(page);
    before = page->lines;
    text_components(page, item, details);
    if (page->lines != before) page_blank(page);
    before = page->lines;
    text_memory(page, kernel->profile, item, details ? SIZE_MAX : 6);
    text_caches(page, item);
    if (page->lines != before) page_blank(page);
    text_occupancy(page, item);
    text_waits(page, item, details);
    page_blank(page);
    text_models(page, item, details);
}

static void write_no_machine(struct page *page, const struct report_kernel *kernel, bool details)
{
    text_mix(page, kernel->profile);
    page_blank(page);
    text_memory(page, kernel->profile, NULL, details ? SIZE_MAX : 12);
}

static void write_one_machine(struct page *page, const struct report_kernel *kernel, bool details)
{
    const struct report_machine *item = &kernel->machines[0];
    text_machine(page, item);
    page_blank(page);
    text_answer(page, item, true);
    page_blank(page);
    text_advice(page, item->diagnosis, details ? SIZE_MAX : 4, details);
    page_blank(page);
    write_evidence(page, kernel, item, details);
}

/* Several GPUs: the comparison first, then what to know of each. */
static void write_machines(struct page *page, const struct report_kernel *kernel, bool details)
{
    page_blank(page);
    text_comparison(page, kernel);
    for (size_t i = 0; i < kernel->machine_count; i++) {
        const struct report_machine *item = &kernel->machines[i];
        page_blank(page);
        text_machine(page, item);
        text_answer(page, item, true);
        if (!details) {
            text_best_advice(page, item->diagnosis);
            continue;
        }
        page_blank(page);
        text_advice(page, item->diagnosis, SIZE_MAX, true);
        page_blank(page);
        write_evidence(page, kernel, item, true);
    }
    if (details) return;
    page_blank(page);
    text_memory(page, kernel->profile, NULL, 4);
}

static void write_kernel(struct page *page, const struct report_kernel *kernel, bool details)
{
    unsigned start = page->lines;
    page->opencl = profile_is_opencl(kernel->profile);
    text_kernel(page, kernel->profile);
    if (kernel->machine_count == 0)
        write_no_machine(page, kernel, details);
    else if (kernel->machine_count == 1)
        write_one_machine(page, kernel, details);
    else
        write_machines(page, kernel, details);
    if (kernel->profile->instruction_count) {
        page_blank(page);
        text_hot_lines(page, kernel->profile, details ? 40 : 3);
    }
    page_blank(page);
    text_notes(page, kernel, details ? 1000 : lines_left(page, start));
}

/* -q: five lines a GPU, named if there are several kernels or GPUs. */
static void write_quiet(struct page *page, const struct report_view *view)
{
    for (size_t i = 0; i < view->kernel_count; i++) {
        const struct report_kernel *kernel = &view->kernels[i];
        page->opencl = profile_is_opencl(kernel->profile);
        for (size_t k = 0; k < kernel->machine_count; k++) {
            bool several = view->kernel_count > 1 || kernel->machine_count > 1;
            if (several && page->lines) page_blank(page);
            if (several && view->kernel_count > 1)
                page_line(page, "%s", kernel->profile->kernel ? kernel->profile->kernel : "");
            if (several) text_machine(page, &kernel->machines[k]);
            text_answer(page, &kernel->machines[k], false);
            text_best_advice(page, kernel->machines[k].diagnosis);
        }
    }
}

static unsigned width_of(const ws_report_options *options)
{
    enum { LEAST = 60, MOST = 96, NO_LIMIT = 1 << 20 };
    if (options->details == WS_DETAILS_QUIET && !options->width) return NO_LIMIT;
    return options->width < LEAST ? LEAST : options->width > MOST ? MOST : options->width;
}

void write_text(const struct report_view *view, struct strbuf *out)
{
    const ws_report_options *options = view->options;
    struct page page = {
        .out = out,
        .width = width_of(options),
        .utf8 = options->utf8,
        .colour = options->colour,
    };
    if (options->details == WS_DETAILS_QUIET) {
        write_quiet(&page, view);
        return;
    }
    for (size_t i = 0; i < view->kernel_count; i++) {
        if (i) page_blank(&page);
        write_kernel(&page, &view->kernels[i], options->details == WS_DETAILS_ALL);
    }
}
