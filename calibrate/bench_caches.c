// SPDX-License-Identifier: Apache-2.0
/* Latencies of the levels of memory, and what the caches hold, by one thread that chases pointers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/chase.h"

enum { LINE = 128, SECTOR = 32, KIB = 1024, MIB = 1 << 20 };
/* Loads of the two kernels whose difference is a latency; of the others, a round. */
enum { SHORT_CHASE = 64, LONG_CHASE = 192, ROUND = 8, LONG_ROUND = 32 };
/* A chase that misses takes longer by more than this share (guess: more than clocks scatter). */
static const double LONGER = 0.06;

static bool differs(double a, double b)
{
    return fabs(a - b) > 0.03 * b;
}

/* ---- latencies --------------------------------------------------------------------------------- */

static const struct {
    const char *cache;
    unsigned stride;
    bool is_cold;
} levels[] = {
    {"ca", LINE, false},  {"cg", LINE, false},  {"cg", 4 * LINE, true},
    {"cg", SECTOR, true}, {"ca", SECTOR, true},
};
enum { LEVEL_L1, LEVEL_L2, LEVEL_DRAM, LEVEL_FETCH, LEVEL_LOAD };

static bool plan_latency(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned lengths[] = {SHORT_CHASE, LONG_CHASE};
    const bool is_cold = levels[bench->parameter].is_cold;
    *why = "";
    for (unsigned i = 0; i < 2; i++) {
        char name[32];
        uint64_t stride = levels[bench->parameter].stride, count = KERNEL_PASSES * LONG_CHASE;
        snprintf(name, sizeof name, "chase_%u", lengths[i]);
        unsigned kernel = plan_kernel(
            plan, name, chase_text(plan, name, levels[bench->parameter].cache, lengths[i]));
        struct point point =
            chase_point(kernel, lengths[i], 1, is_cold ? count * stride : KIB, stride);
        point.x[0] = lengths[i];
        plan_point(plan, &point);
    }
    return true;
}

static void fit_latency(const struct bench *bench, struct fit *fit)
{
    struct line line, next;
    if (!chase_slope(fit, bench->id, &line)) return;
    bool is_l2 = bench->parameter == LEVEL_L2;
    const char *below = is_l2 ? "latency.dram" : "latency.l2";
    if (bench->parameter != LEVEL_DRAM && chase_slope(fit, below, &next) &&
        !differs(line.slope, next.slope) && (!is_l2 || !fit->raw->gpu.l2_bytes)) {
        fit_unknown(fit, bench, bench->figures,
                    "these loads take as long as those of the level below: %.4g cycles",
                    line.slope);
        return;
    }
    fit_figure(fit, bench, bench->figures, "cycle", line.slope, line.slope - line.slope_half,
               line.slope + line.slope_half);
}

static double latency_of(const struct fit *fit, const char *bench)
{
    struct line line;
    return chase_slope(fit, bench, &line) ? line.slope : NAN;
}

/* ---- sizes ------------------------------------------------------------------------------------- */

/* What a search for a size has found so far: `low` bytes fit, `high` do not; 0: unknown. */
struct search {
    const struct raw *raw;
    const char *bench;
    double least;  /* cycles of a load that hits */
    double longer; /* share by which more of them are misses */
    uint64_t low, high;
};

static double load_cycles(const struct search *search, uint64_t bytes)
{
    const double x[BENCH_AXES] = {(double)bytes};
    const struct raw_point *point = search->raw ? raw_find(search->raw, search->bench, x) : NULL;
    if (!point || !point->is_checked || !point->args[0]) return NAN;
    return middle(point->block_cycles, point->count, NULL) / (ROUND * point->args[0]);
}

static bool is_longer(const struct search *search, double cycles)
{
    return cycles > search->least * (1 + search->longer);
}

/* Halves the distance down to `grain`. Returns the size that must be measured next; 0: found. */
static uint64_t halve(struct search *search, uint64_t grain)
{
    while (search->high && search->high - search->low > grain) {
        uint64_t middle_bytes = (search->low + search->high) / (2 * grain) * grain;
        double cycles = load_cycles(search, middle_bytes);
        if (isnan(cycles)) return middle_bytes;
        if (is_longer(search, cycles))
            search->high = middle_bytes;
        else
            search->low = middle_bytes;
    }
    return 0;
}

