// SPDX-License-Identifier: Apache-2.0
/* What the model teg says of DRAM rows and atomics, on kernels in PTX whose cycles follow from the figures of invented
 * machines. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/teg_kernel.h"

#define assert_near(got, want, relative)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (relative)*fabs(want_)))                                       \
            fail_msg("%s is %.9g, not %.9g", #got, got_, want_);                                   \
    } while (0)

/* ---- DRAM rows --------------------------------------------------------------------------------- */

/* Each load of each warp has lanes `lane_bytes` apart; the warp's next load, and the next warp's, are
 * `load_bytes` further on. */
static unsigned lane_bytes, load_bytes, warps;

static void spread(FILE *out, unsigned count)
{
    fprintf(out,
            "shr.u32 %%r2, %%r0, 5;\nmad.lo.u32 %%r2, %%r1, %u, %%r2;\nand.b32 %%r3, %%r0, 31;\n"
            "mul.wide.u32 %%rd1, %%r2, %u;\nadd.u64 %%rd1, %%rd1, %%rd0;\n"
            "mul.wide.u32 %%rd2, %%r3, %u;\nadd.u64 %%rd1, %%rd1, %%rd2;\n",
            warps, 2 * count * load_bytes, lane_bytes);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "ld.global.cg.u32 %%r%u, [%%rd1+%u];\n", 4 + i % 24, i * load_bytes);
}

/* Four SMs at 1.53 GHz; 8 channels of 4 banks open a row of 1 KiB each in 100 ns: 32 rows in 153 cycles, of
 * which an SM has a quarter. A row of all channels is 8 KiB. */
static struct kernel_run banks_of_v100(void)
{
    return (struct kernel_run){
        .gpu = "v100",
        .changes = {"machine.sm.count=4", "machine.dram.bandwidth=100e9", "machine.dram.channels=8",
                    "machine.dram.banks=4", "machine.dram.row_size=1024",
                    "machine.dram.row_cycle=100e-9"},
        .grid = 4,
        .block = 128,
    };
}

/* 32 lanes in 32 rows: 32 * 153 * 4 / 32 cycles a load of each of four warps. Without them the bandwidth
 * counts, 32 fetches of 64 bytes at a quarter of what 100 GB/s sustain, or of a sector; as for lines one after the other, of which a
 * row holds eight. */
static void test_rows(void **state)
{
    (void)state;
    struct kernel_run run = banks_of_v100();
    double bytes_per_cycle = 100e9 * 867 / 898 / 1.53e9 / 4; /* a V100 sustains 867 of 898 */
    warps = 4;
    lane_bytes = 8 << 10;
    load_bytes = 32 * lane_bytes;
    run.bytes = (uint64_t)4 * warps * 2 * 8 * load_bytes;
    assert_near(kernel_slope(&run, spread, 4), warps * 32 * 153 * 4 / 32.0, 0.01);
    run.without = "channel-skew";
    assert_near(kernel_slope(&run, spread, 4), warps * 32 * 64 / bytes_per_cycle, 0.01);
    run.options = "fetch=sectors";
    assert_near(kernel_slope(&run, spread, 4), warps * 32 * 32 / bytes_per_cycle, 0.01);
    run.options = run.without = NULL;
    run.changes[6] = "machine.dram.row_cycle=200e-9";
    run.changes[7] = "machine.dram.banks=16";
    assert_near(kernel_slope(&run, spread, 4), warps * 32 * 306 * 4 / 128.0, 0.01);
    lane_bytes = 4;
    load_bytes = 128;
    run.bytes = (uint64_t)4 * warps * 2 * 128 * load_bytes;
    assert_near(kernel_slope(&run, spread, 64), warps * 128 / bytes_per_cycle, 0.01);
}

/* One lane's load waits for its row no longer than dram.latency says. */
static void test_one_row(void **state)
{
    (void)state;
    struct kernel_run run = banks_of_v100();
    run.grid = 1;
    run.block = 1;
    warps = 1;
    lane_bytes = 4;
    load_bytes = 8 << 10;
    run.bytes = 1 << 20;
    double with = kernel_cycles(&run, spread, 1);
    run.without = "channel-skew";
    assert_near(kernel_cycles(&run, spread, 1), with, 1e-12);
}

