// SPDX-License-Identifier: Apache-2.0
/* Which transactions the accesses of a warp become, and which channels of the memory they go to: by the time that patterns of
 * addresses take. */
#include <math.h>
#include <string.h>

#include "calibrate/access.h"
#include "calibrate/fit_curve.h"

enum { FEW = 4, MANY = 20, THREADS = 512, WARP = 32, WARP_ROOM = 16384 + 256, NEAR_BYTES = 1024 };
/* Words that a thread has under way; their distance, which leads to another channel. */
enum { UNROLL = 8, STEP = 512 };
/* Each warp begins elsewhere, in a channel of its own. */
#define FROM_WARP "mul.lo.u32 %r1, %warp, %d; "
#define NARROW "cg", ACCESS_LOAD, 4, UNROLL

enum pattern { NEAR, SCATTERED, APART, PAIRED, SWAPPED, SPLIT, PATTERNS };
static const struct access patterns[PATTERNS] = {
    /* 1024 bytes without gaps, that every rule moves as they are, in as many transactions as there are lanes or fewer */
    [NEAR] = {"near", FROM_WARP "mad.lo.u32 %r0, %lane, 32, %r1;", NARROW, NEAR_BYTES},
    /* a transaction for each lane */
    [SCATTERED] = {"scattered", FROM_WARP "mad.lo.u32 %r0, %lane, 256, %r1;", NARROW, 0},
    [APART] = {"apart", FROM_WARP "mad.lo.u32 %r0, %lane, 64, %r1;", NARROW, 0},
    /* the same, but that each lane's is also that of a lane of the other half */
    [PAIRED] = {"paired", FROM_WARP "and.b32 %r0, %lane, 15; mad.lo.u32 %r0, %r0, 256, %r1;",
                NARROW, 0},
    /* 128 bytes, neighbours exchanged */
    [SWAPPED] = {"swapped", FROM_WARP "xor.b32 %r0, %lane, 1; mad.lo.u32 %r0, %r0, 4, %r1;", NARROW,
                 STEP / 2},
    /* of each half the first and the last 32 of 128 bytes */
    [SPLIT] = {"split",
               FROM_WARP
               "and.b32 %r0, %lane, 8; mad.lo.u32 %r1, %r0, 8, %r1; shr.u32 %r0, %lane, 4; "
               "mad.lo.u32 %r1, %r0, 256, %r1; and.b32 %r0, %lane, 15; "
               "mad.lo.u32 %r0, %r0, 4, %r1;",
               NARROW, STEP},
};

/* As many as have registers. */
static unsigned warps_of(const struct gpu_facts *gpu)
{
    enum { REGISTERS = 28 };
    unsigned most = gpu->max_registers_block / REGISTERS;
    if (most > THREADS) most = THREADS;
    return (gpu->max_threads < most ? gpu->max_threads : most) / WARP;
}

static void add_points(struct plan *plan, const struct access *access, double x, unsigned distance,
                       unsigned room)
{
    static const unsigned rounds[] = {FEW, MANY};
    for (unsigned i = 0; i < 2; i++)
        plan_point(plan,
                   &(struct point){.kernel = access_kernel(plan, access),
                                   .grid = 1,
                                   .block = warps_of(plan->gpu) * WARP,
                                   .args = {rounds[i], 0, distance, room},
                                   .x = {rounds[i], x},
                                   .data_bytes = (uint64_t)warps_of(plan->gpu) * (room + WARP_ROOM),
                                   .is_checked = true});
}

/* Cycles of a warp's load. */
static double cycles_of(const struct fit *fit, const char *bench, double x)
{
    const double place[BENCH_AXES] = {0, x, 0};
    return access_cycles(fit->raw, bench, place, 0, FEW, MANY) / UNROLL / warps_of(&fit->raw->gpu);
}

static bool plan_rule(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)bench;
    *why = "";
    for (unsigned i = 0; i < PATTERNS; i++)
        add_points(plan, &patterns[i], i, 0, WARP_ROOM);
    return true;
}

