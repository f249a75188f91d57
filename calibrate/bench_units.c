// SPDX-License-Identifier: Apache-2.0
/* Units beside the arithmetic pipes: barriers, tensor cores, the issue of loads, and the instruction cache. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/arithmetic.h"
#include "calibrate/steps.h"
#include "calibrate/tensor.h"

/* ---- barriers ---------------------------------------------------------------------------------- */

enum { BARRIERS_SHORT = 8, BARRIERS_LONG = 24 };

static bool plan_barriers(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {BARRIERS_SHORT, BARRIERS_LONG};
    (void)bench, (void)why;
    for (unsigned i = 0; i < 2; i++) {
        struct kernel_writer writer;
        char name[32];
        snprintf(name, sizeof name, "barriers_%u", steps[i]);
        kernel_begin(&writer, plan->gpu, name, 0);
        kernel_clock(&writer);
        for (unsigned k = 0; k < steps[i]; k++)
            put(&writer, "    bar.sync 0;\n");
        unsigned kernel =
            plan_native(plan, plan_kernel(plan, name, kernel_end(&writer)), "BAR", steps[i]);
        for (unsigned warps = 1; warps <= many_warps(plan->gpu); warps *= 2)
            plan_point(plan, &(struct point){.kernel = kernel,
                                             .grid = 1,
                                             .block = warps * plan->gpu->warp,
                                             .x = {warps, steps[i]},
                                             .is_checked = true});
    }
    return true;
}

/* One warp alone: the latency. Each further one takes a turn. */
static void fit_barriers(const struct bench *bench, struct fit *fit)
{
    double warps[STEPS_POINTS], cycles[STEPS_POINTS], fitted[STEPS_POINTS], halves[STEPS_POINTS];
    unsigned count = fit_places(fit, bench->id, 0, warps), used = 0;
    struct line line;
    for (unsigned i = 0; i < count; i++) {
        double at[BENCH_AXES] = {warps[i]};
        if (!fit_steps(fit, bench->id, 1, at, &line)) continue;
        warps[used] = warps[i];
        halves[used] = line.slope_half;
        cycles[used++] = line.slope;
    }
    /* The steepest part: before it the turns hide behind the latency. */
    if (used < 3 || !fit_line(warps + used - 2, cycles + used - 2, halves + used - 2, 2, &line))
        return;
    fit_figure(fit, bench, "latency.barrier", "cycle", cycles[0], cycles[0] - halves[0],
               cycles[0] + halves[0]);
    for (unsigned i = 0; i < used; i++)
        fitted[i] = fmax(cycles[0], line.offset + line.slope * warps[i]);
    if (line.slope < 0.01)
        fit_unknown(fit, bench, "throughput.barrier", "more warps take no longer than one");
    else
        fit_figure(fit, bench, "throughput.barrier", "thread/cycle",
                   fit->raw->gpu.warp / line.slope,
                   fit->raw->gpu.warp / (line.slope + line.slope_half),
                   fit->raw->gpu.warp / (line.slope - line.slope_half));
    fit_picture(fit, bench->id, "Barriers of a block", "warps", "cycles", warps, cycles, fitted,
                used, false);
}

/* ---- tensor cores ------------------------------------------------------------------------------ */

enum { TENSOR_CHAINS = 4, TENSOR_SHORT = 8, TENSOR_LONG = 32, FACTORS = 80 };

