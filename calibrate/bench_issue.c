// SPDX-License-Identifier: Apache-2.0
/* Issue: what keeps one warp from the next instruction, and how many schedulers share an SM. */
#include <math.h>
#include <string.h>

#include "calibrate/arithmetic.h"
#include "calibrate/steps.h"

/* Less than that apart are equal. */
static const double ALIKE = 0.03, CLEAR = 0.06; /* more than CLEAR apart are not */

static bool are_alike(double one, double other)
{
    return fabs(one - other) <= ALIKE * fmax(fabs(one), fabs(other));
}

/* ---- same warp --------------------------------------------------------------------------------- */

/* One warp, with chains of the class; with half as many of it and as many of another class in turns; that with many
 * warps. */
enum { ALONE, IN_TURNS, MANY, SAME_WAYS };
enum { SAME_STEPS = 4, SAME_STEPS_LONG = 12, SAME_CHAINS = 16, HALF_CHAINS = SAME_CHAINS / 2 };

static const char *class_of(const struct bench *bench)
{
    return strchr(bench->id, '.') + 1;
}

static const char *partner_of(const char *class)
{
    return strncmp(class, "fp32", 4) == 0 ? "int.add" : "fp32.fma";
}

static bool plan_same_warp(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {SAME_STEPS, SAME_STEPS_LONG};
    const struct operation *operation = operation_find(class_of(bench), plan->gpu, why);
    const struct operation *partner = operation_find(partner_of(class_of(bench)), plan->gpu, why);
    unsigned kernels[2] = {0};
    if (!operation) return false;
    for (unsigned i = 0; i < 2 * SAME_WAYS; i++) {
        unsigned way = i / 2, full = many_warps(plan->gpu);
        struct point point = {.grid = 1,
                              .block = (way == MANY ? full : 1) * plan->gpu->warp,
                              .x = {way, steps[i % 2]}};
        struct chains chains = {.groups = {{operation, way == ALONE ? SAME_CHAINS : HALF_CHAINS}},
                                .steps = steps[i % 2]};
        if (way != ALONE) chains.groups[1] = (struct chain_group){partner, HALF_CHAINS};
        point.kernel = way == MANY ? kernels[i % 2] : chains_kernel(plan, &chains);
        kernels[i % 2] = point.kernel;
        chains_values(&chains, &point);
        plan_point(plan, &point);
    }
    return true;
}

/* Cycles for an instruction of the class, with the other's if they come in turns. */
static bool fit_same(const struct fit *fit, const char *bench, unsigned way, struct line *out)
{
    double at[BENCH_AXES] = {way}, count = way == ALONE ? SAME_CHAINS : HALF_CHAINS;
    if (way == MANY) count *= many_warps(&fit->raw->gpu);
    if (!fit_steps(fit, bench, 1, at, out)) return false;
    out->slope /= count;
    out->slope_half /= count;
    return true;
}

static double parts_of(const struct fit *fit)
{
    double parts = fit_value(fit, "sm.subpartitions");
    return parts >= 1 ? parts : 1;
}

/* Cycles for which a warp's instruction keeps its unit. */
static double unit_cycles(const struct fit *fit, const char *class)
{
    char key[64];
    snprintf(key, sizeof key, "throughput.%s", class);
    return fit->raw->gpu.warp * parts_of(fit) / fit_value(fit, key);
}

/* Has the other class a unit of its own? Then many warps take less for both than for one after the other. */
static bool has_own_unit(const struct fit *fit, const char *bench, double busy, double other)
{
    struct line many;
    return fit_same(fit, bench, MANY, &many) &&
           many.slope * parts_of(fit) < (busy + other) * (1 - CLEAR);
}

/* Do so many chains of the class, each with `cycles` a step, take longer than the result of one and all of them in their
 * unit? Else the latency may be what they wait for. */
static bool is_past_latency(const struct fit *fit, const char *class, double cycles, double chains)
{
    char key[64];
    snprintf(key, sizeof key, "latency.%s", class);
    double latency = fit_value(fit, key);
    return isnan(latency) || cycles * chains > latency + chains * unit_cycles(fit, class);
}

