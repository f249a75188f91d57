// SPDX-License-Identifier: Apache-2.0
/* What a launch and a block cost, atomics, and how many blocks an SM holds, by the driver's word. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/access.h"

enum { WARP = 32 };

/* ---- launch ------------------------------------------------------------------------------------ */

static char *empty_text(const struct gpu_facts *gpu)
{
    struct kernel_writer writer;
    kernel_begin(&writer, gpu, "empty", 0);
    kernel_clock_passes(&writer, 1);
    return kernel_end(&writer);
}

enum { FEW_BLOCKS = 4, MANY_BLOCKS = 16 };

/* Blocks of an SM one after the other: each has all of its shared memory. */
static bool plan_launch(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned blocks[] = {1, FEW_BLOCKS, MANY_BLOCKS};
    (void)bench;
    *why = "";
    unsigned kernel = plan_kernel(plan, "empty", empty_text(plan->gpu));
    for (unsigned i = 0; i < 3; i++)
        plan_point(plan, &(struct point){.kernel = kernel,
                                         .grid = blocks[i] * plan->gpu->sms,
                                         .block = WARP,
                                         .shared = (unsigned)plan->gpu->shared_block,
                                         .x = {blocks[i]},
                                         .data_bytes = WARP,
                                         .is_checked = true});
    return true;
}

static double launch_cycles(const struct fit *fit, unsigned blocks)
{
    const double x[BENCH_AXES] = {blocks};
    const struct raw_point *point = raw_find(fit->raw, "launch", x);
    if (!point || !point->is_checked) return NAN;
    return middle(point->seconds, point->count, NULL) * fit->raw->gpu.clock;
}

/* Of the time between events what passes outside of the SMs: less a block, and less what its first instruction waits for: its
 * code and the constants of the launch. Both come from as far as the DRAM, since the L2 was emptied, and on through the SM's own
 * cache of instructions, 79 cycles there and back (Huerta et al., MICRO 2025). */
static void fit_launch(const struct bench *bench, struct fit *fit)
{
    enum { MISSES = 2, HOP = 79 };
    double all = launch_cycles(fit, 1);
    double block = (launch_cycles(fit, MANY_BLOCKS) - launch_cycles(fit, FEW_BLOCKS)) /
                   (MANY_BLOCKS - FEW_BLOCKS);
    const struct figure *dram = fit_known(fit, "dram.latency"), *l1 = fit_known(fit, "l1.latency");
    if (isnan(all) || isnan(block)) return;
    if (!dram || !l1) {
        fit_unknown(fit, bench, "launch.cycles", "the latencies of DRAM and L1 must be known");
        return;
    }
    double miss = dram->value - l1->value + HOP, outside = all - block - MISSES * miss;
    if (outside > miss)
        fit_figure(fit, bench, "launch.cycles", "cycle", outside, outside - miss, outside + miss);
    else
        fit_unknown(
            fit, bench, "launch.cycles",
            "an empty kernel takes %.0f cycles, a block %.0f: no more is left than its code "
            "takes to come",
            all, block);
}

/* ---- atomics ----------------------------------------------------------------------------------- */

enum { ATOMIC_THREADS = 256, ATOMICS = 8, FEW = 4, MANY = 12 };

/* Values that differ by lane and that the compiler does not know: they are 0. */
static char *atomic_text(const struct plan *plan)
{
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, "atomic", 0);
    put(&writer, "    mul.lo.u32 %%r1, %%thread, %%b;\n    cvt.u64.u32 %%l1, %%r1;\n"
                 "    add.u64 %%l0, %%data, %%l1;\n    mul.lo.u32 %%r4, %%me, %%c;\n");
    kernel_clock_passes(&writer, 1);
    put(&writer, "    mov.u32 %%r2, %%a;\nround:\n");
    for (unsigned i = 0; i < ATOMICS; i++)
        put(&writer, "    atom.global.add.u32 %%r%u, [%%l0], %%r4;\n", 8 + i);
    for (unsigned i = 0; i < ATOMICS; i++)
        put(&writer, "    or.b32 %%r3, %%r3, %%r%u;\n", 8 + i);
    put(&writer,
        "    sub.u32 %%r2, %%r2, 1;\n    setp.ne.u32 %%p0, %%r2, 0;\n    @%%p0 bra round;\n"
        "    mov.b32 %%result, %%r3;\n");
    char *text = kernel_end(&writer);
    return text;
}

static bool plan_atomics(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned distances[] = {0, 128};
    (void)bench;
    *why = "";
    unsigned kernel = plan_kernel(plan, "atomic", atomic_text(plan));
    for (unsigned i = 0; i < 4; i++) {
        unsigned rounds = i % 2 ? MANY : FEW, distance = distances[i / 2];
        plan_point(plan, &(struct point){.kernel = kernel,
                                         .grid = 1,
                                         .block = ATOMIC_THREADS,
                                         .args = {rounds, distance, 0},
                                         .x = {rounds, distance},
                                         .data_bytes = ATOMIC_THREADS * 128,
                                         .is_checked = true});
    }
    return true;
}

