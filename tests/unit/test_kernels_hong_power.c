// SPDX-License-Identifier: Apache-2.0
/* The programs of papers/hong2012 (chapter III of Hong's thesis) against plain C, with counts that
 * follow from what they do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define HONG(name) "papers/hong2012/" name ".ptx"

/* ---- memory.cu: 3 blocks of 64 threads walk over 500 elements: 6 warps, the last round ragged -- */

enum { COUNT = 500, BLOCKS = 3, BLOCK = 64, THREADS = BLOCKS * BLOCK, WARPS = THREADS / 32 };

/* Warps that have an element at all in each round: 500 = 192 + 192 + 116, 116 = 3 * 32 + 20. */
enum { REQUESTS = WARPS + WARPS + 4 };

static void one_array(struct run *run, const float *scalar)
{
    run_shape(run, BLOCKS, BLOCK);
    run_int(run, COUNT);
    if (scalar) run_value(run, scalar, sizeof *scalar);
    input_floats(run, COUNT, 1);
}

static void madd_setup(struct run *run)
{
    float adder = 0.5f;
    one_array(run, &adder);
    run_output(run, COUNT * sizeof(float));
}

static void check_elements(struct run *run, size_t buffer, float (*f)(float a, float b))
{
    float *a = random_floats(COUNT, 1), *b = random_floats(COUNT, 2), expected[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        expected[i] = f(a[i], b[i]);
    expect_floats(run, buffer, expected, COUNT);
    expect_counter(run, "mem.global.store.requests", REQUESTS);
    free(a);
    free(b);
}

static float plus_half(float a, float b)
{
    (void)b;
    return 0.5f + a;
}

static void madd_check(struct run *run)
{
    check_elements(run, 1, plus_half);
    expect_counter(run, "mem.global.load.requests", REQUESTS);
    expect_counter(run, "mem.global.load.bytes_requested", 4 * COUNT);
}

static float half_of(float a, float b)
{
    (void)b;
    return 0.5f * a;
}

static void mmul_check(struct run *run)
{
    check_elements(run, 1, half_of);
    expect_counter(run, "mem.global.load.requests", REQUESTS);
}

static void dmadd_setup(struct run *run)
{
    one_array(run, NULL);
    input_floats(run, COUNT, 2);
    run_output(run, COUNT * sizeof(float));
}

static float sum_of_two(float a, float b)
{
    return a + b;
}

static void dmadd_check(struct run *run)
{
    check_elements(run, 2, sum_of_two);
    expect_counter(run, "mem.global.load.requests", 2 * REQUESTS);
}

static void dotp_setup(struct run *run)
{
    one_array(run, NULL);
    input_floats(run, COUNT, 2);
    run_output(run, THREADS * sizeof(float));
}

static void dotp_check(struct run *run)
{
    float *a = random_floats(COUNT, 1), *b = random_floats(COUNT, 2), expected[THREADS] = {0};
    for (size_t i = 0; i < COUNT; i++)
        expected[i % THREADS] = fmaf(a[i], b[i], expected[i % THREADS]);
    expect_floats(run, 2, expected, THREADS);
    expect_counter(run, "mem.global.load.requests", 2 * REQUESTS);
    free(a);
    free(b);
}

static void cmem_setup(struct run *run)
{
    float multiplier = 0.5f;
    one_array(run, &multiplier);
    run_output(run, THREADS * sizeof(float));
}

static void cmem_check(struct run *run)
{
    float *a = random_floats(COUNT, 1), expected[THREADS] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        float *sum = &expected[i % THREADS];
        *sum += a[i];
        for (int k = 0; k < 48; k++)
            *sum = fmaf(*sum, 0.5f, 0.5f);
    }
    expect_floats(run, 1, expected, THREADS);
    expect_counter(run, "inst.warp.fp32.fma", 48 * REQUESTS);
    free(a);
}

enum { N = 20 };

static void nmat_setup(struct run *run)
{
    run_shape(run, BLOCKS, BLOCK);
    run_int(run, N);
    input_floats(run, N * N, 1);
    input_floats(run, N * N, 2);
    run_output(run, N * N * sizeof(float));
}

static void nmat_check(struct run *run)
{
    float *a = random_floats(N * N, 1), *b = random_floats(N * N, 2), expected[N * N];
    for (size_t i = 0; i < N * N; i++) {
        expected[i] = 0;
        for (size_t k = 0; k < N; k++)
            expected[i] = fmaf(a[i / N * N + k], b[k * N + i % N], expected[i]);
    }
    expect_floats(run, 2, expected, N * N);
    free(a);
    free(b);
}

static void test_memory(void **state)
{
    (void)state;
    run_kernel(HONG("memory"), "madd", madd_setup, madd_check);
    run_kernel(HONG("memory"), "mmul", madd_setup, mmul_check);
    run_kernel(HONG("memory"), "dmadd", dmadd_setup, dmadd_check);
    run_kernel(HONG("memory"), "dotp", dotp_setup, dotp_check);
    run_kernel(HONG("memory"), "cmem", cmem_setup, cmem_check);
    run_kernel(HONG("memory"), "nmat", nmat_setup, nmat_check);
}

