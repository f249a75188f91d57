// SPDX-License-Identifier: Apache-2.0
/* Bandwidths of global memory, of the L2 and of the way there. */
#include <math.h>
#include <string.h>

#include "calibrate/access.h"

/* A warp has %d bytes that follow each other, a block %c. */
#define OF_WARP                                                                                    \
    "shr.u32 %r0, %me, 5; mul.lo.u32 %r0, %r0, %d; mad.lo.u32 %r0, %lane, 16, %r0; "               \
    "mad.lo.u32 %r0, %group, %c, %r0;"
/* All warps alike. */
#define OF_LANE "shl.b32 %r0, %lane, 4;"
/* Each warp has %d bytes of its own, in which lanes lie %c bytes apart. */
#define APART "mul.lo.u32 %r0, %warp, %d; mad.lo.u32 %r0, %lane, %c, %r0;"

enum { THREADS = 256, SM_THREADS = 512, WIDE = 16, UNROLL = 4, WARP = 32, SECTOR = 32 };
enum { BLOCKS_OF_SM = 2 };

/* Words of a thread that are under way at a time: as many as registers allow. */
static unsigned wide_unroll(const struct gpu_facts *gpu)
{
    enum { REGISTERS = 32768 };
    return gpu->max_registers_block >= REGISTERS ? 2 * UNROLL : UNROLL;
}

static unsigned warp_bytes(const struct gpu_facts *gpu)
{
    return WARP * WIDE * wide_unroll(gpu);
}

/* As many as have registers: those of the words, and about 20 more. */
static unsigned threads_of(const struct gpu_facts *gpu, unsigned most)
{
    unsigned threads = gpu->max_registers_block / (WIDE / 4 * wide_unroll(gpu) + 20);
    if (threads > most) threads = most;
    return (gpu->max_threads < threads ? gpu->max_threads : threads) / (2 * WARP) * (2 * WARP);
}

static unsigned block_bytes(const struct gpu_facts *gpu)
{
    return threads_of(gpu, THREADS) / WARP * warp_bytes(gpu);
}

static void add_point(struct plan *plan, const struct access *access, struct point point)
{
    struct access made = *access;
    if (made.width == WIDE) made.unroll = wide_unroll(plan->gpu);
    point.kernel = access_kernel(plan, &made);
    point.is_checked = true;
    plan_point(plan, &point);
}

/* ---- all SMs ----------------------------------------------------------------------------------- */

static const struct access streams[] = {
    {"read", OF_WARP, "cg", ACCESS_LOAD, WIDE, UNROLL, WARP *WIDE},
    {"scale", OF_WARP, "cg", ACCESS_SCALE, WIDE, UNROLL, WARP *WIDE},
    {"reread", OF_WARP, "cg", ACCESS_LOAD, WIDE, UNROLL, WARP *WIDE},
};
enum { STREAM_READ, STREAM_SCALE, STREAM_REREAD };

/* Rounds of the two points whose difference counts. What is scaled is more than the L2 holds, with what is read: so that the
 * second point adds as much to what leaves the L2 as to what is written. */
static void stream_rounds(const struct plan *plan, unsigned stream, unsigned rounds[2])
{
    uint64_t round = (uint64_t)plan->gpu->sms * BLOCKS_OF_SM * block_bytes(plan->gpu);
    unsigned more = (unsigned)(plan->gpu->l2_bytes * (plan->is_short ? 6 : 16) / 4 / round);
    /* What is read again comes from DRAM once: the more rounds, the more even are the warps after that. */
    rounds[0] = plan->is_short && stream != STREAM_REREAD ? 6 : 16;
    if (stream == STREAM_SCALE || !plan->is_short) rounds[0] += more;
    rounds[1] = 2 * rounds[0] + 2;
}

