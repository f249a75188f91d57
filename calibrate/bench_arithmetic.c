// SPDX-License-Identifier: Apache-2.0
/* Arithmetic: how long a dependent instruction waits, and how many an SM completes in a cycle. Both from the difference
 * of two lengths, in which clocks, barriers and the code around them cancel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/arithmetic.h"

enum { POINTS = 64 };

/* latency.fp32.fma -> fp32.fma; issue_latency.fp32.fma too */
static const char *class_of(const struct bench *bench)
{
    return strchr(bench->id, '.') + 1;
}

/* ---- latency ----------------------------------------------------------------------------------- */

enum { SHORT_CHAIN = 64, LONG_CHAIN = 192 };

static bool plan_latency(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned lengths[] = {SHORT_CHAIN, LONG_CHAIN};
    struct chains chains = {.first = operation_find(class_of(bench), plan->gpu, why), .count = 1};
    if (!chains.first) return false;
    for (unsigned i = 0; i < 2; i++) {
        struct point point = {.grid = 1, .block = plan->gpu->warp, .x = {lengths[i]}};
        chains.steps = lengths[i];
        point.kernel = chains_kernel(plan, &chains);
        chains_values(&chains, &point);
        plan_point(plan, &point);
    }
    return true;
}

/* Cycles of a step of a benchmark's chain. */
static bool fit_chain(const struct fit *fit, const char *bench, struct line *out)
{
    const struct raw_point *points[POINTS];
    double x[POINTS], y[POINTS], spread[POINTS];
    unsigned count = fit_points(fit, bench, points, POINTS);
    for (unsigned i = 0; i < count; i++) {
        x[i] = points[i]->x[0];
        y[i] = middle(points[i]->block_cycles, points[i]->count, &spread[i]);
    }
    return fit_line(x, y, spread, count, out);
}

/* What a multiplication in front of a special function adds, with all that the way between the pipes takes: the chain
 * of both in turns, less that of the function alone. */
static bool fit_multiplication(const struct fit *fit, struct line *out)
{
    struct line both, alone;
    if (!fit_chain(fit, "latency.multiplied", &both) || !fit_chain(fit, "latency.sfu.ex2", &alone))
        return false;
    out->slope = 2 * both.slope - alone.slope;
    out->slope_half = hypot(2 * both.slope_half, alone.slope_half);
    return true;
}

/* Is the class measured behind a multiplication? A reciprocal is, lest two of them fold; sine and cosine from
 * cc 7.0 on, where the compiler reduces their argument. */
static bool is_multiplied(const struct bench *bench, const struct fit *fit)
{
    const char *class = class_of(bench);
    bool reduces = fit->raw->gpu.cc >= 70;
    return !strcmp(class, "sfu.rcp") ||
           (reduces && (!strcmp(class, "sfu.sin") || !strcmp(class, "sfu.cos")));
}

static void fit_latency(const struct bench *bench, struct fit *fit)
{
    struct line line, more;
    if (!fit_chain(fit, bench->id, &line)) return;
    if (is_multiplied(bench, fit)) {
        if (!fit_multiplication(fit, &more)) {
            fit_unknown(fit, bench, bench->figures,
                        "a multiplication comes before it: needs latency.multiplied and "
                        "latency.sfu.ex2, too");
            return;
        }
        line.slope -= more.slope;
        line.slope_half = hypot(line.slope_half, more.slope_half);
    }
    if (line.slope < 0.5)
        fit_unknown(fit, bench, bench->figures, "the compiler removes it");
    else
        fit_figure(fit, bench, bench->figures, "cycle", line.slope, line.slope - line.slope_half,
                   line.slope + line.slope_half);
}

/* ---- throughput -------------------------------------------------------------------------------- */

/* Steps of each chain; a kernel of routines has fewer: the code stays in the smallest instruction cache. */
enum { SHORT_STEPS = 8, LONG_STEPS = 16, PARTED_STEPS = 4, ROUTINE_CHAINS = 2 };

