// SPDX-License-Identifier: Apache-2.0
/* 128-bit integers of tests/kernels/int128.cu against those of the host's compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

enum { BLOCK = 96, COUNT = 5 * BLOCK, RESULTS = 8 };

static uint64_t random_long(uint64_t *state)
{
    /* SplitMix64 (Steele, Lea, Flood 2014). */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Of every magnitude and both signs; some words are all zeros or ones, for carries to run through. */
static u128 operand(uint64_t *state)
{
    uint64_t kind = random_long(state), words[2];
    for (unsigned k = 0; k < 2; k++) {
        words[k] = random_long(state);
        if ((kind >> 8 * k & 7) == 0) words[k] = kind >> 16 & 1 ? UINT64_MAX : 0;
        if ((kind >> 8 * k & 7) == 1) words[k] &= UINT64_C(0xffffffff00000000);
    }
    u128 value = ((u128)words[1] << 64 | words[0]) >> (kind >> 24 & 127);
    return kind >> 40 & 1 ? 0 - value : value;
}

static void operands(u128 *a, u128 *b)
{
    uint64_t state = 128;
    for (size_t i = 0; i < COUNT; i++) {
        a[i] = operand(&state);
        b[i] = operand(&state);
        if (b[i] == 0 || (b[i] == ~(u128)0 && a[i] == (u128)1 << 127)) b[i] = 7; /* C's bounds */
    }
    a[0] = 100, b[0] = 7;
    a[1] = (u128)1 << 64, b[1] = 7;
    a[2] = ~(u128)0, b[2] = 1;
    a[3] = ~(u128)0 - 1, b[3] = ~(u128)0;
}

static void setup(struct run *run, unsigned results)
{
    static u128 a[COUNT], b[COUNT];
    operands(a, b);
    run_shape(run, COUNT / BLOCK, BLOCK);
    run_input(run, a, sizeof a);
    run_input(run, b, sizeof b);
    run_output(run, sizeof a * results);
}

static void expect_equal(const char *what, size_t i, u128 got, u128 expected)
{
    if (got != expected)
        fail_msg("%s of thread %zu: %016llx%016llx, not %016llx%016llx", what, i,
                 (unsigned long long)(got >> 64), (unsigned long long)got,
                 (unsigned long long)(expected >> 64), (unsigned long long)expected);
}

static void setup_wide(struct run *run)
{
    setup(run, RESULTS);
}

static void check_wide(struct run *run)
{
    static const char *const names[RESULTS] = {
        "sum",       "difference",      "product",          "quotient",
        "remainder", "signed quotient", "signed remainder", "comparison"};
    static u128 a[COUNT], b[COUNT];
    u128 *got = run_read(run, 2);
    operands(a, b);
    for (size_t i = 0; i < COUNT; i++) {
        u128 x = a[i], y = b[i];
        s128 sx = (s128)x, sy = (s128)y;
        u128 expected[RESULTS] = {
            x + y, x - y,           x * y,           x / y,
            x % y, (u128)(sx / sy), (u128)(sx % sy), (u128)(sx < sy) << 1 | (x < y)};
        for (unsigned k = 0; k < RESULTS; k++)
            expect_equal(names[k], i, got[RESULTS * i + k], expected[k]);
    }
    free(got);
}

static void test_wide(void **state)
{
    (void)state;
    run_kernel("tests/kernels/int128.ptx", "wide", setup_wide, check_wide);
}

static void setup_parted(struct run *run)
{
    setup(run, 1);
}

static void check_parted(struct run *run)
{
    static u128 a[COUNT], b[COUNT];
    u128 *got = run_read(run, 2);
    operands(a, b);
    for (size_t i = 0; i < COUNT; i++) {
        u128 x = a[i], y = b[i], r = 0;
        if (i % 3 == 0) {
            for (unsigned k = 0; k < i % 5; k++)
                r += x - y * k;
        } else if (i % 3 == 1) {
            r = x / 7 - y;
        } else {
            r = y - x;
            if (r > x) r -= x;
        }
        expect_equal("result", i, got[i], r);
    }
    free(got);
}

static void test_parted(void **state)
{
    (void)state;
    run_kernel("tests/kernels/int128.ptx", "parted", setup_parted, check_parted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_parted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