static void fit_atomics(const struct bench *bench, struct fit *fit)
{
    const double x[BENCH_AXES] = {0};
    double cycles = access_cycles(fit->raw, bench->id, x, 0, FEW, MANY) / ATOMICS / ATOMIC_THREADS;
    if (isnan(cycles)) return;
    if (fit->raw->gpu.l2_bytes)
        fit_figure(fit, bench, "l2.atomic_cycles", "cycle", cycles, cycles, cycles);
    else
        fit_unknown(fit, bench, "l2.atomic_cycles", "the driver tells no L2");
}

/* ---- occupancy --------------------------------------------------------------------------------- */

enum { KERNELS = 24, VALUES_FIRST = 9, VALUES_STEP = 3, UNITS_MAX = 1024 };
static const unsigned block_warps[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15};
enum { BLOCKS = sizeof block_warps / sizeof *block_warps };

/* So many values live at a time. */
static char *values_text(const struct plan *plan, const char *name, unsigned values)
{
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, name, 0);
    for (unsigned i = 0; i < values; i++)
        put(&writer, "    ld.global.f32 %%f%u, [%%data+%u];\n", i, 4 * i);
    kernel_clock_passes(&writer, 1);
    for (unsigned i = 0; i < values; i++)
        put(&writer, "    fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", i, i, i, (i + 1) % values);
    for (unsigned i = 1; i < values; i++)
        put(&writer, "    add.f32 %%f0, %%f0, %%f%u;\n", i);
    put(&writer, "    mov.b32 %%result, %%f0;\n");
    return kernel_end(&writer);
}

static bool plan_registers(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)bench;
    *why = "";
    for (unsigned k = 0; k < KERNELS; k++) {
        char name[32];
        unsigned values = VALUES_FIRST + VALUES_STEP * k;
        snprintf(name, sizeof name, "values_%u", values);
        unsigned kernel = plan_kernel(plan, name, values_text(plan, name, values));
        for (unsigned i = 0; i < BLOCKS; i++)
            plan_point(plan, &(struct point){.kernel = kernel,
                                             .grid = 1,
                                             .block = block_warps[i] * WARP,
                                             .x = {values, block_warps[i]},
                                             .is_asked = true});
    }
    return true;
}

/* How registers are handed out. */
struct handing {
    unsigned unit, warps; /* warps: that are handed out together, or sub-partitions */
    bool per_block;
};

static double up(double value, double unit)
{
    return ceil(value / unit) * unit;
}

/* Blocks that an SM has registers for: the rules of NVIDIA's occupancy calculator and of cuda_occupancy.h. */
static double register_blocks(const struct gpu_facts *gpu, const struct handing *handing,
                              double registers, double warps)
{
    if (handing->per_block) {
        double block = up(up(warps, handing->warps) * registers * WARP, handing->unit);
        return block > gpu->max_registers_block ? 0 : floor(gpu->max_registers_sm / block);
    }
    double warp = up(registers * WARP, handing->unit);
    if (warp * up(warps, handing->warps) > gpu->max_registers_block) return 0;
    double room =
        floor(floor((double)gpu->max_registers_sm / handing->warps) / warp) * handing->warps;
    return floor(room / warps);
}

static bool explains(const struct raw *raw, const struct handing *handing, double most_blocks)
{
    const struct gpu_facts *gpu = &raw->gpu;
    for (unsigned i = 0; i < raw->count; i++) {
        const struct raw_point *point = &raw->points[i];
        if (strcmp(point->bench, "occupancy.registers") != 0 || !point->resident) continue;
        double warps = point->x[1], blocks = floor(gpu->max_threads_sm / WARP / warps);
        blocks =
            fmin(fmin(blocks, most_blocks), register_blocks(gpu, handing, point->registers, warps));
        if (blocks != point->resident) return false;
    }
    return true;
}

static double most_resident(const struct raw *raw, const char *bench)
{
    double most = 0;
    for (unsigned i = 0; i < raw->count; i++)
        if (!strcmp(raw->points[i].bench, bench)) most = fmax(most, raw->points[i].resident);
    return most;
}

