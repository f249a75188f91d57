// SPDX-License-Identifier: Apache-2.0
/* Divergence in the model teg, and what its steps cost with the effect switched off. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/teg_kernel.h"

#define assert_near(got, want, relative)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (relative)*fabs(want_)))                                       \
            fail_msg("%s is %.9g, not %.9g", #got, got_, want_);                                   \
    } while (0)

/* Lanes below `split` of each warp execute one side, the others another, of equal length: a chain, or
 * additions that do not depend on each other. */
static unsigned split;
static bool is_chain;

static void side(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "add.f32 %%f%u, %%f%u, %%f1;\n", is_chain ? 2 : 2 + i % 32, is_chain ? 2 : 0);
}

static void two_sides(FILE *out, unsigned count)
{
    fprintf(out, "and.b32 %%r2, %%r0, 31;\nsetp.lt.u32 %%p0, %%r2, %u;\n@%%p0 bra lower;\n", split);
    side(out, count);
    fputs("bra join;\nlower:\n", out);
    side(out, count);
    fputs("join:\n", out);
}

/* V100: an addition of a chain takes 4 cycles, both sides of a warp that is split 8. With each side's part of
 * the lanes, 4 again wherever the warp is split; as where no warp is. */
static void test_chains(void **state)
{
    (void)state;
    static const unsigned splits[] = {0, 1, 8, 16, 31, 32};
    is_chain = true;
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
        struct kernel_run run = {.gpu = "v100"};
        split = splits[i];
        assert_near(kernel_slope(&run, two_sides, 100), split % 32 ? 8 : 4, 1e-3);
        run.without = "divergence";
        assert_near(kernel_slope(&run, two_sides, 100), 4, 1e-3);
    }
}

/* 32 warps on 64 lanes: 16 cycles for an addition of all, twice as much for both sides. */
static void test_throughput(void **state)
{
    (void)state;
    is_chain = false;
    split = 12;
    struct kernel_run run = {.gpu = "v100", .block = 1024};
    assert_near(kernel_slope(&run, two_sides, 100), 2 * 32 * 32 / 64.0, 0.01);
    run.without = "divergence";
    assert_near(kernel_slope(&run, two_sides, 100), 32 * 32 / 64.0, 0.01);
}

/* Lanes that the block does not have are no divergence. */
static void test_short_warp(void **state)
{
    (void)state;
    is_chain = true;
    split = 0;
    struct kernel_run run = {.gpu = "v100", .block = 7};
    double with = kernel_cycles(&run, two_sides, 100);
    run.without = "divergence";
    assert_near(kernel_cycles(&run, two_sides, 100), with, 1e-12);
}

static void to_floats(FILE *out, unsigned count)
{
    kernel_independent(out, count, "cvt.rn.f32.s32 %%f%u, %%r0;\n", 32);
}

static void from_floats(FILE *out, unsigned count)
{
    kernel_independent(out, count, "cvt.rzi.s32.f32 %%r%u, %%f0;\n", 28);
}

static void bit_counts(FILE *out, unsigned count)
{
    kernel_independent(out, count, "popc.b32 %%r%u, %%r0;\n", 28);
}

/* 32 warps: conversions and bit counts by 16 lanes, but from cc 8.6 on integers become floats by the 64 of the integer
 * pipe (I2FP). */
static void test_conversions(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        double lanes; /* for integers to floats */
    } rows[] = {{"v100", 16}, {"a100", 16}, {"rtx3090", 64}, {"rtx4090", 64}, {"h100", 64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel_run run = {.gpu = rows[i].gpu, .block = 1024};
        assert_near(kernel_slope(&run, to_floats, 200), 32 * 32 / rows[i].lanes, 0.01);
        assert_near(kernel_slope(&run, from_floats, 200), 32 * 32 / 16.0, 0.01);
        assert_near(kernel_slope(&run, bit_counts, 200), 32 * 32 / 16.0, 0.01);
    }
}

static void shuffles(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fputs("shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1;\n", out);
}

/* A chain of shuffles takes what the file says, or as long as a load from shared memory. */
static void test_shuffles(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100"};
    assert_near(kernel_slope(&run, shuffles, 100), 18, 1e-3);
    run.gpu = "rtx4090";
    assert_near(kernel_slope(&run, shuffles, 100), 25, 1e-3);
}

static void barriers(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fputs("bar.sync 0;\n", out);
}

/* 22 cycles and 2 for each warp, as a B300 takes; without a figure of the file. */
static void test_barriers(void **state)
{
    (void)state;
    static const char *const gpus[] = {"v100", "rtx3090", "rtx4090", "h100"};
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
        for (unsigned warps = 4; warps <= 32; warps *= 2) {
            struct kernel_run run = {.gpu = gpus[i], .block = 32 * warps};
            assert_near(kernel_slope(&run, barriers, 100), 22 + 2 * warps, 0.04);
        }
}

static void doubles(FILE *out, unsigned count)
{
    kernel_independent(out, count, "fma.rn.f64 %%d%u, %%d0, %%d0, %%d1;\n", 28);
}

/* Two lanes of the SM take a warp in 16 cycles, wherever it runs; the eight of each part of a V100 in four. */
static void test_doubles(void **state)
{
    (void)state;
    for (unsigned warps = 1; warps <= 8; warps *= 2) {
        struct kernel_run run = {.gpu = "rtx4090", .block = 32 * warps};
        assert_near(kernel_slope(&run, doubles, 100), 16 * warps, 0.02);
        run.gpu = "v100";
        assert_near(kernel_slope(&run, doubles, 100), warps < 4 ? 4 : warps, 0.02);
    }
}

/* A product of integers beside an addition of integers, or of floats. */
static bool beside_floats;

static void products(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "mul.lo.u32 %%r%u, %%r0, %%r1;\n", 2 + i % 14);
        if (beside_floats)
            fprintf(out, "add.f32 %%f%u, %%f0, %%f1;\n", 2 + i % 32);
        else
            fprintf(out, "add.u32 %%r%u, %%r0, %%r1;\n", 16 + i % 14);
    }
}

/* 32 warps: integers multiply on the fp32 pipe, beside additions of integers. Of a V100 it has 16 lanes a part, which both
 * take in turn; on later GPUs half of 32, so that a cycle each of four is left to additions of floats. */
static void test_products(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        double with_integers, with_floats;
    } rows[] = {{"v100", 16, 32}, {"a100", 16, 32}, {"rtx3090", 16, 16}, {"h100", 16, 16}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel_run run = {.gpu = rows[i].gpu, .block = 1024};
        beside_floats = false;
        assert_near(kernel_slope(&run, products, 100), rows[i].with_integers, 0.03);
        beside_floats = true;
        assert_near(kernel_slope(&run, products, 100), rows[i].with_floats, 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),     cmocka_unit_test(test_throughput),
        cmocka_unit_test(test_short_warp), cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_shuffles),   cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_products),   cmocka_unit_test(test_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
