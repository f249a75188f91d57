// SPDX-License-Identifier: Apache-2.0
/* The end of a report: hot lines, the mix of instructions, and every assumption. */
#include <string.h>

#include "base/quantity.h"
#include "render/analyze_sections.h"

/* ---- lines and mix ----------------------------------------------------------------------------- */

void show_hot_lines(struct page *page, const struct node *kernel, size_t max_rows)
{
    enum { ROWS_IN_DETAIL = 40 };
    const struct node *lines = node_child(kernel, "hot_lines");
    struct arena arena = {0};
    if (page_has_details(page)) max_rows = ROWS_IN_DETAIL;
    if (lines->value.item_count)
        page_line(page, "%-28s %17s %17s %17s", "Hot lines: share of", "instructions",
                  "global sectors", "shared wavefronts");
    for (size_t i = 0; i < lines->value.item_count && i < max_rows; i++) {
        struct node line = node_row(lines, i, &arena);
        page_line(page, "  %-26.26s %15.0f %% %15.0f %% %15.0f %%", node_word(&line, "place"),
                  100 * node_number(&line, "instructions"), 100 * node_number(&line, "sectors"),
                  100 * node_number(&line, "wavefronts"));
        arena_clear(&arena);
    }
}

/* The class with the most instructions of those below `below`, or equal and later than `after`. */
static const struct node *next_class(const struct node *profile, const struct node *after)
{
    static const char prefix[] = "inst.warp.";
    const struct node *best = NULL;
    for (size_t i = 0; i < profile->child_count; i++) {
        const struct node *counter = &profile->children[i];
        double value = node_value(counter);
        if (strncmp(counter->id, prefix, strlen(prefix)) != 0 || !(value > 0)) continue;
        bool is_later =
            !after || value < node_value(after) || (value == node_value(after) && counter > after);
        if (is_later && (!best || value > node_value(best))) best = counter;
    }
    return best;
}

void show_mix(struct page *page, const struct node *kernel)
{
    enum { CLASSES = 8 };
    const struct node *profile = node_child(kernel, "profile"), *counter = NULL;
    double all = node_number(profile, "inst.warp");
    struct strbuf line = {0};
    if (!(all > 0)) return;
    for (unsigned rank = 0; rank < CLASSES; rank++) {
        counter = next_class(profile, counter);
        if (!counter) break;
        strbuf_printf(&line, "%s%s %.0f %%", rank ? ", " : "", counter->id + strlen("inst.warp."),
                      100 * node_value(counter) / all);
    }
    double threads = node_number(profile, "inst.thread");
    page_line(page, "Warp instructions %s; active lanes %.1f of 32", quantity_format(all, "1").text,
              threads > 0 ? threads / all : 0);
    if (line.length) page_wrap(page, "  ", line.data, 2);
    strbuf_clear(&line);
}

/* ---- notes ------------------------------------------------------------------------------------- */

static void add_note(struct note_list *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (!strcmp(notes->items[i], text)) return;
    GROW(notes->items, notes->count, notes->capacity);
    notes->items[notes->count++] = text;
}

static void add_assumptions(struct note_list *notes, const struct node *machine,
                            const struct node *of, const char *model, bool several)
{
    const struct node *assumptions = node_child(of, "assumptions");
    const char *const *texts = assumptions ? assumptions->value.items : NULL;
    for (size_t i = 0; assumptions && i < assumptions->value.item_count; i++)
        add_note(notes, arena_format(&notes->arena, "%s%s%s: %s", several ? machine->id : "",
                                     several ? ", " : "", model, texts[i]));
}

static struct quantity count_of(const struct node *profile, const char *counter, const char *noun)
{
    return quantity_of(node_number(profile, counter), noun);
}

static void note_native(struct note_list *notes, const struct node *profile)
{
    add_note(notes,
             arena_format(
                 &notes->arena,
                 "Counts are of native code as ptxas would make it: %s of PTX become %s; %s became "
                 "part of others, %s have others instead. --isa-view ptx counts PTX.",
                 count_of(profile, "inst.ptx.warp", "warp instruction").text,
                 quantity_format(node_number(profile, "inst.warp"), "1").text,
                 quantity_format(node_number(profile, "view.folded.address"), "1").text,
                 quantity_format(node_number(profile, "view.expanded"), "1").text));
}

