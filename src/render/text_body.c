// SPDX-License-Identifier: Apache-2.0
/* The evidence of a text report: throughput, memory, occupancy, models, lines, notes. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/access_table.h"
#include "base/arena.h"
#include "base/quantity.h"
#include "measure/cache.h"
#include "model/power/power_estimate.h"
#include "render/text_sections.h"

/* ---- throughput ------------------------------------------------------------------------------ */

/* A component's share of the predicted time is how busy it is. */
void text_throughput(struct page *page, const struct report_machine *item, bool details)
{
    const struct estimate *best = report_best(item), *bound = report_bound(item);
    size_t shown = 0;
    if (!best || !bound || best->time_seconds <= 0) return;
    page_line(page, "%-34s %12s %10s  |  bar (100 %% = limit)", "Throughput", "at peak",
              "% of time");
    for (size_t i = 0; i < bound->term_count; i++) {
        const struct term *term = &bound->terms[i];
        double share = term->value / best->time_seconds;
        char bar[4 * BAR_COLUMNS + 1];
        if (!term->component || (term->value == 0 && !details)) continue;
        if (!details && shown == 6) break;
        page_bar(page, share, bar);
        page_line(page, "  %-32.32s %12s %s%10.0f%s  |  %s", term->text ? term->text : term->id,
                  quantity_format(term->value, "s").text, page_heat(page, share), 100 * share,
                  page_heat_end(page), bar);
        shown++;
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct access_rule machine_rule(const struct report_machine *item)
{
    struct access_rule rule = {.global = ACCESS_SECTORS};
    if (!item) return rule;
    const struct machine *machine = item->prediction->machine;
    double coalescing = machine_get(machine, MACHINE_GLOBAL_RULE, 32);
    rule.global = coalescing == 10 ? ACCESS_CC10 : coalescing == 12 ? ACCESS_CC12 : ACCESS_SECTORS;
    rule.banks16 = machine_get(machine, MACHINE_SHARED_BANKS, 32) == 16;
    return rule;
}

/* "32.0 (4)": what a request takes, and the least it could. */
static void format_served(char *out, size_t size, const struct access_row *row)
{
    if (row->served < 0)
        snprintf(out, size, "-");
    else if (row->ideal < 0)
        snprintf(out, size, "%.3g", row->served / row->requests);
    else
        snprintf(out, size, "%.3g (%.3g)", row->served / row->requests, row->ideal / row->requests);
}

static void memory_row(struct page *page, const struct access_row *row, const char *why_where)
{
    char name[40], place[200], served[48], used[24] = "-", conflicts[24] = "-";
    instruction_place(place, sizeof place, row->insn);
    format_served(served, sizeof served, row);
    if (row->copies > 1)
        snprintf(name, sizeof name, "%.17s x%u", row->name, row->copies);
    else
        snprintf(name, sizeof name, "%.22s", row->name);
    if (!row->is_shared && row->served > 0)
        snprintf(used, sizeof used, "%.3g", row->bytes_per_request * row->requests / row->served);
    if (row->is_shared && row->served >= 0)
        snprintf(conflicts, sizeof conflicts, "%.3g", row->conflicts / row->requests);
    bool is_cause = why_where && *why_where && !strcmp(why_where, place);
    page_line(page, "  %-22s %-18.18s %9s %13s %11s %10s%s", name, place,
              quantity_format(row->requests, "1").text, served, used, conflicts,
              is_cause ? " <-" : "");
}

void text_memory(struct page *page, const struct profile *profile,
                 const struct report_machine *item, size_t max_rows)
{
    struct access_rule rule = machine_rule(item);
    size_t count;
    struct access_row *rows = access_table(profile, &rule, &count);
    const char *why_where = item ? item->diagnosis->why_where : NULL;
    if (count) {
        bool by_sector = rule.global == ACCESS_SECTORS;
        page_line(page, "%-24s %-18s %9s %13s %11s %10s", "Memory", "", "",
                  by_sector ? "sectors per" : "transact. per", "bytes asked", "conflicts");
        page_line(page, "  %-22s %-18s %9s %13s %11s %10s", "access", "line", "requests",
                  "req. (ideal)", by_sector ? "per sector" : "per trans.", "per req.");
    }
    for (size_t i = 0; i < count && i < max_rows; i++)
        memory_row(page, &rows[i], why_where);
    if (count > max_rows)
        page_line(page, "  and %s of less cost: --details all",
                  quantity_of((double)(count - max_rows), "access").text);
    mem_free(rows);
}

/* ---- caches ---------------------------------------------------------------------------------- */

static void add_rate(struct strbuf *out, const char *cache, double rate)
{
    if (rate < 0)
        strbuf_printf(out, "%s -", cache);
    else
        strbuf_printf(out, "%s hit %.3g %%", cache, 100 * rate);
}

/* Of the replayed blocks; of the grid if `scale` makes the blocks that it does not hold like them. */
static struct quantity cache_bytes(const struct cache_section *caches, enum cache_count what,
                                   double scale)
{
    return quantity_format((double)caches->counts[what] * CACHE_SECTOR_BYTES * scale, "B");
}

void text_caches(struct page *page, const struct report_machine *item)
{
    const struct profile *profile = item->prediction->profile;
    const struct cache_section *caches = item->prediction->caches;
    if (!caches) return;
    double blocks = (double)profile_blocks(profile), scale = blocks / caches->blocks;
    if (caches->is_cut) scale = 1;
    double least = cache_dram_read_least(caches, profile);
    struct strbuf line = {0};
    strbuf_printf(&line, "loads %s -> ", cache_bytes(caches, CACHE_COUNT_LOADS, scale).text);
    add_rate(&line, "L1", cache_l1_hit_rate(caches));
    strbuf_puts(&line, " -> ");
    add_rate(&line, "L2", cache_l2_hit_rate(caches));
    strbuf_puts(&line, " -> DRAM ");
    if (!caches->is_cut && least < 0.995 * scale * (double)caches->counts[CACHE_COUNT_DRAM_READ])
        strbuf_printf(&line, "%s to ", quantity_format(least * CACHE_SECTOR_BYTES, "B").text);
    strbuf_puts(&line, cache_bytes(caches, CACHE_COUNT_DRAM_READ, scale).text);
    page_line(page, "Caches    %s", line.data);
    strbuf_clear(&line);
    page_line(page, "          %s written; replay of %u of %s on %s%s",
              cache_bytes(caches, CACHE_COUNT_DRAM_WRITTEN, scale).text, caches->blocks,
              quantity_of(blocks, "block").text, quantity_of(caches->sms, "SM").text,
              caches->is_cut ? ", their first accesses, not scaled" : " and their part of the L2");
}

/* ---- occupancy ------------------------------------------------------------------------------- */

static void add_limit(struct strbuf *out, const char *name, unsigned limit, bool is_limiter)
{
    if (limit == UINT_MAX)
        strbuf_printf(out, "  %s -", name);
    else
        strbuf_printf(out, "  %s %u%s", name, limit, is_limiter ? "*" : "");
}

void text_occupancy(struct page *page, const struct report_machine *item)
{
    const struct prediction *prediction = item->prediction;
    const struct occupancy *occupancy = &prediction->occupancy;
    if (prediction->machine->kind == MACHINE_IS_CPU) return;
    double most = machine_get(prediction->machine, MACHINE_SM_MAX_WARPS, 0);
    double sms = machine_get(prediction->machine, MACHINE_SM_COUNT, 0);
    enum occupancy_limit limiter = occupancy->limiter;
    struct strbuf line = {0};
    strbuf_printf(&line, "Occupancy %.0f %% (%u/%.0f warps per SM)  blocks per SM:",
                  100 * occupancy->fraction, occupancy->warps_per_sm, most);
    add_limit(&line, "warps", occupancy->limit_warps, limiter == OCCUPANCY_WARPS);
    add_limit(&line, "registers", occupancy->limit_registers, limiter == OCCUPANCY_REGISTERS);
    bool opencl = profile_is_opencl(prediction->profile);
    add_limit(&line, opencl ? "local" : "shared", occupancy->limit_shared,
              limiter == OCCUPANCY_SHARED);
    add_limit(&line, "SM", occupancy->limit_sm, limiter == OCCUPANCY_SM);
    page_line(page, "%s", line.data);
    strbuf_clear(&line);
    double waves =
        sms > 0 && occupancy->blocks_per_sm
            ? (double)profile_blocks(prediction->profile) / (sms * occupancy->blocks_per_sm)
            : 0;
    page_line(page, "          *the limit   waves %s   %s", quantity_format(waves, "1").text,
              prediction->registers_note ? prediction->registers_note : "registers not known");
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Models that tell different stories. */
static void text_spread(struct page *page, const struct model_spread *spread)
{
    struct strbuf text = {0};
    if (!(spread->factor > 0)) return;
    strbuf_printf(&text, "models differ by %s: ", quantity_ratio(spread->factor).text);
    if (spread->reason)
        strbuf_puts(&text, spread->reason);
    else
        strbuf_printf(&text, "%s least, %s most", spread->fastest, spread->slowest);
    page_wrap(page, "  ! ", text.data, 2);
    strbuf_clear(&text);
}

void text_models(struct page *page, const struct report_machine *item, bool details)
{
    const struct prediction *prediction = item->prediction;
    page_line(page, "%-20s %11s %14s  %s", "Models side by side", "time", "cycles", "bottleneck");
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        const struct estimate *estimate = &prediction->estimates[i];
        const char *next = component_words(estimate->next);
        page_line(page, "%s %-18s %11s %14s  %s%s%s", i == prediction->best ? "*" : " ",
                  estimate->model, quantity_format(estimate->time_seconds, "s").text,
                  quantity_format(floor(estimate->cycles + 0.5), "1").text,
                  component_words(estimate->bottleneck), *next ? ", next " : "", next);
        for (size_t k = 0; details && k < estimate->term_count; k++)
            page_line(page, "      %-26s %16s  %s", estimate->terms[k].id,
                      isfinite(estimate->terms[k].value)
                          ? quantity_format(estimate->terms[k].value, estimate->terms[k].unit).text
                          : "not finite",
                      estimate->terms[k].text ? estimate->terms[k].text : "");
        for (size_t k = 0; details && k < EFFECT_COUNT; k++)
            if (estimate->without[k].modelled)
                page_line(page, "      without %-18s %16s  %s", effect_infos[k].id,
                          quantity_format(estimate->without[k].time_seconds, "s").text,
                          quantity_ratio(estimate->without[k].gain).text);
    }
    if (prediction->best_reason) page_wrap(page, "  * ", prediction->best_reason, details ? 8 : 2);
    text_spread(page, &prediction->spread);
    for (size_t i = 0; i < prediction->refusal_count && (details || i < 2); i++) {
        char lead[48];
        snprintf(lead, sizeof lead, "    %.24s: ", prediction->refusals[i].model);
        page_wrap(page, lead, prediction->refusals[i].reason, details ? 4 : 1);
    }
}

/* ---- lines and mix --------------------------------------------------------------------------- */

void text_hot_lines(struct page *page, const struct profile *profile, size_t max_rows)
{
    size_t count;
    struct hot_line *lines = hot_lines(profile, &count);
    if (count)
        page_line(page, "%-28s %17s %17s %17s", "Hot lines: share of", "instructions",
                  "global sectors", "shared wavefronts");
    for (size_t i = 0; i < count && i < max_rows; i++) {
        char place[200];
        instruction_place(place, sizeof place, lines[i].insn);
        page_line(page, "  %-26.26s %15.0f %% %15.0f %% %15.0f %%", place,
                  100 * lines[i].instructions, 100 * lines[i].sectors, 100 * lines[i].wavefronts);
    }
    mem_free(lines);
}

void text_mix(struct page *page, const struct profile *profile)
{
    double all = profile_get(profile, COUNTER_INST_WARP);
    struct strbuf line = {0};
    bool taken[CLASS_COUNT] = {false};
    if (all <= 0) return;
    for (unsigned rank = 0; rank < 8; rank++) {
        int best = -1;
        double most = 0;
        for (int i = 0; i < CLASS_COUNT; i++) {
            double value = profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + i));
            if (taken[i] || value <= most) continue;
            best = i;
            most = value;
        }
        if (best < 0) break;
        taken[best] = true;
        strbuf_printf(&line, "%s%s %.0f %%", rank ? ", " : "", class_ids[best], 100 * most / all);
    }
    page_line(page, "Warp instructions %s; lanes with true guard %.1f of 32",
              quantity_format(all, "1").text, profile_get(profile, COUNTER_INST_THREAD) / all);
    if (line.length) page_wrap(page, "  ", line.data, 2);
    strbuf_clear(&line);
}