static bool plan_stream(const struct bench *bench, struct plan *plan, const char **why)
{
    unsigned rounds[2], blocks = plan->gpu->sms * BLOCKS_OF_SM;
    const bool moves = bench->parameter != STREAM_REREAD;
    unsigned apart = block_bytes(plan->gpu);
    *why = "";
    stream_rounds(plan, bench->parameter, rounds);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t step = (uint64_t)blocks * block_bytes(plan->gpu);
        if (!moves && step > plan->gpu->l2_bytes / 2) apart = 0; /* all read the same */
        add_point(plan, &streams[bench->parameter],
                  (struct point){
                      .grid = blocks,
                      .block = threads_of(plan->gpu, THREADS),
                      .args = {rounds[i], moves ? (uint32_t)step : 0, apart, warp_bytes(plan->gpu)},
                      .x = {rounds[i]},
                      .data_bytes = moves ? rounds[i] * step : step});
    }
    return true;
}

/* Bytes a second by the two points; NAN: not measured. */
static double stream_bandwidth(const struct fit *fit, const char *bench, double *out_half)
{
    enum { ROOM = 8 };
    const struct raw_point *points[ROOM];
    double x[ROOM], y[ROOM], spread[ROOM];
    struct line line;
    unsigned count = fit_points(fit, bench, points, ROOM);
    for (unsigned i = 0; i < count; i++) {
        x[i] = points[i]->x[0] * points[i]->grid * block_bytes(&fit->raw->gpu);
        y[i] = middle(points[i]->seconds, points[i]->count, &spread[i]);
    }
    if (!fit_line(x, y, spread, count, &line) || !(line.slope > 0)) return NAN;
    *out_half = line.slope_half / line.slope / line.slope;
    return 1 / line.slope;
}

/* The least number of transfers a clock whose peak is not below what was measured. */
static void fit_peak(const struct bench *bench, struct fit *fit, double measured)
{
    enum { TRANSFERS_MAX = 32 };
    static const double ROUNDING = 0.98; /* of the clocks that drivers tell */
    double bus = fit_value(fit, "dram.bus_width") / 8, clock = fit_value(fit, "dram.clock");
    unsigned transfers = 1;
    while (transfers < TRANSFERS_MAX && bus * clock * transfers < ROUNDING * measured)
        transfers *= 2;
    double peak = bus * clock * transfers;
    if (!(peak >= ROUNDING * measured)) {
        fit_unknown(fit, bench, "dram.transfers_per_clock",
                    "the driver does not tell the memory's clock or width");
        fit_figure(fit, bench, "dram.bandwidth", "B/s", measured, measured, INFINITY);
        return;
    }
    fit_figure(fit, bench, "dram.transfers_per_clock", "", transfers, transfers, transfers);
    fit_figure(fit, bench, "dram.bandwidth", "B/s", peak, peak, peak);
}

static void fit_read(const struct bench *bench, struct fit *fit)
{
    double half, bandwidth = stream_bandwidth(fit, bench->id, &half);
    if (isnan(bandwidth)) return;
    fit_peak(bench, fit, bandwidth);
    double peak = fit_known(fit, "dram.bandwidth")->value;
    bandwidth = fmin(bandwidth, peak);
    fit_figure(fit, bench, "dram.sustained_bandwidth", "B/s", bandwidth, bandwidth - half,
               fmin(peak, bandwidth + half));
}

static void fit_scale(const struct bench *bench, struct fit *fit)
{
    double half, bandwidth = 2 * stream_bandwidth(fit, bench->id, &half);
    const struct figure *reading = fit_known(fit, "dram.sustained_bandwidth");
    if (isnan(bandwidth)) return;
    if (reading) bandwidth = fmin(bandwidth, reading->value);
    fit_figure(fit, bench, "dram.mixed_bandwidth", "B/s", bandwidth, bandwidth - 2 * half,
               bandwidth + 2 * half);
}

/* ---- one SM ------------------------------------------------------------------------------------ */

enum { FEW = 32, MANY = 160 };

static const struct access of_sm[] = {
    {"l2", OF_WARP, "cg", ACCESS_LOAD, WIDE, UNROLL, WARP *WIDE},
    {"l1", OF_LANE, "ca", ACCESS_LOAD, WIDE, UNROLL, WARP *WIDE},
};
enum { SM_L2, SM_L1 };

static unsigned sm_warps(const struct gpu_facts *gpu)
{
    return threads_of(gpu, SM_THREADS) / WARP;
}

