// SPDX-License-Identifier: Apache-2.0
/* Atomics on halves, on 16 and 128 bits and on vectors, and barriers that reduce
 * (tests/kernels/atomics.cu), against plain C. Sums of floats are made in the order of the threads:
 * such kernels run in order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define ATOMICS "tests/kernels/atomics.ptx"

/* ---- small floats as doubles, which hold them and their sums exactly --------------------------- */

struct format {
    int digits, least_exponent; /* of the significand; of the last digit of a subnormal */
    double largest;
};
static const struct format f16 = {11, -24, 65504.0};
static const struct format bf16 = {8, -133, 0x1.fep127};

/* To nearest, ties to even (the rounding that nearbyint has by default). */
static double round_to(const struct format *format, double v)
{
    int exponent;
    frexp(v, &exponent);
    int last = exponent - format->digits;
    if (last < format->least_exponent) last = format->least_exponent;
    double rounded = ldexp(nearbyint(ldexp(v, -last)), last);
    return fabs(rounded) > format->largest ? copysign(INFINITY, v) : rounded;
}

static double from_f16(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent     ? ldexp(1024 + fraction, exponent - 25)
                              : ldexp(fraction, -24);
    return bits & 0x8000 ? -v : v;
}

static double from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    return v;
}

/* ---- sums of halves -------------------------------------------------------------------------- */

enum { N = 300, SLOTS = 7 };

/* Subnormals, signs, cancellation; no infinity. */
static void small_inputs(uint16_t h[N], uint16_t b[N])
{
    uint64_t seed = 23;
    for (size_t i = 0; i < N; i++) {
        h[i] = (uint16_t)(random_u32(&seed) & 0xcfff);
        b[i] = (uint16_t)((random_u32(&seed) & 0x83ff) | 0x3c00);
    }
    for (size_t i = 0; i < 2 * SLOTS; i++) {
        h[i] &= 0x83ff;
        b[i] &= 0x807f;
    }
}

static void half_sums_setup(struct run *run)
{
    static const uint32_t zeros[SLOTS];
    uint16_t h[N], b[N];
    small_inputs(h, b);
    run_shape(run, 5, 64);
    run_input(run, h, sizeof h);
    run_input(run, b, sizeof b);
    run_input(run, zeros, SLOTS * 2);
    run_input(run, zeros, SLOTS * 2);
    run_input(run, zeros, SLOTS * 4);
    run_input(run, zeros, SLOTS * 4);
    run_int(run, N);
}

static void expect_small(struct run *run, size_t buffer, size_t stride, size_t at,
                         const double *expected, double sign, double decode(uint16_t bits))
{
    uint16_t *got = run_read(run, buffer);
    for (size_t i = 0; i < SLOTS; i++)
        if (decode(got[stride * i + at]) != sign * expected[i])
            fail_msg("buffer %zu, sum %zu: %a, not %a", buffer, i, decode(got[stride * i + at]),
                     sign * expected[i]);
    free(got);
}

static void half_sums_check(struct run *run)
{
    uint16_t h[N], b[N];
    double h_sums[SLOTS] = {0}, b_sums[SLOTS] = {0};
    small_inputs(h, b);
    for (size_t i = 0; i < N; i++) {
        h_sums[i % SLOTS] = round_to(&f16, h_sums[i % SLOTS] + from_f16(h[i]));
        b_sums[i % SLOTS] = round_to(&bf16, b_sums[i % SLOTS] + from_bf16(b[i]));
    }
    expect_small(run, 2, 1, 0, h_sums, 1, from_f16);
    expect_small(run, 3, 1, 0, b_sums, 1, from_bf16);
    expect_small(run, 4, 2, 0, h_sums, 1, from_f16);
    expect_small(run, 4, 2, 1, h_sums, -1, from_f16);
    expect_small(run, 5, 2, 0, b_sums, 1, from_bf16);
    expect_small(run, 5, 2, 1, b_sums, -1, from_bf16);
}

static void test_half_sums(void **state)
{
    (void)state;
    run_kernel(ATOMICS, "half_sums", half_sums_setup, half_sums_check);
}