/* ---- notes ----------------------------------------------------------------------------------- */

struct note_list {
    struct arena arena;
    const char **items;
    size_t count, capacity;
};

static void note(struct note_list *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (!strcmp(notes->items[i], text)) return;
    GROW(notes->items, notes->count, notes->capacity);
    notes->items[notes->count++] = text;
}

static void note_assumptions(struct note_list *notes, const struct report_machine *item,
                             const struct estimate *estimate, bool several)
{
    for (size_t i = 0; i < estimate->assumption_count; i++)
        note(notes,
             arena_format(&notes->arena, "%s%s%s: %s", several ? item->prediction->machine->id : "",
                          several ? ", " : "", estimate->model, estimate->assumptions[i]));
}

static struct quantity count_of(const struct profile *profile, enum counter counter,
                                const char *noun)
{
    return quantity_of(profile_get(profile, counter), noun);
}

static void note_profile(struct note_list *notes, const struct profile *profile)
{
    if (profile_has(profile, COUNTER_INST_PTX_WARP))
        note(notes,
             arena_format(&notes->arena,
                          "Counts are of %s: %s of PTX make %s; %s, %s and %s fold, %s expand.",
                          profile->isa,
                          count_of(profile, COUNTER_INST_PTX_WARP, "warp instruction").text,
                          quantity_format(profile_get(profile, COUNTER_INST_WARP), "1").text,
                          count_of(profile, COUNTER_VIEW_FOLDED_SHARED, "shared load").text,
                          count_of(profile, COUNTER_VIEW_FOLDED_ADDRESS, "address addition").text,
                          count_of(profile, COUNTER_VIEW_FOLDED_NEGATION, "negation").text,
                          count_of(profile, COUNTER_VIEW_EXPANDED, "multiplication").text));
    else if (!profile_is_native(profile))
        note(notes, "Counts are of PTX instructions: the compiler fuses, unrolls, hoists and drops "
                    "some on the way to native code.");
    for (uint32_t i = 0; i < profile->note_count; i++)
        note(notes, profile->notes[i]);
    if (profile->unordered_by_user)
        note(notes, "--unordered: blocks of an order-dependent kernel ran in parallel; these "
                    "figures are not reproducible.");
    else if (profile->ordered)
        note(notes, "The result depends on the order of the blocks (atomics): they ran in index "
                    "order.");
    if (profile->sampled_fraction < 1)
        note(notes, arena_format(&notes->arena,
                                 "%.3g %% of the blocks were executed; figures are scaled up, "
                                 "with their interval in the JSON.",
                                 100 * profile->sampled_fraction));
}