/* Doubles from `first` to `last`, then halves; 0: found, or all sizes fit. */
static uint64_t search_size(struct search *search, uint64_t first, uint64_t last, uint64_t grain)
{
    for (uint64_t bytes = first; bytes <= last && !search->high; bytes *= 2) {
        double cycles = load_cycles(search, bytes);
        if (isnan(cycles)) return bytes;
        if (bytes == first) search->least = cycles;
        if (is_longer(search, cycles))
            search->high = bytes;
        else
            search->low = bytes;
    }
    return halve(search, grain);
}

enum { L1_FIRST = 2 * KIB, L1_LAST = MIB, BEYOND = 3, FINE_LAST = 64 * KIB };
/* Of few lines a set that does not fit is seen. */
static const double FINE = 0.01;

/* Down to a line; of more lines than FINE_LAST down to 1 KiB, and some sizes beyond. */
static uint64_t next_l1_size(struct search *search)
{
    search->longer = LONGER;
    uint64_t bytes = search_size(search, L1_FIRST, L1_LAST, KIB);
    if (bytes || !search->high) return bytes;
    if (search->high <= FINE_LAST && search->low) {
        search->longer = FINE;
        search->least = load_cycles(search, search->low);
        return halve(search, LINE);
    }
    for (unsigned i = 1; !bytes && i <= BEYOND; i++)
        if (isnan(load_cycles(search, search->high + i * KIB))) bytes = search->high + i * KIB;
    return bytes;
}

enum { LONG_WALK = 512 };

static void plan_chase(struct plan *plan, const char *cache, unsigned length, uint64_t bytes,
                       uint64_t stride, double x)
{
    char name[48];
    snprintf(name, sizeof name, "chase_%s_%u", cache, length);
    unsigned kernel = 0;
    while (kernel < plan->kernel_count && strcmp(plan->kernels[kernel].name, name) != 0)
        kernel++;
    if (kernel == plan->kernel_count)
        plan_kernel(plan, name, chase_text(plan, name, cache, length));
    uint64_t count = bytes / stride;
    /* Whole walks, where they are short. */
    uint64_t rounds = count <= LONG_WALK ? count : (count + length - 1) / length;
    struct point point = chase_point(kernel, length, (unsigned)rounds, bytes, stride);
    point.x[0] = x;
    plan_point(plan, &point);
}

static bool plan_l1_size(const struct bench *bench, struct plan *plan, const char **why)
{
    struct search search = {.raw = plan->raw, .bench = bench->id};
    *why = "";
    uint64_t bytes = next_l1_size(&search);
    if (bytes) plan_chase(plan, "ca", ROUND, bytes, LINE, (double)bytes);
    return true;
}

/* Of the loads that a chase of these cycles makes, how many miss. */
struct misses {
    double hit, miss;
};

static double missing(const struct misses *of, double cycles, double loads)
{
    return loads * (cycles - of->hit) / (of->miss - of->hit);
}

/* The roundest number from `low` to `high`: that with most factors of 2. */
static double roundest(double low, double high)
{
    uint64_t first = (uint64_t)fmax(1, ceil(low)), last = (uint64_t)fmax(1, floor(high));
    for (uint64_t unit = UINT64_C(1) << 40; unit; unit /= 2)
        if (last / unit * unit >= first) return (double)(last / unit * unit);
    return NAN;
}

/* Where one line more than fits is walked round and round, least recently used lines go first: each set with a line too many
 * misses on all of its lines, one more than it has ways. So misses grow by ways + 1 a line from the size on, or, if the
 * walk begins between two multiples of the sets, from the size less a line for each way. */