/* Eighths, whose sums f16 holds exactly: the warps of a block come in any order. */
static double eighths(uint16_t h[N])
{
    uint64_t seed = 31;
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        double v = ((int)(random_u32(&seed) % 17) - 8) / 8.0;
        h[i] = 0;
        while (from_f16(h[i]) != v)
            h[i]++;
        sum += v;
    }
    return sum;
}

static void half_shared_setup(struct run *run)
{
    uint16_t h[N];
    eighths(h);
    run_shape(run, 1, 320);
    run_input(run, h, sizeof h);
    run_output(run, 2);
    run_int(run, N);
}

static void half_shared_check(struct run *run)
{
    uint16_t h[N], *got = run_read(run, 1);
    assert_true(from_f16(*got) == eighths(h));
    free(got);
}

static void test_half_shared(void **state)
{
    (void)state;
    run_kernel(ATOMICS, "half_shared", half_shared_setup, half_shared_check);
}

/* ---- compare and swap ------------------------------------------------------------------------ */

static void cas16_setup(struct run *run)
{
    static const uint16_t counters[4] = {1, 65500, 2, 3}; /* the second one is counted */
    run_shape(run, 3, 96);
    uint64_t address = run_input(run, counters, sizeof counters) + 2;
    memcpy(run->parameters, &address, sizeof address);
}

static void cas16_check(struct run *run)
{
    const uint16_t expected[4] = {1, (uint16_t)(65500 + 3 * 96), 2, 3};
    expect_bytes(run, 0, expected, sizeof expected);
}

static void test_cas16(void **state)
{
    (void)state;
    run_kernel(ATOMICS, "count_cas16", cas16_setup, cas16_check);
}

/* {sum, count}, and what each thread found there. */
static const uint64_t pair_start[2] = {UINT64_MAX - 5, 40};

static void cas128_setup(struct run *run)
{
    run_shape(run, 5, 64);
    run_input(run, pair_start, sizeof pair_start);
    run_output(run, N * sizeof pair_start);
    run_int(run, N);
}

/* Every count was found by one thread, together with the sum that belongs to it. */
static void cas128_check(struct run *run)
{
    const uint64_t expected[2] = {pair_start[0] + (uint64_t)N * (N - 1) / 2, pair_start[1] + N};
    uint64_t(*seen)[2] = run_read(run, 1), by_count[N][2];
    bool found[N] = {false};
    expect_bytes(run, 0, expected, sizeof expected);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t at = seen[i][1] - pair_start[1];
        assert_true(at < N && !found[at]);
        found[at] = true;
        by_count[at][0] = seen[i][0];
        by_count[at][1] = i; /* this thread adds its number */
    }
    uint64_t sum = pair_start[0];
    for (size_t at = 0; at < N; at++) {
        assert_true(by_count[at][0] == sum);
        sum += by_count[at][1];
    }
    free(seen);
}

static void test_cas128(void **state)
{
    (void)state;
    run_kernel(ATOMICS, "pair_cas128", cas128_setup, cas128_check);
}

/* ---- vectors --------------------------------------------------------------------------------- */

enum { ROWS = 100 };

static void vector_setup(struct run *run)
{
    float *start = random_floats(12, 5);
    run_shape(run, 2, 64);
    run_input(run, start, 12 * sizeof *start);
    free(start);
    input_floats(run, 4 * ROWS, 6);
    run_int(run, ROWS);
}

static void vector_check(struct run *run)
{
    float *sums = random_floats(12, 5), *values = random_floats(4 * ROWS, 6);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < 4; k++)
            sums[i % 3 * 4 + k] += values[4 * i + k];
    expect_floats(run, 0, sums, 12);
    free(sums);
    free(values);
}

static void test_vector_sums(void **state)
{
    (void)state;
    run_kernel(ATOMICS, "vector_sums", vector_setup, vector_check);
}

/* ---- barriers -------------------------------------------------------------------------------- */

enum { BLOCKS = 3, THREADS = 80 };

