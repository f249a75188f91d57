// SPDX-License-Identifier: Apache-2.0
/* Shared memory: latency by bank conflicts, bandwidth by warps and by conflicts, atomics. Words hold their own
 * addresses, so that a load leads to itself and the compiler cannot know it. */
#include <math.h>
#include <string.h>

#include "calibrate/kernel_text.h"
#include "calibrate/steps.h"

enum {
    SMEM = 8192,
    LOADS_SHORT = 20,
    LOADS_LONG = 220,
    COPIES_SHORT = 16,
    COPIES_LONG = 48,
    WARP_BYTES = 128,
    MOST_STRIDE = 256
};

/* %r0, %r2, ...: addresses of chains, all of them `smem` + lane x %b, whose words hold them. */
static void put_addresses(struct kernel_writer *writer, unsigned chains)
{
    put(writer, "    mov.u32 %%r80, smem;\n    mad.lo.u32 %%r80, %%lane, %%b, %%r80;\n"
                "    st.shared.u32 [%%r80], %%r80;\n");
    for (unsigned i = 0; i < chains; i++)
        put(writer, "    add.u32 %%r81, %%lane, %u;\n    mad.lo.u32 %%r%u, %%r81, %%c, %%r80;\n", i,
            2 * i);
}

/* The result is 0 if all loads led to themselves. */
static void put_arrived(struct kernel_writer *writer, unsigned chains)
{
    put(writer, "    mov.b32 %%result, 0;\n");
    for (unsigned i = 0; i < chains; i++)
        put(writer, "    xor.b32 %%r81, %%r%u, %%r80;\n    or.b32 %%result, %%result, %%r81;\n",
            2 * i);
}

/* Loads that lead to themselves. */
static unsigned chase_kernel(struct plan *plan, unsigned chains, unsigned steps)
{
    struct kernel_writer writer;
    char name[32];
    snprintf(name, sizeof name, "shared_%u_%u", chains, steps);
    kernel_begin(&writer, plan->gpu, name, SMEM);
    put_addresses(&writer, chains);
    kernel_clock(&writer);
    for (unsigned step = 0; step < steps; step++)
        for (unsigned i = 0; i < chains; i++)
            put(&writer, "    ld.shared.u32 %%r%u, [%%r%u];\n", 2 * i, 2 * i);
    put_arrived(&writer, chains);
    return plan_native(plan, plan_kernel(plan, name, kernel_end(&writer)), "LDS", chains * steps);
}

/* ---- latency and banks ------------------------------------------------------------------------- */

static bool plan_latency(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {LOADS_SHORT, LOADS_LONG};
    (void)bench, (void)why;
    for (unsigned i = 0; i < 2; i++) {
        unsigned kernel = chase_kernel(plan, 1, steps[i]);
        for (unsigned stride = 4; stride <= MOST_STRIDE; stride *= 2)
            plan_point(plan, &(struct point){.kernel = kernel,
                                             .grid = 1,
                                             .block = plan->gpu->warp,
                                             .args = {0, stride, 0, 0},
                                             .x = {stride, steps[i]},
                                             .is_checked = true});
    }
    return true;
}

enum { STRIDES = 16 };
struct strides {
    double bytes[STRIDES], cycles[STRIDES], halves[STRIDES];
    unsigned count;
};

static bool fit_strides(const struct fit *fit, const char *bench, double warps, struct strides *out)
{
    double places[STEPS_POINTS];
    unsigned axis = warps > 0, count = fit_places(fit, bench, axis, places);
    *out = (struct strides){0};
    for (unsigned i = 0; i < count && i < STRIDES; i++) {
        double at[BENCH_AXES] = {warps > 0 ? warps : places[i], warps > 0 ? places[i] : 0};
        struct line line;
        if (!fit_steps(fit, bench, axis + 1, at, &line)) continue;
        out->bytes[out->count] = places[i];
        out->cycles[out->count] = line.slope;
        out->halves[out->count++] = line.slope_half;
    }
    return out->count > 2;
}

/* Does another pass show? It takes a cycle at least. */
static bool differ(const struct strides *strides, unsigned one, unsigned other)
{
    double noise = strides->halves[one] + strides->halves[other];
    return fabs(strides->cycles[one] - strides->cycles[other]) > fmax(0.4, noise);
}