/* Of all ways to hand out registers those that explain every answer; a figure in which they differ is unknown. */
static void fit_registers(const struct bench *bench, struct fit *fit)
{
    double most = fit->raw->gpu.max_blocks_sm;
    unsigned count = 0;
    struct handing found = {0};
    bool same[3] = {true, true, true};
    const struct raw_point *any;
    if (!fit_points(fit, bench->id, &any, 1)) return;
    if (!(most > 0)) most = most_resident(fit->raw, bench->id);
    for (unsigned unit = WARP; unit <= UNITS_MAX; unit *= 2)
        for (unsigned i = 0; i < 8; i++) {
            const struct handing tried = {unit, 1u << i / 2, i % 2};
            if (!explains(fit->raw, &tried, most)) continue;
            if (!count++) found = tried;
            same[0] &= tried.unit == found.unit;
            same[1] &= tried.warps == found.warps;
            same[2] &= tried.per_block == found.per_block;
        }
    const struct {
        const char *key;
        double value;
    } rows[] = {{"sm.register_unit", found.unit},
                {"sm.warp_unit", found.warps},
                {"sm.register_per_block", found.per_block}};
    fit_figure(fit, bench, "sm.max_blocks", "", most, most, most);
    for (unsigned i = 0; i < 3; i++)
        if (count && same[i])
            fit_figure(fit, bench, rows[i].key, "", rows[i].value, rows[i].value, rows[i].value);
        else
            fit_unknown(fit, bench, rows[i].key,
                        count ? "several values explain what the driver says"
                              : "no known rule explains what the driver says");
}

enum { SHARED_STEPS = 24, SHARED_STEP = 64, PARTS = 8 };

/* Bytes about those of which 3 to 19 blocks fill an SM. */
static bool plan_shared(const struct bench *bench, struct plan *plan, const char **why)
{
    static const unsigned parts[PARTS] = {3, 5, 7, 9, 11, 13, 17, 19};
    (void)bench;
    *why = "the driver does not tell how much an SM has";
    if (!plan->gpu->shared_sm) return false;
    unsigned kernel = plan_kernel(plan, "values_9", values_text(plan, "values_9", VALUES_FIRST));
    for (unsigned i = 0; i < PARTS * SHARED_STEPS; i++) {
        uint64_t most = plan->gpu->shared_sm / parts[i / SHARED_STEPS] / SHARED_STEP * SHARED_STEP;
        uint64_t less = (uint64_t)(i % SHARED_STEPS) * SHARED_STEP;
        if (less >= most || most - less > 48 * 1024) continue;
        plan_point(plan, &(struct point){.kernel = kernel,
                                         .grid = 1,
                                         .block = WARP,
                                         .shared = (unsigned)(most - less),
                                         .x = {(double)(most - less)},
                                         .is_asked = true});
    }
    return true;
}

static bool shared_explains(const struct raw *raw, double unit, double reserved, double most_blocks)
{
    for (unsigned i = 0; i < raw->count; i++) {
        const struct raw_point *point = &raw->points[i];
        if (strcmp(point->bench, "occupancy.shared") != 0) continue;
        double blocks = floor((double)raw->gpu.shared_sm / up(point->x[0] + reserved, unit));
        if (fmin(blocks, most_blocks) != point->resident) return false;
    }
    return true;
}

static void fit_shared(const struct bench *bench, struct fit *fit)
{
    static const double reserves[] = {0, 1024};
    double most = most_resident(fit->raw, bench->id); /* registers may allow less than the GPU */
    double unit = 0, reserved = 0;
    unsigned count = 0;
    const struct raw_point *any;
    if (!fit_points(fit, bench->id, &any, 1)) return;
    for (double tried = SHARED_STEP; tried <= UNITS_MAX; tried *= 2)
        for (unsigned i = 0; i < 2; i++) {
            bool is_told = fit->raw->gpu.shared_reserved > 0;
            if (is_told && (double)fit->raw->gpu.shared_reserved != reserves[i]) continue;
            if (!shared_explains(fit->raw, tried, reserves[i], most)) continue;
            if (count++) continue;
            unit = tried;
            reserved = reserves[i];
        }
    if (count != 1) {
        fit_unknown(fit, bench, "shared.unit", "%s",
                    count ? "several values explain what the driver says"
                          : "no known rule explains what the driver says");
        return;
    }
    fit_figure(fit, bench, "shared.unit", "B", unit, unit, unit);
    fit_figure(fit, bench, "shared.reserved", "B", reserved, reserved, reserved);
}

const struct bench bench_launch[] = {
    {.id = "launch",
     .figures = "launch.cycles",
     .axes = "blocks",
     .paper = "",
     .text = "An empty kernel: one block an SM, and several one after the other.",
     .plan = plan_launch,
     .fit = fit_launch},
    {.id = "atomics",
     .figures = "l2.atomic_cycles",
     .axes = "rounds distance",
     .paper = "",
     .text = "Additions to one word by all threads of a block, and to a line for each.",
     .plan = plan_atomics,
     .fit = fit_atomics},
    {.id = "occupancy.registers",
     .figures = "sm.register_unit sm.warp_unit sm.register_per_block sm.max_blocks",
     .axes = "values warps",
     .paper = "Hong 2.3.3; Zhang & Owens 5.1",
     .text = "Kernels with more and more live values: how many blocks the driver says that an SM "
             "holds.",
     .plan = plan_registers,
     .fit = fit_registers},
    {.id = "occupancy.shared",
     .figures = "shared.unit shared.reserved",
     .axes = "bytes",
     .paper = "",
     .text = "The same by the bytes of shared memory of a block.",
     .plan = plan_shared,
     .fit = fit_shared},
    {0},
};
