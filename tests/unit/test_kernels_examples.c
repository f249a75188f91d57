// SPDX-License-Identifier: Apache-2.0
/* The bundled kernels against plain C, and counts that follow from the PTX by arithmetic. Each runs
 * with 1, 2 and 3 host threads (support/kernel_run.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define EXAMPLE(name) "examples/kernels/" name "/" name ".ptx"

/* ---- saxpy: 970 elements in 4 blocks of 256, so 30 full warps, one of 10 lanes, one of none -- */

enum { SAXPY_N = 970 };

static void saxpy_setup(struct run *run)
{
    float a = 2.5f;
    run_shape(run, 4, 256);
    run_int(run, SAXPY_N);
    run_value(run, &a, sizeof a);
    input_floats(run, SAXPY_N, 1);
    input_floats(run, SAXPY_N, 2);
}

static void saxpy_check(struct run *run)
{
    float *x = random_floats(SAXPY_N, 1), *y = random_floats(SAXPY_N, 2);
    for (size_t i = 0; i < SAXPY_N; i++)
        y[i] = fmaf(x[i], 2.5f, y[i]);
    expect_floats(run, 1, y, SAXPY_N);
    free(x);
    free(y);
    /* 9 instructions before the branch, 9 in the guarded part, ret. */
    expect_counter(run, "inst.warp", 32 * (9 + 1 + 1) + 31 * 9);
    expect_counter(run, "inst.thread.active", 1024 * (9 + 1 + 1) + SAXPY_N * 9);
    expect_counter(run, "inst.thread", 1024 * (9 + 1) + (1024 - SAXPY_N) + SAXPY_N * 9);
    expect_counter(run, "branch.warp", 32);
    expect_counter(run, "branch.divergent", 1);
    expect_counter(run, "barrier.warp", 0);
    expect_counter(run, "inst.warp.fp32.fma", 31);
    expect_counter(run, "inst.warp.mem.param.load", 4 * 32);
    expect_counter(run, "mem.global.load.requests", 2 * 31);
    expect_counter(run, "mem.global.load.bytes_requested", 2 * 4 * SAXPY_N);
    expect_counter(run, "mem.global.load.sectors32", 2 * (30 * 4 + 2)); /* 10 lanes: 40 bytes */
    expect_counter(run, "mem.global.load.lines128", 2 * 31);
    expect_counter(run, "mem.global.store.requests", 31);
    expect_counter(run, "mem.global.store.bytes_requested", 4 * SAXPY_N);
    expect_counter(run, "mem.global.store.sectors32", 30 * 4 + 2);
    /* A half-warp is one transaction of 64 bytes; the 10 lanes' 40 bytes need 64, too. */
    expect_counter(run, "mem.global.load.transactions_cc12", 2 * (30 * 2 + 1));
    expect_counter(run, "mem.global.load.bytes_cc12", 2 * (30 * 2 + 1) * 64);
    expect_counter(run, "warps.executed", 32);
    expect_counter(run, "blocks.executed", 4);
}

static void test_saxpy(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("saxpy"), "saxpy", saxpy_setup, saxpy_check);
}

/* ---- matrix products ------------------------------------------------------------------------- */

/* c = a b with the fma order of the kernels: k upwards from 0. */
static void expect_product(struct run *run, size_t n)
{
    float *a = random_floats(n * n, 1), *b = random_floats(n * n, 2);
    float *c = calloc(n * n, sizeof *c);
    assert_non_null(c);
    for (size_t row = 0; row < n; row++)
        for (size_t column = 0; column < n; column++)
            for (size_t k = 0; k < n; k++)
                c[row * n + column] = fmaf(a[row * n + k], b[k * n + column], c[row * n + column]);
    expect_floats(run, 2, c, n * n);
    free(a);
    free(b);
    free(c);
}

static void product_setup(struct run *run, uint32_t n)
{
    run_shape_2d(run, (n + 15) / 16, (n + 15) / 16, 16, 16);
    run_int(run, (int)n);
    input_floats(run, n * n, 1);
    input_floats(run, n * n, 2);
    run_output(run, n * n * sizeof(float));
}

static void tiled_setup(struct run *run)
{
    product_setup(run, 64);
}

