// SPDX-License-Identifier: Apache-2.0
/* When kernels and copies begin and end that share the GPU, by hand from the rule in doc/run.md (Time). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/gpu_engines.h"

/* Each test begins where nothing of those before is left. */
static double origin;

static int begin_later(void **state)
{
    (void)state;
    origin += 1000;
    return 0;
}

static void expect(double ready, double seconds, double waves, double busy, double begin,
                   double end)
{
    struct gpu_span span = engine_run(ENGINE_KERNELS, origin + ready, seconds,
                                      (struct grid_demand){.waves = waves, .busy = busy});
    if (fabs(span.begin - origin - begin) > 1e-9 || fabs(span.end - origin - end) > 1e-9)
        fail_msg("from %.9g to %.9g, not from %.9g to %.9g", span.begin - origin, span.end - origin,
                 begin, end);
}

static void kernels_that_fill_the_gpu_take_turns(void **state)
{
    (void)state;
    expect(0, 1, 1, 0.5, 0, 1);
    expect(0, 1, 1, 0.5, 1, 2);
    expect(0, 3, 40, 1, 2, 5);
    expect(0, 3, 40, 1, 5, 8);
}

static void halves_run_together(void **state)
{
    (void)state;
    expect(0, 1, 0.5, 0.1, 0, 1);
    expect(0, 1, 0.5, 0.1, 0, 1);
    expect(0, 1, 0.5, 0.1, 1, 2);
    expect(0.5, 1, 0.25, 0.1, 1, 2); /* a quarter of the last second is free */
}

/* Two and a half waves in three seconds: the last wave takes half of the places. */
static void the_last_wave_leaves_room(void **state)
{
    (void)state;
    expect(0, 3, 2.5, 0, 0, 3);
    expect(0, 1, 0.5, 0, 2, 3);
    expect(0, 2, 2, 0, 3, 5);
}

/* 0.4 of 0.6 find room at once, 0.2 when the first kernel ends. */
static void blocks_that_do_not_fit_come_later(void **state)
{
    (void)state;
    expect(0, 1, 0.6, 0, 0, 1);
    expect(0, 1, 0.6, 0, 0, 2);
    expect(0, 1, 0.8, 0, 1, 2); /* beside the 0.2 */
}

/* A kernel whose blocks would fit twice, but which keeps the memory busy. */
static void a_saturated_unit_is_shared(void **state)
{
    (void)state;
    expect(0, 1, 0.5, 1, 0, 1);
    expect(0, 1, 0.5, 1, 1, 2);
}

/* Of 16 steps of 0.6, 0.4 each are done in the first second; the other 3.2 take 5.33 steps, so six. */
static void the_rest_of_a_unit_is_used(void **state)
{
    (void)state;
    expect(0, 1, 0.1, 0.6, 0, 1);
    expect(0, 1, 0.1, 0.6, 0, 1 + 6 / 16.0);
}

/* What was asked for earlier keeps its place, and what is ready earlier goes before it if it fits there. */
static void earlier_calls_keep_their_places(void **state)
{
    (void)state;
    expect(5, 1, 1, 0, 5, 6);
    expect(0, 5, 1, 0, 0, 5);
    expect(0, 1, 1, 0, 6, 7);
}

static void at_most_128_grids_run_together(void **state)
{
    (void)state;
    for (int i = 0; i < 128; i++)
        expect(0, 1, 1 / 1024.0, 0, 0, 1);
    expect(0, 1, 1 / 1024.0, 0, 1, 2);
}

/* More parts than are followed: the oldest have ended before anything begins. */
static void long_queues_stay_in_order(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++)
        expect(0, 0.25, 1, 0, 0.25 * i, 0.25 * (i + 1));
    expect(0, 0, 1, 0, 0.25 * (2000 - 512), 0.25 * (2000 - 512));
}

static void copies_of_a_direction_take_turns(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct gpu_span in = engine_run(ENGINE_TO_DEVICE, origin, 2, WHOLE_GPU);
        struct gpu_span out = engine_run(ENGINE_FROM_DEVICE, origin, 1, WHOLE_GPU);
        assert_true(fabs(in.begin - origin - 2 * i) < 1e-9 && fabs(in.end - in.begin - 2) < 1e-9);
        assert_true(fabs(out.begin - origin - i) < 1e-9 && fabs(out.end - out.begin - 1) < 1e-9);
    }
    expect(0, 1, 1, 1, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(kernels_that_fill_the_gpu_take_turns, begin_later),
        cmocka_unit_test_setup(halves_run_together, begin_later),
        cmocka_unit_test_setup(the_last_wave_leaves_room, begin_later),
        cmocka_unit_test_setup(blocks_that_do_not_fit_come_later, begin_later),
        cmocka_unit_test_setup(a_saturated_unit_is_shared, begin_later),
        cmocka_unit_test_setup(the_rest_of_a_unit_is_used, begin_later),
        cmocka_unit_test_setup(earlier_calls_keep_their_places, begin_later),
        cmocka_unit_test_setup(at_most_128_grids_run_together, begin_later),
        cmocka_unit_test_setup(copies_of_a_direction_take_turns, begin_later),
        cmocka_unit_test_setup(long_queues_stay_in_order, begin_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
