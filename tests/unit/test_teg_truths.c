// SPDX-License-Identifier: Apache-2.0
/* The model teg as a whole, on kernels whose cycles follow from the figures of the machine: one
 * resource bounds each. Expectations are arithmetic, in the comments. Machines are those of the data base
 * and invented ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../support/teg_kernel.h"

#define assert_near(got, want, relative)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (relative)*fabs(want_)))                                       \
            fail_msg("%s is %.9g, not %.9g", #got, got_, want_);                                   \
    } while (0)

/* Equal warps that take turns end together, and no tail of few warps is part of a rate. */
static const char IN_TURN[] = "policy=round-robin";

/* Exact but for the rounding of ticks. */
static const double EXACT = 1e-4;

/* ---- instructions that do not depend on each other -------------------------------------------- */

static void additions(FILE *out, unsigned count)
{
    kernel_independent(out, count, "add.f32 %%f%u, %%f0, %%f1;\n", 32);
}

static void reciprocals(FILE *out, unsigned count)
{
    kernel_independent(out, count, "rcp.approx.f32 %%f%u, %%f0;\n", 32);
}

static void doubles(FILE *out, unsigned count)
{
    kernel_independent(out, count, "fma.rn.f64 %%d%u, %%d0, %%d1, %%d1;\n", 28);
}

/* W warps: W * 32 / lanes cycles each, or as fast as the schedulers issue: W * cycles / (schedulers *
 * width). */
static void test_issue(void **state)
{
    (void)state;
    static const struct {
        struct kernel_run run;
        kernel_body *body;
        double want;
    } rows[] = {
        /* 8 lanes */
        {{.gpu = "gtx280", .block = 512}, additions, 16 * 32 / 8.0},
        /* 32 lanes, two schedulers that issue every second cycle; 4 of each kind for others */
        {{.gpu = "gtx580", .block = 1024}, additions, 32 * 32 / 32.0},
        {{.gpu = "gtx580", .block = 512}, reciprocals, 16 * 32 / 4.0},
        {{.gpu = "gtx580", .block = 512}, doubles, 16 * 32 / 4.0},
        /* 192 lanes: six instructions a cycle, of four schedulers with pairs */
        {{.gpu = "gtx680", .block = 1024}, additions, 32 * 32 / 192.0},
        {{.gpu = "k40c", .block = 1024}, doubles, 32 * 32 / 64.0},
        {{.gpu = "k40c", .block = 1024}, reciprocals, 32 * 32 / 32.0},
        {{.gpu = "gtx680", .changes = {"machine.issue.width=1"}, .block = 1024},
         additions,
         32 * 1 / 4.0},
        {{.gpu = "v100", .block = 1024}, additions, 32 * 32 / 64.0},
        {{.gpu = "v100", .block = 512}, reciprocals, 16 * 32 / 16.0},
        {{.gpu = "v100", .block = 512}, doubles, 16 * 32 / 32.0},
        {{.gpu = "h200", .block = 1024}, additions, 32 * 32 / 128.0},
        /* Invented: two schedulers with 24 lanes each, 1 1/3 cycles; three with 20; more lanes than
         * schedulers can feed; a slow scheduler. */
        {{.gpu = "v100",
          .changes = {"machine.issue.schedulers=2", "machine.throughput.fp32.add=48"},
          .block = 512},
         additions,
         16 * 32 / 48.0},
        {{.gpu = "v100",
          .changes = {"machine.issue.schedulers=3", "machine.throughput.fp32.add=60",
                      "machine.latency.fp32.add=5"},
          .block = 768},
         additions,
         24 * 32 / 60.0},
        {{.gpu = "h200", .changes = {"machine.throughput.fp32.add=512"}, .block = 1024},
         additions,
         32 / 4.0},
        {{.gpu = "h200", .changes = {"machine.issue.cycles=2.5"}, .block = 1024},
         additions,
         32 * 2.5 / 4},
        {{.gpu = "v100", .changes = {"machine.throughput.sfu.rcp=3"}, .block = 256},
         reciprocals,
         8 * 32 / 3.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel_run run = rows[i].run;
        run.options = IN_TURN;
        double slope = kernel_slope(&run, rows[i].body, 256);
        if (!(fabs(slope - rows[i].want) <= 2e-3 * rows[i].want))
            fail_msg("row %zu (%s): %.9g cycles, not %.9g", i, rows[i].run.gpu, slope,
                     rows[i].want);
    }
}

/* m16n8k16 of fp16: 2,048 multiply-adds; m16n8k8: half. */
static const char *matrix_shape;
static bool is_matrix_chain;

static void matrices(FILE *out, unsigned count)
{
    bool is_long = !strcmp(matrix_shape, "m16n8k16");
    for (unsigned i = 0; i < count; i++) {
        unsigned to = is_matrix_chain ? 4 : 4 + i % 8 * 4;
        fprintf(out,
                "mma.sync.aligned.%s.row.col.f32.f16.f16.f32 {%%f%u,%%f%u,%%f%u,%%f%u}, %s, "
                "{%%f%u,%%f%u,%%f%u,%%f%u};\n",
                matrix_shape, to, to + 1, to + 2, to + 3,
                is_long ? "{%r2,%r3,%r4,%r5}, {%r6,%r7}" : "{%r2,%r3}, {%r6}", to, to + 1, to + 2,
                to + 3);
    }
}

/* Four tensor pipes with a quarter of the SM's multiply-adds each: A100 1,024, T4 512. A chain waits for the
 * distance that the compiler keeps. */
static void test_matrices(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *shape;
        double busy, distance;
    } rows[] = {
        {"a100-sxm4-40gb", "m16n8k8", 4, 13},
        {"a100-sxm4-40gb", "m16n8k16", 8, 17},
        {"t4", "m16n8k8", 8, 14},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        matrix_shape = rows[i].shape;
        is_matrix_chain = true;
        struct kernel_run run = {.gpu = rows[i].gpu, .options = IN_TURN};
        assert_near(kernel_slope(&run, matrices, 64), rows[i].distance, EXACT);
        is_matrix_chain = false;
        run.block = 512;
        assert_near(kernel_slope(&run, matrices, 64), 16 / 4 * rows[i].busy, 2e-3);
    }
}