static void tiled_check(struct run *run)
{
    enum { WARPS = 16 * 8, TILES = 4 };
    expect_product(run, 64);
    /* 15 up to the branch, 22 before the loop, 59 in it, 7 after it. */
    expect_counter(run, "inst.warp", WARPS * (15 + 22 + 59 * TILES + 7));
    expect_counter(run, "inst.thread.active", 32 * WARPS * (15 + 22 + 59 * TILES + 7));
    expect_counter(run, "inst.warp.fp32.fma", WARPS * TILES * 16);
    expect_counter(run, "barrier.warp", WARPS * TILES * 2);
    expect_counter(run, "inst.warp.barrier", WARPS * TILES * 2);
    expect_counter(run, "branch.warp", WARPS * (1 + TILES));
    expect_counter(run, "branch.divergent", 0);
    /* A warp loads two rows of 64 bytes of A, and of B: 2 x 2 sectors in 2 lines. */
    expect_counter(run, "mem.global.load.requests", WARPS * TILES * 2);
    expect_counter(run, "mem.global.load.sectors32", WARPS * TILES * 2 * 4);
    expect_counter(run, "mem.global.load.lines128", WARPS * TILES * 2 * 2);
    expect_counter(run, "mem.global.store.requests", WARPS);
    expect_counter(run, "mem.global.store.sectors32", WARPS * 4);
    /* tile_a[y][k]: two words 16 banks apart; tile_b[k][x]: 16 words, each for two lanes. */
    expect_counter(run, "mem.shared.load.requests", WARPS * TILES * 32);
    expect_counter(run, "mem.shared.load.wavefronts32", WARPS * TILES * 32);
    expect_counter(run, "mem.shared.load.conflicts32", 0);
    expect_counter(run, "mem.shared.store.requests", WARPS * TILES * 2);
    expect_counter(run, "mem.shared.store.wavefronts32", WARPS * TILES * 2);
}

static void test_sgemm_tiled(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("sgemm_tiled"), "sgemm_tiled", tiled_setup, tiled_check);
}

/* 50 x 50: the blocks of the last column have 2 of 16 columns, those of the last row 2 of 16 rows;
 * the loop over k is unrolled by 4 and leaves 2. */
static void naive_setup(struct run *run)
{
    product_setup(run, 50);
}

static void naive_check(struct run *run)
{
    enum { WARPS = 16 * 8, WORKING = 4 * 25 }; /* a warp is two rows of 16 columns */
    expect_product(run, 50);
    expect_counter(run, "mem.global.load.requests", WORKING * 50 * 2);
    expect_counter(run, "mem.global.load.bytes_requested", 50 * 50 * 50 * 2 * 4);
    expect_counter(run, "mem.global.store.requests", WORKING);
    expect_counter(run, "inst.warp.fp32.fma", WORKING * 50);
    /* Out of range; n < 1; n < 4; 12 rounds of 4; a remainder?; 2 rounds of 1. */
    expect_counter(run, "branch.warp", WARPS + WORKING * (1 + 1 + 12 + 1 + 2));
    expect_counter(run, "branch.divergent", 25); /* the last column of blocks */
}

static void test_sgemm_naive(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("sgemm_naive"), "sgemm_naive", naive_setup, naive_check);
}

/* ---- reduce: 10000 elements are 19 full blocks of 512 and one of 272 ------------------------- */

enum { REDUCE_N = 10000, REDUCE_BLOCKS = 20 };

static void reduce_setup(struct run *run)
{
    run_shape(run, REDUCE_BLOCKS, 256);
    run_int(run, REDUCE_N);
    input_floats(run, REDUCE_N, 3);
    run_output(run, REDUCE_BLOCKS * sizeof(float));
}

/* The same tree as in the kernel, in float. */
static float block_sum(const float *in, size_t block)
{
    float sums[256];
    for (size_t t = 0; t < 256; t++) {
        size_t i = block * 512 + t;
        sums[t] = i < REDUCE_N ? in[i] : 0.0f;
        if (i + 256 < REDUCE_N) sums[t] += in[i + 256];
    }
    for (size_t half = 128; half > 0; half /= 2)
        for (size_t t = 0; t < half; t++)
            sums[t] += sums[t + half];
    return sums[0];
}

static void reduce_check(struct run *run)
{
    float *in = random_floats(REDUCE_N, 3), expected[REDUCE_BLOCKS];
    for (size_t block = 0; block < REDUCE_BLOCKS; block++)
        expected[block] = block_sum(in, block);
    expect_floats(run, 1, expected, REDUCE_BLOCKS);
    free(in);
    expect_counter(run, "barrier.warp", REDUCE_BLOCKS * 8 * 9);
    /* Steps of 16, 8, 4, 2, 1 threads and the last store split warp 0; so does the second load of
     * the last block (16 of 256 threads). */
    expect_counter(run, "branch.divergent", REDUCE_BLOCKS * 6 + 1);
    expect_counter(run, "mem.global.load.requests", 19 * 16 + 8 + 1);
    expect_counter(run, "mem.global.load.bytes_requested", 4 * REDUCE_N);
    expect_counter(run, "mem.global.store.requests", REDUCE_BLOCKS);
    /* Working warps by step: 4, 2, 1, 1, 1, 1, 1, 1; two loads and a store each. */
    expect_counter(run, "mem.shared.load.requests", REDUCE_BLOCKS * (2 * 12 + 1));
    expect_counter(run, "mem.shared.store.requests", REDUCE_BLOCKS * (8 + 12));
    expect_counter(run, "mem.shared.load.bytes_requested", REDUCE_BLOCKS * 4 * (2 * 255 + 1));
    expect_counter(run, "mem.shared.load.conflicts32", 0);
}