/* Block 1: all above -100, one is 77. Block 2: one is below. */
static void barrier_values(int32_t values[BLOCKS * THREADS])
{
    uint64_t seed = 3;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        values[i] = (int32_t)(random_u32(&seed) % 60) - 20;
    values[THREADS + 50] = 77;
    values[2 * THREADS + 79] = -100;
}

static void barrier_setup(struct run *run)
{
    int32_t values[BLOCKS * THREADS];
    barrier_values(values);
    run_shape(run, BLOCKS, THREADS);
    run_input(run, values, sizeof values);
    run_output(run, 3 * sizeof values);
}

static void barrier_check(struct run *run)
{
    int32_t values[BLOCKS * THREADS], expected[BLOCKS * THREADS][3];
    barrier_values(values);
    for (int b = 0; b < BLOCKS; b++) {
        int count = 0;
        for (int i = 0; i < THREADS; i++)
            count += values[b * THREADS + i] > 0;
        for (int i = 0; i < THREADS; i++) {
            expected[b * THREADS + i][0] = count;
            expected[b * THREADS + i][1] = b != 2;
            expected[b * THREADS + i][2] = b == 1;
        }
    }
    expect_bytes(run, 1, expected, sizeof expected);
}

static void test_barrier_reduce(void **state)
{
    (void)state;
    run_kernel(ATOMICS, "barrier_reduce", barrier_setup, barrier_check);
}

/* ---- whole numbers --------------------------------------------------------------------------- */

static void extreme_inputs(uint32_t u[N], int64_t s[N])
{
    uint64_t seed = 8;
    for (size_t i = 0; i < N; i++) {
        u[i] = random_u32(&seed);
        s[i] = (int64_t)((uint64_t)random_u32(&seed) << 32 | random_u32(&seed));
    }
}

static const uint32_t u_start[5] = {0xfffffff0, 3, 0xff80, 0, 5};
static const int64_t s_start[3] = {9, -9, 1};

static void extremes_setup(struct run *run)
{
    static const uint32_t wrapped[2] = {7, 2};
    uint32_t u[N];
    int64_t s[N];
    extreme_inputs(u, s);
    run_shape(run, 5, 64);
    run_input(run, u, sizeof u);
    run_input(run, s, sizeof s);
    run_input(run, u_start, sizeof u_start);
    run_input(run, s_start, sizeof s_start);
    run_input(run, wrapped, sizeof wrapped);
    run_int(run, N);
}

static void extremes_check(struct run *run)
{
    uint32_t u[N], e[5], wrapped[2] = {7, 2};
    int64_t s[N], t[3];
    extreme_inputs(u, s);
    memcpy(e, u_start, sizeof e);
    memcpy(t, s_start, sizeof t);
    for (size_t i = 0; i < N; i++) {
        e[0] = u[i] < e[0] ? u[i] : e[0];
        e[1] = u[i] > e[1] ? u[i] : e[1];
        e[2] &= u[i] | 0x80;
        e[3] |= u[i] & 0xff00;
        e[4] ^= u[i];
        t[0] = s[i] < t[0] ? s[i] : t[0];
        t[1] = s[i] > t[1] ? s[i] : t[1];
        t[2] = (int64_t)((uint64_t)t[2] + (uint64_t)s[i]);
        wrapped[0] = wrapped[0] >= 9 ? 0 : wrapped[0] + 1;
        wrapped[1] = wrapped[1] == 0 || wrapped[1] > 9 ? 9 : wrapped[1] - 1;
    }
    expect_bytes(run, 2, e, sizeof e);
    expect_bytes(run, 3, t, sizeof t);
    expect_bytes(run, 4, wrapped, sizeof wrapped);
}

static void test_extremes(void **state)
{
    (void)state;
    run_kernel(ATOMICS, "extremes", extremes_setup, extremes_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_sums),   cmocka_unit_test(test_half_shared),
        cmocka_unit_test(test_cas16),       cmocka_unit_test(test_cas128),
        cmocka_unit_test(test_vector_sums), cmocka_unit_test(test_barrier_reduce),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