/* ---- chains ----------------------------------------------------------------------------------- */

static void chain(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fputs("add.f32 %f2, %f2, %f1;\n", out);
}

/* One warp: count * latency, whatever the latency is. */
static void test_chain(void **state)
{
    (void)state;
    assert_near(kernel_slope(&(struct kernel_run){.gpu = "gtx280"}, chain, 100), 24, EXACT);
    assert_near(kernel_slope(&(struct kernel_run){.gpu = "gtx580"}, chain, 100), 22, EXACT);
    assert_near(kernel_slope(&(struct kernel_run){.gpu = "gtx680"}, chain, 100), 9, EXACT);
    assert_near(kernel_slope(&(struct kernel_run){.gpu = "v100"}, chain, 100), 4, EXACT);
    struct kernel_run odd = {.gpu = "v100", .changes = {"machine.latency.fp32.add=7.5"}};
    assert_near(kernel_slope(&odd, chain, 100), 7.5, EXACT);
    assert_near(kernel_slope(&odd, chain, 7), 7.5, EXACT);
    odd.changes[0] = "machine.latency.fp32.add=131";
    assert_near(kernel_slope(&odd, chain, 7), 131, EXACT);
}

/* k warps on one scheduler in turn: each addition of all takes the latency until their 32 / lanes cycles each
 * take longer. The youngest first: of warps with chains of 4 cycles two fill the unit, and the others wait until
 * they are through. */
static void test_hiding(void **state)
{
    (void)state;
    for (unsigned k = 1; k <= 8; k++) {
        struct kernel_run run = {.gpu = "v100", .block = 128 * k}; /* 4 schedulers */
        assert_near(kernel_slope(&run, chain, 100), ceil(k / 2.0) * 4, EXACT);
        run.options = IN_TURN;
        assert_near(kernel_slope(&run, chain, 100), fmax(4, k * 2), EXACT);
        run.changes[0] = "machine.latency.fp32.add=9";
        assert_near(kernel_slope(&run, chain, 100), fmax(9, k * 2), EXACT);
        run = (struct kernel_run){.gpu = "gtx280", .block = 32 * k};
        assert_near(kernel_slope(&run, chain, 100), fmax(24, k * 4), EXACT);
    }
}

/* ---- shared memory ----------------------------------------------------------------------------- */

/* Each lane's word holds its own address; lanes are `conflict` words apart. */
static unsigned conflict;

static void write_addresses(FILE *out)
{
    fprintf(out,
            "mov.u32 %%r2, words;\nand.b32 %%r3, %%r0, 31;\nmul.lo.u32 %%r3, %%r3, %u;\n"
            "add.u32 %%r2, %%r2, %%r3;\nst.shared.u32 [%%r2], %%r2;\nbar.sync 0;\n",
            4 * conflict);
}

