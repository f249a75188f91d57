// SPDX-License-Identifier: Apache-2.0
/* Differences of kernels in two reports, and what they come to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/diff_answer.h"
#include "base/quantity.h"

/* Predictions of different compilers and math libraries differ by less (tests/estimates). */
#define ROUNDING 1e-9

static bool is_equal(double a, double b)
{
    return a == b || fabs(a - b) <= ROUNDING * fmax(fabs(a), fabs(b));
}

static void add_text(struct arena *arena, struct diff_texts *texts, const char *text)
{
    const char **items = ARENA_ARRAY(arena, const char *, texts->count + 1);
    if (texts->count) memcpy(items, texts->items, texts->count * sizeof *items);
    items[texts->count++] = text;
    texts->items = items;
}

/* ---- numbers --------------------------------------------------------------------------------- */

struct diff_change diff_change_of(const struct report_figure *a, const struct report_figure *b)
{
    struct diff_change change = {.id = b->id,
                                 .unit = b->unit,
                                 .values = {a->value, b->value},
                                 .ratio = NAN,
                                 .is_counted = a->is_counted && b->is_counted,
                                 .more_is_better = b->more_is_better};
    const struct report_figure *unknown = isnan(a->value) ? a : isnan(b->value) ? b : NULL;
    if (unknown)
        change.reason = unknown->reason ? unknown->reason : "unknown";
    else if (strcmp(a->unit, b->unit) != 0)
        change.reason = "the units differ";
    else if (a->value == 0 && b->value == 0)
        change.ratio = 1;
    else if (a->value > 0 && b->value >= 0)
        change.ratio = b->value / a->value;
    else
        change.reason = a->value == 0 ? "the first value is 0" : "a value is negative";
    return change;
}

/* How much of the larger value changed, from 0 to 1; what is unknown comes last. */
static double size_of(const struct diff_change *change)
{
    double a = change->values[0], b = change->values[1];
    return isnan(a) || isnan(b) ? -1 : fabs(b - a) / fmax(fabs(a), fabs(b));
}

static int compare_changes(const void *left, const void *right)
{
    const struct diff_change *a = left, *b = right;
    double first = size_of(a), second = size_of(b);
    if (first != second) return first < second ? 1 : -1;
    first = fabs(a->values[1] - a->values[0]);
    second = fabs(b->values[1] - b->values[0]);
    if (first != second && !isnan(first) && !isnan(second)) return first < second ? 1 : -1;
    return strcmp(a->id, b->id);
}

/* What one report has and the other does not is unknown there. `except`: an id that is left out. */
static void compare_figures(struct arena *arena, const struct report_figures *a,
                            const struct report_figures *b, const char *except,
                            struct diff_changes *out)
{
    out->items = ARENA_ARRAY(arena, struct diff_change, a->count + b->count + 1);
    for (size_t side = 0; side < 2; side++) {
        const struct report_figures *own = side ? b : a, *others = side ? a : b;
        for (size_t i = 0; i < own->count; i++) {
            const struct report_figure *one = &own->items[i], *other = report_find(others, one->id);
            if ((other && side) || (except && !strcmp(one->id, except))) continue;
            struct report_figure absent = *one;
            absent.value = NAN;
            absent.reason = "not in this report";
            if (!other) other = &absent;
            struct diff_change change =
                side ? diff_change_of(other, one) : diff_change_of(one, other);
            bool both = !isnan(change.values[0]) && !isnan(change.values[1]);
            bool neither = isnan(change.values[0]) && isnan(change.values[1]);
            if (neither) continue;
            if (both && is_equal(change.values[0], change.values[1]))
                out->unchanged++;
            else
                out->items[out->count++] = change;
        }
    }
    qsort(out->items, out->count, sizeof *out->items, compare_changes);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Those in both reports that differ, behind those that are there. `reasons`: each of them is a reason. */
static void compare_words(struct arena *arena, const struct report_words *a,
                          const struct report_words *b, struct diff_words *out,
                          struct diff_texts *reasons)
{
    struct diff_word *items = ARENA_ARRAY(arena, struct diff_word, out->count + a->count + 1);
    if (out->count) memcpy(items, out->items, out->count * sizeof *items);
    out->items = items;
    for (size_t i = 0; i < a->count; i++) {
        const struct report_word *first = &a->items[i], *second = report_find_word(b, first->id);
        if (!second || is_same_text(first->text, second->text)) continue;
        items[out->count++] = (struct diff_word){first->id, {first->text, second->text}};
        if (reasons)
            add_text(arena, reasons,
                     arena_format(arena, "%s differs: %s, then %s", first->id,
                                  first->text ? first->text : "unknown",
                                  second->text ? second->text : "unknown"));
    }
}

/* ---- findings -------------------------------------------------------------------------------- */

/* The same code may stand for several lines: the nth of one is compared with the nth of the other. */
static const struct report_finding *counterpart(const struct report_machine *own, size_t index,
                                                const struct report_machine *other)
{
    size_t skip = 0;
    const char *code = own->findings[index].code;
    for (size_t i = 0; i < index; i++)
        skip += !strcmp(own->findings[i].code, code);
    for (size_t i = 0; i < other->finding_count; i++)
        if (!strcmp(other->findings[i].code, code) && !skip--) return &other->findings[i];
    return NULL;
}

/* As reports write them. */
static bool is_same_gain(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b)
                                : !strcmp(quantity_ratio(a).text, quantity_ratio(b).text);
}