static bool plan_of_sm(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned rounds[] = {FEW, MANY};
    unsigned warps = sm_warps(plan->gpu);
    *why = "";
    for (unsigned i = 0; i < 2; i++)
        add_point(plan, &of_sm[bench->parameter],
                  (struct point){.grid = 1,
                                 .block = warps * WARP,
                                 .args = {rounds[i], 0, 0, warp_bytes(plan->gpu)},
                                 .x = {rounds[i]},
                                 .data_bytes = (uint64_t)warps * warp_bytes(plan->gpu)});
    return true;
}

/* Cycles of a warp's load. */
static double sm_cycles(const struct fit *fit, const char *bench)
{
    const struct gpu_facts *gpu = &fit->raw->gpu;
    const double x[BENCH_AXES] = {0};
    return access_cycles(fit->raw, bench, x, 0, FEW, MANY) / wide_unroll(gpu) / sm_warps(gpu);
}

static bool has_l2(const struct fit *fit)
{
    return fit->raw->gpu.l2_bytes > 0;
}

static void fit_sm_l2(const struct bench *bench, struct fit *fit)
{
    double cycles = sm_cycles(fit, bench->id), rate = WARP * WIDE / cycles;
    if (isnan(cycles)) return;
    if (has_l2(fit))
        fit_figure(fit, bench, "l2.sm_bandwidth", "B/cycle", rate, rate, rate);
    else
        fit_unknown(fit, bench, "l2.sm_bandwidth", "the driver tells no L2");
}

static void fit_sm_l1(const struct bench *bench, struct fit *fit)
{
    double cycles = sm_cycles(fit, bench->id), rate = WARP * WIDE / cycles;
    if (isnan(cycles)) return;
    if (fit_known(fit, "l1.latency"))
        fit_figure(fit, bench, "l1.bandwidth", "B/cycle", rate, rate, rate);
    else
        fit_unknown(fit, bench, "l1.bandwidth", "loads do not hit an L1");
}

static void fit_l2(const struct bench *bench, struct fit *fit)
{
    double half, bandwidth = stream_bandwidth(fit, bench->id, &half);
    const struct figure *one = fit_known(fit, "l2.sm_bandwidth"),
                        *dram = fit_known(fit, "dram.sustained_bandwidth");
    const struct gpu_facts *gpu = &fit->raw->gpu;
    if (isnan(bandwidth)) return;
    if (!has_l2(fit))
        fit_unknown(fit, bench, "l2.bandwidth", "the driver tells no L2");
    else if (one && bandwidth > 0.98 * one->value * gpu->sms * gpu->clock)
        fit_unknown(fit, bench, "l2.bandwidth", "all SMs together get as much as each gets alone");
    else if (dram && bandwidth < 1.02 * dram->value)
        fit_unknown(fit, bench, "l2.bandwidth", "no more than that of DRAM");
    else
        fit_figure(fit, bench, "l2.bandwidth", "B/s", bandwidth, bandwidth - half,
                   bandwidth + half);
}

/* ---- way to the L2 ----------------------------------------------------------------------------- */

enum { STORE_THREADS = 128, STORE_BYTES = 4096 };
static const unsigned distances[] = {32, 64, 128};
enum { DISTANCES = 3 };
static const struct access stores = {"store", APART, "", ACCESS_STORE, 4, UNROLL, 0};

/* Sectors of 1 to 4 lines a packet, from one SM; those of one line each from all, too. */
static bool plan_requests(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned rounds[] = {FEW, MANY};
    (void)bench;
    *why = "";
    for (unsigned i = 0; i <= DISTANCES; i++)
        for (unsigned k = 0; k < 2; k++) {
            unsigned distance = distances[i < DISTANCES ? i : DISTANCES - 1],
                     blocks = i < DISTANCES ? 1 : plan->gpu->sms;
            add_point(plan, &stores,
                      (struct point){.grid = blocks,
                                     .block = STORE_THREADS,
                                     .args = {rounds[k], 0, distance, STORE_BYTES},
                                     .x = {rounds[k], distance, blocks},
                                     .data_bytes =
                                         (uint64_t)blocks * STORE_THREADS / WARP * STORE_BYTES});
        }
    return true;
}