static void shared_chase(FILE *out, unsigned count)
{
    write_addresses(out);
    for (unsigned i = 0; i < count; i++)
        fputs("ld.shared.u32 %r2, [%r2];\n", out);
}

static void shared_loads(FILE *out, unsigned count)
{
    write_addresses(out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "ld.shared.u32 %%r%u, [%%r2];\n", 4 + i % 24);
}

/* 32 banks: stride k (a power of two) makes k passes of a cycle; one warp waits k - 1 cycles more than
 * the latency, many warps take k cycles each. 16 banks, half-warps, 8 load/store lanes: 2 k passes of 2
 * cycles; beyond the first two each adds 6.4 to the latency of 38. */
static void test_conflicts(void **state)
{
    (void)state;
    for (conflict = 1; conflict <= 32; conflict *= 2) {
        struct kernel_run one = {.gpu = "v100"};
        struct kernel_run many = {.gpu = "v100", .block = 512};
        assert_near(kernel_slope(&one, shared_chase, 50), 18 + (conflict - 1.0), EXACT);
        assert_near(kernel_slope(&many, shared_loads, 100), 16.0 * conflict, 5e-3);
        many.changes[0] = "machine.shared.banks=8";
        /* Eight banks: 32 words at stride k meet in groups of 4 k, of 32 at most. */
        double passes = fmin(4 * conflict, 32);
        assert_near(kernel_slope(&many, shared_loads, 100), 16 * passes, 5e-3);
        if (conflict > 16) continue;
        one = (struct kernel_run){.gpu = "gtx280"};
        many = (struct kernel_run){.gpu = "gtx280", .block = 512};
        assert_near(kernel_slope(&one, shared_chase, 50), 38 + (2 * conflict - 2) * 6.4, EXACT);
        assert_near(kernel_slope(&many, shared_loads, 100), 16 * 2 * 2.0 * conflict, 5e-3);
    }
}

/* ---- global memory: latencies ------------------------------------------------------------------ */

static const char *load_operator = "ld.global.u64";

static void pointer_chase(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s %%rd0, [%%rd0];\n", load_operator);
}

/* V100: 434 cycles from DRAM, 207 from L2, 28 from L1. A round of 64 words, a line apart: the first misses,
 * the others hit. */
static void test_pointer_chase(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100", .bytes = 64 * 128, .step = 128, .block = 1};
    double once = kernel_cycles(&run, pointer_chase, 64);
    assert_near(kernel_cycles(&run, pointer_chase, 192) - once, 128 * 28.0, EXACT);
    run.bytes = 1 << 20;
    assert_near(kernel_slope(&run, pointer_chase, 100), 434, EXACT);
    run.bytes = 64 * 128;
    load_operator = "ld.global.cg.u64";
    once = kernel_cycles(&run, pointer_chase, 64);
    assert_near(kernel_cycles(&run, pointer_chase, 192) - once, 128 * 207.0, EXACT);
    load_operator = "ld.global.u64";
    run.changes[0] = "machine.dram.latency=1001";
    run.changes[1] = "machine.l1.latency=33";
    run.changes[2] = "machine.l2.latency=263";
    once = kernel_cycles(&run, pointer_chase, 64);
    assert_near(kernel_cycles(&run, pointer_chase, 192) - once, 128 * 33.0, EXACT);
    /* An L1 of 4 KiB holds 32 lines of 64: in turn, none of them is left when it is needed again. */
    run.changes[3] = "machine.l1.size=4096";
    once = kernel_cycles(&run, pointer_chase, 64);
    assert_near(kernel_cycles(&run, pointer_chase, 192) - once, 128 * 263.0, EXACT);
    /* And an L2 that does not hold them either. */
    run.changes[4] = "machine.l2.size=4096";
    assert_near(kernel_slope(&run, pointer_chase, 100), 1001, EXACT);
}

/* GTX 280: no caches; 450 cycles, and the 32 bytes' transfer does not add to it. */
static void test_uncached_chase(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "gtx280", .bytes = 1 << 16, .step = 128, .block = 1};
    assert_near(kernel_slope(&run, pointer_chase, 100), 450, 1e-3);
}

/* ---- global memory: bandwidths ----------------------------------------------------------------- */

/* Each warp of the launch loads lines of its own, one after the other: `count` a warp. */
static unsigned stride_warps, warps_of_block;