static void fit_many_ways(const struct bench *bench, struct fit *fit, const struct search *search,
                          const struct misses *of)
{
    enum { POINTS = BEYOND + 1 };
    double slope = 0, first = NAN, before = NAN;
    for (unsigned i = 0; i < POINTS; i++) {
        uint64_t bytes = search->high + i * KIB;
        double lines = (double)bytes / LINE;
        double found = missing(of, load_cycles(search, bytes), lines);
        if (!(found < 0.95 * lines)) break;
        if (i) slope = fmax(slope, (found - before) * LINE / KIB);
        if (!i) first = found;
        before = found;
    }
    if (slope < 1.5) {
        double low = (double)search->low, high = (double)search->high;
        fit_figure(fit, bench, "l1.size", "B", LINE * roundest(low / LINE, high / LINE), low, high);
        fit_unknown(fit, bench, "l1.ways", "all loads miss as soon as one line does not fit");
        return;
    }
    double ways = round(slope - 1), begins = (double)search->high / LINE - first / (ways + 1);
    double error = 0.02 * begins / (ways + 1) < 0.5 ? 0.5 : fmin(4, 0.02 * begins / (ways + 1));
    double size = LINE * roundest(begins - error, begins + 2 * ways - 1 + error);
    fit_figure(fit, bench, "l1.size", "B", size, LINE * begins, LINE * (begins + ways));
    fit_figure(fit, bench, "l1.ways", "", ways, slope - 1, slope - 1);
}

/* The first line that does not fit makes one set miss: ways + 1 lines. The size has up to a line for each way more if the walk
 * begins between two multiples of the sets, and again if the ways do not divide it. */
static void fit_ways(const struct bench *bench, struct fit *fit, const struct search *search,
                     const struct misses *of)
{
    double lines = (double)search->high / LINE;
    struct misses here = {.hit = search->least, .miss = of->miss};
    double found = missing(&here, load_cycles(search, search->high), lines);
    if (search->longer > FINE) {
        fit_many_ways(bench, fit, search, of);
    } else if (found < 1.5 || found > 0.95 * lines) {
        fit_figure(fit, bench, "l1.size", "B", (double)search->low, (double)search->low,
                   (double)search->high);
        fit_unknown(fit, bench, "l1.ways",
                    "%.3g of %.0f lines miss with the first that does not fit", found, lines);
    } else {
        double ways = round(found - 1), size = LINE * roundest(lines - 1, lines + 2 * ways - 2);
        fit_figure(fit, bench, "l1.size", "B", size, (double)search->low,
                   (double)search->low + ways * LINE);
        fit_figure(fit, bench, "l1.ways", "", ways, found - 1, found - 1);
    }
}

static void size_picture(struct fit *fit, const char *bench, const char *title)
{
    enum { ROOM = 64 };
    const struct raw_point *points[ROOM];
    double x[ROOM], y[ROOM];
    unsigned count = fit_points(fit, bench, points, ROOM);
    for (unsigned i = 0; i < count; i++) {
        x[i] = points[i]->x[0];
        y[i] = middle(points[i]->block_cycles, points[i]->count, NULL) / ROUND / points[i]->args[0];
    }
    fit_picture(fit, bench, title, "bytes", "cycles a load", x, y, NULL, count, true);
}

static void fit_l1_size(const struct bench *bench, struct fit *fit)
{
    struct search search = {.raw = fit->raw, .bench = bench->id};
    struct misses of = {.hit = latency_of(fit, "latency.l1"),
                        .miss = latency_of(fit, "latency.l2")};
    if (next_l1_size(&search) || isnan(of.hit) || isnan(of.miss)) return;
    size_picture(fit, bench->id, "Loads through the L1 by the bytes that are chased");
    if (!differs(of.hit, of.miss)) {
        fit_figure(fit, bench, "l1.size", "B", 0, 0, 0);
        fit_unknown(fit, bench, "l1.ways", "loads do not hit an L1");
    } else if (!search.high) {
        fit_unknown(fit, bench, "l1.size", "%d KiB fit: more was not tried", L1_LAST / KIB);
    } else {
        fit_ways(bench, fit, &search, &of);
    }
}

/* ---- lines and sectors ------------------------------------------------------------------------- */

static const unsigned strides[] = {SECTOR, 2 * SECTOR, LINE, 2 * LINE, 4 * LINE};
enum { STRIDES = sizeof strides / sizeof *strides };

/* Half as much again as fits: at strides above a line fewer lines than that. */
static bool plan_line(const struct bench *bench, struct plan *plan, const char **why)
{
    struct search search = {.raw = plan->raw, .bench = "size.l1"};
    (void)bench;
    *why = "its size must be known";
    if (!plan->raw || next_l1_size(&search) || !search.high) return false;
    uint64_t bytes = search.low * 3 / 2;
    for (unsigned i = 0; i < STRIDES; i++)
        plan_chase(plan, "ca", ROUND, bytes / strides[i] * strides[i], strides[i], strides[i]);
    return true;
}