/* The widest stride without conflicts is a bank's width; that from which on it gets no worse, all banks'. */
static bool find_banks(const struct strides *strides, double *width, double *row)
{
    unsigned first = 0, last = strides->count - 1;
    while (first < last && !differ(strides, first + 1, 0))
        first++;
    while (last > 0 && !differ(strides, last - 1, last))
        last--;
    *width = strides->bytes[first];
    *row = strides->bytes[last];
    return last > first && last + 1 < strides->count;
}

/* Passes beyond those without conflicts: a warp goes in groups of as many lanes as there are banks. */
static double further_passes(double stride, double width, double banks, double warp)
{
    double degree = fmin(stride / width, fmin(banks, warp));
    return fmax(1, warp / banks) * (fmax(1, degree) - 1);
}

static void fit_latency(const struct bench *bench, struct fit *fit)
{
    struct strides strides;
    struct line line;
    double width, row, passes[STRIDES], fitted[STRIDES];
    if (!fit_strides(fit, bench->id, 0, &strides)) return;
    fit_figure(fit, bench, "shared.latency", "cycle", strides.cycles[0],
               strides.cycles[0] - strides.halves[0], strides.cycles[0] + strides.halves[0]);
    if (!find_banks(&strides, &width, &row)) {
        fit_unknown(fit, bench, "shared.banks", "no stride makes conflicts, or all do");
        return;
    }
    fit_figure(fit, bench, "shared.banks", "", row / width, row / width, row / width);
    fit_figure(fit, bench, "shared.bank_width", "B", width, width, width);
    for (unsigned i = 0; i < strides.count; i++)
        passes[i] = further_passes(strides.bytes[i], width, row / width, fit->raw->gpu.warp);
    if (!fit_line(passes, strides.cycles, strides.halves, strides.count, &line)) return;
    for (unsigned i = 0; i < strides.count; i++)
        fitted[i] = line.offset + line.slope * passes[i];
    fit_figure(fit, bench, "shared.replay_latency", "cycle", line.slope,
               line.slope - line.slope_half, line.slope + line.slope_half);
    fit_picture(fit, bench->id, "Latency of shared memory", "bytes between lanes", "cycles",
                strides.bytes, strides.cycles, fitted, strides.count, true);
    fit_unknown(fit, bench, "shared.operand_latency",
                "PTX has no arithmetic with an operand in shared memory");
}

/* ---- bandwidth --------------------------------------------------------------------------------- */

enum { CHAINS = SHARED_CHAINS, ROUNDS_SHORT = 4, ROUNDS_LONG = 12 };

static void plan_load(struct plan *plan, unsigned kernel, unsigned warps, unsigned stride,
                      unsigned steps)
{
    struct point point = {.kernel = kernel,
                          .args = {0, stride, 0, 0},
                          .x = {warps, stride, steps},
                          .is_checked = true};
    launch_warps(plan->gpu, warps, &point);
    plan_point(plan, &point);
}

static bool plan_bandwidth(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {ROUNDS_SHORT, ROUNDS_LONG};
    unsigned warps[STEPS_POINTS], count = list_warps(plan->gpu, plan->is_short, warps);
    (void)bench, (void)why;
    for (unsigned i = 0; i < 2; i++) {
        unsigned kernel = chase_kernel(plan, CHAINS, steps[i]);
        for (unsigned k = 0; k < count; k++)
            plan_load(plan, kernel, warps[k], 4, steps[i]);
        for (unsigned stride = 8; stride <= MOST_STRIDE; stride *= 2)
            plan_load(plan, kernel, many_warps(plan->gpu), stride, steps[i]);
    }
    return true;
}

/* Where all lanes conflict, a load takes a pass for each of them: what stands in front of the banks has little to do.
 * Each pass serves as many lanes as there are banks. */
