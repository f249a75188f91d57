// SPDX-License-Identifier: Apache-2.0
/* diff: two reports compared; which kernel belongs to which. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/diff_answer.h"
#include "answer/question.h"
#include "base/strbuf.h"
#include "base/text.h"

/* ---- figures --------------------------------------------------------------------------------- */

static const char *const verdict_words[] = {"same", "better", "worse", "incomparable"};
static const char *const gate_words[] = {"passed", "failed", "incomparable"};

static const struct report_finding *finding_of(const struct diff_finding *at)
{
    return at->sides[1] ? at->sides[1] : at->sides[0];
}

static const char *finding_status(const struct diff_finding *at)
{
    return !at->sides[0] ? "new" : !at->sides[1] ? "gone" : "changed";
}

#define FIGURE_FILE "answer/figures/diff.def"
#include "base/figure_tables.h"

/* ---- pairs of kernels ------------------------------------------------------------------------ */

/* A kernel of one of the reports. */
struct entry {
    const char *name;  /* in the second report */
    const char *shape; /* of its launch */
    size_t index;
    bool is_mapped, is_taken;
};

struct pairing {
    struct asked *asked;
    struct arena *arena;
    struct diff_answer *diff;
    struct entry *sides[2];
};

static const char *shape_of(struct arena *arena, const struct report_kernel *kernel)
{
    struct strbuf text = {0};
    for (size_t i = 0; i < kernel->shape.count; i++)
        if (strcmp(kernel->shape.items[i].id, "mangled") != 0)
            strbuf_printf(&text, "%s;",
                          kernel->shape.items[i].text ? kernel->shape.items[i].text : "");
    const char *shape = arena_copy(arena, text.data ? text.data : "");
    strbuf_clear(&text);
    return shape;
}

static bool has_kernel(const struct report *report, const char *name, size_t length)
{
    for (size_t i = 0; i < report->kernel_count; i++) {
        const char *own = report->kernels[i].name;
        if (strlen(own) == length && !strncmp(own, name, length)) return true;
    }
    return false;
}

static ws_status bad_map(const struct pairing *p, const char *map)
{
    const struct report *reports = p->diff->reports;
    const char *equals = strchr(map, '=');
    if (!equals)
        return diag_error(p->asked->diag, WS_ERR_ARGUMENT,
                          "invalid map '%s': expected FIRST=SECOND, the names of two kernels", map);
    size_t length = (size_t)(equals - map);
    size_t side = has_kernel(&reports[0], map, length);
    const char *name = side ? equals + 1 : arena_copy_n(p->arena, map, length);
    const char **names = ARENA_ARRAY(p->arena, const char *, reports[side].kernel_count + 1);
    for (size_t i = 0; i < reports[side].kernel_count; i++)
        names[i] = reports[side].kernels[i].name;
    return diag_error(p->asked->diag, WS_ERR_ARGUMENT, "map '%s': %s has no kernel '%s'%s", map,
                      reports[side].name, name,
                      text_hint(p->arena, name, names, reports[side].kernel_count));
}

/* Names may contain '=' (operator==): the one with a kernel on both sides counts. */
static ws_status apply_map(const struct pairing *p, const char *map)
{
    const struct report *reports = p->diff->reports;
    const char *equals = map;
    while ((equals = strchr(equals, '=')) != NULL) {
        size_t length = (size_t)(equals - map);
        if (has_kernel(&reports[0], map, length) &&
            has_kernel(&reports[1], equals + 1, strlen(equals + 1)))
            break;
        equals++;
    }
    if (!equals) return bad_map(p, map);
    for (size_t i = 0; i < reports[0].kernel_count; i++) {
        struct entry *entry = &p->sides[0][i];
        const char *own = reports[0].kernels[entry->index].name;
        if (strlen(own) != (size_t)(equals - map) || strncmp(own, map, strlen(own)) != 0) continue;
        entry->name = equals + 1;
        entry->is_mapped = true;
    }
    return WS_OK;
}

