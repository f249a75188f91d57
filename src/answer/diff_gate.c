// SPDX-License-Identifier: Apache-2.0
/* The gate of a comparison: which figures, and is any of them worse by too much? It compares what is
 * predicted, without the band: the same code gives the same figures. What cannot be compared never passes. */
#include <math.h>
#include <string.h>

#include "answer/diff_answer.h"
#include "base/text.h"

/* Of a change that is exactly as large as allowed. */
#define ROUNDING 1e-9

static const char time_metric[] = "time";

/* Is it the figure, or the end of its path? */
static bool is_named(const char *id, const char *metric)
{
    size_t length = strlen(id), end = strlen(metric);
    if (length < end || strcmp(id + length - end, metric) != 0) return false;
    return length == end || id[length - end - 1] == '/';
}

/* The figure that `metric` names among some. Its whole id goes before the end of one. `*out_other`: a second
 * one that it may mean, NULL: none. */
static const char *find_id(const struct report_figures *figures, const char *metric,
                           const char **out_other)
{
    const char *found = NULL;
    *out_other = NULL;
    if (report_find(figures, metric)) return report_find(figures, metric)->id;
    for (size_t i = 0; i < figures->count; i++) {
        const char *id = figures->items[i].id;
        if (!is_named(id, metric)) continue;
        if (found) *out_other = id;
        found = found ? found : id;
    }
    return found;
}

struct gate {
    struct diag *diag;
    struct arena *arena;
    struct diff_answer *diff;
    struct diff_gate *out;
    size_t room;
};

static struct diff_check *add_check(struct gate *g, const struct diff_kernel *kernel,
                                    const struct diff_machine *machine)
{
    struct diff_gate *out = g->out;
    if (out->check_count == g->room) {
        g->room = g->room ? 2 * g->room : 16;
        struct diff_check *larger = ARENA_ARRAY(g->arena, struct diff_check, g->room);
        if (out->check_count) memcpy(larger, out->checks, out->check_count * sizeof *larger);
        out->checks = larger;
    }
    struct diff_check *check = &out->checks[out->check_count++];
    check->kernel = kernel->sides[1]->name;
    check->machine = machine ? machine->id : NULL;
    return check;
}

/* Of the first value; from 0 any change for the worse is infinitely large. */
static double worse_by(const struct diff_change *change)
{
    double a = change->values[0], b = change->values[1];
    double worse = change->more_is_better ? a - b : b - a;
    if (isnan(change->ratio) && !(a == 0)) return NAN;
    return worse == 0 ? 0 : a == 0 ? (worse > 0 ? INFINITY : -INFINITY) : worse / a;
}

static void judge(const struct gate *g, struct diff_check *check, const char *refused)
{
    check->worse_by = refused ? NAN : worse_by(&check->change);
    if (isnan(check->worse_by)) {
        check->result = GATE_INCOMPARABLE;
        check->reason = refused ? refused : check->change.reason;
    } else {
        bool passes = check->worse_by <= g->out->fail_over + ROUNDING;
        check->result = passes ? GATE_PASSED : GATE_FAILED;
        if (isinf(check->worse_by)) check->reason = check->change.reason;
    }
}

/* Why two are not compared; NULL: they are. */
static const char *refusal_of(const struct diff_kernel *kernel, const struct diff_machine *machine)
{
    if (kernel->is_refused) return kernel->reasons.items[0];
    return machine && machine->is_refused ? machine->reasons.items[0] : NULL;
}

/* The time, with the reason why there is none. */
static void check_time(struct gate *g, const struct diff_kernel *kernel,
                       const struct diff_machine *machine)
{
    struct report_figure sides[2];
    for (size_t i = 0; i < 2; i++)
        sides[i] = (struct report_figure){.id = machine->sides[i]->time_id,
                                          .unit = "s",
                                          .value = machine->sides[i]->time_seconds,
                                          .reason = machine->sides[i]->reason};
    struct diff_check *check = add_check(g, kernel, machine);
    check->change = diff_change_of(&sides[0], &sides[1]);
    judge(g, check, refusal_of(kernel, machine));
}