/* The least segment of scattered words; NAN: `why`. */
static double least_segment(const struct fit *fit, const double *bytes, double rule,
                            const char **why)
{
    const double CHANNELS = 0.2; /* warps that meet at a channel wait */
    double found = fmin(bytes[SCATTERED], bytes[APART]) / WARP, least = exp2(round(log2(found)));
    const struct figure *sector = fit_known(fit, "global.cached_load_bytes");
    if (rule == 32 && sector && sector->value <= least) return sector->value;
    *why = "the time of scattered words is not that of a power of two of bytes";
    if (fabs(found / least - 1) > CHANNELS) return NAN;
    *why = "a line takes as long as all of its bytes, however few of them are wanted";
    return rule == 32 && least > NEAR_BYTES / WARP ? NAN : least;
}

/* Bytes that a pattern moves, by those of the one without gaps, as memory or the way to it serves so many a cycle. */
static void fit_rule(const struct bench *bench, struct fit *fit)
{
    double bytes[PATTERNS], near = cycles_of(fit, bench->id, NEAR);
    const char *why;
    for (unsigned i = 0; i < PATTERNS; i++) {
        bytes[i] = NEAR_BYTES * cycles_of(fit, bench->id, i) / near;
        if (isnan(bytes[i])) return;
    }
    double rule = bytes[SWAPPED] > 0.5 * bytes[SCATTERED]  ? 10
                  : bytes[PAIRED] > 0.8 * bytes[SCATTERED] ? 12
                                                           : 32;
    fit_figure(fit, bench, "global.rule", "", rule, rule, rule);
    double least = least_segment(fit, bytes, rule, &why);
    if (isnan(least))
        fit_unknown(fit, bench, "global.min_segment_bytes", "%s", why);
    else
        fit_figure(fit, bench, "global.min_segment_bytes", "B", least, least, least);
    const struct figure *line = fit_known(fit, "l1.line");
    double most = rule == 12 ? (bytes[SPLIT] > 3 * 64 ? 128 : 64) : line ? line->value : NAN;
    if (isnan(most))
        fit_unknown(fit, bench, "global.initial_segment_bytes",
                    "that of this rule is a line of the L1, which is unknown");
    else
        fit_figure(fit, bench, "global.initial_segment_bytes", "B", most, most, most);
}

/* ---- channels ---------------------------------------------------------------------------------- */

enum { UNIT = 256, UNITS = 32 };
static const struct access camping = {"camping", FROM_WARP "mad.lo.u32 %r0, %lane, %c, %r1;",
                                      NARROW, 0};

/* All warps at the same addresses, lanes 256, 512 ... bytes apart. */
static bool plan_channels(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)bench;
    *why = "";
    for (unsigned units = 1; units <= UNITS; units++)
        add_points(plan, &camping, units, units * UNIT, 0);
    return true;
}

static unsigned common(unsigned a, unsigned b)
{
    return b ? common(b, a % b) : a;
}

/* Lanes that the busiest channel serves: at a distance of `units` every gcd(units, channels)-th has some. */
static double busiest(unsigned units, unsigned channels)
{
    return ceil((double)WARP / (channels / common(units, channels)));
}

static bool agrees(const double *cycles, unsigned channels, unsigned units_of_channel)
{
    for (unsigned units = units_of_channel; units <= UNITS; units += units_of_channel) {
        double expected = busiest(units / units_of_channel, channels) / busiest(1, channels);
        if (fabs(cycles[units] / cycles[units_of_channel] / expected - 1) > 0.1) return false;
    }
    return true;
}