static void stream(FILE *out, unsigned count)
{
    fprintf(out,
            "mad.lo.u32 %%r2, %%r1, %u, %%r0;\nmul.wide.u32 %%rd1, %%r2, 4;\n"
            "add.u64 %%rd1, %%rd1, %%rd0;\n",
            32 * warps_of_block);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "ld.global.cg.u32 %%r%u, [%%rd1+%u];\n", 4 + i % 24, i * stride_warps * 128);
}

/* All bytes at the bandwidth of the GPU, whatever part of the SMs has more blocks than others:
 * of 898 GB/s a V100 sustains 867. */
static void test_dram_bandwidth(void **state)
{
    (void)state;
    static const unsigned grids[] = {4, 5, 8, 10};
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        warps_of_block = 32;
        stride_warps = grids[i] * warps_of_block;
        struct kernel_run run = {.gpu = "v100",
                                 .changes = {"machine.sm.count=4", "machine.dram.bandwidth=100e9"},
                                 .grid = grids[i],
                                 .options = IN_TURN,
                                 .block = 1024,
                                 .bytes = stride_warps * 128 * 40};
        assert_near(kernel_slope(&run, stream, 20),
                    grids[i] * 32 * 128 / (100e9 * 867 / 898 / 1.53e9), 0.01);
    }
}

static void hits(FILE *out, unsigned count)
{
    fputs("mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd1, %rd0;\n", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s %%r%u, [%%rd1];\n", load_operator, 4 + i % 24);
}

/* A line a warp, again and again. L1: 64 bytes a cycle of the SM. L2: half of the GPU's bandwidth for each
 * of two SMs, 32 bytes a cycle; one alone takes no more than the port lets by. */
static void test_cache_bandwidth(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100",
                             .changes = {"machine.l1.bandwidth=64", "machine.sm.count=2",
                                         "machine.l2.bandwidth=97.92e9"},
                             .grid = 2,
                             .block = 1024,
                             .bytes = 4096};
    load_operator = "ld.global.u32";
    assert_near(kernel_slope(&run, hits, 200), 32 * 128 / 64.0, 0.01);
    load_operator = "ld.global.cg.u32";
    assert_near(kernel_slope(&run, hits, 200), 32 * 128 / 32.0, 0.01);
    run.grid = 1;
    run.changes[2] = "machine.l2.bandwidth=1e15";
    run.changes[3] = "machine.l2.sm_bandwidth=48";
    run.changes[4] = "machine.l1.bandwidth=1000";
    assert_near(kernel_slope(&run, hits, 200), 32 * 128 / 48.0, 0.01);
    load_operator = "ld.global.u64";
}

static void scattered_hits(FILE *out, unsigned count)
{
    fputs("mul.wide.u32 %rd1, %r0, 128;\nadd.u64 %rd1, %rd1, %rd0;\n", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "ld.global.ca.u32 %%r%u, [%%rd1];\n", 4 + i % 24);
}

/* 32 lanes in 32 lines: the L1 looks up a line a cycle. One warp alone waits for its last line: 31 cycles
 * and the latency. */
static void test_scattered_hits(void **state)
{
    (void)state;
    struct kernel_run run = {
        .gpu = "v100", .changes = {"machine.l1.bandwidth=128"}, .block = 32, .bytes = 4096};
    assert_near(kernel_slope(&run, scattered_hits, 48), 32, 0.02);
}

/* ---- barriers, waves, launch -------------------------------------------------------------------- */

/* Between two barriers, warp 0 alone adds 50 times. */
static void uneven(FILE *out, unsigned count)
{
    fputs("setp.gt.u32 %p0, %r0, 31;\n", out);
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "@%%p0 bra later_%u;\n", i);
        chain(out, 50);
        fprintf(out, "later_%u:\nbar.sync 0;\n", i);
    }
}

/* The slowest warp: 50 additions of 20 cycles; the barrier itself is a few cycles of the 1000. */
static void test_barriers(void **state)
{
    (void)state;
    struct kernel_run run = {
        .gpu = "v100", .changes = {"machine.latency.fp32.add=20"}, .block = 256};
    assert_near(kernel_slope(&run, uneven, 10), 50 * 20, 0.05);
    run.without = "sync";
    assert_near(kernel_slope(&run, uneven, 10), 50 * 20, 0.05);
}