static void note_isa(struct note_list *notes, const struct node *kernel)
{
    const struct node *profile = node_child(kernel, "profile");
    const char *isa = node_word(kernel, "isa");
    if (isa && strstr(isa, " as native"))
        note_native(notes, profile);
    else if (node_is_known(node_child(profile, "inst.ptx.warp")))
        add_note(notes, arena_format(
                            &notes->arena,
                            "Counts are of %s: %s of PTX become %s; %s, %s and %s fold, %s expand.",
                            node_word(kernel, "isa"),
                            count_of(profile, "inst.ptx.warp", "warp instruction").text,
                            quantity_format(node_number(profile, "inst.warp"), "1").text,
                            count_of(profile, "view.folded.shared", "shared load").text,
                            count_of(profile, "view.folded.address", "address addition").text,
                            count_of(profile, "view.folded.negation", "negation").text,
                            count_of(profile, "view.expanded", "multiplication").text));
    else if (!kernel_is_native(kernel))
        add_note(notes, "Counts are of PTX instructions: the compiler fuses, unrolls, hoists and "
                        "removes some when it generates native code.");
}

/* " (warp instructions within 3.1 %)"; nothing where there is no interval. */
static const char *sample_width(struct note_list *notes, const struct node *kernel)
{
    const struct node *count = node_child(node_child(kernel, "profile"), "inst.warp");
    const struct measured *measured = count->measured;
    if (!measured || !(measured->value > 0) || !(measured->high > measured->low)) return "";
    return arena_format(&notes->arena, " (warp instructions within %.2g %%)",
                        50 * (measured->high - measured->low) / measured->value);
}

static void note_kernel(struct note_list *notes, const struct node *kernel)
{
    const struct node *own = node_child(kernel, "notes");
    const char *const *texts = own->value.items;
    double sampled = node_number(kernel, "sampled_fraction");
    note_isa(notes, kernel);
    for (size_t i = 0; i < own->value.item_count; i++)
        add_note(notes, texts[i]);
    if (!node_flag(kernel, "reproducible"))
        add_note(notes, "--unordered: blocks of an order-dependent kernel ran in parallel; the "
                        "figures are not reproducible.");
    else if (node_flag(kernel, "ordered"))
        add_note(notes, "The result depends on the block order (atomics): blocks ran in index "
                        "order.");
    if (sampled < 1)
        add_note(notes, arena_format(&notes->arena,
                                     "%.3g %% of the blocks were counted; figures are extrapolated"
                                     "%s, with intervals in the JSON.",
                                     100 * sampled, sample_width(notes, kernel)));
}

/* Those of the headline first, then of power, then of the other models. */
static void note_machines(struct note_list *notes, const struct node *machines)
{
    bool several = machines->child_count > 1;
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *machine = &machines->children[i], *best = best_estimate(machine);
        if (best) add_assumptions(notes, machine, best, best->id, several);
    }
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *power = node_child(&machines->children[i], "power");
        if (node_word(power, "model"))
            add_assumptions(notes, &machines->children[i], power, node_word(power, "model"),
                            several);
    }
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *estimates = node_child(&machines->children[i], "estimates");
        for (size_t k = 0; k < estimates->child_count; k++)
            add_assumptions(notes, &machines->children[i], &estimates->children[k],
                            estimates->children[k].id, several);
    }
}

static void put_notes(struct page *page, const struct note_list *notes, unsigned end)
{
    for (size_t i = 0; i < notes->count; i++) {
        unsigned left = end > page->lines ? end - page->lines : 1;
        size_t rest = notes->count - i;
        if (left == 1 && rest > 1) {
            page_line(page, "          and %s more: --details all",
                      quantity_of((double)rest, "assumption").text);
            break;
        }
        unsigned most = left > 2 ? left - 1 : 1;
        page_wrap(page, i ? "          " : "Notes     ", notes->items[i], most < 3 ? most : 3);
    }
}

void note_list_fill(struct note_list *notes, const struct node *kernel)
{
    const struct node *machines = node_child(kernel, "machines");
    note_kernel(notes, kernel);
    if (machines->child_count)
        add_note(notes, "Times exclude transfers and host-side launch overhead.");
    else
        add_note(notes, "No time is predicted without a GPU: add --gpu.");
    note_machines(notes, machines);
}

void note_list_clear(struct note_list *notes)
{
    mem_free(notes->items);
    arena_clear(&notes->arena);
}

void show_notes(struct page *page, const struct node *kernel, unsigned max_lines)
{
    struct note_list notes = {0};
    note_list_fill(&notes, kernel);
    put_notes(page, &notes, page->lines + max_lines);
    note_list_clear(&notes);
}