static void fit_l1_line(const struct bench *bench, struct fit *fit)
{
    struct search search = {.raw = fit->raw, .bench = bench->id};
    double half = (latency_of(fit, "latency.l1") + latency_of(fit, "latency.l2")) / 2;
    unsigned line = 0;
    for (unsigned i = 0; i < STRIDES; i++) {
        double cycles = load_cycles(&search, strides[i]);
        if (isnan(cycles)) return;
        if (cycles > half) line = strides[i];
    }
    if (line && line < strides[STRIDES - 1])
        fit_figure(fit, bench, "l1.line", "B", line, line, line);
    else
        fit_unknown(fit, bench, "l1.line",
                    "%s: the sets of this cache are chosen by low bits of the address",
                    line ? "loads of every stride miss" : "loads of no stride miss");
}

/* Of loads that follow each other at the distance of a sector, those that a miss did not bring are misses. */
static void fit_fetch(const struct bench *bench, struct fit *fit)
{
    double mean = latency_of(fit, bench->id), miss = latency_of(fit, "latency.dram"),
           hit = latency_of(fit, "latency.l2");
    if (isnan(mean)) return;
    if (!differs(hit, miss)) {
        fit_unknown(fit, bench, bench->figures,
                    "hits in the L2 take as long as misses, if there is one");
        return;
    }
    double bytes = SECTOR * exp2(round(log2((miss - hit) / (mean - hit))));
    fit_figure(fit, bench, bench->figures, "B", bytes, bytes, bytes);
}

/* What a load through the L1 brings: of four loads of a line's sectors 1, 2 or 4 miss it. */
static void fit_load(const struct bench *bench, struct fit *fit)
{
    double mean = latency_of(fit, bench->id), beside = latency_of(fit, "cache.fetch");
    double l1 = latency_of(fit, "latency.l1"), miss = latency_of(fit, "latency.dram");
    if (isnan(mean)) return;
    if (!differs(l1, latency_of(fit, "latency.l2"))) {
        fit_unknown(fit, bench, bench->figures, "loads do not hit an L1");
        return;
    }
    double bytes =
        differs(mean, beside) ? SECTOR * round(4 * (miss - l1) / (4 * (mean - l1))) : SECTOR;
    fit_figure(fit, bench, bench->figures, "B", bytes, bytes, bytes);
}

/* ---- L2 ---------------------------------------------------------------------------------------- */

/* The driver tells the size; a little more than that is chased. */
enum { L2_MORE = 32 };

static uint64_t beyond_l2(const struct gpu_facts *gpu)
{
    uint64_t unit = (uint64_t)LONG_ROUND * LINE;
    return (gpu->l2_bytes + gpu->l2_bytes / L2_MORE) / unit * unit;
}

static bool plan_l2(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)bench;
    *why = "the driver tells no L2";
    if (plan->gpu->l2_bytes)
        plan_chase(plan, "cg", LONG_ROUND, beyond_l2(plan->gpu), LINE, L2_MORE);
    return true;
}

/* As in fit_ways, with a size that is known; where the walk begins between two multiples of the sets a set more or less for
 * each way misses. */
static void fit_l2_ways(const struct bench *bench, struct fit *fit, const struct misses *of)
{
    double cycles = chase_cycles(fit->raw, bench->id, L2_MORE, 0, 0);
    double lines = (double)beyond_l2(&fit->raw->gpu) / LINE;
    double more = lines - (double)fit->raw->gpu.l2_bytes / LINE;
    double miss = missing(of, cycles / lines, lines), ways = miss / more - 1;
    if (isnan(cycles)) return;
    if (!(miss < 0.95 * lines && ways > 0.5)) {
        fit_unknown(
            fit, bench, "l2.ways",
            "%.0f of %.0f lines miss, %.0f more than the driver tells: lines do not go least "
            "recently used first, pages are scattered, or there are more than %d ways",
            miss, lines, more, L2_MORE - 2);
        return;
    }
    double error = fmax(0.4, 1.5 * ways * ways / more);
    fit_figure(fit, bench, "l2.ways", "", roundest(ways - error, ways + error), ways - error,
               ways + error);
}