static void compare_findings(struct arena *arena, struct diff_machine *out)
{
    const struct report_machine *a = out->sides[0], *b = out->sides[1];
    out->findings =
        ARENA_ARRAY(arena, struct diff_finding, a->finding_count + b->finding_count + 1);
    for (size_t i = 0; i < b->finding_count; i++) {
        const struct report_finding *before = counterpart(b, i, a), *after = &b->findings[i];
        bool is_same = before && is_same_gain(before->gain, after->gain);
        if (!is_same) out->findings[out->finding_count++] = (struct diff_finding){{before, after}};
    }
    for (size_t i = 0; i < a->finding_count; i++)
        if (!counterpart(a, i, b))
            out->findings[out->finding_count++] = (struct diff_finding){{&a->findings[i], NULL}};
}

/* ---- time ------------------------------------------------------------------------------------ */

static bool has_band(const struct report_machine *side)
{
    return side->low_seconds <= side->time_seconds && side->time_seconds <= side->high_seconds;
}

/* Each band holds two of three kernels: in logarithms, the error of a ratio of two times whose errors have
 * nothing in common is the root of the sum of their squares. Errors of variants of one kernel have little in
 * common (doc/diff.md). */
static void find_band(const struct report_machine *a, const struct report_machine *b,
                      struct diff_time *time)
{
    double up =
        hypot(log(b->high_seconds / b->time_seconds), log(a->time_seconds / a->low_seconds));
    double down =
        hypot(log(b->time_seconds / b->low_seconds), log(a->high_seconds / a->time_seconds));
    time->low = time->ratio * exp(-down);
    time->high = time->ratio * exp(up);
}

static void compare_times(struct arena *arena, struct diff_machine *out)
{
    struct diff_time *time = &out->time;
    time->ratio = time->low = time->high = NAN;
    for (size_t i = 0; i < 2; i++) {
        const struct report_machine *side = out->sides[i];
        time->sides[i].seconds = side->time_seconds;
        time->sides[i].low = side->low_seconds;
        time->sides[i].high = side->high_seconds;
        if (isnan(side->time_seconds) && !time->reason)
            time->reason =
                arena_format(arena, "no time in the %s report%s%s", i ? "second" : "first",
                             side->reason ? ": " : "", side->reason ? side->reason : "");
    }
    if (time->reason) return;
    time->ratio = out->sides[1]->time_seconds / out->sides[0]->time_seconds;
    if (!isfinite(time->ratio) || time->ratio == 0) {
        time->ratio = NAN;
        time->reason = "the ratio of the times is out of range";
    } else if (has_band(out->sides[0]) && has_band(out->sides[1])) {
        find_band(out->sides[0], out->sides[1], time);
    } else {
        time->reason = "the error of a prediction is unknown";
    }
}

static enum verdict verdict_of_time(const struct diff_time *time)
{
    if (isnan(time->ratio)) return VERDICT_INCOMPARABLE;
    if (fabs(time->ratio - 1) <= ROUNDING || (time->low <= 1 && 1 <= time->high))
        return VERDICT_SAME;
    return time->ratio < 1 ? VERDICT_BETTER : VERDICT_WORSE;
}

/* ---- kernels on machines --------------------------------------------------------------------- */