/* GTX 280 at 1.3 GHz: a bank opens a row in 65 cycles; a cluster has a tenth of its time. 8 channels of 8
 * banks with rows of 4 KiB: every 256 KiB the same bank and another row, 650 cycles; every 32 KiB the next
 * bank of the channel: an eighth of that, which is less than the channel takes for the 128 bytes, an
 * eighth of a tenth of 141.7 GB/s. Then the banks do not count. */
static void test_bank_conflicts(void **state)
{
    (void)state;
    struct kernel_run run = {
        .gpu = "gtx280",
        .changes = {"machine.dram.banks=8", "machine.dram.row_size=4096",
                    "machine.dram.row_cycle=50e-9"},
        .block = 128,
    };
    warps = 4;
    lane_bytes = 4;
    load_bytes = 256 << 10;
    run.bytes = (uint64_t)warps * 2 * 16 * load_bytes;
    assert_near(kernel_slope(&run, spread, 8), warps * 650, 0.01);
    load_bytes = 32 << 10;
    run.bytes = (uint64_t)warps * 2 * 128 * load_bytes;
    assert_near(kernel_slope(&run, spread, 64), warps * 128 * 8 / (141.7e9 / 1.3e9 / 10), 0.02);
}

/* ---- atomics ----------------------------------------------------------------------------------- */

/* One counter for all, one for each block, or 32 words that the lanes of every warp share. */
static const char *counter_of;

static void reductions(FILE *out, unsigned count)
{
    fprintf(out,
            "and.b32 %%r2, %%r0, 31;\n%s\nmul.wide.u32 %%rd1, %%r2, 4;\n"
            "add.u64 %%rd1, %%rd1, %%rd0;\n",
            counter_of);
    for (unsigned i = 0; i < count; i++)
        fputs("red.global.add.u32 [%rd1], 1;\n", out);
}

/* Four SMs with four warps each: 512 lanes at one address take two cycles each. Of a counter for each block only
 * its 128 lanes; of 32 words the 16 lanes that a word has of the 16 warps. Without the bandwidth of the L2
 * the load/store unit takes the four warps' accesses, one a cycle. */