static void fit_l2(const struct bench *bench, struct fit *fit)
{
    struct misses of = {.hit = latency_of(fit, "latency.l2"),
                        .miss = latency_of(fit, "latency.dram")};
    if (isnan(of.hit) || isnan(of.miss)) return;
    if (fit->raw->gpu.l2_bytes && differs(of.hit, of.miss))
        fit_l2_ways(bench, fit, &of);
    else if (fit->raw->gpu.l2_bytes)
        fit_unknown(fit, bench, "l2.ways", "hits in the L2 take as long as misses");
    else if (!differs(of.hit, of.miss))
        fit_figure(fit, bench, "l2.size", "B", 0, 0, 0);
}

/* ---- TLB --------------------------------------------------------------------------------------- */

enum { PAGE = 2 * MIB, TLB_FIRST = 8, TLB_SHORT = 16, TLB_LONG = 1024 };

static bool plan_tlb(const struct bench *bench, struct plan *plan, const char **why)
{
    uint64_t room = plan->gpu->memory_bytes / 2;
    (void)bench;
    *why = "";
    for (uint64_t pages = TLB_FIRST; pages <= (plan->is_short ? TLB_SHORT : TLB_LONG); pages *= 2)
        if (pages * (PAGE + LINE) <= room)
            plan_chase(plan, "cg", ROUND, pages * (PAGE + LINE), PAGE + LINE, (double)pages);
    return true;
}

static void fit_tlb(const struct bench *bench, struct fit *fit)
{
    size_picture(fit, bench->id, "Loads from pages of 2 MiB by the pages that are chased");
}

/* ---- constants --------------------------------------------------------------------------------- */

/* The table is of the module, before the kernel; it holds zeros, so that each load leads to the same place. */
static char *constant_text(const struct plan *plan, const char *name, unsigned length)
{
    static const char table[] = ".const .align 8 .b8 table[256];\n", kernel[] = ".visible .entry";
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, name, 0);
    put(&writer, "    mov.u64 %%l1, table;\n    mov.u64 %%l3, %%l1;\n");
    kernel_clock(&writer);
    for (unsigned i = 0; i < length; i++)
        put(&writer, "    ld.const.u64 %%l2, [%%l1];\n    add.u64 %%l1, %%l1, %%l2;\n");
    put(&writer, "    sub.u64 %%l4, %%l1, %%l3;\n    cvt.u32.u64 %%result, %%l4;\n");
    char *body = kernel_end(&writer), *place = strstr(body, kernel);
    char *text = calibrate_format("%.*s%s%s", (int)(place - body), body, table, place);
    free(body);
    return text;
}

static bool plan_constant(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned lengths[] = {SHORT_CHASE, LONG_CHASE};
    (void)bench;
    *why = "";
    for (unsigned i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "constant_%u", lengths[i]);
        unsigned kernel = plan_kernel(plan, name, constant_text(plan, name, lengths[i]));
        plan_point(
            plan,
            &(struct point){
                .kernel = kernel, .grid = 1, .block = 1, .x = {lengths[i]}, .is_checked = true});
    }
    return true;
}

static void fit_constant(const struct bench *bench, struct fit *fit)
{
    const double x[] = {SHORT_CHASE, LONG_CHASE};
    const double cycles[] = {chase_cycles(fit->raw, bench->id, SHORT_CHASE, 0, 0),
                             chase_cycles(fit->raw, bench->id, LONG_CHASE, 0, 0)};
    fit_picture(fit, bench->id,
                "Loads of constants, each with an addition that the next one waits for", "loads",
                "cycles", x, cycles, NULL, 2, false);
}

/* ---- textures ---------------------------------------------------------------------------------- */

/* Texels that hold the number of the next. */
static char *texture_text(const struct plan *plan, const char *name, unsigned length)
{
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, name, 0);
    put(&writer, "    mov.u32 %%r1, 0;\n");
    kernel_clock(&writer);
    for (unsigned i = 0; i < length; i++)
        put(&writer, "    tex.1d.v4.s32.s32 {%%r1, %%r2, %%r3, %%r4}, [%%data, {%%r1}];\n");
    put(&writer, "    mov.b32 %%result, %%r1;\n");
    return kernel_end(&writer);
}

