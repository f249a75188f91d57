// SPDX-License-Identifier: Apache-2.0
/* Arithmetic: how long a dependent instruction waits, and how many an SM completes in a cycle. Both from the difference
 * of two lengths, in which clocks, barriers and the code around them cancel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/arithmetic.h"
#include "calibrate/steps.h"

/* latency.fp32.fma -> fp32.fma; issue_latency.fp32.fma too */
static const char *class_of(const struct bench *bench)
{
    return strchr(bench->id, '.') + 1;
}

/* ---- latency ----------------------------------------------------------------------------------- */

/* 200 apart: hundredths of a cycle come to whole ones. */
enum { SHORT_CHAIN = 50, LONG_CHAIN = 250 };

static bool plan_latency(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned lengths[] = {SHORT_CHAIN, LONG_CHAIN};
    struct chains chains = {.groups = {{operation_find(class_of(bench), plan->gpu, why), 1}}};
    if (!chains.groups[0].operation) return false;
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
    static const double at[BENCH_AXES];
    return fit_steps(fit, bench, 0, at, out);
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

static const double nowhere[BENCH_AXES]; /* no axes but warps and steps */

/* ---- throughput -------------------------------------------------------------------------------- */

/* Steps of each chain; a kernel of routines has fewer: the code stays in the smallest instruction cache. */
enum { SHORT_STEPS = 8, LONG_STEPS = 16, PARTED_STEPS = 4, ROUTINE_CHAINS = 2, LONG_CHAINS = 20 };

/* Of 64 bits more: few units and a long latency need more chains, lest the last warps of a scheduler wait for results. */
static unsigned chains_of(const struct operation *operation)
{
    if (operation->is_routine) return ROUTINE_CHAINS;
    return operation->state == STATE_LONG ? LONG_CHAINS : MOST_CHAINS;
}

static void plan_curve(struct plan *plan, struct chains *chains, const unsigned *steps,
                       const unsigned *warps, unsigned count)
{
    for (unsigned i = 0; i < 2; i++) {
        chains->steps = steps[i];
        unsigned kernel = chains_kernel(plan, chains);
        for (unsigned k = 0; k < count; k++) {
            struct point point = {.kernel = kernel, .x = {warps[k], steps[i]}};
            launch_warps(plan->gpu, warps[k], &point);
            chains_values(chains, &point);
            plan_point(plan, &point);
        }
    }
}

static bool plan_throughput(const struct bench *bench, struct plan *plan, const char **why)
{
    unsigned warps[STEPS_POINTS], count = list_warps(plan->gpu, plan->is_short, warps);
    const struct operation *operation = operation_find(class_of(bench), plan->gpu, why);
    if (!operation) return false;
    struct chains chains = {.groups = {{operation, chains_of(operation)}}};
    bool is_parted = operation->is_parted || operation->is_routine;
    unsigned shorter = is_parted ? PARTED_STEPS : plan->is_short ? SHORT_STEPS : LONG_STEPS;
    unsigned steps[] = {shorter, 3 * shorter};
    plan_curve(plan, &chains, steps, warps, count);
    return true;
}

static void fit_throughput(const struct bench *bench, struct fit *fit)
{
    struct rates rates;
    const char *why;
    const struct operation *operation = operation_find(class_of(bench), &fit->raw->gpu, &why);
    if (!operation) return;
    double threads = chains_of(operation) * fit->raw->gpu.warp;
    if (!fit_rates(fit, bench->id, 1, nowhere, threads, &rates)) return;
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
    unsigned warps[STEPS_POINTS], count = list_warps(plan->gpu, false, warps);
    struct chains chains = {.groups = {{operation_find("fp32.fma", plan->gpu, why), 1}}};
    (void)bench;
    plan_curve(plan, &chains, steps, warps, count);
    return true;
}

static void fit_instruction_curve(const struct bench *bench, struct fit *fit)
{
    struct rates rates;
    if (!fit_rates(fit, bench->id, 1, nowhere, fit->raw->gpu.warp, &rates)) return;
    keep_rates(fit, bench, "curve.instruction", "thread/cycle", &rates);
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
        .paper = paper_of, .text = "Chains of a warp, by warps per SM, two lengths: " class ".",   \
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