static void test_counters(void **state)
{
    (void)state;
    static const struct {
        const char *counter;
        double want;
    } rows[] = {
        {"mov.u32 %r2, 0;", 4 * 4 * 32 * 2},
        {"shl.b32 %r2, %r1, 5;", 4 * 32 * 2},
        {"", 4 * 4 * 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel_run run = {.gpu = "v100",
                                 .changes = {"machine.sm.count=4", "machine.l2.atomic_cycles=2",
                                             "machine.l2.request_bandwidth=256"},
                                 .grid = 4,
                                 .block = 128,
                                 .bytes = 4096};
        counter_of = rows[i].counter;
        assert_near(kernel_slope(&run, reductions, 200), rows[i].want, 1e-3);
        run.without = "bandwidth";
        assert_near(kernel_slope(&run, reductions, 200), 4, 1e-3);
    }
}

/* One counter, at an address and with a value that the compiler knows to be uniform, or not. */
static const char *addition;

static void additions(FILE *out, unsigned count)
{
    fputs("add.u64 %rd5, %rd0, 64;\nmov.u32 %r5, %ctaid.x;\nadd.s32 %r6, %r5, 3;\n", out);
    for (unsigned i = 0; i < count; i++)
        fputs(addition, out);
}

/* ptxas adds up what the lanes add, where it is an integer and address and value are uniform: one atomic a
 * warp, 4 * 4 of them, of two cycles each. */
static void test_added_up(void **state)
{
    (void)state;
    static const struct {
        const char *addition;
        double want;
    } rows[] = {
        {"red.global.add.u32 [%rd5], 1;\n", 4 * 4 * 2},
        {"red.global.add.u64 [%rd5], 7;\n", 4 * 4 * 2},
        {"red.global.add.s32 [%rd5], %r6;\n", 4 * 4 * 2},
        {"red.global.add.u32 [%rd5], %r0;\n", 4 * 4 * 32 * 2}, /* each lane its own */
        {"red.global.add.f32 [%rd5], 0f3f800000;\n", 4 * 4 * 32 * 2},
        {"red.global.or.b32 [%rd5], 1;\n", 4 * 4 * 32 * 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel_run run = {.gpu = "v100",
                                 .changes = {"machine.sm.count=4", "machine.l2.atomic_cycles=2"},
                                 .grid = 4,
                                 .block = 128,
                                 .bytes = 4096};
        addition = rows[i].addition;
        assert_near(kernel_slope(&run, additions, 200), rows[i].want, 1e-3);
    }
}

/* Blocks in two waves on one SM, and those of a grid that does not fill the SMs: the lanes of all. */
static void test_counter_of_waves(void **state)
{
    (void)state;
    counter_of = "mov.u32 %r2, 0;";
    for (unsigned grid = 1; grid <= 37; grid += 12) {
        struct kernel_run run = {.gpu = "v100",
                                 .changes = {"machine.sm.count=8", "machine.sm.max_blocks=2"},
                                 .grid = grid,
                                 .block = 64,
                                 .bytes = 4096};
        assert_near(kernel_slope(&run, reductions, 400), grid * 64.0, 0.01);
    }
}

static void counted_chain(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fputs("atom.global.add.u32 %r4, [%rd0], %r4;\n", out);
}

/* One warp that waits for what it gets: the latency of the L2, and the turns of the 31 other lanes. */
static void test_atomic_chain(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100",
                             .changes = {"machine.l2.latency=211", "machine.l2.atomic_cycles=5"}};
    assert_near(kernel_slope(&run, counted_chain, 50), 211 + 31 * 5.0, 1e-3);
    run.block = 1;
    assert_near(kernel_slope(&run, counted_chain, 50), 211, 1e-3);
}

static void shared_additions(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fputs(addition, out);
}

/* 31 lanes wait for their turn at a word of shared memory: 6.7 cycles each on cc 7.x, a pass of one cycle on cc
 * 8.0, where additions of one are counted instead: one pass, and two warps' come every cycle. */
static void test_shared_turns(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *addition;
        double want;
    } rows[] = {
        {"v100", "red.shared.add.u32 [words], 1;\n", 1 + 31 * 6.7},
        {"v100", "red.shared.add.u32 [words], 2;\n", 1 + 31 * 6.7},
        {"a100-sxm4-40gb", "red.shared.add.u32 [words], 2;\n", 1 + 31},
        {"a100-sxm4-40gb", "red.shared.add.f32 [words], 0f3f800000;\n", 1 + 31},
        {"a100-sxm4-40gb", "red.shared.add.u32 [words], 1;\n", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel_run run = {.gpu = rows[i].gpu, .block = 256};
        addition = rows[i].addition;
        assert_near(kernel_slope(&run, shared_additions, 100), 8 * rows[i].want, 2e-3);
    }
    struct kernel_run run = {
        .gpu = "v100", .changes = {"machine.shared.atomic_cycles=3"}, .block = 256};
    addition = rows[0].addition;
    assert_near(kernel_slope(&run, shared_additions, 100), 8 * (1 + 31 * 3), 2e-3);
}

static unsigned loaded_words;

/* Volatile, so that they stay apart; each into registers of its own, so that they do not wait for each other. */
static void shared_loads(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned to = i * 4 % 64;
        if (loaded_words == 4)
            fprintf(out, "ld.volatile.shared.v4.f32 {%%f%u, %%f%u, %%f%u, %%f%u}, [words];\n", to,
                    to + 1, to + 2, to + 3);
        else
            fprintf(out, "ld.volatile.shared.v2.f32 {%%f%u, %%f%u}, [words];\n", to, to + 1);
    }
}

/* Eight warps keep the banks busy: 16 bytes a lane take four passes, two where lanes read in pairs; 8 bytes two, or
 * one. */
static void test_joined_phases(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *options;
        unsigned words;
        double passes;
    } rows[] = {
        {"v100", "order=native", 4, 2},
        {"v100", "order=native", 2, 1},
        {"v100", "order=native,phases=apart", 4, 4},
        {"v100", "order=native,phases=apart", 2, 2},
        {"a100-sxm4-40gb", "order=native", 4, 2},
        {"p100-pcie", "order=ptx", 4, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel_run run = {
            .gpu = rows[i].gpu, .block = 256, .without = "fetch", .options = rows[i].options};
        loaded_words = rows[i].words;
        assert_near(kernel_slope(&run, shared_loads, 96), 8 * rows[i].passes, 2e-3);
    }
}