static void compare_machines(struct arena *arena, bool is_forced, struct diff_machine *out)
{
    const struct report_machine *a = out->sides[0], *b = out->sides[1];
    struct diff_texts *reasons = is_forced ? NULL : &out->reasons;
    compare_words(arena, &a->setup, &b->setup, &out->words, reasons);
    if (reasons && a->model && b->model && strcmp(a->model, b->model) != 0)
        add_text(arena, reasons,
                 arena_format(arena, "different models predict the times: %s, then %s", a->model,
                              b->model));
    out->is_refused = out->reasons.count > 0;
    compare_times(arena, out);
    if (isnan(out->time.ratio)) add_text(arena, &out->reasons, out->time.reason);
    out->verdict = out->reasons.count ? VERDICT_INCOMPARABLE : verdict_of_time(&out->time);
    compare_words(arena, &a->words, &b->words, &out->words, NULL);
    compare_findings(arena, out);
    compare_figures(arena, &a->figures, &b->figures, b->time_id, &out->changes);
}

static enum verdict worst(enum verdict a, enum verdict b)
{
    return a > b ? a : b;
}

/* Kernels of reports without machines: counts that differ say nothing of the time. */
static enum verdict verdict_of_counts(struct arena *arena, struct diff_kernel *kernel)
{
    if (!kernel->changes.count) return VERDICT_SAME;
    add_text(arena, &kernel->reasons, "the counts differ, and no machine is in both reports");
    return VERDICT_INCOMPARABLE;
}

static void compare_counts(struct arena *arena, struct diff_answer *diff, struct diff_kernel *out)
{
    bool has_times = out->sides[0]->machine_count || out->sides[1]->machine_count;
    bool is_compared =
        !out->is_refused && !has_times && out->changes.count + out->changes.unchanged > 0;
    if (has_times) add_text(arena, &out->reasons, "no machine is in both reports");
    out->verdict = is_compared ? verdict_of_counts(arena, out) : VERDICT_INCOMPARABLE;
    diff->compared += is_compared;
    if (!is_compared || out->verdict == VERDICT_SAME) diff->counts[out->verdict]++;
}

static void compare_kernel(struct arena *arena, struct diff_answer *diff, struct diff_kernel *out)
{
    const struct report_kernel *a = out->sides[0], *b = out->sides[1];
    compare_words(arena, &a->setup, &b->setup, &out->words, diff->is_forced ? NULL : &out->reasons);
    compare_words(arena, &a->shape, &b->shape, &out->words,
                  diff->is_forced || out->is_mapped ? NULL : &out->reasons);
    compare_words(arena, &a->words, &b->words, &out->words, NULL);
    out->is_refused = out->reasons.count > 0;
    compare_figures(arena, &a->figures, &b->figures, NULL, &out->changes);
    for (size_t i = 0; i < out->machine_count; i++) {
        struct diff_machine *machine = &out->machines[i];
        compare_machines(arena, diff->is_forced, machine);
        if (out->is_refused) machine->verdict = VERDICT_INCOMPARABLE;
        out->verdict = worst(out->verdict, machine->verdict);
        diff->counts[machine->verdict]++;
        diff->compared += machine->verdict != VERDICT_INCOMPARABLE;
    }
    if (!out->machine_count) compare_counts(arena, diff, out);
}

/* The largest factor between the two times on any machine, in either direction. */
static double effect_of(const struct diff_kernel *kernel)
{
    double most = 0;
    for (size_t i = 0; i < kernel->machine_count; i++)
        most = fmax(most, fabs(log(kernel->machines[i].time.ratio)));
    return most;
}

static int compare_kernels(const void *left, const void *right)
{
    const struct diff_kernel *a = left, *b = right;
    double first = effect_of(a), second = effect_of(b);
    if (first != second) return first < second ? 1 : -1;
    if (a->sides[1] != b->sides[1]) return a->sides[1] < b->sides[1] ? -1 : 1;
    return 0;
}

void diff_compare(struct diff_answer *diff, struct arena *arena)
{
    const struct report *a = &diff->reports[0], *b = &diff->reports[1];
    for (size_t i = 0; i < diff->kernel_count; i++) {
        compare_kernel(arena, diff, &diff->kernels[i]);
        diff->verdict = worst(diff->verdict, diff->kernels[i].verdict);
    }
    qsort(diff->kernels, diff->kernel_count, sizeof *diff->kernels, compare_kernels);
    if (!diff->compared) diff->verdict = VERDICT_INCOMPARABLE;
    if (!diff->kernel_count) add_text(arena, &diff->notes, "the reports have no kernel in common");
    if (!diff->kernel_count && a->kernel_count == 1 && b->kernel_count == 1)
        add_text(arena, &diff->notes,
                 arena_format(arena, "if they do the same work, compare them with --map '%s=%s'",
                              a->kernels[0].name, b->kernels[0].name));
    if (a->version && b->version && strcmp(a->version, b->version) != 0)
        add_text(arena, &diff->notes,
                 arena_format(arena,
                              "written by warpsage %s and %s: a change may come from the program",
                              a->version, b->version));
}
