// SPDX-License-Identifier: Apache-2.0
/* Arithmetic: how long a dependent instruction waits, and how many an SM completes in a cycle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/fit.h"
#include "calibrate/kernel_text.h"

/* A chain: each instruction needs the result of the one before. */
struct chain {
    const char *key; /* class: latency.KEY, throughput.KEY */
    const char *set; /* what comes first */
    const char *instruction;
};
static const struct chain chains[] = {
    {"fp32.fma", "mov.b32 %f0, %a; mov.b32 %f1, %b;", "fma.rn.f32 %f0, %f0, %f1, %f1;"},
};

enum { SHORT_CHAIN = 64, LONG_CHAIN = 192 };

static char *chain_text(const struct plan *plan, const struct chain *chain, const char *name,
                        unsigned length)
{
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, name, 0);
    put(&writer, "    %s\n", chain->set);
    kernel_clock(&writer);
    for (unsigned i = 0; i < length; i++)
        put(&writer, "    %s\n", chain->instruction);
    put(&writer, "    mov.b32 %%result, %%f0;\n");
    return kernel_end(&writer);
}

static bool plan_latency(const struct bench *bench, struct plan *plan, const char **why)
{
    const struct chain *chain = &chains[bench->parameter];
    static const unsigned lengths[] = {SHORT_CHAIN, LONG_CHAIN};
    *why = "";
    for (unsigned i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "chain_%u", lengths[i]);
        unsigned kernel = plan_kernel(plan, name, chain_text(plan, chain, name, lengths[i]));
        plan_point(plan, &(struct point){.kernel = kernel,
                                         .grid = 1,
                                         .block = plan->gpu->warp,
                                         .args = {0x3f800000, 0},
                                         .x = {lengths[i]},
                                         .is_checked = true,
                                         .expected = 0});
    }
    return true;
}

static void fit_latency(const struct bench *bench, struct fit *fit)
{
    const struct raw_point *points[8];
    double x[8], y[8], spread[8];
    struct line line;
    unsigned count = fit_points(fit, bench->id, points, 8);
    for (unsigned i = 0; i < count; i++) {
        x[i] = points[i]->x[0];
        y[i] = middle(points[i]->block_cycles, points[i]->count, &spread[i]);
    }
    if (!fit_line(x, y, spread, count, &line)) return;
    fit_figure(fit, bench, bench->figures, "cycle", line.slope, line.slope - line.slope_half,
               line.slope + line.slope_half);
}

const struct bench bench_arithmetic[] = {
    {.id = "latency.fp32.fma",
     .figures = "latency.fp32.fma",
     .axes = "length",
     .paper = "Lai & Seznec 3.2.1; Hong 2.4",
     .text = "Dependent multiply-adds of one warp, two lengths.",
     .parameter = 0,
     .plan = plan_latency,
     .fit = fit_latency},
    {0},
};