static unsigned chains_of(const struct operation *operation)
{
    return operation->is_routine ? ROUTINE_CHAINS : MOST_CHAINS;
}

/* Warps per SM: as many as a block has, in one block on one SM; more in as many blocks on every SM. */
static void plan_warps(struct plan *plan, const struct chains *chains, unsigned kernel,
                       unsigned warps)
{
    const struct gpu_facts *gpu = plan->gpu;
    unsigned of_block = gpu->max_threads / gpu->warp, blocks = 1;
    while (warps > blocks * of_block || warps % blocks)
        blocks++;
    struct point point = {.kernel = kernel,
                          .grid = blocks > 1 ? blocks * gpu->sms : 1,
                          .block = warps / blocks * gpu->warp,
                          .x = {warps, chains->steps}};
    chains_values(chains, &point);
    plan_point(plan, &point);
}

/* In two blocks each barrier keeps only its own in step: more warps than a block has are measured only up to what
 * the papers' figure has. */
enum { FIGURE_WARPS = 32 };
static unsigned list_warps(const struct gpu_facts *gpu, bool is_short, unsigned *out)
{
    static const unsigned places[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64};
    unsigned of_block = gpu->max_threads / gpu->warp, of_sm = gpu->max_threads_sm / gpu->warp;
    unsigned count = 0;
    if (is_short) {
        out[0] = of_block < of_sm ? of_block : of_sm;
        return 1;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i] <= of_sm && (places[i] <= of_block || of_block < FIGURE_WARPS))
            out[count++] = places[i];
    return count;
}

static void plan_curve(struct plan *plan, struct chains *chains, const unsigned *steps,
                       const unsigned *warps, unsigned count)
{
    for (unsigned i = 0; i < 2; i++) {
        chains->steps = steps[i];
        unsigned kernel = chains_kernel(plan, chains);
        for (unsigned k = 0; k < count; k++)
            plan_warps(plan, chains, kernel, warps[k]);
    }
}

static bool plan_throughput(const struct bench *bench, struct plan *plan, const char **why)
{
    unsigned warps[POINTS], count = list_warps(plan->gpu, plan->is_short, warps);
    struct chains chains = {.first = operation_find(class_of(bench), plan->gpu, why)};
    if (!chains.first) return false;
    bool is_parted = chains.first->is_parted || chains.first->is_routine;
    unsigned shorter = is_parted ? PARTED_STEPS : plan->is_short ? SHORT_STEPS : LONG_STEPS;
    unsigned steps[] = {shorter, 3 * shorter};
    chains.count = chains_of(chains.first);
    plan_curve(plan, &chains, steps, warps, count);
    return true;
}

/* A curve by warps: values[i] is the rate of `per_step` things of a warp's step, per cycle of an SM. */
struct rates {
    double warps[POINTS], values[POINTS], halves[POINTS], top, top_half;
    unsigned count;
};

static void add_rate(struct rates *rates, double warps, const struct line *line, double per_step)
{
    unsigned at = rates->count++;
    rates->warps[at] = warps;
    rates->values[at] = warps * per_step / line->slope;
    rates->halves[at] = rates->values[at] * line->slope_half / line->slope;
    if (rates->values[at] <= rates->top) return;
    rates->top = rates->values[at];
    rates->top_half = rates->halves[at];
}

static bool fit_rates(const struct fit *fit, const char *bench, double per_step,
                      struct rates *rates)
{
    const struct raw_point *points[POINTS];
    unsigned count = fit_points(fit, bench, points, POINTS);
    *rates = (struct rates){0};
    for (unsigned i = 0; i < count; i++) {
        double x[POINTS], y[POINTS], spread[POINTS];
        unsigned same = 0, before = 0;
        struct line line;
        for (unsigned k = 0; k < count; k++) {
            if (points[k]->x[0] != points[i]->x[0]) continue;
            before += k < i;
            x[same] = points[k]->x[1];
            y[same] = middle(points[k]->sm_cycles, points[k]->count, &spread[same]);
            same++;
        }
        if (!before && fit_line(x, y, spread, same, &line) && line.slope > 0)
            add_rate(rates, points[i]->x[0], &line, per_step);
    }
    return rates->count > 0;
}