static int by_shape(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    if (!order) order = strcmp(a->shape, b->shape);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static int by_name(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static void add_pair(struct pairing *p, struct entry *a, struct entry *b)
{
    const struct report *reports = p->diff->reports;
    a->is_taken = b->is_taken = true;
    p->diff->kernels[p->diff->kernel_count++] = (struct diff_kernel){
        .sides = {&reports[0].kernels[a->index], &reports[1].kernels[b->index]},
        .is_mapped = a->is_mapped,
    };
}

/* Merges two sorted lists: the first of equals with the first, the second with the second. */
static void pair_equal(struct pairing *p, int (*compare)(const void *, const void *),
                       bool with_shape)
{
    size_t counts[2] = {p->diff->reports[0].kernel_count, p->diff->reports[1].kernel_count}, i = 0,
           k = 0;
    for (size_t side = 0; side < 2; side++)
        qsort(p->sides[side], counts[side], sizeof(struct entry), compare);
    while (i < counts[0] && k < counts[1]) {
        struct entry *a = &p->sides[0][i], *b = &p->sides[1][k];
        int order = strcmp(a->name, b->name);
        if (!order && with_shape) order = strcmp(a->shape, b->shape);
        if (a->is_taken || (!b->is_taken && order < 0)) {
            i++;
        } else if (b->is_taken || order > 0) {
            k++;
        } else {
            add_pair(p, a, b);
            i++, k++;
        }
    }
}

/* The only ones left, if the user insists. */
static void pair_rest(struct pairing *p)
{
    struct entry *left[2] = {NULL, NULL};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < p->diff->reports[side].kernel_count; i++) {
            struct entry *entry = &p->sides[side][i];
            if (entry->is_taken) continue;
            if (left[side]) return;
            left[side] = entry;
        }
    if (left[0] && left[1]) add_pair(p, left[0], left[1]);
}

static void add_missing(struct diff_answer *diff, const char *kernel, const char *machine,
                        size_t side)
{
    diff->missing[diff->missing_count++] = (struct diff_missing){kernel, machine, side};
}

static const struct report_machine *find_machine(const struct report_kernel *kernel, const char *id)
{
    for (size_t i = 0; i < kernel->machine_count; i++)
        if (!strcmp(kernel->machines[i].id, id)) return &kernel->machines[i];
    return NULL;
}

static void pair_machines(struct pairing *p, struct diff_kernel *kernel)
{
    const struct report_kernel *a = kernel->sides[0], *b = kernel->sides[1];
    kernel->machines = ARENA_ARRAY(p->arena, struct diff_machine, b->machine_count + 1);
    for (size_t i = 0; i < b->machine_count; i++) {
        const struct report_machine *after = &b->machines[i], *before = find_machine(a, after->id);
        if (before)
            kernel->machines[kernel->machine_count++] =
                (struct diff_machine){.sides = {before, after}, .id = after->id};
        else
            add_missing(p->diff, b->name, after->id, 1);
    }
    for (size_t i = 0; i < a->machine_count; i++)
        if (!find_machine(b, a->machines[i].id))
            add_missing(p->diff, a->name, a->machines[i].id, 0);
}

static size_t machines_of(const struct report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->kernel_count; i++)
        count += 1 + report->kernels[i].machine_count;
    return count;
}