static void fit_lanes(const struct bench *bench, struct fit *fit, const struct strides *strides,
                      const struct rates *rates)
{
    unsigned worst = strides->count - 1;
    double warps = many_warps(&fit->raw->gpu), warp = fit->raw->gpu.warp;
    double banks = fit_value(fit, "shared.banks");
    double pass = strides->cycles[worst] / (CHAINS * warps * warp);
    double lanes = fmin(banks, warp) / pass, part = strides->halves[worst] / strides->cycles[worst];
    if (isnan(banks))
        fit_unknown(fit, bench, bench->figures, "needs shared.banks (shared.latency), too");
    else if (rates->top < 0.9 * lanes)
        fit_unknown(fit, bench, bench->figures,
                    "loads of a warp take %.3g lanes a cycle, passes through the banks %.3g: what "
                    "stands in front of the banks is slower than they",
                    rates->top, lanes);
    else
        fit_figure(fit, bench, bench->figures, "thread/cycle", lanes, lanes * (1 - part),
                   lanes * (1 + part));
}

static void fit_bandwidth(const struct bench *bench, struct fit *fit)
{
    static const double at[BENCH_AXES] = {0, WORD_BYTES, 0};
    struct strides strides;
    struct rates rates;
    double warps = many_warps(&fit->raw->gpu), none[STRIDES];
    if (!fit_rates(fit, bench->id, 2, at, CHAINS * fit->raw->gpu.warp, &rates) ||
        !fit_strides(fit, bench->id, warps, &strides))
        return;
    fit_lanes(bench, fit, &strides, &rates);
    draw_rates(fit, bench, &rates, "words per cycle and SM");
    for (unsigned i = 0; i < strides.count; i++) {
        strides.cycles[i] /= CHAINS * warps;
        none[i] = NAN;
    }
    fit_picture(fit, "shared.conflicts", "Loads from shared memory by bank conflicts",
                "bytes between lanes", "cycles of an SM for a load of a warp", strides.bytes,
                strides.cycles, none, strides.count, true);
}

/* ---- copies, as Zhang & Owens have them -------------------------------------------------------- */

static unsigned copy_kernel(struct plan *plan, unsigned steps)
{
    struct kernel_writer writer;
    char name[32];
    snprintf(name, sizeof name, "copies_%u", steps);
    kernel_begin(&writer, plan->gpu, name, SMEM);
    put(&writer, "    mov.u32 %%r0, smem;\n    mad.lo.u32 %%r0, %%me, 4, %%r0;\n"
                 "    add.u32 %%r1, %%r0, %%a;\n    st.shared.u32 [%%r0], %%b;\n");
    kernel_clock(&writer);
    for (unsigned i = 0; i < steps; i++)
        put(&writer,
            "    ld.volatile.shared.u32 %%r2, [%%r%u];\n    st.volatile.shared.u32 [%%r%u], "
            "%%r2;\n",
            i % 2, 1 - i % 2);
    put(&writer, "    mov.b32 %%result, %%r2;\n");
    return plan_native(plan, plan_kernel(plan, name, kernel_end(&writer)), "LDS", steps);
}

static bool plan_copies(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {COPIES_SHORT, COPIES_LONG};
    unsigned warps[STEPS_POINTS], count = list_warps(plan->gpu, false, warps);
    (void)bench, (void)why;
    for (unsigned i = 0; i < 2; i++) {
        unsigned kernel = copy_kernel(plan, steps[i]);
        for (unsigned k = 0; k < count; k++) {
            struct point point = {.kernel = kernel,
                                  .args = {SMEM / 2, 77, 0, 0},
                                  .x = {warps[k], steps[i]},
                                  .is_checked = true,
                                  .expected = 77};
            launch_warps(plan->gpu, warps[k], &point);
            plan_point(plan, &point);
        }
    }
    return true;
}

static void fit_copies(const struct bench *bench, struct fit *fit)
{
    static const double at[BENCH_AXES];
    struct rates rates;
    if (!fit_rates(fit, bench->id, 1, at, 2 * WARP_BYTES, &rates)) return;
    keep_rates(fit, bench, "curve.shared", "B/cycle", &rates);
    draw_rates(fit, bench, &rates, "bytes read and written per cycle and SM");
}

/* ---- atomics ----------------------------------------------------------------------------------- */

enum { ATOMIC_WARPS = 8, ATOMIC_CHAINS = 2, MOST_SHARERS_LOG = 5 };