/* ---- the way to the L2 ------------------------------------------------------------------------- */

static unsigned store_stride;

static void stores(FILE *out, unsigned count)
{
    fprintf(out, "mul.wide.u32 %%rd1, %%r0, %u;\nadd.u64 %%rd1, %%rd1, %%rd0;\n", store_stride);
    for (unsigned i = 0; i < count; i++)
        fputs("st.global.u32 [%rd1], %r0;\n", out);
}

/* Four warps of an SM store a line each, a header and four sectors of 32 bytes, or lane by lane a sector of its
 * own in a line of four. Two SMs share 32 bytes a cycle, one alone has them; at no cost, it is the 64 bytes a cycle
 * of an SM's port. */
static void test_way_to_l2(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100",
                             .changes = {"machine.sm.count=4", "machine.sm.per_cluster=2"},
                             .grid = 4,
                             .block = 128,
                             .bytes = 16384};
    store_stride = 4;
    assert_near(kernel_slope(&run, stores, 200), 4 * (1 + 4) * 2, 1e-3);
    store_stride = 32;
    assert_near(kernel_slope(&run, stores, 200), 4 * 8 * (1 + 4) * 2, 1e-3);
    run.grid = 2;
    assert_near(kernel_slope(&run, stores, 200), 4 * 8 * (1 + 4), 1e-3);
    run.options = "requests=free";
    assert_near(kernel_slope(&run, stores, 200), 4 * 8 * 128 / 64, 1e-3);
}

/* Each load of each warp has a line of its own, which the L2 has. */
static void line_loads(FILE *out, unsigned count)
{
    fputs("mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd1, %rd0;\n", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "ld.global.u32 %%r%u, [%%rd1+%u];\n", 4 + i % 24, i * 512);
}

/* The lanes of each half-warp lie `lane_bytes` apart, the halves `load_bytes`; every load reads the same. */
static unsigned start_bytes;

static void half_warps(FILE *out, unsigned count)
{
    fprintf(out,
            "and.b32 %%r2, %%r0, 15;\nand.b32 %%r3, %%r0, 16;\nshr.u32 %%r3, %%r3, 4;\n"
            "mul.wide.u32 %%rd1, %%r2, %u;\nmul.wide.u32 %%rd2, %%r3, %u;\n"
            "add.u64 %%rd1, %%rd1, %%rd2;\nadd.u64 %%rd1, %%rd1, %%rd0;\n",
            lane_bytes, load_bytes);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "ld.global.u32 %%r%u, [%%rd1+%u];\n", 4 + i % 24, start_bytes);
}

/* Cycles of the L1 for a load of a warp, while it looks up four lines at a time, and while it looks up one: those
 * of a load of four warps over four. */
static void expect_turns(unsigned start, unsigned lane, unsigned half, double turns, double by_line)
{
    struct kernel_run run = {
        .gpu = "v100", .changes = {"machine.l1.bandwidth=128"}, .block = 128, .bytes = 1 << 20};
    start_bytes = start, lane_bytes = lane, load_bytes = half;
    assert_near(kernel_slope(&run, half_warps, 400), 4 * turns, 0.01);
    run.options = "tags=one";
    assert_near(kernel_slope(&run, half_warps, 400), 4 * by_line, 0.01);
}

/* 32 words in a row lie in banks of their own, in one line or two. Every other word: each bank of the even ones twice.
 * Two rows of 16 words, the second 46 words behind the first, which is 14 banks: two banks have a word of each. A
 * column of a matrix of 32 columns is one bank, with one column more each word has its bank, but 32 lines need eight
 * turns of four. */
static void test_turns_of_l1(void **state)
{
    (void)state;
    expect_turns(0, 4, 64, 1, 1);
    expect_turns(4, 4, 64, 1, 2);
    expect_turns(0, 8, 128, 2, 2);
    expect_turns(0, 4, 4 * 46, 2, 2);
    expect_turns(0, 128, 16 * 128, 32, 32);
    expect_turns(0, 132, 16 * 132, 8, 32);
}

