// SPDX-License-Identifier: Apache-2.0
/* Kernels whose time in the order of native code follows from figures of a V100: loads that a compiler hoists,
 * what keeps it from that, loops that it unrolls, addresses that cost nothing. */
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

enum { LATENCY = 434 }; /* of DRAM, cycles */

/* ---- hoisting -------------------------------------------------------------------------------- */

/* Sums of words that lie apart, each load right before its use. */
static const char *between; /* a load and the next */

static void sums(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "ld.global.cg.f32 %%f%u, [%%rd0+%u];\nadd.f32 %%f2, %%f2, %%f%u;\n%s",
                4 + i % 16, i * 4096, 4 + i % 16, between);
}

/* One warp, eight loads: as written each waits for the one before; hoisted they wait together, and the eight
 * additions of four cycles follow. */
static void test_loads_are_hoisted(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100", .bytes = 1 << 20, .options = "order=ptx"};
    between = "";
    double written = kernel_cycles(&run, sums, 8) - kernel_cycles(&run, sums, 1);
    run.options = "order=native";
    double native = kernel_cycles(&run, sums, 8) - kernel_cycles(&run, sums, 1);
    assert_near(written, 7 * (LATENCY + 4), 0.02);
    assert_true(native >= 7 * 4 && native < 7 * 4 + 60);
}

/* Memory that a store may have changed is read behind it, unless it is read-only or of another space. */
static void test_stores_keep_loads_back(void **state)
{
    (void)state;
    static const struct {
        const char *between;
        double waits; /* of the eight */
    } rows[] = {
        {"st.global.f32 [%rd0+65536], %f2;\n", 7},
        {"st.shared.f32 [words], %f2;\n", 0},
        {"mov.u32 %r9, %clock;\n", 7}, /* nothing moves past a clock read */
    };
    struct kernel_run run = {.gpu = "v100", .bytes = 1 << 20, .options = "order=native"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        between = rows[i].between;
        double cycles = kernel_cycles(&run, sums, 8) - kernel_cycles(&run, sums, 1);
        assert_true(cycles >= rows[i].waits * LATENCY);
        assert_true(cycles < rows[i].waits * (LATENCY + 20) + 120);
    }
}

/* A clock read waits for no load. */
static void loads_and_clocks(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "ld.global.cg.f32 %%f%u, [%%rd0+%u];\nmov.u32 %%r9, %%clock;\n", 4 + i % 16,
                i * 4096);
}

static void test_clocks_wait_for_no_load(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100", .bytes = 1 << 20, .options = "order=native"};
    double cycles =
        kernel_cycles(&run, loads_and_clocks, 8) - kernel_cycles(&run, loads_and_clocks, 1);
    assert_true(cycles < 120);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void loop(FILE *out, unsigned count)
{
    fprintf(out,
            "mov.u32 %%r2, 0;\nmov.u64 %%rd1, %%rd0;\nLOOP:\nld.global.cg.f32 %%f4, [%%rd1];\n"
            "add.f32 %%f2, %%f2, %%f4;\nadd.s64 %%rd1, %%rd1, 4096;\nadd.u32 %%r2, %%r2, 1;\n"
            "setp.lt.u32 %%p1, %%r2, %u;\n@%%p1 bra LOOP;\n",
            count);
}

/* Four iterations wait together. */
static void test_loops_are_unrolled(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100", .bytes = 1 << 20, .options = "order=ptx"};
    double written = kernel_slope(&run, loop, 32);
    run.options = "order=native";
    double native = kernel_slope(&run, loop, 32);
    assert_true(written > LATENCY);
    assert_near(native, (LATENCY + 4 * 4) / 4.0, 0.08);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static void addresses(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "add.s64 %%rd%u, %%rd0, %u;\nld.global.ca.f32 %%f%u, [%%rd%u];\n", 1 + i,
                i % 32 * 4, 4 + i, 1 + i);
}

/* An address plus a constant is part of the access: hits in the L1, one a cycle where one address
 * unit of four does not bound them, and nothing else. */
static void test_addresses_cost_nothing(void **state)
{
    (void)state;
    struct kernel_run run = {
        .gpu = "v100", .bytes = 1 << 20, .options = "order=ptx,memory-path=none"};
    double written = kernel_slope(&run, addresses, 12);
    run.options = "order=native,memory-path=none";
    double native = kernel_slope(&run, addresses, 12);
    assert_true(native <= written / 2 + 0.5);
}

/* ---- many operands --------------------------------------------------------------------------- */

/* 24 registers; the last one is loaded right before if `count` is 2. Additions wait for the result. */
static void product(FILE *out, unsigned count)
{
    for (unsigned i = 2; i < 26; i++)
        fprintf(out, "mov.f32 %%f%u, %%f0;\nmov.b32 %%r%u, %%f0;\n", i, i);
    if (count == 2) fputs("ld.global.cg.f32 %f25, [%rd0+4096];\n", out);
    fputs("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {", out);
    for (unsigned i = 0; i < 24; i++)
        fprintf(out, "%s%%%c%u",
                i == 8 || i == 16 ? "}, {"
                : i               ? ", "
                                  : "",
                i < 8 ? 'f' : 'r', i < 8 ? 30 + i : i - 6);
    fputs("}, {", out);
    for (unsigned i = 18; i < 26; i++)
        fprintf(out, "%s%%f%u", i > 18 ? ", " : "", i);
    fputs("};\n", out);
    for (unsigned i = 0; i < 200; i++)
        fputs("add.f32 %f37, %f37, %f0;\n", out);
    fputs("st.global.f32 [%rd0], %f37;\n", out);
}

static void test_every_operand_is_waited_for(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100", .bytes = 1 << 20, .options = "order=native"};
    double more = kernel_cycles(&run, product, 2) - kernel_cycles(&run, product, 1);
    assert_near(more, LATENCY, 0.1);
}

/* ---- where it does not apply ----------------------------------------------------------------- */

static void test_older_gpus_keep_the_order(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "gtx580", .bytes = 1 << 20, .options = "order=native"};
    between = "";
    double native = kernel_cycles(&run, sums, 8);
    run.options = "order=ptx";
    assert_near(native, kernel_cycles(&run, sums, 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_are_hoisted),
        cmocka_unit_test(test_stores_keep_loads_back),
        cmocka_unit_test(test_clocks_wait_for_no_load),
        cmocka_unit_test(test_loops_are_unrolled),
        cmocka_unit_test(test_addresses_cost_nothing),
        cmocka_unit_test(test_every_operand_is_waited_for),
        cmocka_unit_test(test_older_gpus_keep_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
