// SPDX-License-Identifier: Apache-2.0
/* The upper part of a text report: what ran where, and the answer in four lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/text_sections.h"

/* "64x64" or "65,536": without dimensions of one. */
static void format_shape(char *out, size_t size, const uint32_t shape[3])
{
    if (shape[2] > 1)
        snprintf(out, size, "%ux%ux%u", shape[0], shape[1], shape[2]);
    else if (shape[1] > 1)
        snprintf(out, size, "%ux%u", shape[0], shape[1]);
    else
        snprintf(out, size, "%u", shape[0]);
}

/* The launch in OpenCL's words: global and local size. */
static void text_ndrange(struct page *page, const struct profile *profile, int name_columns,
                         bool cut)
{
    char global[40], local[40];
    uint32_t size[3];
    uint64_t bytes = profile_shared_bytes(profile);
    for (unsigned i = 0; i < 3; i++)
        size[i] = profile->grid[i] * profile->block[i];
    format_shape(global, sizeof global, size);
    format_shape(local, sizeof local, profile->block);
    page_line(page, "%.*s%s  global %s (%s work-groups)  local %s (%u work-items)%s%s",
              name_columns, profile->kernel ? profile->kernel : "(unnamed)", cut ? ".." : "",
              global, quantity_count((double)profile_blocks(profile)).text, local,
              profile_threads_per_block(profile), bytes ? "  shared memory " : "",
              bytes ? quantity_format((double)bytes, "B").text : "");
}

void text_kernel(struct page *page, const struct profile *profile)
{
    char grid[40], block[40];
    double blocks = (double)profile_blocks(profile);
    uint64_t shared = profile_shared_bytes(profile);
    format_shape(grid, sizeof grid, profile->grid);
    format_shape(block, sizeof block, profile->block);
    /* A long template name must not push the launch out of the line. */
    const char *name = profile->kernel ? profile->kernel : "(unnamed)";
    unsigned room = page->width > 66 ? page->width - 56 : 24;
    bool cut = strlen(name) > room;
    if (profile_is_opencl(profile))
        text_ndrange(page, profile, (int)(cut ? room - 2 : room), cut);
    else
        page_line(page, "%.*s%s  grid %s (%s)  block %s (%s)%s%s", (int)(cut ? room - 2 : room),
                  name, cut ? ".." : "", grid, quantity_of(blocks, "block").text, block,
                  quantity_of(profile_threads_per_block(profile), "thread").text,
                  shared ? "  shared " : "",
                  shared ? quantity_format((double)shared, "B").text : "");
    struct strbuf line = {0};
    bool viewed = profile_has(profile, COUNTER_INST_PTX_WARP);
    bool native = profile_is_native(profile);
    strbuf_puts(&line, native   ? "counts are native code's"
                       : viewed ? "counts are PTX's seen as native, not native code's"
                                : "counts are PTX's, not native code's");
    uint8_t origin = profile->counters[COUNTER_BLOCKS_EXECUTED].origin;
    double executed = profile_get(profile, COUNTER_BLOCKS_EXECUTED);
    if (origin == ORIGIN_EMULATED || origin == ORIGIN_SAMPLED || origin == ORIGIN_MEASURED)
        strbuf_printf(&line, "; %s%s %s%s",
                      profile->partial                   ? "PARTIAL: "
                      : executed < blocks || blocks == 1 ? ""
                                                         : "all ",
                      quantity_of(executed, "block").text,
                      profile->partial ? "begun"
                      : native         ? "recorded"
                                       : "executed",
                      profile->sampled_fraction < 1 ? " (a sample)" : "");
    const char *isa = profile->isa ? profile->isa : "", *from = strstr(isa, " from ");
    page_line(page, "method    %s; %.*s", line.data, (int)(from ? from - isa : (long)strlen(isa)),
              isa);
    strbuf_clear(&line);
}

