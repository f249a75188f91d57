// SPDX-License-Identifier: Apache-2.0
/* A product by wgmma is one of four warps: who waits for it waits for all of them (PTX ISA, wgmma.mma_async). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define WARPGROUP "tests/kernels/warpgroup.ptx"

enum { THREADS = 128, PER_THREAD = 4 };

/* Three products of 16 terms, each 1. */
static void expect_products(struct run *run)
{
    float expected[THREADS * PER_THREAD];
    for (unsigned i = 0; i < THREADS * PER_THREAD; i++)
        expected[i] = 3 * 16;
    run_shape(run, 3, THREADS);
    run_output(run, sizeof expected);
    run_launch(run);
    expect_bytes(run, 0, expected, sizeof expected);
    run_end(run);
}

static void test_overwritten(void **state)
{
    (void)state;
    struct run run;
    for (unsigned threads = 1; threads <= 3; threads++) {
        run_begin(&run, WARPGROUP, "overwritten", threads);
        expect_products(&run);
    }
    run_begin_checked(&run, WARPGROUP, "overwritten");
    expect_products(&run);
}

/* A warp has left, or the block has but three. */
static void test_missing_warp(void **state)
{
    (void)state;
    for (uint32_t threads = 96; threads <= THREADS; threads += 32) {
        struct run run;
        run_begin(&run, WARPGROUP, "left", 1);
        run_shape(&run, 1, threads);
        assert_int_equal(run_try(&run), WS_ERR_DEADLOCK);
        const char *message = ws_context_error(run.context);
        assert_non_null(strstr(message, "warps 0-2, lanes 0xffffffff wait at 'wgmma.wait_group"));
        assert_non_null(strstr(message, "lacks 1 of the 4 warps of its warpgroup"));
        run_end(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overwritten),
                                       cmocka_unit_test(test_missing_warp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