static void fit_channels(const struct bench *bench, struct fit *fit)
{
    double cycles[UNITS + 1], least = INFINITY, most = 0;
    for (unsigned units = 1; units <= UNITS; units++) {
        cycles[units] = cycles_of(fit, bench->id, units);
        if (isnan(cycles[units])) return;
        least = fmin(least, cycles[units]);
        most = fmax(most, cycles[units]);
    }
    unsigned worst = 1;
    while (worst < UNITS && cycles[worst] < 0.9 * most)
        worst++;
    for (unsigned channels = worst; channels > 1 && most > 1.5 * least; channels--) {
        unsigned units = worst / channels;
        if (worst % channels || !agrees(cycles, channels, units)) continue;
        fit_figure(fit, bench, "dram.channels", "", channels, channels, channels);
        fit_figure(fit, bench, "dram.interleave", "B", units * UNIT, units * UNIT, units * UNIT);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        fit_unknown(
            fit, bench, i ? "dram.interleave" : "dram.channels",
            "no distance of the lanes makes them wait for one channel: caches serve them, or "
            "addresses are hashed");
}

/* ---- the three axes ---------------------------------------------------------------------------- */

enum { AXIS_BLOCKS = 3, AXIS_THREADS = 3, AXIS_TRANSACTIONS = 3, WORD = 4, CURVE_UNROLL = 4 };
static const unsigned threads_axis[AXIS_THREADS] = {64, 128, 256},
                      transactions_axis[AXIS_TRANSACTIONS] = {4, 16, 64};

static unsigned blocks_at(const struct gpu_facts *gpu, unsigned i)
{
    static const unsigned of_two_sms[] = {1, 2, 6};
    unsigned blocks = gpu->sms * of_two_sms[i] / 2;
    return blocks ? blocks : 1;
}

/* A thread's words lie as far apart as all threads take. */
static bool plan_curve(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)bench;
    *why = "";
    for (unsigned i = 0; i < AXIS_BLOCKS * AXIS_THREADS * AXIS_TRANSACTIONS; i++) {
        unsigned blocks = blocks_at(plan->gpu, i / (AXIS_THREADS * AXIS_TRANSACTIONS)),
                 threads = threads_axis[i / AXIS_TRANSACTIONS % AXIS_THREADS],
                 words = transactions_axis[i % AXIS_TRANSACTIONS];
        char name[32];
        unsigned step = blocks * threads * WORD;
        snprintf(name, sizeof name, "words_%u", step);
        const struct access access = {
            name, "shl.b32 %r0, %thread, 2;", "cg", ACCESS_LOAD, WORD, CURVE_UNROLL, step};
        plan_point(plan, &(struct point){.kernel = access_kernel(plan, &access),
                                         .grid = blocks,
                                         .block = threads,
                                         .args = {words / CURVE_UNROLL, CURVE_UNROLL * step},
                                         .x = {blocks, threads, words},
                                         .data_bytes = (uint64_t)step * words,
                                         .is_checked = true});
    }
    return true;
}

enum { CURVE_POINTS = AXIS_BLOCKS * AXIS_THREADS * AXIS_TRANSACTIONS, CURVE_PARAMETERS = 4 };

struct surface {
    const double *gbs;
    const struct gpu_facts *gpu;
};

/* A pipeline with a latency: the reciprocal of the bandwidth is linear in those of blocks, threads and transactions
 * (doc/machines.md, curves). */
static double surface_at(const struct surface *surface, const double *p, unsigned i)
{
    return p[0] / (1 + p[1] / blocks_at(surface->gpu, i / (AXIS_THREADS * AXIS_TRANSACTIONS)) +
                   p[2] / threads_axis[i / AXIS_TRANSACTIONS % AXIS_THREADS] +
                   p[3] / transactions_axis[i % AXIS_TRANSACTIONS]);
}

static bool surface_formula(void *user, const double *parameters, double *out)
{
    const struct surface *surface = user;
    for (unsigned i = 0; i < CURVE_POINTS; i++)
        out[i] = surface_at(surface, parameters, i) / surface->gbs[i] - 1;
    return true;
}