/* A figure that one report lacks is unknown there. */
static ws_status check_figure(struct gate *g, const char *metric, const struct diff_kernel *kernel,
                              const struct diff_machine *machine, const struct report_figures *a,
                              const struct report_figures *b, bool *found)
{
    const char *other, *id = find_id(b, metric, &other);
    if (!id) id = find_id(a, metric, &other);
    if (!id) return WS_OK;
    *found = true;
    if (other)
        return diag_error(g->diag, WS_ERR_ARGUMENT,
                          "metric '%s' is ambiguous: '%s', '%s'; give the whole path", metric, id,
                          other);
    const struct report_figure *sides[2] = {report_find(a, id), report_find(b, id)};
    struct report_figure absent = sides[1] ? *sides[1] : *sides[0];
    absent.value = NAN;
    absent.reason = "not in one of the reports";
    struct diff_check *check = add_check(g, kernel, machine);
    check->change = diff_change_of(sides[0] ? sides[0] : &absent, sides[1] ? sides[1] : &absent);
    judge(g, check, refusal_of(kernel, machine));
    return WS_OK;
}

static ws_status check_metric(struct gate *g, const char *metric, const struct diff_kernel *kernel,
                              bool *found)
{
    bool is_time = !strcmp(metric, time_metric);
    if (!is_time)
        TRY(check_figure(g, metric, kernel, NULL, &kernel->sides[0]->figures,
                         &kernel->sides[1]->figures, found));
    for (size_t i = 0; i < kernel->machine_count; i++) {
        const struct diff_machine *machine = &kernel->machines[i];
        if (is_time)
            check_time(g, kernel, machine);
        else
            TRY(check_figure(g, metric, kernel, machine, &machine->sides[0]->figures,
                             &machine->sides[1]->figures, found));
    }
    *found |= is_time;
    return WS_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

static size_t add_names(const struct report_figures *figures, const char **names, size_t count,
                        size_t room)
{
    for (size_t i = 0; i < figures->count && count < room; i++)
        names[count++] = figures->items[i].id;
    return count;
}

static ws_status unknown_metric(const struct gate *g, const char *metric)
{
    enum { NAMES = 4096 };
    const char **names = ARENA_ARRAY(g->arena, const char *, NAMES);
    size_t count = 0;
    names[count++] = time_metric;
    for (size_t i = 0; i < g->diff->kernel_count; i++) {
        const struct report_kernel *kernel = g->diff->kernels[i].sides[1];
        count = add_names(&kernel->figures, names, count, NAMES);
        for (size_t m = 0; m < kernel->machine_count; m++)
            count = add_names(&kernel->machines[m].figures, names, count, NAMES);
    }
    return diag_error(
        g->diag, WS_ERR_ARGUMENT,
        "unknown metric '%s'%s: expected time, a counter (inst.warp) or the path of a "
        "figure in the reports (occupancy/fraction)",
        metric, text_hint(g->arena, metric, names, count));
}

/* ---- the gate -------------------------------------------------------------------------------- */

static void conclude(struct gate *g)
{
    struct diff_gate *out = g->out;
    for (size_t i = 0; i < out->check_count; i++)
        out->counts[out->checks[i].result]++;
    if (out->counts[GATE_INCOMPARABLE] || !out->check_count)
        out->result = GATE_INCOMPARABLE;
    else if (out->counts[GATE_FAILED] || (g->diff->missing_count && !out->allows_missing))
        out->result = GATE_FAILED;
}

ws_status diff_check_gate(struct diag *diag, struct arena *arena, struct diff_answer *diff,
                          double fail_over, const char *const *metrics, size_t metric_count,
                          bool allows_missing)
{
    static const char *const usual[] = {time_metric};
    struct diff_gate *out = ARENA_ARRAY(arena, struct diff_gate, 1);
    struct gate g = {diag, arena, diff, out, 0};
    *out = (struct diff_gate){.fail_over = fail_over,
                              .metrics = metric_count ? metrics : usual,
                              .metric_count = metric_count ? metric_count : 1,
                              .allows_missing = allows_missing};
    for (size_t m = 0; m < out->metric_count; m++) {
        bool found = false;
        for (size_t i = 0; i < diff->kernel_count; i++)
            TRY(check_metric(&g, out->metrics[m], &diff->kernels[i], &found));
        if (!found && diff->kernel_count) return unknown_metric(&g, out->metrics[m]);
    }
    conclude(&g);
    diff->gate = out;
    return WS_OK;
}