static unsigned atomic_kernel(struct plan *plan, unsigned steps)
{
    struct kernel_writer writer;
    char name[32];
    snprintf(name, sizeof name, "atomics_%u", steps);
    kernel_begin(&writer, plan->gpu, name, SMEM);
    put(&writer, "    mov.u32 %%r80, smem;\n    setp.lt.u32 %%p0, %%lane, %%b;\n"
                 "    selp.u32 %%r81, 0, %%lane, %%p0;\n    mad.lo.u32 %%r80, %%r81, 4, %%r80;\n"
                 "    st.shared.u32 [%%r80], %%c;\n");
    for (unsigned i = 0; i < ATOMIC_CHAINS; i++)
        put(&writer, "    add.u32 %%r81, %%lane, %u;\n    mul.lo.u32 %%r%u, %%r81, %%c;\n", i, i);
    kernel_clock(&writer);
    for (unsigned step = 0; step < steps; step++)
        for (unsigned i = 0; i < ATOMIC_CHAINS; i++)
            put(&writer, "    atom.shared.add.u32 %%r%u, [%%r80], %%r%u;\n", i, i);
    put(&writer, "    or.b32 %%result, %%r0, %%r1;\n");
    return plan_native(plan, plan_kernel(plan, name, kernel_end(&writer)), "ATOMS",
                       ATOMIC_CHAINS * steps);
}

static bool plan_atomics(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned steps[] = {ROUNDS_SHORT, ROUNDS_LONG};
    (void)bench;
    *why = "it has no atomics on shared memory";
    if (plan->gpu->cc < 12) return false;
    for (unsigned i = 0; i < 2; i++) {
        unsigned kernel = atomic_kernel(plan, steps[i]);
        for (unsigned log = 0; log <= MOST_SHARERS_LOG; log++)
            plan_point(plan, &(struct point){.kernel = kernel,
                                             .grid = 1,
                                             .block = ATOMIC_WARPS * plan->gpu->warp,
                                             .args = {0, 1u << log, 0, 0},
                                             .x = {1u << log, steps[i]},
                                             .is_checked = true});
    }
    return true;
}

static void fit_atomics(const struct bench *bench, struct fit *fit)
{
    struct strides lanes;
    struct line line;
    double fitted[STRIDES];
    if (!fit_strides(fit, bench->id, 0, &lanes)) return;
    for (unsigned i = 0; i < lanes.count; i++) {
        lanes.cycles[i] /= ATOMIC_WARPS * ATOMIC_CHAINS;
        lanes.halves[i] /= ATOMIC_WARPS * ATOMIC_CHAINS;
    }
    if (!fit_line(lanes.bytes, lanes.cycles, lanes.halves, lanes.count, &line)) return;
    for (unsigned i = 0; i < lanes.count; i++)
        fitted[i] = line.offset + line.slope * lanes.bytes[i];
    fit_figure(fit, bench, "shared.atomic_cycles", "cycle", line.slope,
               line.slope - line.slope_half, line.slope + line.slope_half);
    fit_picture(fit, bench->id, "Atomics on words of shared memory", "lanes that share a word",
                "cycles of an SM for one of a warp", lanes.bytes, lanes.cycles, fitted, lanes.count,
                false);
}

const struct bench bench_shared[] = {
    {.id = "shared.latency",
     .figures = "shared.latency shared.replay_latency shared.banks shared.bank_width "
                "shared.operand_latency",
     .axes = "stride steps",
     .paper = "Lai & Seznec 3.3.3; Zhang & Owens 4.2",
     .text = "Dependent loads of one warp, by bytes between lanes.",
     .plan = plan_latency,
     .fit = fit_latency},
    {.id = "shared.bandwidth",
     .figures = "global.load_store_lanes",
     .axes = "warps stride steps",
     .paper = "Zhang & Owens 4.2, figure 2",
     .text = "Eight chains of loads a warp, by warps per SM and by bank conflicts.",
     .plan = plan_bandwidth,
     .fit = fit_bandwidth},
    {.id = "curve.shared",
     .figures = "curve.shared",
     .axes = "warps steps",
     .paper = "Zhang & Owens 4.2, figure 2 right",
     .text = "Copies from one region of shared memory to another, by warps per SM.",
     .plan = plan_copies,
     .fit = fit_copies},
    {.id = "shared.atomic_cycles",
     .figures = "shared.atomic_cycles",
     .axes = "lanes steps",
     .paper = "",
     .text = "Atomic additions, by lanes that share a word.",
     .plan = plan_atomics,
     .fit = fit_atomics},
    {0},
};