/* The unit alone may be what takes so long: then a warp that turns to another unit shows whether it waits, too. */
static void fit_same_warp(const struct bench *bench, struct fit *fit)
{
    struct line alone, both;
    const char *partner = partner_of(class_of(bench));
    char partners_key[64];
    double busy = unit_cycles(fit, class_of(bench)), other = unit_cycles(fit, partner);
    if (!fit_same(fit, bench->id, ALONE, &alone)) return;
    if (!isfinite(busy) || !isfinite(other)) {
        fit_unknown(fit, bench, bench->figures, "needs the throughputs of %s and %s, too",
                    class_of(bench), partner);
        return;
    }
    snprintf(partners_key, sizeof partners_key, "issue_latency.%s", partner);
    const struct figure *partners = fit_known(fit, partners_key);
    double value = NAN, half = 0, issue = fit_value(fit, "issue.interval");
    if (alone.slope > busy * (1 + CLEAR) &&
        !is_past_latency(fit, class_of(bench), alone.slope, SAME_CHAINS)) {
        fit_unknown(fit, bench, bench->figures, "%d chains wait for their results", SAME_CHAINS);
        return;
    }
    if (alone.slope > busy * (1 + CLEAR)) {
        value = alone.slope;
        half = alone.slope_half;
    } else if (partners && has_own_unit(fit, bench->id, busy, other) &&
               fit_same(fit, bench->id, IN_TURNS, &both) && both.slope > busy * (1 + CLEAR) &&
               is_past_latency(fit, class_of(bench), both.slope, HALF_CHAINS)) {
        value = both.slope - partners->value;
        half = both.slope_half;
    }
    if (isnan(value))
        fit_unknown(
            fit, bench, bench->figures,
            "its unit is busy for as long, %.3g cycles: whether the warp waits does not show",
            busy);
    else if (are_alike(value, issue))
        fit_unknown(fit, bench, bench->figures, "no longer than issue.interval");
    else
        fit_figure(fit, bench, bench->figures, "cycle", value, value - half, value + half);
}

/* ---- schedulers -------------------------------------------------------------------------------- */

/* Chains of a warp, by x[0]. Of each scheduler's warps one issues at a time: time grows in steps of as many warps as
 * there are schedulers, or units of their own. */
enum mixture { FAST, SLOW, ARITHMETIC, PIPES, UNITS, HALVES, MIXTURES };
static const struct {
    struct {
        const char *class;
        unsigned count;
    } groups[CHAIN_GROUPS];
    unsigned loads;
} mixtures[MIXTURES] = {
    [FAST] = {{{"fp32.fma", 8}}, 0},
    [SLOW] = {{{"sfu.rsqrt", 8}}, 0},
    [ARITHMETIC] = {{{"fp32.fma", 4}, {"int.add", 4}}, 0},
    /* More than the pipes of arithmetic can take, where each is as wide as half of the issue. */
    [PIPES] = {{{"fp32.fma", 4}, {"int.add", 4}, {"sfu.rsqrt", 1}}, 1},
    /* Several units, each for a part of the time, where one alone is slower than the issue. */
    [UNITS] = {{{"fp32.fma", 8}, {"sfu.rsqrt", 2}}, 8},
    [HALVES] = {{{"fp32.fma", 4}, {"int.add", 4}, {"fp16", 4}}, 0},
};
enum { MIX_STEPS = 4, MIX_STEPS_LONG = 12, STEP_WARPS = 9, ISSUE_WARPS = 8, ISSUE_WARPS_LEAST = 5 };

static unsigned chains_of(enum mixture which)
{
    unsigned count = mixtures[which].loads;
    for (unsigned i = 0; i < CHAIN_GROUPS; i++)
        count += mixtures[which].groups[i].count;
    return count;
}

