// SPDX-License-Identifier: Apache-2.0
/* The matrix products of papers/zhang2011 against plain C, and against the counts that follow from
 * the sizes. WARPSAGE_FULL_SIZE in the environment: the paper's 1024 x 1024. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define MATMUL "papers/zhang2011/matmul.ptx"

enum { ROWS = 64, WARP = 32 }; /* rows of a block's piece of C, one a thread */

static unsigned n, tile;
static float *expected; /* of n x n: one sum an element, so the same for all sub-matrices */

static void multiply(void)
{
    float *a = random_floats((size_t)n * n, 1), *b = random_floats((size_t)n * n, 2);
    expected = malloc((size_t)n * n * sizeof *expected);
    assert_non_null(expected);
    for (size_t column = 0; column < n; column++)
        for (size_t row = 0; row < n; row++) {
            float sum = 0.0f;
            for (size_t k = 0; k < n; k++)
                sum = fmaf(a[k * n + row], b[column * n + k], sum);
            expected[column * n + row] = sum;
        }
    free(a);
    free(b);
}

static void setup(struct run *run)
{
    run_shape_2d(run, n / ROWS, n / tile, ROWS, 1);
    run_int(run, (int)n);
    input_floats(run, (size_t)n * n, 1);
    input_floats(run, (size_t)n * n, 2);
    run_output(run, (size_t)n * n * sizeof(float));
}

static void check_global(struct run *run)
{
    /* A is read once for each T columns of C, B once for each 64 rows; a warp reads 32 words that
     * are neighbours. For T = 8 these are pieces of 8 words, 32 bytes, of B's columns. */
    uint64_t cube = (uint64_t)n * n * n, square = (uint64_t)n * n;
    uint64_t of_a = cube / tile / WARP, of_b = cube / ROWS / WARP;
    expect_counter(run, "mem.global.load.requests", of_a + of_b);
    expect_counter(run, "mem.global.load.transactions_cc12", 2 * of_a + (tile == 8 ? 4 : 2) * of_b);
    expect_counter(run, "mem.global.load.bytes_cc12", 4 * (cube / tile + cube / ROWS));
    expect_counter(run, "mem.global.store.requests", square / WARP);
    expect_counter(run, "mem.global.store.bytes_cc12", 4 * square);
}

static void check(struct run *run)
{
    expect_floats(run, 2, expected, (size_t)n * n);
    check_global(run);
    uint64_t cube = (uint64_t)n * n * n, warps = (uint64_t)(n / ROWS) * (n / tile) * 2;
    expect_counter(run, "inst.warp.fp32.fma", cube / WARP);
    expect_counter(run, "barrier.warp", warps * 2 * (n / tile));
    /* All lanes read one word: a pass each half-warp. */
    expect_counter(run, "mem.shared.load.requests", cube / WARP);
    expect_counter(run, "mem.shared.load.wavefronts16", 2 * cube / WARP);
    /* Half-warps store 16 words 17 or 33 apart, in 16 banks; for T = 8 two columns of 8 words 9
     * apart, at 0, 9 ... 63 and 1, 10 ... 64: only 0 and 64 share a bank. */
    uint64_t stores = cube / ROWS / WARP;
    expect_counter(run, "mem.shared.store.requests", stores);
    expect_counter(run, "mem.shared.store.wavefronts16", (tile == 8 ? 4 : 2) * stores);
    expect_counter(run, "branch.divergent", 0);
}

static void test_matmul(void **state)
{
    (void)state;
    n = getenv("WARPSAGE_FULL_SIZE") ? 1024 : 128;
    multiply();
    for (tile = 8; tile <= 32; tile *= 2) {
        char kernel[16];
        snprintf(kernel, sizeof kernel, "matmul_%u", tile);
        run_kernel(MATMUL, kernel, setup, check);
    }
    free(expected);
}

/* "the number of global memory transactions are reduced by 45% and 40%": bytes of the loads, which
 * do not depend on n. */
static void test_traffic(void **state)
{
    (void)state;
    uint64_t bytes[3];
    n = 64;
    for (int i = 0; i < 3; i++) {
        char kernel[16];
        tile = 8u << i;
        snprintf(kernel, sizeof kernel, "matmul_%u", tile);
        bytes[i] = launch_counter(MATMUL, kernel, setup, "mem.global.load.bytes_cc12");
    }
    double first = 1 - (double)bytes[1] / (double)bytes[0];
    double second = 1 - (double)bytes[2] / (double)bytes[1];
    assert_true(fabs(first - 0.45) < 0.01);
    assert_true(fabs(second - 0.40) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