static void test_reduce(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("reduce"), "reduce", reduce_setup, reduce_check);
}

/* ---- spinlock: 256 threads count under one lock ---------------------------------------------- */

static void spinlock_setup(struct run *run)
{
    unsigned zero = 0;
    run_shape(run, 4, 64);
    run_input(run, &zero, sizeof zero);
    run_input(run, &zero, sizeof zero);
}

static void spinlock_check(struct run *run)
{
    unsigned *lock = run_read(run, 0), *counter = run_read(run, 1);
    assert_int_equal(*lock, 0);
    assert_int_equal(*counter, 256);
    free(lock);
    free(counter);
    /* Every thread is alone in the critical section, once. */
    expect_counter(run, "mem.global.load.requests", 256);
    expect_counter(run, "mem.global.load.bytes_requested", 256 * 4);
    expect_counter(run, "mem.global.store.requests", 256);
    /* One successful swap and one release a thread, and some that failed. */
    assert_true(run_counter(run, "mem.global.atomic.bytes_requested") > 256 * 2 * 4);
}

static void test_spinlock(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("spinlock"), "spinlock", spinlock_setup, spinlock_check);
}

/* ---- histograms: 5000 keys, 256 threads in 2 blocks, 37 bins --------------------------------- */

enum { KEYS = 5000, BINS = 37 };

static void input_keys(struct run *run)
{
    uint64_t seed = 4;
    uint32_t keys[KEYS];
    for (size_t i = 0; i < KEYS; i++)
        keys[i] = random_u32(&seed);
    run_input(run, keys, sizeof keys);
}

static void histogram_float_setup(struct run *run)
{
    float zeros[BINS] = {0};
    uint32_t bins = BINS;
    run_shape(run, 2, 128);
    run_int(run, KEYS);
    input_keys(run);
    input_floats(run, KEYS, 5);
    run_value(run, &bins, sizeof bins);
    run_input(run, zeros, sizeof zeros);
}

static void histogram_float_check(struct run *run)
{
    uint64_t seed = 4;
    double sums[BINS] = {0}, sizes[BINS] = {0};
    float *weights = random_floats(KEYS, 5), *got = run_read(run, 2);
    for (size_t i = 0; i < KEYS; i++) {
        size_t bin = random_u32(&seed) % BINS;
        sums[bin] += (double)weights[i];
        sizes[bin] += fabs((double)weights[i]);
    }
    /* Some order of the additions: at most a rounding of the largest partial sum each. */
    for (size_t bin = 0; bin < BINS; bin++)
        assert_true(fabs((double)got[bin] - sums[bin]) <= KEYS * sizes[bin] * 0x1p-24);
    free(weights);
    free(got);
    expect_counter(run, "mem.global.atomic.bytes_requested", 4 * KEYS);
    expect_counter(run, "inst.warp.mem.global.atomic", (KEYS + 31) / 32);
}

static void test_histogram_float(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("histogram"), "histogram_float", histogram_float_setup,
               histogram_float_check);
}

static void histogram_int_setup(struct run *run)
{
    uint32_t zeros[BINS] = {0}, bins = BINS;
    run_shape(run, 2, 128);
    run_int(run, KEYS);
    input_keys(run);
    run_value(run, &bins, sizeof bins);
    run_input(run, zeros, sizeof zeros);
}

static void histogram_int_check(struct run *run)
{
    uint64_t seed = 4;
    uint32_t expected[BINS] = {0}, *got = run_read(run, 1);
    for (size_t i = 0; i < KEYS; i++)
        expected[random_u32(&seed) % BINS]++;
    assert_memory_equal(got, expected, sizeof expected);
    free(got);
}

static void test_histogram_int(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("histogram"), "histogram_int", histogram_int_setup, histogram_int_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saxpy),         cmocka_unit_test(test_sgemm_tiled),
        cmocka_unit_test(test_sgemm_naive),   cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_spinlock),      cmocka_unit_test(test_histogram_float),
        cmocka_unit_test(test_histogram_int),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
