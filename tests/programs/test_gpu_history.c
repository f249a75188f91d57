// SPDX-License-Identifier: Apache-2.0
/* Energy and temperature of a history against the closed forms of Hong's thesis, against the steps of the model
 * temperature, and against themselves however a time is cut. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/power/ipp_power.h"
#include "runtime/gpu_history.h"

static const struct chip gtx280 = {.idle_watts = 83,
                                   .idle_celsius = 57,
                                   .per_watt = 0.12,
                                   .offset_kelvin = 5.5,
                                   .by_intensity_kelvin = 21.505,
                                   .rc_rise_seconds = 35,
                                   .rc_decay_seconds = 60,
                                   .static_per_kelvin = 10.0 / 22.0,
                                   .has_power = true,
                                   .has_temperature = true};

static void assert_near(double got, double wanted, double relative)
{
    if (fabs(got - wanted) <= relative * fabs(wanted)) return;
    fail_msg("%.12g, not %.12g", got, wanted);
}

static struct gpu_history make(const struct chip *chip)
{
    struct gpu_history history;
    assert_true(gpu_history_init(&history, chip));
    return history;
}

static void run(struct gpu_history *history, double watts, double begin, double end)
{
    const struct launch_power power = {watts, 0.2};
    assert_true(gpu_history_ran(history, &power, begin, end));
}

static void idle_draws_idle_power(void **state)
{
    (void)state;
    struct gpu_history history = make(&gtx280);
    assert_near(gpu_history_mean_watts(&history, 0, 0.1), 83, 1e-12);
    assert_near(gpu_history_mean_watts(&history, 7, 0.1), 83, 1e-12);
    assert_near(gpu_history_at(&history, 7).joules, 7 * 83, 1e-12);
    assert_true(gpu_history_at(&history, 7).rise == 0);
    gpu_history_clear(&history);
}

/* (49) with the rise of (53) over 1 - mu sigma, then (50). */
static void heating_and_cooling_are_exponentials(void **state)
{
    (void)state;
    double feedback = 1 - 0.12 * 10 / 22, target = (0.12 * 90 + 5.5 + 21.505 * 0.2) / feedback;
    struct gpu_history history = make(&gtx280);
    run(&history, 90, 1, 21);
    double top = target * (1 - exp(-20 * feedback / 35));
    assert_near(gpu_history_at(&history, 21).rise, top, 1e-12);
    assert_near(gpu_history_at(&history, 31).rise, top * exp(-10.0 / 60), 1e-12);
    assert_near(gpu_history_watts(&history, 21), 83 + 90 + 10.0 / 22 * top, 1e-12);
    assert_near(gpu_history_watts(&history, 31), 83 + 10.0 / 22 * top * exp(-10.0 / 60), 1e-12);
    double warm = target * 20 - target * 35 / feedback * (1 - exp(-20 * feedback / 35));
    double cool = top * 60 * (1 - exp(-10.0 / 60));
    assert_near(gpu_history_at(&history, 31).joules, 83 * 31 + 90 * 20 + 10.0 / 22 * (warm + cool),
                1e-12);
    assert_near(gpu_history_at(&history, 31).kernel_seconds, 20, 1e-12);
    gpu_history_clear(&history);
}

/* The model's curve takes steps, of which each keeps the power of its start. */
static void the_curve_of_the_model_is_the_same(void **state)
{
    (void)state;
    const struct ipp_curve_input in = {.thermal = ipp_gtx280_thermal(),
                                       .idle_watts = 83,
                                       .runtime_watts = 90,
                                       .intensity = 0.2,
                                       .start_celsius = 57,
                                       .run_seconds = 100,
                                       .cool_seconds = 50,
                                       .step_seconds = 0.001,
                                       .coupling = IPP_COUPLED};
    size_t count = ipp_curve_count(&in);
    struct ipp_curve_point *points = malloc(count * sizeof *points);
    assert_non_null(points);
    ipp_curve(&in, points);
    struct gpu_history history = make(&gtx280);
    run(&history, 90, 0, 100);
    struct gpu_totals at = gpu_history_at(&history, 150);
    assert_near(57 + at.rise, points[count - 1].celsius, 1e-6);
    assert_near(at.joules, points[count - 1].joules, 1e-6);
    gpu_history_clear(&history);
    free(points);
}

