// SPDX-License-Identifier: Apache-2.0
/* Two reports compared: kernels and machines, largest change of time first, then the gate and the verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/diff_words.h"

enum {
    COUNTS_SHOWN = 10,
    FIGURES_SHOWN = 8,
    MISSING_SHOWN = 12,
    CHECKS_SHOWN = 12,
    NO_LIMIT = 1 << 20
};

static const char *word(const struct node *words, size_t i)
{
    return ((const char *const *)words->value.items)[i];
}

static void put_texts(struct page *page, const char *lead, const struct node *texts)
{
    for (size_t i = 0; i < texts->value.item_count; i++)
        page_fill(page, lead, word(texts, i));
}

static size_t limit(const struct page *page, size_t usual)
{
    return page->details == WS_DETAILS_ALL ? NO_LIMIT : usual;
}

/* ---- figures and words ----------------------------------------------------------------------- */

static void put_change(struct page *page, const struct node *change)
{
    const char *unit = node_word(change, "unit"), *reason = node_word(change, "reason");
    struct quantity text = diff_change(change);
    page_line(page, "    %-42s %17s %17s   %s", change->id, diff_value(change, "a", unit).text,
              diff_value(change, "b", unit).text, *text.text || !reason ? text.text : reason);
}

static void put_changes(struct page *page, const char *title, const struct node *list,
                        uint64_t unchanged, size_t most)
{
    size_t shown = 0;
    char more[64] = "";
    if (!list->child_count) return;
    page_line(page, "  %-44s %17s %17s   %s", title, "before", "after", "change");
    for (size_t i = 0; i < list->child_count && shown < most; i++) {
        if (page->details != WS_DETAILS_ALL && !diff_is_usual(&list->children[i])) continue;
        put_change(page, &list->children[i]);
        shown++;
    }
    if (list->child_count > shown)
        snprintf(more, sizeof more, "%zu more changed (--details all), ",
                 list->child_count - shown);
    page_line(page, "    %s%llu unchanged", more, (unsigned long long)unchanged);
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

static void put_words(struct page *page, const struct node *list, const char *indent)
{
    for (size_t i = 0; i < list->child_count; i++) {
        const struct node *one = &list->children[i];
        struct strbuf text = {0}, lead = {0};
        strbuf_printf(&lead, "%s%s  ", indent, node_word(one, "id"));
        strbuf_printf(&text, "%s -> %s", or_none(node_word(one, "a")),
                      or_none(node_word(one, "b")));
        page_fill(page, lead.data, text.data);
        strbuf_clear(&text);
        strbuf_clear(&lead);
    }
}

static void put_findings(struct page *page, const struct node *list)
{
    for (size_t i = 0; i < list->child_count; i++) {
        const struct node *one = &list->children[i];
        double before = node_number(one, "a_gain"), after = node_number(one, "b_gain");
        const char *where = node_word(one, "where");
        struct strbuf text = {0};
        strbuf_printf(&text, "%s %s", node_word(one, "code"), or_none(node_word(one, "title")));
        if (where && *where) strbuf_printf(&text, "  %s", where);
        if (!isnan(before)) strbuf_printf(&text, "  gain %s", quantity_ratio(before).text);
        if (!isnan(after))
            strbuf_printf(&text, "%s%s", isnan(before) ? "  gain " : " -> ",
                          quantity_ratio(after).text);
        char lead[32];
        snprintf(lead, sizeof lead, "    %-8s", node_word(one, "status"));
        page_fill(page, lead, text.data);
        strbuf_clear(&text);
    }
}

/* ---- kernels and machines -------------------------------------------------------------------- */

static void put_time(struct page *page, const struct node *machine)
{
    const struct node *time = node_child(machine, "time"),
                      *energy = node_child(node_child(machine, "changes"), "power/energy");
    struct quantity band = diff_band(time), speed = diff_speed(time);
    struct strbuf text = {0};
    strbuf_printf(&text, "%s -> %s", diff_value(time, "a", "s").text,
                  diff_value(time, "b", "s").text);
    if (!isnan(node_number(time, "ratio"))) {
        strbuf_printf(&text, "  %s  ", *speed.text ? speed.text : diff_change(time).text);
        if (*band.text)
            strbuf_printf(&text, "(band %s)", band.text);
        else
            strbuf_puts(&text, "(band unknown)");
    }
    page_line(page, "  %-10s %s  TIME %s", node_word(machine, "machine"),
              node_word(machine, "verdict"), text.data);
    strbuf_clear(&text);
    if (energy)
        page_line(page, "    ENERGY  %s -> %s  %s", diff_value(energy, "a", "J").text,
                  diff_value(energy, "b", "J").text, diff_change(energy).text);
}

static void put_machine(struct page *page, const struct node *machine)
{
    put_time(page, machine);
    put_texts(page, "    not compared: ", node_child(machine, "reasons"));
    put_words(page, node_child(machine, "words"), "    ");
    put_findings(page, node_child(machine, "findings"));
    if (page->details == WS_DETAILS_QUIET) return;
    put_changes(page, "Figures", node_child(machine, "changes"), node_count(machine, "unchanged"),
                limit(page, FIGURES_SHOWN));
}

static void put_kernel(struct page *page, const struct node *kernel)
{
    const char *name = node_word(kernel, "name"), *before = node_word(kernel, "a_name");
    const struct node *machines = node_child(kernel, "machines");
    bool is_renamed = strcmp(name, before) != 0;
    page_line(page, "%s%s%s%s  %s", name, is_renamed ? " (before: " : "", is_renamed ? before : "",
              is_renamed ? ")" : "", node_word(kernel, "verdict"));
    put_texts(page, "  not compared: ", node_child(kernel, "reasons"));
    put_words(page, node_child(kernel, "words"), "  ");
    for (size_t i = 0; i < machines->child_count; i++)
        put_machine(page, &machines->children[i]);
    if (page->details != WS_DETAILS_QUIET)
        put_changes(page, "Counts", node_child(kernel, "changes"), node_count(kernel, "unchanged"),
                    limit(page, COUNTS_SHOWN));
    page_blank(page);
}

static void put_missing(struct page *page, const struct node *diff)
{
    const struct node *list = node_child(diff, "missing");
    size_t most = limit(page, MISSING_SHOWN);
    for (size_t i = 0; i < list->child_count && i < most; i++) {
        const struct node *one = &list->children[i];
        const struct node *side = node_child(diff, node_word(one, "only_in"));
        const char *machine = node_word(one, "machine");
        page_line(page, "only in %s: %s%s%s", node_word(side, "file"), node_word(one, "kernel"),
                  machine ? " on " : "", machine ? machine : "");
    }
    if (list->child_count > most) page_line(page, "... %zu more", list->child_count - most);
    if (list->child_count) page_blank(page);
}

/* ---- gate and verdict ------------------------------------------------------------------------ */

static void put_result(struct strbuf *out, const struct node *check)
{
    const char *reason = node_word(check, "reason");
    double worse = node_number(check, "worse_by");
    strbuf_puts(out, node_word(check, "result"));
    if (worse == 0)
        strbuf_puts(out, ": equal");
    else if (isfinite(worse))
        strbuf_printf(out, ": %s by %s", worse < 0 ? "better" : "worse",
                      diff_percent(fabs(worse)).text);
    else if (reason)
        strbuf_printf(out, ": %s", reason);
}

static void put_check(struct page *page, const struct node *check)
{
    const char *unit = node_word(check, "unit"), *machine = node_word(check, "machine");
    struct strbuf what = {0}, result = {0};
    strbuf_printf(&what, "%s%s%s %s", node_word(check, "kernel"), machine ? " on " : "",
                  machine ? machine : "", node_word(check, "metric"));
    put_result(&result, check);
    page_line(page, "  %-42s %11s %11s  %s", what.data, diff_value(check, "a", unit).text,
              diff_value(check, "b", unit).text, result.data);
    strbuf_clear(&what);
    strbuf_clear(&result);
}

/* Those that did not pass come first; with details all of them. */
static void put_checks(struct page *page, const struct node *table)
{
    struct arena arena = {0};
    size_t shown = 0, most = limit(page, CHECKS_SHOWN), left = 0;
    for (unsigned passed = 0; passed < 2; passed++)
        for (size_t i = 0; i < table->value.item_count; i++) {
            struct node row = node_row(table, i, &arena);
            bool is_passed = !strcmp(node_word(&row, "result"), "passed");
            if (is_passed != passed) continue;
            if (shown < most)
                put_check(page, &row), shown++;
            else
                left++;
        }
    if (left) page_line(page, "  ... %zu more (--details all)", left);
    arena_clear(&arena);
}

static void put_gate(struct page *page, const struct node *gate)
{
    struct strbuf text = {0};
    const struct node *names = node_child(gate, "metrics");
    strbuf_printf(&text, "%s: at most %s worse in ", node_word(gate, "result"),
                  diff_percent(node_number(gate, "fail_over")).text);
    for (size_t i = 0; i < names->value.item_count; i++)
        strbuf_printf(&text, "%s%s", i ? ", " : "", word(names, i));
    strbuf_printf(&text, "; %llu passed, %llu failed, %llu incomparable",
                  (unsigned long long)node_count(gate, "passed"),
                  (unsigned long long)node_count(gate, "failed"),
                  (unsigned long long)node_count(gate, "incomparable"));
    page_fill(page, "Gate      ", text.data);
    put_checks(page, node_child(gate, "checks"));
    strbuf_clear(&text);
}

static void put_verdict(struct page *page, const struct node *diff)
{
    page_line(page, "Verdict   %s: %llu same, %llu better, %llu worse, %llu incomparable",
              node_word(diff, "verdict"), (unsigned long long)node_count(diff, "same"),
              (unsigned long long)node_count(diff, "better"),
              (unsigned long long)node_count(diff, "worse"),
              (unsigned long long)node_count(diff, "incomparable"));
}

static void compose(struct page *page, const struct node *diff)
{
    const struct node *kernels = node_child(diff, "kernels"), *gate = node_child(diff, "gate");
    const struct node *missing = node_child(diff, "missing");
    page_line(page, "%s -> %s", node_word(node_child(diff, "a"), "file"),
              node_word(node_child(diff, "b"), "file"));
    page_blank(page);
    for (size_t i = 0; i < kernels->child_count; i++)
        put_kernel(page, &kernels->children[i]);
    put_missing(page, diff);
    put_texts(page, "Notes     ", node_child(diff, "notes"));
    if (node_is_known(gate)) put_gate(page, gate);
    if (node_is_known(gate) && missing->child_count && !node_flag(gate, "allow_missing"))
        page_line(page, "  %zu missing in one of the reports: failed (--allow-missing)",
                  missing->child_count);
    put_verdict(page, diff);
}

static const struct view_part parts[] = {{"", compose}};

/* ---- CSV ------------------------------------------------------------------------------------- */

struct row_of {
    const char *kernel, *machine, *verdict;
};

static void put_csv(struct strbuf *out, const struct row_of *of, const char *figure,
                    const char *unit, const struct node *node)
{
    csv_put_text(out, of->kernel);
    strbuf_putc(out, ',');
    csv_put_text(out, of->machine);
    strbuf_putc(out, ',');
    csv_put_text(out, figure);
    strbuf_putc(out, ',');
    csv_put_text(out, unit);
    for (size_t i = 0; i < 5; i++) {
        static const char *const ids[] = {"a", "b", "ratio", "ratio_lo", "ratio_hi"};
        strbuf_putc(out, ',');
        csv_put_number(out, node_number(node, ids[i]));
    }
    strbuf_printf(out, ",%s\n", of->verdict);
}

static void put_csv_changes(struct strbuf *out, const struct row_of *of, const struct node *list)
{
    for (size_t i = 0; i < list->child_count; i++) {
        const struct node *one = &list->children[i];
        put_csv(out, of, node_word(one, "id"), node_word(one, "unit"), one);
    }
}

/* The time of every pair, and what differs. */
static void write_csv(struct strbuf *out, const struct node *diff)
{
    const struct node *kernels = node_child(diff, "kernels");
    strbuf_puts(out, "kernel,machine,figure,unit,a,b,ratio,ratio_lo,ratio_hi,verdict\n");
    for (size_t i = 0; i < kernels->child_count; i++) {
        const struct node *kernel = &kernels->children[i],
                          *machines = node_child(kernel, "machines");
        const char *name = node_word(kernel, "name");
        for (size_t m = 0; m < machines->child_count; m++) {
            const struct node *machine = &machines->children[m];
            const struct row_of time = {name, node_word(machine, "machine"),
                                        node_word(machine, "verdict")},
                                of = {name, time.machine, ""};
            put_csv(out, &time, "time", "s", node_child(machine, "time"));
            put_csv_changes(out, &of, node_child(machine, "changes"));
        }
        put_csv_changes(out, &(struct row_of){name, "", ""}, node_child(kernel, "changes"));
    }
}

const struct view view_diff = {
    .question = "diff",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .write_csv = write_csv,
    .markdown = render_diff_markdown,
};