static void curve_picture(struct fit *fit, const double *gbs, const struct gpu_facts *gpu)
{
    struct surface surface = {gbs, gpu};
    double x[CURVE_POINTS], fitted[CURVE_POINTS], half[CURVE_PARAMETERS];
    double parameters[CURVE_PARAMETERS] = {2 * gbs[CURVE_POINTS - 1], gpu->sms, 64, 8};
    unsigned count = CURVE_POINTS;
    const char *why;
    bool is_fitted = formula_fit(surface_formula, &surface, parameters, half, CURVE_PARAMETERS,
                                 CURVE_POINTS, &why);
    for (unsigned i = 0; i < count; i++)
        fitted[i] = is_fitted ? surface_at(&surface, parameters, i) : NAN;
    for (unsigned i = 0; i < count; i++)
        x[i] = blocks_at(gpu, i / (AXIS_THREADS * AXIS_TRANSACTIONS)) *
               threads_axis[i / AXIS_TRANSACTIONS % AXIS_THREADS] *
               transactions_axis[i % AXIS_TRANSACTIONS];
    fit_picture(fit, "curve.global",
                "Global memory bandwidth by blocks, threads and transactions a thread",
                "blocks x threads x transactions", "GB/s", x, gbs, fitted, count, true);
}

static void fit_curve_global(const struct bench *bench, struct fit *fit)
{
    const struct gpu_facts *gpu = &fit->raw->gpu;
    enum { POINTS = AXIS_BLOCKS * AXIS_THREADS * AXIS_TRANSACTIONS };
    double gbs[POINTS], *places[3], *values;
    double peak = fit_value(fit, "dram.bandwidth") / 1e9;
    for (unsigned i = 0; i < POINTS; i++) {
        double x[BENCH_AXES] = {blocks_at(gpu, i / (AXIS_THREADS * AXIS_TRANSACTIONS)),
                                threads_axis[i / AXIS_TRANSACTIONS % AXIS_THREADS],
                                transactions_axis[i % AXIS_TRANSACTIONS]};
        const struct raw_point *point = raw_find(fit->raw, bench->id, x);
        if (!point || !point->is_checked) return;
        gbs[i] = x[0] * x[1] * x[2] * WORD / middle(point->seconds, point->count, NULL) / 1e9;
        if (gbs[i] > peak) gbs[i] = peak;
    }
    curve_picture(fit, gbs, gpu);
    for (unsigned axis = 0; axis < 3; axis++) {
        places[axis] = calibrate_alloc(3 * sizeof **places);
        for (unsigned i = 0; i < 3; i++)
            places[axis][i] = axis == 0   ? blocks_at(gpu, i)
                              : axis == 1 ? threads_axis[i]
                                          : transactions_axis[i];
    }
    values = calibrate_alloc(sizeof gbs);
    memcpy(values, gbs, sizeof gbs);
    fit_curve(fit, &(struct fitted_curve){.key = "curve.global",
                                          .bench = bench->id,
                                          .unit = "GB/s",
                                          .axes = {"blocks", "threads", "transactions"},
                                          .places = {places[0], places[1], places[2]},
                                          .place_count = {3, 3, 3},
                                          .values = values});
}

const struct bench bench_coalesce[] = {
    {.id = "rule",
     .figures = "global.rule global.min_segment_bytes global.initial_segment_bytes",
     .axes = "rounds pattern",
     .paper = "Zhang & Owens 4.3; Hong 2.3.8",
     .text = "Patterns of a warp's addresses, of which each rule of coalescing moves other bytes.",
     .plan = plan_rule,
     .fit = fit_rule},
    {.id = "channels",
     .figures = "dram.channels dram.interleave",
     .axes = "rounds distance",
     .paper = "Lai & Seznec 3.2.4",
     .text = "Lanes at distances that lead to some of the channels only.",
     .plan = plan_channels,
     .fit = fit_channels},
    {.id = "curve.global",
     .figures = "curve.global",
     .axes = "blocks threads transactions",
     .paper = "Zhang & Owens 4.3, figure 3",
     .text = "Coalesced loads by blocks, threads of a block and transactions of a thread.",
     .plan = plan_curve,
     .fit = fit_curve_global},
    {0},
};
