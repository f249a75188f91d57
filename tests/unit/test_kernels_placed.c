// SPDX-License-Identifier: Apache-2.0
/* papers/hong2012/placement: only the chosen blocks work, and an SM holds one block. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

enum { BLOCKS = 14, THREADS = 256, ITERATIONS = 50, WORDS = 4096, WARPS = THREADS / 32 };
static const int CHOSEN[4] = {0, 7, 1, 8};

static void setup(struct run *run)
{
    float nothing[BLOCKS * THREADS];
    for (size_t i = 0; i < BLOCKS * THREADS; i++)
        nothing[i] = -7;
    run_shape(run, BLOCKS, THREADS);
    run_int(run, ITERATIONS);
    run_int(run, WORDS - 1);
    input_floats(run, WORDS, 1);
    run_input(run, nothing, sizeof nothing);
    for (size_t i = 0; i < 4; i++)
        run_int(run, CHOSEN[i]);
}

static void check(struct run *run)
{
    float *x = random_floats(WORDS, 1), wanted[BLOCKS * THREADS];
    for (int block = 0; block < BLOCKS; block++)
        for (int thread = 0; thread < THREADS; thread++) {
            bool works = false;
            float sum = 0;
            int at = block * THREADS + THREADS - 1 - thread; /* the sums come back mirrored */
            for (size_t i = 0; i < 4; i++)
                works |= CHOSEN[i] == block;
            for (int i = 0; i < ITERATIONS; i++) {
                float value = x[(at + i * THREADS) & (WORDS - 1)];
                sum = fmaf(value, value, sum);
                sum = fmaf(sum, 0.5f, value);
            }
            wanted[block * THREADS + thread] = works ? sum : -7;
        }
    expect_floats(run, 1, wanted, BLOCKS * THREADS);
    free(x);
    expect_counter(run, "inst.warp.fp32.fma", 4 * WARPS * ITERATIONS * 2);
    expect_counter(run, "mem.global.load.requests", 4 * WARPS * ITERATIONS);
    expect_counter(run, "mem.global.load.sectors32", 4 * WARPS * ITERATIONS * 4); /* coalesced */
    expect_counter(run, "mem.global.store.requests", 4 * WARPS);
    expect_counter(run, "barrier.warp", 4 * WARPS);
    expect_counter(run, "branch.divergent", 0); /* whole blocks leave */
    expect_counter(run, "warps.executed", BLOCKS * WARPS);
    assert_int_equal(ws_profile_shared(run->profile), 3900 * 4); /* of 16384 bytes: one block */
}

static void test_placement(void **state)
{
    (void)state;
    run_kernel("papers/hong2012/placement.ptx", "placement", setup, check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_placement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