void text_notes(struct page *page, const struct report_kernel *kernel, unsigned max_lines)
{
    struct note_list notes = {0};
    unsigned end = page->lines + max_lines;
    note_profile(&notes, kernel->profile);
    if (kernel->machine_count)
        note(&notes, "Times are the kernel's alone: launch cost and transfers are not included.");
    else
        note(&notes, "No GPU was named, so there is no time: add --gpu.");
    for (size_t i = 0; i < kernel->machine_count; i++) {
        const struct report_machine *item = &kernel->machines[i];
        const struct estimate *best = report_best(item);
        if (best) note_assumptions(&notes, item, best, kernel->machine_count > 1);
    }
    for (size_t i = 0; i < kernel->machine_count; i++) {
        const struct report_machine *item = &kernel->machines[i];
        const struct power_estimate *power = item->prediction->power;
        if (power) note_assumptions(&notes, item, &power->answer, kernel->machine_count > 1);
    }
    for (size_t i = 0; i < kernel->machine_count; i++) {
        const struct report_machine *item = &kernel->machines[i];
        for (size_t k = 0; k < item->prediction->estimate_count; k++)
            note_assumptions(&notes, item, &item->prediction->estimates[k],
                             kernel->machine_count > 1);
    }
    for (size_t i = 0; i < notes.count; i++) {
        unsigned left = end > page->lines ? end - page->lines : 1;
        size_t rest = notes.count - i;
        if (left == 1 && rest > 1) {
            page_line(page, "          and %s more: --details all",
                      quantity_of((double)rest, "assumption").text);
            break;
        }
        unsigned most = left > 2 ? left - 1 : 1;
        page_wrap(page, i ? "          " : "Notes     ", notes.items[i], most < 3 ? most : 3);
    }
    mem_free(notes.items);
    arena_clear(&notes.arena);
}