static void draw_rates(struct fit *fit, const struct bench *bench, const struct rates *rates,
                       const char *unit)
{
    double fitted[POINTS];
    for (unsigned i = 0; i < rates->count; i++)
        fitted[i] = fmin(rates->top, rates->values[0] * rates->warps[i] / rates->warps[0]);
    if (rates->count > 1)
        fit_picture(fit, bench->id, bench->id, "warps per SM", unit, rates->warps, rates->values,
                    fitted, rates->count, false);
}

static void fit_throughput(const struct bench *bench, struct fit *fit)
{
    struct rates rates;
    const char *why;
    const struct operation *operation = operation_find(class_of(bench), &fit->raw->gpu, &why);
    if (!operation) return;
    double threads = chains_of(operation) * fit->raw->gpu.warp;
    if (!fit_rates(fit, bench->id, threads, &rates)) return;
    if (rates.top > 16.0 * 1024) { /* no GPU completes so many */
        fit_unknown(fit, bench, bench->figures, "the compiler removes it");
        return;
    }
    fit_figure(fit, bench, bench->figures, "thread/cycle", rates.top, rates.top - rates.top_half,
               rates.top + rates.top_half);
    draw_rates(fit, bench, &rates, "threads per cycle and SM");
}

/* ---- by warps, without independent instructions ------------------------------------------------ */

static bool plan_instruction_curve(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {32, 96};
    unsigned warps[POINTS], count = list_warps(plan->gpu, false, warps);
    struct chains chains = {.first = operation_find("fp32.fma", plan->gpu, why), .count = 1};
    (void)bench;
    plan_curve(plan, &chains, steps, warps, count);
    return true;
}

static void fit_instruction_curve(const struct bench *bench, struct fit *fit)
{
    struct rates rates;
    if (!fit_rates(fit, bench->id, fit->raw->gpu.warp, &rates)) return;
    struct fitted_curve curve = {.key = "curve.instruction",
                                 .bench = bench->id,
                                 .unit = "thread/cycle",
                                 .axes = {"warps"},
                                 .place_count = {rates.count}};
    curve.places[0] = calibrate_alloc(rates.count * sizeof(double));
    curve.values = calibrate_alloc(rates.count * sizeof(double));
    memcpy(curve.places[0], rates.warps, rates.count * sizeof(double));
    memcpy(curve.values, rates.values, rates.count * sizeof(double));
    fit_curve(fit, &curve);
    draw_rates(fit, bench, &rates, "threads per cycle and SM");
}

/* ---- the list ---------------------------------------------------------------------------------- */

#define LATENCY(class, paper_of)                                                                   \
    {                                                                                              \
        .id = "latency." class, .figures = "latency." class, .axes = "steps", .paper = paper_of,   \
        .text = "A chain of dependent instructions of one warp, two lengths: " class ".",          \
        .plan = plan_latency, .fit = fit_latency                                                   \
    }
#define THROUGHPUT(class, paper_of)                                                                \
    {                                                                                              \
        .id = "throughput." class, .figures = "throughput." class, .axes = "warps steps",          \
        .paper = paper_of,                                                                         \
        .text = "Eight chains a warp, by warps per SM, two lengths: " class ".",                   \
        .plan = plan_throughput, .fit = fit_throughput                                             \
    }
#define TABLE_1 "Lai & Seznec 3.2.1, listing 1, table 1"
#define FIGURE_2 "Zhang & Owens 4.1, table 1, figure 2"
#define TABLE_6 "Zhang & Owens 4.1, figure 2; Hong 2.6.4, table 6"