/* A launch in thousands of parts, asked for at all times, is one launch. */
static void parts_are_the_whole(void **state)
{
    (void)state;
    struct gpu_history whole = make(&gtx280), parts = make(&gtx280), apart = make(&gtx280);
    run(&whole, 50, 0, 2);
    double now = 0;
    for (int i = 0; i < 20000; i++, now += 1e-4) {
        run(&parts, 50, now, now + 1e-4);
        run(&apart, i % 2 ? 50 : 50 * (1 + 1e-12), now, now + 1e-4);
    }
    assert_int_equal(parts.count, 2);
    assert_int_equal(apart.count, 20001);
    for (double t = 0; t < 4; t += 0.123) {
        assert_near(gpu_history_at(&parts, t).joules, gpu_history_at(&whole, t).joules, 1e-9);
        assert_near(gpu_history_at(&apart, t).joules, gpu_history_at(&whole, t).joules, 1e-9);
        assert_near(gpu_history_at(&apart, t).rise, gpu_history_at(&whole, t).rise, 1e-9);
    }
    assert_near(gpu_history_mean_watts(&whole, 2.05, 0.1),
                0.5 * (gpu_history_mean_watts(&whole, 2, 0.05) +
                       gpu_history_mean_watts(&whole, 2.05, 0.05)),
                1e-12);
    gpu_history_clear(&whole);
    gpu_history_clear(&parts);
    gpu_history_clear(&apart);
}

/* More phases than are kept: totals stay exact, means of the past nearly so. */
static void long_runs_take_little_memory(void **state)
{
    (void)state;
    enum { LAUNCHES = 1000000 };
    struct gpu_history history = make(&gtx280);
    double now = 0;
    for (int i = 0; i < LAUNCHES; i++, now += 2e-6)
        run(&history, i % 2 ? 40 : 60, now, now + 1e-6);
    assert_in_range(history.capacity, 1, 1 << 16);
    struct gpu_totals at = gpu_history_at(&history, now);
    double statics = 10.0 / 22 * gpu_history_at(&history, now / 2).rise * now;
    assert_near(at.kernel_seconds, LAUNCHES * 1e-6, 1e-9);
    assert_near(at.joules, 83 * now + 50e-6 * LAUNCHES + statics, 1e-4);
    assert_near(gpu_history_mean_watts(&history, now, 0.1), 83 + 25 + 10.0 / 22 * at.rise, 1e-3);
    assert_near(gpu_history_mean_watts(&history, now, 1), 83 + 25 + 10.0 / 22 * at.rise, 1e-2);
    gpu_history_clear(&history);
}

static void without_temperature_power_is_flat(void **state)
{
    (void)state;
    const struct chip chip = {.idle_watts = 27, .has_power = true};
    const struct launch_power unknown = {NAN, NAN};
    struct gpu_history history = make(&chip);
    run(&history, 100, 0, 1);
    assert_true(gpu_history_ran(&history, &unknown, 1, 2));
    assert_near(gpu_history_mean_watts(&history, 1, 0.1), 127, 1e-12);
    assert_near(gpu_history_mean_watts(&history, 2, 0.1), 27, 1e-12);
    assert_near(gpu_history_at(&history, 3).joules, 3 * 27 + 100, 1e-12);
    assert_near(gpu_history_at(&history, 3).kernel_seconds, 2, 1e-12);
    assert_near(gpu_history_at(&history, 3).memory_seconds, 1, 1e-12);
    gpu_history_clear(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_draws_idle_power),
        cmocka_unit_test(heating_and_cooling_are_exponentials),
        cmocka_unit_test(the_curve_of_the_model_is_the_same),
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(long_runs_take_little_memory),
        cmocka_unit_test(without_temperature_power_is_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