/* Cycles of a warp's store. */
static double store_cycles(const struct fit *fit, const char *bench, unsigned distance,
                           unsigned blocks)
{
    const double x[BENCH_AXES] = {0, distance, blocks};
    return access_cycles(fit->raw, bench, x, 0, FEW, MANY) / UNROLL / (STORE_THREADS / WARP);
}

/* A packet takes a header and its sectors: cycles grow by a header for each line more. */
static void fit_requests(const struct bench *bench, struct fit *fit)
{
    double lines[DISTANCES], cycles[DISTANCES];
    struct line line;
    for (unsigned i = 0; i < DISTANCES; i++) {
        lines[i] = distances[i] * WARP / 128.0;
        cycles[i] = store_cycles(fit, bench->id, distances[i], 1);
        if (isnan(cycles[i])) return;
    }
    if (!fit_line(lines, cycles, NULL, DISTANCES, &line)) return;
    bool is_way = line.residual < 0.03 && line.slope > 0.1 && line.offset > 1;
    if (!is_way) {
        fit_unknown(fit, bench, "l2.request_bandwidth",
                    "stores of 8, 16 and 32 lines take %.3g, %.3g and %.3g cycles: not headers and "
                    "sectors of packets",
                    cycles[0], cycles[1], cycles[2]);
        return;
    }
    double rate = WARP * SECTOR / line.offset, half = rate * line.offset_half / line.offset;
    double shared = store_cycles(fit, bench->id, distances[DISTANCES - 1], fit->raw->gpu.sms) /
                    cycles[DISTANCES - 1];
    fit_figure(fit, bench, "l2.request_bandwidth", "B/cycle", rate, rate - half, rate + half);
    if (fabs(shared / round(shared) - 1) < 0.03)
        fit_figure(fit, bench, "sm.per_cluster", "", round(shared), round(shared), round(shared));
    else
        fit_unknown(fit, bench, "sm.per_cluster",
                    "stores of all SMs take %.3g times as long as those of one", shared);
}

/* ---- the saw-tooth of clusters ----------------------------------------------------------------- */

enum { SAW_ROUNDS = 6 };
static const struct access saw = {"saw", OF_WARP, "cg", ACCESS_LOAD, WIDE, UNROLL, WARP *WIDE};

static double saw_cycles(const struct raw *raw, unsigned blocks)
{
    const double x[BENCH_AXES] = {blocks};
    const struct raw_point *point = raw ? raw_find(raw, "sawtooth", x) : NULL;
    return point && point->is_checked ? middle(point->block_cycles, point->count, NULL) : NAN;
}

/* The greatest number of blocks that take little longer than one; *next: to be measured, 0: none. */
static unsigned saw_search(const struct raw *raw, unsigned sms, unsigned *next)
{
    unsigned low = 1, high = 0;
    double one = saw_cycles(raw, 1);
    *next = 1;
    if (isnan(one)) return 0;
    for (unsigned blocks = 2; blocks <= sms && !high;
         blocks = blocks < sms && 2 * blocks > sms ? sms : 2 * blocks) {
        *next = blocks;
        double cycles = saw_cycles(raw, blocks);
        if (isnan(cycles)) return 0;
        if (cycles > 1.5 * one)
            high = blocks;
        else
            low = blocks;
    }
    while (high > low + 1) {
        *next = (low + high) / 2;
        double cycles = saw_cycles(raw, *next);
        if (isnan(cycles)) return 0;
        if (cycles > 1.5 * one)
            high = *next;
        else
            low = *next;
    }
    *next = high && 2 * low <= sms && isnan(saw_cycles(raw, 2 * low)) ? 2 * low : 0;
    return high ? low : 0;
}

static bool plan_saw(const struct bench *bench, struct plan *plan, const char **why)
{
    unsigned next;
    (void)bench;
    *why = "";
    saw_search(plan->raw, plan->gpu->sms, &next);
    if (next)
        add_point(
            plan, &saw,
            (struct point){.grid = next,
                           .block = threads_of(plan->gpu, THREADS),
                           .args = {SAW_ROUNDS, next * block_bytes(plan->gpu),
                                    block_bytes(plan->gpu), warp_bytes(plan->gpu)},
                           .x = {next},
                           .data_bytes = (uint64_t)SAW_ROUNDS * next * block_bytes(plan->gpu)});
    return true;
}