static ws_status pair(struct asked *asked, struct diff_answer *diff)
{
    struct arena *arena = &asked->answer->arena;
    struct pairing p = {.asked = asked, .arena = arena, .diff = diff};
    size_t most = 1;
    for (size_t side = 0; side < 2; side++) {
        const struct report *report = &diff->reports[side];
        p.sides[side] = ARENA_ARRAY(arena, struct entry, report->kernel_count + 1);
        for (size_t i = 0; i < report->kernel_count; i++)
            p.sides[side][i] = (struct entry){.name = report->kernels[i].name,
                                              .shape = shape_of(arena, &report->kernels[i]),
                                              .index = i};
        most += machines_of(report);
    }
    diff->kernels = ARENA_ARRAY(arena, struct diff_kernel, most);
    diff->missing = ARENA_ARRAY(arena, struct diff_missing, most);
    for (size_t i = 0; i < diff->map_count; i++)
        TRY(apply_map(&p, diff->maps[i]));
    pair_equal(&p, by_shape, true);
    pair_equal(&p, by_name, false);
    if (diff->is_forced) pair_rest(&p);
    for (size_t i = 0; i < diff->kernel_count; i++)
        pair_machines(&p, &diff->kernels[i]);
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < diff->reports[side].kernel_count; i++) {
            const struct entry *entry = &p.sides[side][i];
            if (!entry->is_taken)
                add_missing(diff, diff->reports[side].kernels[entry->index].name, NULL, side);
        }
    return WS_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status read_reports(const struct asked *asked, struct diff_answer *diff)
{
    static const char *const names[] = {"a", "b"}, *const texts[] = {"a_text", "b_text"};
    struct arena *arena = &asked->answer->arena;
    for (size_t i = 0; i < 2; i++) {
        const char *name = asked_word(asked, names[i]), *text = asked_word(asked, texts[i]);
        if (!name)
            return diag_error(asked->diag, WS_ERR_ARGUMENT,
                              "'diff' requires two reports: the inputs 'a' and 'b'");
        TRY(report_read(asked->diag, arena, name, text, &diff->reports[i]));
    }
    if (!strcmp(diff->reports[0].schema, diff->reports[1].schema)) return WS_OK;
    return diag_error(asked->diag, WS_ERR_NO_MODEL,
                      "reports of different commands cannot be compared: %s is '%s', %s is '%s'",
                      diff->reports[0].name, diff->reports[0].schema, diff->reports[1].name,
                      diff->reports[1].schema);
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct diff_answer *diff = ARENA_ARRAY(arena, struct diff_answer, 1);
    double fail_over = asked_number(asked, "fail_over", NAN);
    size_t metric_count;
    const char *const *metrics = asked_copies(asked, "metric", &metric_count);
    if (fail_over < 0 || isinf(fail_over))
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "input 'fail_over' must be at least 0 (got %g)", fail_over);
    diff->is_forced = asked_flag(asked, "force");
    diff->maps = asked_copies(asked, "map", &diff->map_count);
    TRY(read_reports(asked, diff));
    TRY(pair(asked, diff));
    diff_compare(diff, arena);
    if (!isnan(fail_over))
        TRY(diff_check_gate(asked->diag, arena, diff, fail_over, metrics, metric_count,
                            asked_flag(asked, "allow_missing")));
    *out = diff;
    return WS_OK;
}

static const struct input_info inputs[] = {
    {"a", INPUT_WORD, "", "first report, before: path of a file in JSON"},
    {"b", INPUT_WORD, "", "second report, after: path of a file in JSON"},
    {"a_text", INPUT_WORD, "", "the first report itself, which `a` only names"},
    {"b_text", INPUT_WORD, "", "the second report itself, which `b` only names"},
    {"map", INPUT_WORD, "", "kernels that correspond: FIRST=SECOND; may be repeated"},
    {"force", INPUT_FLAG, "",
     "compare in spite of other launches, inputs, models and machine files"},
    {"fail_over", INPUT_NUMBER, "1", "check that no metric is worse by more than this share"},
    {"metric", INPUT_WORD, "", "what is checked (default time); may be repeated"},
    {"allow_missing", INPUT_FLAG, "", "kernels and machines in one report only may pass"},
};

const struct question question_diff = {
    .name = "diff",
    .schema = "warpsage.diff/1",
    .text = "What changed between two reports?",
    .record = &record_diff,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
};