static void plan_mixture(struct plan *plan, enum mixture which, unsigned steps)
{
    const struct gpu_facts *gpu = plan->gpu;
    const char *why;
    unsigned full = many_warps(gpu);
    struct chains chains = {.loads = mixtures[which].loads, .steps = steps};
    for (unsigned i = 0; i < CHAIN_GROUPS && mixtures[which].groups[i].class; i++)
        if (!operation_find(mixtures[which].groups[i].class, gpu, &why)) return;
    for (unsigned i = 0; i < CHAIN_GROUPS && mixtures[which].groups[i].class; i++)
        chains.groups[i] =
            (struct chain_group){operation_find(mixtures[which].groups[i].class, gpu, &why),
                                 mixtures[which].groups[i].count};
    unsigned kernel = chains_kernel(plan, &chains);
    unsigned to = which <= SLOW ? STEP_WARPS : ISSUE_WARPS;
    for (unsigned warps = 1; warps <= full; warps++) {
        struct point point = {
            .kernel = kernel, .grid = 1, .block = warps * gpu->warp, .x = {which, warps, steps}};
        if (warps > to && warps < full) continue;
        if (warps > 1 && which > SLOW && warps < ISSUE_WARPS_LEAST) continue;
        chains_values(&chains, &point);
        plan_point(plan, &point);
    }
}

static bool plan_schedulers(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)bench, (void)why;
    for (unsigned which = 0; which < MIXTURES; which++) {
        plan_mixture(plan, which, MIX_STEPS);
        plan_mixture(plan, which, MIX_STEPS_LONG);
    }
    return true;
}

/* Cycles of a step of all warps. */
static double cycles_of(const struct fit *fit, const char *bench, enum mixture which, double warps)
{
    double at[BENCH_AXES] = {which, warps};
    struct line line;
    return fit_steps(fit, bench, 2, at, &line) ? line.slope : NAN;
}

/* The time of w warps is that of one times w over n, rounded up: n; 1 if there are no such steps. */
static unsigned steps_of(const struct fit *fit, const char *bench, enum mixture which)
{
    double one = cycles_of(fit, bench, which, 1);
    for (unsigned n = 2; n < STEP_WARPS; n++) {
        bool fits = true;
        for (unsigned warps = 1; fits && warps <= STEP_WARPS; warps++)
            fits = are_alike(cycles_of(fit, bench, which, warps), ceil((double)warps / n) * one);
        if (fits) return n;
    }
    return 1;
}

/* Where few warps wait for their chains, time grows less: but still after every n-th warp, and not between. 1: it does
 * not, or not twice. */
static unsigned later_steps_of(const struct fit *fit, const char *bench, enum mixture which)
{
    unsigned last = 0, apart = 0;
    for (unsigned warps = 1; warps < STEP_WARPS; warps++) {
        double fewer = cycles_of(fit, bench, which, warps);
        if (are_alike(fewer, cycles_of(fit, bench, which, warps + 1))) continue;
        if (apart && warps - last != apart) return 1;
        if (last) apart = warps - last;
        last = warps;
    }
    return apart && last % apart == 0 ? apart : 1;
}

/* How many warps before ISSUE_WARPS take as long as they. */
static unsigned alike_warps(const struct fit *fit, const char *bench, enum mixture which)
{
    unsigned count = 1;
    while (count < 4 && are_alike(cycles_of(fit, bench, which, ISSUE_WARPS),
                                  cycles_of(fit, bench, which, ISSUE_WARPS - count)))
        count++;
    return count;
}

static double throughput_of(const struct fit *fit, const char *class)
{
    char key[64];
    snprintf(key, sizeof key, "throughput.%s", class);
    return fit_value(fit, key);
}