void text_machine(struct page *page, const struct report_machine *item)
{
    const struct machine *machine = item->prediction->machine;
    struct strbuf line = {0};
    strbuf_printf(&line, "%s  %s  ", machine->id, machine->name);
    if (machine->kind == MACHINE_IS_CPU)
        strbuf_printf(&line, "CPU  %s",
                      quantity_of(machine_get(machine, MACHINE_CPU_CORES, 0), "core").text);
    else
        strbuf_printf(&line, "cc %u.%u", machine->cc_major, machine->cc_minor);
    if (machine_has(machine, MACHINE_SM_COUNT))
        strbuf_printf(&line, "  %s",
                      quantity_of(machine->values[MACHINE_SM_COUNT].value, "SM").text);
    if (machine_has(machine, MACHINE_CLOCK_CORE))
        strbuf_printf(&line, "  %s",
                      quantity_format(machine->values[MACHINE_CLOCK_CORE].value, "Hz").text);
    if (machine_has(machine, MACHINE_DRAM_BANDWIDTH))
        strbuf_printf(&line, "  %s",
                      quantity_format(machine->values[MACHINE_DRAM_BANDWIDTH].value, "B/s").text);
    page_line(page, "machine   %s", line.data);
    strbuf_clear(&line);
}

/* "  (band 405 to 500 us: two of three kernels of its set)", "  (up to 299 us: mean error 25 %)" where the
 * time is the least that there can be; "" if it is not known. */
static void format_band(struct strbuf *out, const struct time_band *band, double time,
                        const char *word, const char *meaning)
{
    if (!isfinite(band->low_seconds)) return;
    struct quantity low = quantity_format(band->low_seconds, "s"),
                    high = quantity_format(band->high_seconds, "s");
    const char *low_unit = strchr(low.text, ' '), *high_unit = strchr(high.text, ' ');
    bool same_unit = low_unit && high_unit && !strcmp(low_unit, high_unit);
    int digits = (int)(same_unit ? low_unit - low.text : (long)strlen(low.text));
    if (!isfinite(band->high_seconds))
        strbuf_printf(out, "  (%sfrom %s", word, low.text);
    else if (band->low_seconds < time)
        strbuf_printf(out, "  (%s%.*s to %s", word, digits, low.text, high.text);
    else
        strbuf_printf(out, "  (up to %s", high.text);
    strbuf_printf(out, "%s%s)", *meaning ? ": " : "", meaning);
}

/* " by teg   speed of light: 300 us = 1.49x" */
static void format_bound(struct strbuf *out, const struct report_machine *item, bool with_bound)
{
    const struct estimate *best = report_best(item), *bound = report_bound(item);
    if (bound == best || !bound)
        strbuf_puts(out, ": the speed of light");
    else if (with_bound)
        strbuf_printf(out, " by %s   speed of light: %s = %s", best->model,
                      quantity_format(bound->time_seconds, "s").text,
                      quantity_ratio(best->time_seconds / bound->time_seconds).text);
    else
        strbuf_printf(out, " by %s", best->model);
}

/* TIME with as much of the rest as fits the width: the words of the band go first, then the speed of
 * light, which the list of models has, too. */
static void text_time(struct page *page, const struct report_machine *item)
{
    const struct time_band *band = &item->prediction->band;
    const char *meaning = band->meaning ? band->meaning : "";
    const char *brief = band->brief ? band->brief : "";
    const struct {
        const char *word, *meaning;
        bool with_bound;
    } forms[] = {{"band ", meaning, true}, {"", brief, true}, {"", "", true}, {"", "", false}};
    const struct estimate *best = report_best(item);
    if (!best) return;
    struct strbuf line = {0};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        strbuf_clear(&line);
        strbuf_printf(&line, "TIME      %s%s", best == report_bound(item) ? "at least " : "",
                      quantity_format(best->time_seconds, "s").text);
        format_band(&line, band, best->time_seconds, forms[i].word, forms[i].meaning);
        format_bound(&line, item, forms[i].with_bound);
        if (line.length <= page->width) break;
    }
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
}

/* `text` and the place behind it in `columns` columns: if they do not fit, the text is cut. */
static void fit_with_place(struct strbuf *out, const char *text, const char *where, size_t columns)
{
    size_t place = *where ? strlen(where) + 3 : 0;
    size_t room = place < columns / 2 ? columns - place : columns / 2;
    bool cut = strlen(text) > room;
    strbuf_printf(out, "%.*s%s%s%s", (int)(cut ? room - 2 : room), text, cut ? ".." : "",
                  *where ? "   " : "", where);
}

static void line_with_place(struct page *page, const char *lead, const char *text,
                            const char *where)
{
    struct strbuf line = {0};
    size_t taken = strlen(lead);
    fit_with_place(&line, text, where, taken + 16 < page->width ? page->width - taken : 16);
    page_line(page, "%s%s", lead, line.data);
    strbuf_clear(&line);
}