static unsigned tensor_kernel(struct plan *plan, const struct tensor_shape *shape, unsigned chains,
                              unsigned steps)
{
    struct kernel_writer writer;
    char name[32];
    snprintf(name, sizeof name, "tensor_%u_%u", chains, steps);
    kernel_begin(&writer, plan->gpu, name, 0);
    for (unsigned i = 0; i < chains * shape->sums; i++)
        put(&writer,
            "    add.u32 %%r0, %%lane, %u;\n    mad.lo.u32 %%r0, %%r0, %%c, %%a;\n"
            "    mov.b32 %%f%u, %%r0;\n",
            i, i);
    for (unsigned i = 0; i < 8; i++)
        put(&writer, "    mul.lo.u32 %%r%u, %%lane, %%c;\n    add.u32 %%r%u, %%r%u, %%b;\n",
            FACTORS + i, FACTORS + i, FACTORS + i);
    kernel_clock(&writer);
    for (unsigned step = 0; step < steps * chains; step++)
        put_tensor(&writer, shape, step % chains * shape->sums, FACTORS);
    put(&writer, "    mov.b32 %%result, %%f0;\n");
    for (unsigned i = 1; i < chains * shape->sums; i++)
        put(&writer, "    mov.b32 %%r0, %%f%u;\n    or.b32 %%result, %%result, %%r0;\n", i);
    return plan_native(plan, plan_kernel(plan, name, kernel_end(&writer)), shape->native,
                       chains * steps);
}

/* x: chains, steps. */
static bool plan_tensor(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {TENSOR_SHORT, TENSOR_LONG};
    static const uint32_t one = 0x3f800000;
    const struct tensor_shape *shape = tensor_shape_of(plan->gpu);
    (void)bench;
    *why = "it has no tensor cores";
    if (!shape) return false;
    for (unsigned i = 0; i < 4; i++) {
        unsigned chains = i < 2 ? 1 : TENSOR_CHAINS;
        plan_point(plan, &(struct point){.kernel = tensor_kernel(plan, shape, chains, steps[i % 2]),
                                         .grid = 1,
                                         .block = plan->gpu->warp *
                                                  (chains > 1 ? many_warps(plan->gpu) : 1),
                                         .args = {one, 0, 0, 0},
                                         .x = {chains, steps[i % 2]},
                                         .is_checked = true,
                                         .expected = one});
    }
    return true;
}

static void fit_tensor(const struct bench *bench, struct fit *fit)
{
    const struct tensor_shape *shape = tensor_shape_of(&fit->raw->gpu);
    double at[BENCH_AXES] = {1}, warps = many_warps(&fit->raw->gpu);
    struct line line;
    if (!shape) return;
    if (fit_steps(fit, bench->id, 1, at, &line))
        fit_figure(fit, bench, "latency.tensor", "cycle", line.slope, line.slope - line.slope_half,
                   line.slope + line.slope_half);
    at[0] = TENSOR_CHAINS;
    if (!fit_steps(fit, bench->id, 1, at, &line)) return;
    double rate = TENSOR_CHAINS * warps * shape->products / line.slope;
    double half = rate * line.slope_half / line.slope;
    fit_figure(fit, bench, "tensor.fma", "", round(rate), rate - half, rate + half); /* a count */
}

/* ---- loads of one warp ------------------------------------------------------------------------- */

/* Apart, so that several channels of the memory serve them. */
enum { LOADS_SHORT = 8, LOADS_LONG = 40, LOAD_APART = 256 };

static bool plan_loads(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {LOADS_SHORT, LOADS_LONG};
    (void)bench, (void)why;
    for (unsigned i = 0; i < 2; i++) {
        struct kernel_writer writer;
        char name[32];
        snprintf(name, sizeof name, "loads_%u", steps[i]);
        kernel_begin(&writer, plan->gpu, name, 0);
        kernel_clock(&writer);
        for (unsigned k = 0; k < steps[i]; k++)
            put(&writer, "    ld.volatile.global.u32 %%r%u, [%%data+%u];\n", k, k * LOAD_APART);
        unsigned kernel =
            plan_native(plan, plan_kernel(plan, name, kernel_end(&writer)), "LDG|LD", steps[i]);
        for (unsigned k = 0; k < 2; k++) {
            unsigned warps = k ? many_warps(plan->gpu) : 1;
            plan_point(plan, &(struct point){.kernel = kernel,
                                             .grid = 1,
                                             .block = warps * plan->gpu->warp,
                                             .data_bytes = LOADS_LONG * LOAD_APART,
                                             .x = {warps, steps[i]},
                                             .is_checked = true});
        }
    }
    return true;
}