/* B blocks of one warp, two resident on each of 3 SMs: ceil(ceil(B / 3) / 2) rounds of a chain. */
static void test_waves(void **state)
{
    (void)state;
    static const unsigned grids[] = {1, 3, 4, 6, 7, 12, 13, 37, 6 * 700 + 1, 6 * 700 + 5};
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        struct kernel_run run = {.gpu = "v100",
                                 .changes = {"machine.sm.count=3", "machine.sm.max_blocks=2"},
                                 .grid = grids[i]};
        double rounds = ceil(ceil(grids[i] / 3.0) / 2);
        assert_near(kernel_slope(&run, chain, 100), rounds * 100 * 4 / 100, EXACT);
    }
}

static void test_launch_cost(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100"};
    double as_measured = kernel_cycles(&run, chain, 10);
    run.without = "launch";
    double without = kernel_cycles(&run, chain, 10);
    assert_near(as_measured - without, 1400, EXACT);
    run.without = NULL;
    run.changes[0] = "machine.launch.cycles=5000";
    assert_near(kernel_cycles(&run, chain, 10) - without, 5000, EXACT);
    run.gpu = "a100-sxm4-40gb"; /* its file says nothing */
    run.changes[0] = NULL;
    as_measured = kernel_cycles(&run, chain, 10);
    run.without = "launch";
    assert_near(as_measured - kernel_cycles(&run, chain, 10), 1400, EXACT);
    run.gpu = "gtx580";
    without = kernel_cycles(&run, chain, 10);
    run.without = NULL;
    assert_near(kernel_cycles(&run, chain, 10), without, EXACT);
}

/* ---- all SMs ----------------------------------------------------------------------------------- */

/* Block b goes through a chain of `count` additions b + 1 times. */
static void growing_chain(FILE *out, unsigned count)
{
    fputs("add.u32 %r2, %r1, 1;\nagain:\n", out);
    for (unsigned i = 0; i < count; i++)
        fputs("add.f32 %f2, %f2, %f1;\n", out);
    fputs("sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 bra again;\n", out);
}

/* Four SMs with a block each, of one warp: an addition takes 4 cycles (V100), and the last block goes through 4
 * chains. One SM alone has one of the blocks, and its time is that of the longest by the instructions. */
static void test_all_sms(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100", .changes = {"machine.sm.count=4"}, .grid = 4};
    assert_near(kernel_slope(&run, growing_chain, 100), 4 * 4.0, 0.03);
    run.options = "sms=all";
    assert_near(kernel_slope(&run, growing_chain, 100), 4 * 4.0, EXACT);
    /* Three SMs: one has two blocks side by side. */
    run.changes[0] = "machine.sm.count=3";
    assert_near(kernel_slope(&run, growing_chain, 100), 4 * 4.0, EXACT);
}

/* ---- unequal blocks ---------------------------------------------------------------------------- */

enum { LONGER = 50, MANY_BLOCKS = 2000 };
static unsigned long_block;

/* A chain of additions, in one block LONGER times as long. */
static void one_long_block(FILE *out, unsigned count)
{
    fprintf(out, "setp.eq.u32 %%p0, %%r1, %u;\n", long_block);
    fprintf(out, "selp.u32 %%r2, %u, %u, %%p0;\nAGAIN:\n", LONGER * count, count);
    for (unsigned i = 0; i < 8; i++)
        fputs("add.f32 %f2, %f2, %f1;\n", out);
    fputs("sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra AGAIN;\n", out);
}

/* Of 2,000 blocks of one warp all but one are over soon: 25 on each of 80 SMs, which has places for 32. The launch
 * takes as long as the long one alone, wherever it lies and whether it is traced or not; the 24 others are in its way
 * for less than a tenth of that. */
static void test_longest_block_counts(void **state)
{
    (void)state;
    static const unsigned places[] = {0, 71, 999, 1234, 1999};
    struct kernel_run alone = {.gpu = "v100", .grid = 1, .block = 32};
    struct kernel_run many = {.gpu = "v100", .grid = MANY_BLOCKS, .block = 32};
    long_block = 0;
    double want = kernel_cycles(&alone, one_long_block, 100);
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        long_block = places[i];
        assert_near(kernel_cycles(&many, one_long_block, 100), want, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_block_counts),
        cmocka_unit_test(test_issue),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_hiding),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_pointer_chase),
        cmocka_unit_test(test_uncached_chase),
        cmocka_unit_test(test_dram_bandwidth),
        cmocka_unit_test(test_cache_bandwidth),
        cmocka_unit_test(test_scattered_hits),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_all_sms),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_launch_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