const struct bench bench_arithmetic[] = {
    LATENCY("fp32.add", TABLE_1),
    LATENCY("fp32.mul", TABLE_1),
    LATENCY("fp32.fma", TABLE_1),
    LATENCY("fp32.minmax", ""),
    LATENCY("fp64.add", TABLE_1),
    LATENCY("fp64.mul", TABLE_1),
    LATENCY("fp64.fma", TABLE_1),
    LATENCY("fp16", ""),
    LATENCY("bf16", ""),
    LATENCY("int.add", TABLE_1),
    LATENCY("int.mul24", TABLE_1),
    LATENCY("int.mul", TABLE_1),
    LATENCY("int.mad", TABLE_1),
    LATENCY("int.minmax", ""),
    LATENCY("logic", ""),
    LATENCY("shift", ""),
    LATENCY("cmp", ""),
    LATENCY("select", ""),
    LATENCY("move", ""),
    LATENCY("convert", ""),
    LATENCY("convert.int", ""),
    {.id = "latency.multiplied",
     .figures = "",
     .axes = "steps",
     .paper = "",
     .text = "Multiplications and special functions in turns: the way from one pipe to the other.",
     .plan = plan_latency},
    LATENCY("sfu.rcp", ""),
    LATENCY("sfu.sqrt", ""),
    LATENCY("sfu.rsqrt", ""),
    LATENCY("sfu.sin", ""),
    LATENCY("sfu.cos", ""),
    LATENCY("sfu.lg2", ""),
    LATENCY("sfu.ex2", ""),
    LATENCY("sfu.tanh", ""),
    LATENCY("shuffle", ""),
    LATENCY("vote", ""),
    LATENCY("other", ""),
    THROUGHPUT("fp32.add", TABLE_6),
    THROUGHPUT("fp32.mul", TABLE_6),
    THROUGHPUT("fp32.fma", TABLE_6),
    THROUGHPUT("fp32.minmax", FIGURE_2),
    THROUGHPUT("fp32.div", TABLE_6),
    THROUGHPUT("fp64.add", FIGURE_2),
    THROUGHPUT("fp64.mul", FIGURE_2),
    THROUGHPUT("fp64.fma", FIGURE_2),
    THROUGHPUT("fp16", FIGURE_2),
    THROUGHPUT("bf16", FIGURE_2),
    THROUGHPUT("int.add", TABLE_6),
    THROUGHPUT("int.mul24", TABLE_6),
    THROUGHPUT("int.mul", TABLE_6),
    THROUGHPUT("int.mad", TABLE_6),
    THROUGHPUT("int.div", TABLE_6),
    THROUGHPUT("int.minmax", FIGURE_2),
    THROUGHPUT("logic", FIGURE_2),
    THROUGHPUT("shift", FIGURE_2),
    THROUGHPUT("cmp", FIGURE_2),
    THROUGHPUT("select", FIGURE_2),
    THROUGHPUT("move", FIGURE_2),
    THROUGHPUT("convert", FIGURE_2),
    THROUGHPUT("convert.int", FIGURE_2),
    THROUGHPUT("sfu.rcp", FIGURE_2),
    THROUGHPUT("sfu.sqrt", FIGURE_2),
    THROUGHPUT("sfu.rsqrt", FIGURE_2),
    THROUGHPUT("sfu.sin", FIGURE_2),
    THROUGHPUT("sfu.cos", FIGURE_2),
    THROUGHPUT("sfu.lg2", FIGURE_2),
    THROUGHPUT("sfu.ex2", FIGURE_2),
    THROUGHPUT("sfu.tanh", FIGURE_2),
    THROUGHPUT("shuffle", FIGURE_2),
    THROUGHPUT("vote", FIGURE_2),
    THROUGHPUT("other", FIGURE_2),
    {.id = "curve.instruction",
     .figures = "curve.instruction",
     .axes = "warps steps",
     .paper = "Zhang & Owens 4.1, figure 2 left",
     .text = "Dependent multiply-adds by warps per SM.",
     .plan = plan_instruction_curve,
     .fit = fit_instruction_curve},
    {0},
};