/* ---- stress.cu: one block of 64, 3 rounds of 32 ------------------------------------------------- */

enum { ROUNDS = 3, OPERATIONS = 32 * ROUNDS };

static void stress_setup(struct run *run, const void *second, size_t bytes)
{
    run_shape(run, 1, BLOCK);
    run_int(run, ROUNDS);
    if (second) run_value(run, second, bytes);
}

static void fp_setup(struct run *run)
{
    float b = 0.5f;
    stress_setup(run, &b, sizeof b);
    run_output(run, BLOCK * 4);
}

static void fp_check(struct run *run)
{
    float expected[BLOCK];
    for (size_t i = 0; i < BLOCK; i++) {
        expected[i] = (float)i;
        for (size_t k = 0; k < OPERATIONS; k++)
            expected[i] = fmaf(expected[i], 0.5f, 0.25f);
    }
    expect_floats(run, 0, expected, BLOCK);
    expect_counter(run, "inst.warp.fp32.fma", OPERATIONS * BLOCK / 32);
}

static void int_setup(struct run *run)
{
    unsigned b = 3;
    stress_setup(run, &b, sizeof b);
    run_output(run, BLOCK * 4);
}

static void int_check(struct run *run)
{
    uint32_t expected[BLOCK];
    for (uint32_t i = 0; i < BLOCK; i++) {
        expected[i] = i;
        for (size_t k = 0; k < OPERATIONS; k++)
            expected[i] = expected[i] * 3 + 3;
    }
    expect_bytes(run, 0, expected, sizeof expected);
}

static void sfu_check(struct run *run)
{
    expect_counter(run, "inst.unit.sfu", OPERATIONS * BLOCK / 32);
}

static void shared_setup(struct run *run)
{
    int step = 5;
    stress_setup(run, &step, sizeof step);
    run_output(run, BLOCK * 4);
}