/* Cycles of an SM for a step of a warp, if its units alone were the limit. */
static double units_need(const struct fit *fit, const char *bench, enum mixture which)
{
    static const double words[BENCH_AXES] = {0, WORD_BYTES, 0};
    double warp = fit->raw->gpu.warp, most = 0, sum = 0;
    double pair = cycles_of(fit, bench, ARITHMETIC, ISSUE_WARPS) / ISSUE_WARPS;
    double fma = warp / throughput_of(fit, "fp32.fma"), add = warp / throughput_of(fit, "int.add");
    bool is_shared = are_alike(pair, 4 * (fma + add));
    struct rates loads;
    if (mixtures[which].loads &&
        fit_rates(fit, "shared.bandwidth", 2, words, SHARED_CHAINS * warp, &loads))
        most = mixtures[which].loads * warp / loads.top;
    for (unsigned i = 0; i < CHAIN_GROUPS && mixtures[which].groups[i].class; i++) {
        const char *class = mixtures[which].groups[i].class;
        double cycles = mixtures[which].groups[i].count * warp / throughput_of(fit, class);
        if (strcmp(class, "sfu.rsqrt") != 0) sum += cycles;
        if (!(cycles <= most)) most = cycles;
    }
    return is_shared && sum > most ? sum : most;
}

/* The least cycles between two instructions of a scheduler in any mixture: the issue takes no longer. That it does take
 * as long shows in a mixture that units do not limit; collisions at them may make that somewhat longer. One
 * warp has but one scheduler. */
static double find_interval(const struct fit *fit, const char *bench, unsigned schedulers,
                            enum mixture *out)
{
    static const double COLLISIONS = 1.5;
    double full = many_warps(&fit->raw->gpu), least = INFINITY, limited = INFINITY;
    *out = MIXTURES;
    for (unsigned which = FAST; which < MIXTURES; which++) {
        double count = chains_of(which), cycles = cycles_of(fit, bench, which, full) / full;
        double between = fmin(cycles * schedulers, cycles_of(fit, bench, which, 1)) / count;
        least = fmin(least, between);
        if (which <= SLOW || !(cycles >= (1 + ALIKE) * units_need(fit, bench, which))) continue;
        if (between < limited) *out = which;
        limited = fmin(limited, between);
    }
    if (limited > COLLISIONS * least) *out = MIXTURES;
    return least;
}

/* A scheduler decides at whole cycles, and issues more than one instruction at a time if less than a cycle lies
 * between two of them. */
static void fit_interval(const struct bench *bench, struct fit *fit, unsigned schedulers,
                         double between)
{
    double width = between < 0.9 ? ceil(0.9 / between) : 1;
    double interval = fmax(1, round(between * width)), excess = between * width / interval;
    double pair = cycles_of(fit, bench->id, ARITHMETIC, ISSUE_WARPS) / ISSUE_WARPS;
    double warp = fit->raw->gpu.warp, cycles = interval;
    double apart =
        4 * warp * (1 / throughput_of(fit, "fp32.fma") + 1 / throughput_of(fit, "int.add"));
    if (are_alike(pair, apart)) cycles = pair / chains_of(ARITHMETIC) * schedulers;
    if (are_alike(cycles, round(cycles))) cycles = round(cycles);
    if (excess > 1.2 || excess < 0.92) {
        fit_unknown(fit, bench, "issue.interval",
                    "the best mixture has %.3g cycles between instructions, no whole number",
                    between);
        return;
    }
    fit_figure(fit, bench, "issue.interval", "cycle", interval, fmin(interval, between * width),
               fmax(interval, between * width));
    fit_figure(fit, bench, "issue.cycles", "cycle", cycles, cycles, cycles);
    if (interval > 1)
        fit_unknown(fit, bench, "issue.width",
                    "several instructions every %.0f cycles would take as long", interval);
    else
        fit_figure(fit, bench, "issue.width", "", width, width, width);
}

/* A dependent instruction that waits no longer than its unit is busy with a warp: the latency may be anything below.
 * A part of the SM has the unit, or, of few lanes, the SM. */
static void withdraw_latency(struct fit *fit, const struct figure *latency)
{
    double value = latency->value, lanes = throughput_of(fit, strchr(latency->key, '.') + 1);
    double alone = fit->raw->gpu.warp / lanes, busy = alone * parts_of(fit);
    if (are_alike(value, busy) || (value < busy && are_alike(value, alone)))
        fit_withdraw(fit, latency->key, "at most %.4g cycles: its unit is busy for as long", value);
}