/* A line passes the L1 in a cycle; its four sectors come in two pieces, which take one each. */
static void test_fills(void **state)
{
    (void)state;
    struct kernel_run run = {
        .gpu = "v100",
        .changes = {"machine.l1.bandwidth=128", "machine.l2.sm_bandwidth=128",
                    "machine.l2.request_bandwidth=256", "machine.dram.bandwidth=1e13",
                    "machine.dram.sustained_bandwidth=1e13", "machine.l2.bandwidth=1e13",
                    "machine.dram.latency=60", "machine.l2.latency=60"},
        .block = 128,
        .bytes = 1 << 20,
        .without = "channel-skew"};
    assert_near(kernel_slope(&run, line_loads, 400), 4 * (1 + 2), 0.01);
    run.options = "fills=free";
    assert_near(kernel_slope(&run, line_loads, 400), 4, 0.01);
}

/* Stores to `count` lines for each of 128 threads, each line once. */
static void stream(FILE *out, unsigned count)
{
    fprintf(out,
            "mad.lo.u32 %%r2, %%r1, %u, %%r0;\nmul.wide.u32 %%rd1, %%r2, 4;\n"
            "add.u64 %%rd1, %%rd1, %%rd0;\n",
            128 * count);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "st.global.u32 [%%rd1+%u], %%r0;\n", i * 512);
}

/* What is written stays in an L2 that holds it. Else its last lines do: of 4 SMs * 400 stores of 512 bytes, 800 KiB,
 * half leaves one of 400 KiB. */
static void test_written_back(void **state)
{
    (void)state;
    double bytes_per_cycle = 10e9 * 867 / 898 / 1.53e9 / 4;
    struct kernel_run run = {.gpu = "v100",
                             .changes = {"machine.sm.count=4", "machine.dram.bandwidth=10e9",
                                         "machine.dram.sustained_bandwidth=9654788418.7",
                                         "machine.l2.size=409600",
                                         "machine.dram.mixed_bandwidth=9654788418.7"},
                             .grid = 4,
                             .block = 128,
                             .bytes = 4 * 400 * 512,
                             .without = "channel-skew,launch"};
    assert_near(kernel_cycles(&run, stream, 400), 400 * 512 / 2 / bytes_per_cycle, 0.02);
    run.options = "writes=through";
    assert_near(kernel_cycles(&run, stream, 400), 400 * 512 / bytes_per_cycle, 0.02);
    run.options = NULL;
    run.changes[3] = "machine.l2.size=819200";
    assert_near(kernel_cycles(&run, stream, 400), 4 * 400 * 5 * 2, 0.05);
}

/* A mean of 1 for a sector read and `cost` for one written is what half and half gets: 8 GB/s of 10 make 1.5. Without a
 * figure 92.7 % of what reading gets. */
static void test_turnaround(void **state)
{
    (void)state;
    double bytes_per_cycle = 10e9 / 1.53e9;
    struct kernel_run run = {.gpu = "v100",
                             .changes = {"machine.sm.count=1", "machine.dram.bandwidth=10e9",
                                         "machine.dram.sustained_bandwidth=10e9",
                                         "machine.dram.mixed_bandwidth=8e9"},
                             .block = 128,
                             .bytes = 400 * 512,
                             .without = "channel-skew,launch",
                             .options = "writes=through"};
    assert_near(kernel_cycles(&run, stream, 400), 1.5 * 400 * 512 / bytes_per_cycle, 0.02);
    assert_near(kernel_slope(&run, line_loads, 64), 512 / bytes_per_cycle, 0.02);
    run.options = "writes=through,turnaround=none";
    assert_near(kernel_cycles(&run, stream, 400), 400 * 512 / bytes_per_cycle, 0.02);
    run.gpu = "rtx3090";
    run.options = "writes=through";
    run.changes[3] = NULL;
    assert_near(kernel_cycles(&run, stream, 400), (2 / 0.927 - 1) * 400 * 512 / (10e9 / 1.695e9),
                0.02);
    run.changes[2] = "machine.dram.sustained_bandwidth=20e9"; /* of another memory */
    assert_near(kernel_slope(&run, line_loads, 64), 512 / (0.96 * 10e9 / 1.695e9), 0.02);
}

/* 64 loads of lines of its own for each of four warps, 128 KiB a block. A warm L2 that holds the launch's data
 * has them; one that does not is as good as an empty one, where each line takes its time on the DRAM. */