void text_answer(struct page *page, const struct report_machine *item, bool wrap)
{
    const struct diagnosis *diagnosis = item->diagnosis;
    text_time(page, item);
    page_line(page, "LIMIT     %s", diagnosis->limit ? diagnosis->limit : "not known");
    const char *why = diagnosis->why ? diagnosis->why : "not known";
    const char *where = diagnosis->why_where ? diagnosis->why_where : "";
    struct strbuf text = {0};
    strbuf_printf(&text, "%s%s%s", why, *where ? "   " : "", where);
    if (wrap && strlen(where) < 40)
        page_wrap(page, "WHY       ", text.data, 2);
    else
        line_with_place(page, "WHY       ", why, where);
    strbuf_clear(&text);
    text_energy(page, item);
}

static bool has_cpu(const struct report_kernel *kernel)
{
    for (size_t i = 0; i < kernel->machine_count; i++)
        if (kernel->machines[i].prediction->machine->kind == MACHINE_IS_CPU) return true;
    return false;
}

static void format_occupancy(char out[8], const struct prediction *prediction)
{
    if (prediction->machine->kind == MACHINE_IS_CPU)
        snprintf(out, 8, "-  ");
    else
        snprintf(out, 8, "%.0f %%", 100 * prediction->occupancy.fraction);
}

void text_comparison(struct page *page, const struct report_kernel *kernel)
{
    page_line(page, "%-14s %10s %16s %7s %10s  %s", has_cpu(kernel) ? "machine" : "GPU", "time",
              "speed of light", "ratio", "occupancy", "limited by");
    for (size_t i = 0; i < kernel->machine_count; i++) {
        const struct report_machine *item = &kernel->machines[i];
        const struct estimate *best = report_best(item), *bound = report_bound(item);
        if (!best) continue;
        double ratio = bound ? best->time_seconds / bound->time_seconds : NAN;
        const char *limit = item->diagnosis->limit ? item->diagnosis->limit : "";
        char occupancy[8];
        format_occupancy(occupancy, item->prediction);
        page_line(page, "%-14s %10s %16s %7s %10s  %s", item->prediction->machine->id,
                  quantity_format(best->time_seconds, "s").text,
                  bound ? quantity_format(bound->time_seconds, "s").text : "-",
                  quantity_ratio(ratio).text, occupancy,
                  best->bottleneck ? component_words(best->bottleneck) : limit);
    }
}

static void advice_row(struct page *page, size_t rank, const struct advice *item, bool details)
{
    enum { OTHER_COLUMNS = 27 };
    struct strbuf text = {0};
    int room = (int)page->width - OTHER_COLUMNS;
    fit_with_place(&text, item->title, item->where, (size_t)room);
    page_line(page, "%2zu  %-5s%-*.*s%10s %7s", rank, advice_infos[item->code].code, room, room,
              text.data,
              isfinite(item->time_seconds) ? quantity_format(item->time_seconds, "s").text
                                           : "not known",
              quantity_ratio(item->gain).text);
    if (details && *item->evidence) page_line(page, "          %s", item->evidence);
    strbuf_clear(&text);
}

void text_advice(struct page *page, const struct diagnosis *diagnosis, size_t max_items,
                 bool details)
{
    size_t count = diagnosis->advice_count, shown = count < max_items ? count : max_items;
    if (!count) {
        page_line(page, "What to do: nothing that the models know of would gain time");
        return;
    }
    page_line(page, "%-*s%10s %7s", (int)page->width - 18, "What to do", "time after", "gain");
    for (size_t i = 0; i < shown; i++)
        advice_row(page, i + 1, &diagnosis->advice[i], details);
    page_line(page,
              "      Gains are alternatives: they do not add up. `warpsage explain %s` tells "
              "why.%s",
              advice_infos[diagnosis->advice[0].code].code, count > shown ? " (and more)" : "");
}

void text_best_advice(struct page *page, const struct diagnosis *diagnosis)
{
    const struct advice *item = &diagnosis->advice[0];
    if (!diagnosis->advice_count) {
        page_line(page, "DO        nothing that the models know of would gain time");
        return;
    }
    char lead[160];
    if (isfinite(item->gain))
        snprintf(lead, sizeof lead, "DO        %.8s  %s (%s): ", advice_infos[item->code].code,
                 quantity_ratio(item->gain).text, quantity_format(item->time_seconds, "s").text);
    else
        snprintf(lead, sizeof lead, "DO        %.8s: ", advice_infos[item->code].code);
    line_with_place(page, lead, item->title, item->where);
}