/* What throughputs and schedulers say of latencies and throughputs. */
static void judge_classes(struct fit *fit)
{
    double schedulers = fit_value(fit, "issue.schedulers"), cycles = fit_value(fit, "issue.cycles");
    double issued = schedulers * fit->raw->gpu.warp / (cycles >= 1 ? cycles : 1);
    double width = fit_value(fit, "issue.width");
    for (unsigned i = 0; i < fit->figure_count; i++) {
        const struct figure *figure = &fit->figures[i];
        if (figure->unknown) continue;
        if (!strncmp(figure->key, "latency.", strlen("latency."))) withdraw_latency(fit, figure);
        if (!strncmp(figure->key, "throughput.", strlen("throughput.")) &&
            (are_alike(figure->value, issued) || are_alike(figure->value, issued * width)))
            fit_note(fit, figure->key, "the schedulers issue no more; the unit may take more");
    }
}

static void find_schedulers(const struct bench *bench, struct fit *fit)
{
    const char *id = bench->id;
    enum mixture limited;
    if (isnan(cycles_of(fit, id, FAST, 1)) || isnan(cycles_of(fit, id, SLOW, 1))) return;
    unsigned fast = steps_of(fit, id, FAST), slow = steps_of(fit, id, SLOW);
    if (fast == 1) fast = later_steps_of(fit, id, FAST);
    fit_figure(fit, bench, "sm.subpartitions", "", slow, slow, slow);
    double between = find_interval(fit, id, 1, &limited);
    if (limited == MIXTURES && fast == 1) {
        fit_unknown(fit, bench, "issue.schedulers", "units limit every mixture, not the issue");
        fit_unknown(fit, bench, "issue.interval", "units limit every mixture, not the issue");
        return;
    }
    unsigned schedulers = fast > 1 ? fast : alike_warps(fit, id, limited);
    fit_figure(fit, bench, "issue.schedulers", "", schedulers, schedulers, schedulers);
    between = find_interval(fit, id, schedulers, &limited);
    if (limited == MIXTURES)
        fit_unknown(fit, bench, "issue.interval",
                    "units limit every mixture (or their throughputs were not measured)");
    else
        fit_interval(bench, fit, schedulers, between);
}

static void fit_schedulers(const struct bench *bench, struct fit *fit)
{
    find_schedulers(bench, fit);
    judge_classes(fit);
}

/* ---- the list ---------------------------------------------------------------------------------- */

#define SAME_WARP(class, source)                                                                   \
    {                                                                                              \
        .id = "issue_latency." class, .figures = "issue_latency." class, .axes = "turns steps",    \
        .paper = source,                                                                           \
        .text = "One warp, eight chains; four, and four of another class in turns: " class ".",    \
        .plan = plan_same_warp, .fit = fit_same_warp                                               \
    }
#define TABLE_1 "Lai & Seznec 3.2.2, table 1"

const struct bench bench_issue[] = {
    {.id = "issue.schedulers",
     .figures = "sm.subpartitions issue.schedulers issue.interval issue.cycles issue.width",
     .axes = "mixture warps steps",
     .paper = "Lai & Seznec 3.1, 3.2.2",
     .text = "Mixtures of independent instructions by warps of a block.",
     .plan = plan_schedulers,
     .fit = fit_schedulers},
    SAME_WARP("fp32.add", TABLE_1),
    SAME_WARP("fp32.mul", TABLE_1),
    SAME_WARP("fp32.fma", TABLE_1),
    SAME_WARP("int.add", TABLE_1),
    SAME_WARP("int.mul24", TABLE_1),
    SAME_WARP("int.mul", TABLE_1),
    SAME_WARP("int.mad", TABLE_1),
    SAME_WARP("fp64.add", TABLE_1),
    SAME_WARP("fp64.mul", TABLE_1),
    SAME_WARP("fp64.fma", TABLE_1),
    {0},
};