static void test_warm_l2(void **state)
{
    (void)state;
    double bytes_per_cycle = 10e9 * 867 / 898 / 1.53e9;
    struct kernel_run run = {.gpu = "v100",
                             .changes = {"machine.sm.count=1", "machine.dram.bandwidth=10e9",
                                         "machine.dram.sustained_bandwidth=9654788418.7",
                                         "machine.l2.size=1048576"},
                             .block = 128,
                             .bytes = 1 << 20,
                             .without = "channel-skew,launch"};
    assert_near(kernel_slope(&run, line_loads, 64), 512 / bytes_per_cycle, 0.02);
    run.l2 = "warm";
    assert_in_range(kernel_slope(&run, line_loads, 64), 0, 40);
    run.changes[3] = "machine.l2.size=16384";
    assert_near(kernel_slope(&run, line_loads, 64), 512 / bytes_per_cycle, 0.02);
}

/* What the launch finds in the L2 holds for all models: the caches of the report and the bound. The lines are read
 * once: by a cold L2 from the DRAM, by a warm one not at all. */
static void test_warm_l2_of_all(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100",
                             .changes = {"machine.sm.count=1", "machine.l2.size=1048576"},
                             .block = 128,
                             .bytes = 1 << 20};
    double sectors = 64 * 4 * 4;
    assert_near(kernel_figure(&run, line_loads, 64, "caches/sectors/dram_read"), sectors, 1e-12);
    assert_near(kernel_figure(&run, line_loads, 64, "caches/l2_hit_rate"), 0, 0);
    run.l2 = "warm";
    run.changes[1] =
        "machine.l2.size=32768"; /* as large as what is read: 64 lines come to 64 places in the mean */
    assert_near(kernel_figure(&run, line_loads, 64, "caches/sectors/dram_read"),
                sectors * (1 - 0.4834), 0.01);
    run.changes[1] = "machine.l2.size=1048576";
    assert_near(kernel_figure(&run, line_loads, 64, "caches/sectors/dram_read"), 0, 0);
    assert_near(kernel_figure(&run, line_loads, 64, "caches/l2_hit_rate"), 1, 0);
    assert_near(kernel_figure(&run, line_loads, 64, "estimates/teg/terms/l2_hit"), 1, 0);
    run.l2 = "25%";
    assert_near(kernel_figure(&run, line_loads, 64, "caches/sectors/dram_read"), 0.75 * sectors,
                0.01);
    assert_near(kernel_figure(&run, line_loads, 64, "l2_found"), 0.25, 0);
    run.l2 = "0%";
    assert_near(kernel_figure(&run, line_loads, 64, "caches/sectors/dram_read"), sectors, 1e-12);
}

static void chase(FILE *out, unsigned count)
{
    fputs("mov.u64 %rd2, %rd0;\n", out);
    for (unsigned i = 0; i < count; i++)
        fputs("ld.global.cg.u64 %rd2, [%rd2];\n", out);
}

/* Two SMs follow the same chain of 384 lines, 48 KiB, twice. An L2 of 64 KiB has them the second time; one of two
 * halves, each of which keeps what is read beside it, does not: every other of its misses goes to the DRAM, the
 * others find what the other SM has fetched. */
static void test_halves_of_l2(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100",
                             .changes = {"machine.sm.count=2", "machine.l2.size=65536",
                                         "machine.l2.latency=200", "machine.dram.latency=400",
                                         "machine.l2.partitions=1"},
                             .grid = 2,
                             .bytes = 384 * 128,
                             .step = 128,
                             .without = "channel-skew"};
    assert_near(kernel_slope(&run, chase, 384), 200, 0.05);
    run.changes[4] = "machine.l2.partitions=2";
    assert_near(kernel_slope(&run, chase, 384), 300, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),           cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_bank_conflicts), cmocka_unit_test(test_counters),
        cmocka_unit_test(test_added_up),       cmocka_unit_test(test_counter_of_waves),
        cmocka_unit_test(test_atomic_chain),   cmocka_unit_test(test_way_to_l2),
        cmocka_unit_test(test_fills),          cmocka_unit_test(test_written_back),
        cmocka_unit_test(test_turnaround),     cmocka_unit_test(test_warm_l2),
        cmocka_unit_test(test_shared_turns),   cmocka_unit_test(test_halves_of_l2),
        cmocka_unit_test(test_warm_l2_of_all), cmocka_unit_test(test_joined_phases),
        cmocka_unit_test(test_turns_of_l1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