static void shared_check(struct run *run)
{
    int expected[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        expected[i] = (i + 5 * OPERATIONS) % BLOCK;
    expect_bytes(run, 0, expected, sizeof expected);
    expect_counter(run, "mem.shared.load.requests", OPERATIONS * BLOCK / 32);
    expect_counter(run, "mem.shared.load.conflicts32", 0);
}

static void const_check(struct run *run)
{
    int expected[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        expected[i] = (5 + OPERATIONS) % 64;
    expect_bytes(run, 0, expected, sizeof expected);
    expect_counter(run, "inst.warp.mem.const.load", OPERATIONS * BLOCK / 32);
}

static void readonly_setup(struct run *run)
{
    int next[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        next[i] = (i + 7) % BLOCK;
    stress_setup(run, NULL, 0);
    run_input(run, next, sizeof next);
    run_output(run, sizeof next);
}

static void readonly_check(struct run *run)
{
    int expected[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        expected[i] = (i + 7 * OPERATIONS) % BLOCK;
    expect_bytes(run, 1, expected, sizeof expected);
    expect_counter(run, "inst.unit.global", (OPERATIONS + 1) * BLOCK / 32);
    expect_counter(run, "inst.unit.texture", 0);
}

static void copy_setup(struct run *run)
{
    one_array(run, NULL);
    run_output(run, COUNT * sizeof(float));
}

static float itself(float a, float b)
{
    (void)b;
    return a;
}

static void copy_check(struct run *run)
{
    check_elements(run, 1, itself);
}

static void test_stress(void **state)
{
    (void)state;
    run_kernel(HONG("stress"), "stress_fp", fp_setup, fp_check);
    run_kernel(HONG("stress"), "stress_int", int_setup, int_check);
    run_kernel(HONG("stress"), "stress_sfu", fp_setup, sfu_check);
    run_kernel(HONG("stress"), "stress_shared", shared_setup, shared_check);
    run_kernel(HONG("stress"), "stress_const", shared_setup, const_check);
    run_kernel(HONG("stress"), "stress_readonly", readonly_setup, readonly_check);
    run_kernel(HONG("stress"), "stress_memory", copy_setup, copy_check);
}

/* ---- chase.cu: 4 loads a round; each goes `stride` words on ------------------------------------- */

enum { STRIDE = 64, LOADS = 4 * ROUNDS, WORDS = BLOCK + LOADS * STRIDE };

static void chase(struct run *run, int stride)
{
    int *words = calloc(WORDS, sizeof *words);
    for (size_t i = 0; i < WORDS; i++)
        words[i] = stride;
    run_shape(run, 1, BLOCK);
    run_int(run, ROUNDS);
    run_input(run, words, WORDS * sizeof *words);
    run_output(run, BLOCK * 4);
    run_output(run, BLOCK * 4);
    free(words);
}

static void same_setup(struct run *run)
{
    chase(run, 0);
}

static void other_setup(struct run *run)
{
    chase(run, STRIDE);
}

static void check_where(struct run *run, int stride)
{
    int where[BLOCK];
    float value[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
        where[i] = i + LOADS * stride;
        value[i] = LOADS;
    }
    expect_bytes(run, 1, where, sizeof where);
    expect_floats(run, 2, value, BLOCK);
    expect_counter(run, "mem.global.load.requests", LOADS * BLOCK / 32);
    /* Two warps touch 64 words, 8 sectors; with the stride others each time. */
    expect_counter(run, "mem.global.read.footprint_sectors32", stride ? 8 * LOADS : 8);
    expect_counter(run, "mem.independent", 0);
}

static void el1_same(struct run *run)
{
    check_where(run, 0);
    expect_counter(run, "mem.global.load.past_l1_sectors32", 0);
}

static void el1_other(struct run *run)
{
    check_where(run, STRIDE);
}

static void dl1_same(struct run *run)
{
    check_where(run, 0);
    expect_counter(run, "mem.global.load.past_l1_sectors32", 4 * LOADS * BLOCK / 32);
}

static void test_chase(void **state)
{
    (void)state;
    run_kernel(HONG("chase"), "chase_el1", same_setup, el1_same);
    run_kernel(HONG("chase"), "chase_el1", other_setup, el1_other);
    run_kernel(HONG("chase"), "chase_dl1", same_setup, dl1_same);
}

/* ---- apps.cu ------------------------------------------------------------------------------------ */

enum { OPTIONS = 3, STEPS = 40 };
static const float up = 1.05f, probability = 0.51f, other = 0.48f;
static const float prices[OPTIONS] = {30, 25, 20}, strikes[OPTIONS] = {25, 25, 35};

static void binomial_setup(struct run *run)
{
    run_shape(run, OPTIONS, BLOCK);
    run_int(run, STEPS);
    run_value(run, &probability, sizeof probability);
    run_value(run, &other, sizeof other);
    run_value(run, &up, sizeof up);
    run_input(run, prices, sizeof prices);
    run_input(run, strikes, sizeof strikes);
    run_output(run, sizeof prices);
}

/* In double precision, by the sum over the leaves: C(n, k) p^k q^(n-k) max(S u^(2k-n) - K, 0). */
static void binomial_check(struct run *run)
{
    float expected[OPTIONS];
    for (size_t o = 0; o < OPTIONS; o++) {
        double sum = 0;
        for (int k = 0; k <= STEPS; k++) {
            double leaf = prices[o] * pow(up, 2 * k - STEPS) - strikes[o];
            double ways = exp(lgamma(STEPS + 1) - lgamma(k + 1) - lgamma(STEPS - k + 1));
            if (leaf > 0) sum += ways * pow(probability, k) * pow(other, STEPS - k) * leaf;
        }
        expected[o] = (float)sum;
    }
    expect_close(run, 2, expected, OPTIONS, 1e-4);
    /* The start and two barriers a step, two warps a block. */
    expect_counter(run, "barrier.warp", (1 + 2 * STEPS) * 2 * OPTIONS);
}

enum { WIDTH = 200, ROWS = 3, TILE = 128, RADIUS = 8 };

static void convolution_setup(struct run *run)
{
    run_shape_2d(run, (WIDTH + TILE - 1) / TILE, ROWS, TILE, 1);
    run_int(run, WIDTH);
    input_floats(run, WIDTH * ROWS, 3);
    run_output(run, WIDTH * ROWS * sizeof(float));
}

static void convolution_check(struct run *run)
{
    static const float weights[2 * RADIUS + 1] = {0.01f, 0.02f, 0.03f, 0.05f, 0.06f, 0.07f,
                                                  0.09f, 0.11f, 0.12f, 0.11f, 0.09f, 0.07f,
                                                  0.06f, 0.05f, 0.03f, 0.02f, 0.01f};
    float *in = random_floats(WIDTH * ROWS, 3), expected[WIDTH * ROWS];
    for (int i = 0; i < WIDTH * ROWS; i++) {
        expected[i] = 0;
        for (int k = -RADIUS; k <= RADIUS; k++) {
            int x = i % WIDTH + k;
            float there = x >= 0 && x < WIDTH ? in[i + k] : 0.0f;
            expected[i] = fmaf(there, weights[k + RADIUS], expected[i]);
        }
    }
    expect_floats(run, 1, expected, WIDTH * ROWS);
    free(in);
}

static void test_apps(void **state)
{
    (void)state;
    run_kernel(HONG("apps"), "binomial", binomial_setup, binomial_check);
    run_kernel(HONG("apps"), "convolution_rows", convolution_setup, convolution_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_stress),
        cmocka_unit_test(test_chase),
        cmocka_unit_test(test_apps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