static bool plan_texture(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned lengths[] = {SHORT_CHASE, LONG_CHASE};
    (void)bench;
    *why = "";
    for (unsigned i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "texture_%u", lengths[i]);
        unsigned kernel = plan_kernel(plan, name, texture_text(plan, name, lengths[i]));
        struct point point = chase_point(kernel, lengths[i], 1, KIB, LINE);
        point.fill = FILL_TEXELS;
        point.is_texture = true;
        point.expected /= sizeof(uint32_t);
        point.x[0] = lengths[i];
        plan_point(plan, &point);
    }
    return true;
}

static void fit_texture(const struct bench *bench, struct fit *fit)
{
    struct line line;
    if (chase_slope(fit, bench->id, &line))
        fit_figure(fit, bench, bench->figures, "cycle", line.slope, line.slope - line.slope_half,
                   line.slope + line.slope_half);
}

const struct bench bench_caches[] = {
    {.id = "latency.l1",
     .figures = "l1.latency",
     .axes = "length",
     .paper = "Hong 3.7, table 10",
     .text = "One thread chases pointers that lie in the L1, two lengths.",
     .parameter = LEVEL_L1,
     .plan = plan_latency,
     .fit = fit_latency},
    {.id = "latency.l2",
     .figures = "l2.latency",
     .axes = "length",
     .paper = "Hong 3.7, table 10",
     .text = "One thread chases pointers past the L1 that lie in the L2, two lengths.",
     .parameter = LEVEL_L2,
     .plan = plan_latency,
     .fit = fit_latency},
    {.id = "latency.dram",
     .figures = "dram.latency",
     .axes = "length",
     .paper = "Hong 2.5.1, table 5: Mem_LD; Lai & Seznec 3.2.4",
     .text = "One thread chases pointers that no cache holds, two lengths.",
     .parameter = LEVEL_DRAM,
     .plan = plan_latency,
     .fit = fit_latency},
    {.id = "cache.fetch",
     .figures = "dram.fetch_bytes",
     .axes = "length",
     .paper = "",
     .text = "The same from sector to sector: what a miss in the L2 brings.",
     .parameter = LEVEL_FETCH,
     .plan = plan_latency,
     .fit = fit_fetch},
    {.id = "cache.load",
     .figures = "global.cached_load_bytes",
     .axes = "length",
     .paper = "",
     .text = "The same through the L1: what a load brings there.",
     .parameter = LEVEL_LOAD,
     .plan = plan_latency,
     .fit = fit_load},
    {.id = "size.l1",
     .figures = "l1.size l1.ways",
     .axes = "bytes",
     .paper = "Hong 3.7, table 10",
     .text =
         "One thread chases pointers through more and more lines, up to those that miss the L1.",
     .plan = plan_l1_size,
     .fit = fit_l1_size},
    {.id = "line.l1",
     .figures = "l1.line",
     .axes = "stride",
     .paper = "",
     .text = "Half as many bytes again as the L1 holds, at several strides.",
     .plan = plan_line,
     .fit = fit_l1_line},
    {.id = "size.l2",
     .figures = "l2.size l2.ways",
     .axes = "share",
     .paper = "",
     .text = "A little more than the L2 holds: how misses grow.",
     .plan = plan_l2,
     .fit = fit_l2},
    {.id = "tlb",
     .figures = "",
     .axes = "pages",
     .paper = "",
     .text = "One thread chases pointers from page to page.",
     .plan = plan_tlb,
     .fit = fit_tlb},
    {.id = "latency.constant",
     .figures = "",
     .axes = "length",
     .paper = "Lai & Seznec 3.2; Hong 3.2.4",
     .text = "One thread loads constants whose address needs the one before, two lengths.",
     .plan = plan_constant,
     .fit = fit_constant},
    {.id = "latency.texture",
     .figures = "latency.mem.texture.load",
     .axes = "length",
     .paper = "",
     .text = "One thread fetches texels that hold the number of the next, two lengths.",
     .plan = plan_texture,
     .fit = fit_texture},
    {0},
};
