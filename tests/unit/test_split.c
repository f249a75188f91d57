// SPDX-License-Identifier: Apache-2.0
/* The share of two devices: against searching all shares, and against arithmetic by hand. */
#include "model/throughput/split_plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want))) fail_msg("got %.12g, not %.12g", got, want);
}

/* Figure 147: shares in proportion to performance. 3 s and 1 s: three quarters for the faster. */
static void without_transfers_by_performance(void **state)
{
    (void)state;
    const struct split_input input = {.gpu_seconds = 1, .cpu_seconds = 3};
    struct split_plan plan = split_plan(&input);
    near(plan.printed_share, 0.75, 1e-15);
    near(plan.exact_share, 0.75, 1e-15);
    near(plan.best.seconds, 0.75, 1e-15);
    near(plan.best.gpu_seconds, plan.best.cpu_seconds, 1e-15);
}

/* 8 GB in and 4 GB out at 6 GB/s are 2 s; the GPU computes 1 s: 3 s against 6 s of the CPU, so two
 * thirds, 2 s. */
static void transfers_count_for_the_gpu(void **state)
{
    (void)state;
    struct split_input input = {.gpu_seconds = 1,
                                .cpu_seconds = 6,
                                .bytes_in = 8e9,
                                .bytes_out = 4e9,
                                .link = {.bytes_per_second = 6e9}};
    struct split_plan plan = split_plan(&input);
    near(plan.best.gpu_share, 2.0 / 3, 1e-15);
    near(plan.best.seconds, 2, 1e-15);
    near(plan.best.transfer_seconds, 4.0 / 3, 1e-15);
    near(plan.gpu_alone.seconds, 3, 1e-15);
    near(plan.printed_share, 6.0 / 7, 1e-15);
}

/* A transfer that takes longer than the CPU needs for everything. */
static void the_cpu_alone_may_be_best(void **state)
{
    (void)state;
    const struct split_input input = {.gpu_seconds = 1e-6,
                                      .cpu_seconds = 15e-6,
                                      .bytes_in = 64,
                                      .bytes_out = 64,
                                      .link = {.bytes_per_second = 12e9, .latency_seconds = 10e-6},
                                      .blocks = 10};
    struct split_plan plan = split_plan(&input);
    near(plan.best.seconds, 15e-6, 1e-12);
    assert_true(plan.best.gpu_share == 0 && plan.exact_share == 0);
}

/* One block, a hundred times as fast on the GPU: it is not cut. */
static void blocks_are_whole(void **state)
{
    (void)state;
    const struct split_input input = {.gpu_seconds = 1, .cpu_seconds = 100, .blocks = 1};
    struct split_plan plan = split_plan(&input);
    assert_true(plan.best.gpu_share == 1);
    near(plan.best.seconds, 1, 1e-15);
}

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* No number of blocks is better, in random launches. */
static void no_share_is_better(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (unsigned round = 0; round < 2000; round++) {
        struct split_input input = {
            .gpu_seconds = pow(10, 4 * next_uniform(&seed) - 5),
            .cpu_seconds = pow(10, 4 * next_uniform(&seed) - 5),
            .bytes_in = pow(10, 9 * next_uniform(&seed)),
            .bytes_out = round % 3 ? pow(10, 9 * next_uniform(&seed)) : 0,
            .link = {.bytes_per_second = round % 4 ? 12e9 : 0, .latency_seconds = 10e-6},
            .blocks = floor(1 + 200 * next_uniform(&seed))};
        struct split_plan plan = split_plan(&input);
        double least = INFINITY;
        for (double blocks = 0; blocks <= input.blocks; blocks++)
            least = fmin(least, split_at(&input, blocks / input.blocks).seconds);
        near(plan.best.seconds, least, 1e-12);
    }
}

/* 100 W idle for 2 s, 200 W for 1 s of the GPU, 50 W for 2 s of the CPU. */
static void energy_is_idle_and_runtime(void **state)
{
    (void)state;
    const struct split_power power = {60, 200, 40, 50};
    const struct split_times times = {.gpu_seconds = 1, .cpu_seconds = 2, .seconds = 2};
    near(split_energy(&power, &times), 500, 1e-15);
}

/* Line rate 8 GT/s with 128b/130b: 0.985 GB/s a lane, 15.75 GB/s of 16; three quarters are reached. */
static void links_have_their_rates(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct split_link link;
    assert_int_equal(split_link_find(&diag, "pcie3x16", &link), WS_OK);
    near(link.bytes_per_second, 0.75 * 15.754e9, 1e-4);
    assert_int_equal(split_link_find(&diag, "pcie2x16", &link), WS_OK);
    near(link.bytes_per_second, 6e9, 1e-12);
    assert_int_equal(split_link_find(&diag, "pcie3x3", &link), WS_ERR_ARGUMENT);
    assert_int_equal(split_link_find(&diag, "", &link), WS_ERR_ARGUMENT);
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_transfers_by_performance),
        cmocka_unit_test(transfers_count_for_the_gpu),
        cmocka_unit_test(the_cpu_alone_may_be_best),
        cmocka_unit_test(blocks_are_whole),
        cmocka_unit_test(no_share_is_better),
        cmocka_unit_test(energy_is_idle_and_runtime),
        cmocka_unit_test(links_have_their_rates),
    };
    return cmocka_run_group_tests_name("work on two devices", tests, NULL, NULL);
}