static void saw_picture(struct fit *fit)
{
    enum { ROOM = 64 };
    const struct raw_point *points[ROOM];
    double x[ROOM], y[ROOM];
    unsigned count = fit_points(fit, "sawtooth", points, ROOM);
    for (unsigned i = 0; i < count; i++) {
        x[i] = points[i]->x[0];
        y[i] = x[i] * SAW_ROUNDS * block_bytes(&fit->raw->gpu) /
               middle(points[i]->block_cycles, points[i]->count, NULL);
    }
    fit_picture(fit, "sawtooth", "Global memory bandwidth by blocks", "blocks", "bytes a cycle", x,
                y, NULL, count, false);
}

static void fit_saw(const struct bench *bench, struct fit *fit)
{
    unsigned next, sms = fit->raw->gpu.sms, clusters = saw_search(fit->raw, sms, &next);
    if (fit_known(fit, "sm.per_cluster") || next) return;
    saw_picture(fit);
    double one = saw_cycles(fit->raw, 1);
    double step = saw_cycles(fit->raw, clusters + 1);
    bool steps = clusters && step < 2.3 * one && saw_cycles(fit->raw, clusters) < 1.05 * one &&
                 fabs(saw_cycles(fit->raw, 2 * clusters) / step - 1) < 0.05;
    double each = ceil((double)sms / (clusters ? clusters : 1));
    if (steps)
        fit_figure(fit, bench, "sm.per_cluster", "", each, each, each);
    else
        fit_unknown(fit, bench, "sm.per_cluster", "bandwidth has no steps by the number of blocks");
}

const struct bench bench_memory[] = {
    {.id = "bandwidth.read",
     .figures = "dram.bandwidth dram.transfers_per_clock dram.sustained_bandwidth",
     .axes = "rounds",
     .paper = "Zhang & Owens 4.3; Hong 3.7, table 14",
     .text = "All SMs read what no cache holds, two amounts; the driver tells clock and width of "
             "the bus.",
     .parameter = STREAM_READ,
     .plan = plan_stream,
     .fit = fit_read},
    {.id = "bandwidth.mixed",
     .figures = "dram.mixed_bandwidth",
     .axes = "rounds",
     .paper = "",
     .text = "All SMs read and write more than the L2 holds, two amounts.",
     .parameter = STREAM_SCALE,
     .plan = plan_stream,
     .fit = fit_scale},
    {.id = "bandwidth.l2_sm",
     .figures = "l2.sm_bandwidth",
     .axes = "rounds",
     .paper = "",
     .text = "One SM reads what the L2 holds, past its L1.",
     .parameter = SM_L2,
     .plan = plan_of_sm,
     .fit = fit_sm_l2},
    {.id = "bandwidth.l2",
     .figures = "l2.bandwidth",
     .axes = "rounds",
     .paper = "",
     .text = "All SMs read what the L2 holds, again and again.",
     .parameter = STREAM_REREAD,
     .plan = plan_stream,
     .fit = fit_l2},
    {.id = "bandwidth.l1",
     .figures = "l1.bandwidth",
     .axes = "rounds",
     .paper = "",
     .text = "One SM reads what its L1 holds.",
     .parameter = SM_L1,
     .plan = plan_of_sm,
     .fit = fit_sm_l1},
    {.id = "requests",
     .figures = "l2.request_bandwidth sm.per_cluster",
     .axes = "rounds distance blocks",
     .paper = "",
     .text = "Stores whose lanes lie apart, of one SM and of all.",
     .plan = plan_requests,
     .fit = fit_requests},
    {.id = "sawtooth",
     .figures = "sm.per_cluster",
     .axes = "blocks",
     .paper = "Zhang & Owens 4.3, figure 3; Lai & Seznec 3.2.4",
     .text = "Reading with one block more from point to point: SMs of a cluster share a pipeline.",
     .plan = plan_saw,
     .fit = fit_saw},
    {0},
};