/* A warp that waits longer than the units of its part are busy waits for its own issue. */
static void fit_loads(const struct bench *bench, struct fit *fit)
{
    double at[BENCH_AXES] = {1}, warps = many_warps(&fit->raw->gpu);
    double parts = fit_value(fit, "sm.subpartitions");
    struct line one, many;
    if (!fit_steps(fit, bench->id, 1, at, &one)) return;
    at[0] = warps;
    if (!fit_steps(fit, bench->id, 1, at, &many)) return;
    double busy = many.slope / warps * (parts >= 1 ? parts : 1);
    if (one.slope > 1.5 * busy)
        fit_figure(fit, bench, bench->figures, "cycle", one.slope, one.slope - one.slope_half,
                   one.slope + one.slope_half);
    else
        fit_unknown(fit, bench, bench->figures,
                    "its unit is busy for about as long, %.3g cycles: whether the warp waits does "
                    "not show",
                    busy);
}

/* ---- the instruction cache --------------------------------------------------------------------- */

enum { CODE_LEAST = 64, CODE_MOST_SHORT = 2048, CODE_MOST = 16384 };

static bool plan_code(const struct bench *bench, struct plan *plan, const char **why)
{
    unsigned most = plan->is_short ? CODE_MOST_SHORT : CODE_MOST;
    struct chains chains = {.groups = {{operation_find("fp32.fma", plan->gpu, why), MOST_CHAINS}}};
    (void)bench;
    for (unsigned count = CODE_LEAST; count <= most; count *= 2) {
        struct point point = {.grid = 1, .block = plan->gpu->warp, .x = {count}};
        chains.steps = count / MOST_CHAINS;
        point.kernel = chains_kernel(plan, &chains);
        chains_values(&chains, &point);
        plan_point(plan, &point);
    }
    return true;
}

/* What each size adds takes as long an instruction as the first ones, while all of it stays in the cache. */
static void fit_code(const struct bench *bench, struct fit *fit)
{
    const struct raw_point *points[STEPS_POINTS];
    unsigned count = fit_points(fit, bench->id, points, STEPS_POINTS);
    double x[STEPS_POINTS], cycles[STEPS_POINTS], fitted[STEPS_POINTS];
    for (unsigned i = 0; i < count; i++) {
        x[i] = points[i]->x[0];
        cycles[i] = middle(points[i]->block_cycles, points[i]->count, NULL) / x[i];
        fitted[i] = NAN;
    }
    fit_picture(fit, bench->id, "Straight code, run twice", "instructions", "cycles an instruction",
                x, cycles, fitted, count, true);
}

const struct bench bench_units[] = {
    {.id = "barrier",
     .figures = "latency.barrier throughput.barrier",
     .axes = "warps steps",
     .paper = "",
     .text = "Barriers one behind the other, by warps of the block.",
     .plan = plan_barriers,
     .fit = fit_barriers},
    {.id = "tensor.fma",
     .figures = "tensor.fma latency.tensor",
     .axes = "chains steps",
     .paper = "",
     .text =
         "Matrix multiply-adds of fp16 by warps: dependent ones, and four chains of many warps.",
     .plan = plan_tensor,
     .fit = fit_tensor},
    {.id = "issue_latency.mem.global.load",
     .figures = "issue_latency.mem.global.load",
     .axes = "warps steps",
     .paper = "Lai & Seznec 3.2.2",
     .text = "Loads whose results are not used, of one warp and of many.",
     .plan = plan_loads,
     .fit = fit_loads},
    {.id = "instruction_cache",
     .figures = "",
     .axes = "instructions",
     .paper = "",
     .text = "Straight code of growing size, timed when it runs for the second time.",
     .plan = plan_code,
     .fit = fit_code},
    {0},
};
