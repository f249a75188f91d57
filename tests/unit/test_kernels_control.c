// SPDX-License-Identifier: Apache-2.0
/* Divergence and calls (tests/kernels/control.cu) against plain C, one thread at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

#define CONTROL "tests/kernels/control.ptx"

enum { N = 300 }; /* 3 blocks of 128: 9 full warps, one of 12 lanes, two of none */

typedef int32_t one_thread(uint32_t x, uint32_t before);

static void input_words(uint32_t in[N])
{
    uint64_t seed = 14;
    for (size_t i = 0; i < N; i++)
        in[i] = random_u32(&seed) % 4000 + 1;
}

/* in[i], and out[i] = 2 i before the launch. */
static void words_setup(struct run *run)
{
    uint32_t in[N], out[N];
    input_words(in);
    for (uint32_t i = 0; i < N; i++)
        out[i] = 2 * i;
    run_shape(run, 3, 128);
    run_int(run, N);
    run_input(run, in, sizeof in);
    run_input(run, out, sizeof out);
}

static void expect_words(struct run *run, one_thread *function)
{
    uint32_t in[N], *got = run_read(run, 1);
    input_words(in);
    for (uint32_t i = 0; i < N; i++)
        if ((int32_t)got[i] != function(in[i], 2 * i))
            fail_msg("thread %u, %u: %#x, not %#x", i, in[i], got[i],
                     (unsigned)function(in[i], 2 * i));
    free(got);
}

/* ---- loops and branches ---------------------------------------------------------------------- */

static int32_t collatz(uint32_t x, uint32_t before)
{
    int32_t steps = 0;
    (void)before;
    for (; x != 1; steps++)
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    return steps;
}

static void collatz_check(struct run *run)
{
    expect_words(run, collatz);
    assert_true(run_counter(run, "branch.divergent") >= 10);
    assert_true(run_counter(run, "branch.divergent") <= run_counter(run, "branch.warp"));
    assert_true(run_counter(run, "inst.thread.active") < 32 * run_counter(run, "inst.warp"));
}

static void test_collatz(void **state)
{
    (void)state;
    run_kernel(CONTROL, "collatz", words_setup, collatz_check);
}

static int32_t nested(uint32_t x, uint32_t before)
{
    int32_t sum = 0, value = (int32_t)x;
    (void)before;
    for (int32_t a = 0; a < (value & 15); a++) {
        if ((a ^ value) % 3 == 0) continue;
        for (int32_t b = a; b < 20; b++) {
            sum += b ^ value;
            if ((sum & 63) == 7) break;
            if (sum > 5000) return sum;
        }
    }
    return sum;
}

static void nested_check(struct run *run)
{
    expect_words(run, nested);
}

static void test_nested(void **state)
{
    (void)state;
    run_kernel(CONTROL, "nested", words_setup, nested_check);
}

static uint32_t set_bits(uint32_t x)
{
    uint32_t n = 0;
    for (; x != 0; x &= x - 1)
        n++;
    return n;
}

static uint32_t reversed(uint32_t x)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t leading_zeros(uint32_t x)
{
    uint32_t n = 0;
    while (n < 32 && !(x >> (31 - n) & 1))
        n++;
    return n;
}

static uint32_t horner(uint32_t x)
{
    uint32_t y = 0;
    for (uint32_t k = 0; k < x % 7; k++)
        y = y * 5 + k;
    return y;
}

static uint32_t power_above(uint32_t x)
{
    uint32_t y = 1;
    while (y < x)
        y *= 2;
    return y;
}

static int32_t switched(uint32_t x, uint32_t before)
{
    const uint32_t results[16] = {
        x * 3,
        before + x,
        horner(x),
        (x ^ 0x55555555) + 17,
        17,
        5,
        x / 11,
        set_bits(x),
        x * x,
        reversed(x),
        x / 13 + before,
        leading_zeros(x),
        power_above(x % 100),
        x - 99,
        ~x,
        ~x,
    };
    return (int32_t)results[x % 16];
}

static void switched_check(struct run *run)
{
    expect_words(run, switched);
}

static void test_switch(void **state)
{
    (void)state;
    run_kernel(CONTROL, "switches", words_setup, switched_check);
}

/* ---- calls ----------------------------------------------------------------------------------- */

struct polynomial {
    int32_t degree;
    float coefficients[4];
};

static const struct polynomial cubic = {3, {-2.0f, -5.0f, 1.0f, 1.5f}};

/* The compiler fuses the multiplication and the addition. */
static float evaluate(const struct polynomial *p, float x)
{
    float sum = 0.0f;
    for (int k = p->degree; k >= 0; k--)
        sum = fmaf(sum, x, p->coefficients[k]);
    return sum;
}

static float newton(float x, int32_t *steps)
{
    struct polynomial d = {2, {0}};
    for (int k = 1; k < 4; k++)
        d.coefficients[k - 1] = (float)k * cubic.coefficients[k];
    for (*steps = 0; *steps < 20; ++*steps) {
        float y = evaluate(&cubic, x);
        if (fabsf(y) < 1e-3f) break;
        x -= y / evaluate(&d, x);
    }
    return x;
}

static float start_of(size_t i)
{
    return (float)i * 0.03125f - 4.0f;
}

static void roots_setup(struct run *run)
{
    float start[N];
    for (size_t i = 0; i < N; i++)
        start[i] = start_of(i);
    run_shape(run, 3, 128);
    run_int(run, N);
    run_value(run, &cubic, sizeof cubic);
    run_input(run, start, sizeof start);
    run_output(run, N * sizeof(float));
    run_output(run, N * sizeof(int32_t));
}

static void roots_check(struct run *run)
{
    float *root = run_read(run, 1);
    int32_t *steps = run_read(run, 2);
    for (size_t i = 0; i < N; i++) {
        int32_t expected_steps;
        float expected = newton(start_of(i), &expected_steps);
        if (memcmp(&expected, &root[i], sizeof expected) != 0 || steps[i] != expected_steps)
            fail_msg("thread %zu: %a in %d steps, not %a in %d", i, (double)root[i], steps[i],
                     (double)expected, expected_steps);
    }
    free(root);
    free(steps);
}

static void test_calls(void **state)
{
    (void)state;
    run_kernel(CONTROL, "roots", roots_setup, roots_check);
}

static void indirect_setup(struct run *run)
{
    int32_t which[N];
    uint64_t seed = 15;
    for (size_t i = 0; i < N; i++)
        which[i] = (int32_t)(random_u32(&seed) >> 31);
    run_shape(run, 3, 128);
    run_int(run, N);
    run_input(run, which, sizeof which);
    run_output(run, sizeof which);
}

static void indirect_check(struct run *run)
{
    int32_t *got = run_read(run, 1);
    uint64_t seed = 15;
    for (int32_t i = 0; i < N; i++)
        assert_int_equal(got[i], random_u32(&seed) >> 31 ? (i + 3) * (i + 3) : 2 * (i + 3));
    free(got);
}

static void test_indirect_calls(void **state)
{
    (void)state;
    run_kernel(CONTROL, "indirect", indirect_setup, indirect_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collatz),        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_switch),         cmocka_unit_test(test_calls),
        cmocka_unit_test(test_indirect_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
