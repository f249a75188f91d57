// SPDX-License-Identifier: Apache-2.0
/* IPP power, temperature and number of cores against arithmetic by hand, integrals and the machine
 * files. The published cases are in tests/golden. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/machine.h"
#include "model/power/ipp_power.h"

#define NEAR(got, want, tolerance)                                                                 \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (tolerance)))                                                  \
            fail_msg("%s is %.17g, expected %.17g", #got, got_, want_);                            \
    } while (0)

/* Rates that follow no pattern, from 0 to 1. */
static void pick_rates(unsigned seed, double rates[POWER_UNIT_COUNT])
{
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        rates[i] = (seed >> 8) % 4 ? (double)(seed >> 8) / 0x1p24 : 0;
    }
}

static double sum_of(const struct ipp_watts *watts)
{
    double sum = watts->idle_watts + watts->activation_watts + watts->const_sm_watts;
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++)
        sum += watts->units[i];
    return sum;
}

static void breakdown_adds_up_to_the_total(void **state)
{
    (void)state;
    const struct ipp_parameters gpus[] = {ipp_gtx280(), ipp_gtx580()};
    for (size_t g = 0; g < 2; g++)
        for (unsigned seed = 0; seed < 200; seed++) {
            double rates[POWER_UNIT_COUNT], active = 1 + seed % (unsigned)gpus[g].sms;
            struct ipp_watts watts;
            pick_rates(seed, rates);
            ipp_power(&gpus[g], rates, active, &watts);
            NEAR(sum_of(&watts), watts.gpu_watts, 1e-12 * watts.gpu_watts);
            NEAR(watts.runtime_watts + watts.idle_watts, watts.gpu_watts, 1e-12 * watts.gpu_watts);
            assert_true(watts.gpu_watts >= watts.idle_watts);
        }
}

/* (48) written out: (Max_SM + RP_Memory) log10(alpha Active + 1.1). */
static void log_scaling_is_on_the_sum_once(void **state)
{
    (void)state;
    struct ipp_parameters gpu = ipp_gtx280();
    struct ipp_watts watts;
    double rates[POWER_UNIT_COUNT] = {[POWER_UNIT_SHARED] = 0.5, [POWER_UNIT_GLOBAL] = 1};
    ipp_power(&gpu, rates, 10, &watts);
    double scale = log10(8.9 / 30 * 10 + 1.1);
    NEAR(watts.runtime_watts, (30 * (0.813 + 0.5) + 52 * 1.001375) * scale, 1e-12);
    NEAR(watts.units[POWER_UNIT_GLOBAL], 52 * 1.001375 * scale, 1e-12);
    ipp_power(&gpu, rates, 0, &watts); /* P-1: nothing runs */
    NEAR(watts.gpu_watts, 83, 0);
    gpu.log_scaling = IPP_LOG_NONE;
    ipp_power(&gpu, rates, 10, &watts);
    NEAR(watts.runtime_watts, 30 * (0.813 + 0.5) + 52 * 1.001375, 1e-12);
}

/* A GTX 580 is linear in its SMs; memory, cache and activation are the GPU's. */
static void linear_scaling_is_of_the_sms(void **state)
{
    (void)state;
    struct ipp_parameters gpu = ipp_gtx580();
    struct ipp_watts one, five;
    double rates[POWER_UNIT_COUNT] = {
        [POWER_UNIT_FP] = 1, [POWER_UNIT_L2] = 0.5, [POWER_UNIT_GLOBAL] = 0.25};
    ipp_power(&gpu, rates, 1, &one);
    ipp_power(&gpu, rates, 5, &five);
    NEAR(one.gpu_watts, 27 + 64 + 1.1 + 6 + 7, 1e-12);
    NEAR(five.gpu_watts - one.gpu_watts, 4 * 1.1, 1e-12);
}

/* Section 3.5.6: 120 W on 30 SMs are 4 W a core. */
static void gated_power_is_a_share(void **state)
{
    (void)state;
    struct ipp_parameters gpu = ipp_gtx280();
    struct ipp_watts all;
    double rates[POWER_UNIT_COUNT];
    pick_rates(7, rates);
    ipp_power(&gpu, rates, 30, &all);
    NEAR(ipp_gated_watts(&gpu, rates, 12), all.gpu_watts * 0.4, 1e-12);
}

/* ---- the machine files say what the tables say ------------------------------------------------ */

static void check_file(const char *name, struct ipp_parameters gpu)
{
    struct diag diag = {0};
    struct machine *machine;
    assert_int_equal(machine_load(&diag, SOURCE_DIR "/data/machines", name, &machine), WS_OK);
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++) {
        NEAR(machine_get(machine, MACHINE_POWER_MAX_INT + i, 0), gpu.max_watts[i], 0);
        NEAR(machine_get(machine, MACHINE_POWER_SPEC_LINEAR_INT + i, 0), gpu.spec_linear[i], 0);
    }
    NEAR(machine_get(machine, MACHINE_POWER_CONST_SM, NAN), gpu.const_sm_watts, 0);
    NEAR(machine_get(machine, MACHINE_POWER_ACTIVATION, NAN), gpu.activation_watts, 0);
    NEAR(machine_get(machine, MACHINE_POWER_IDLE, NAN), gpu.idle_watts, 0);
    NEAR(machine_get(machine, MACHINE_SM_COUNT, NAN), gpu.sms, 0);
    NEAR(machine_get(machine, MACHINE_POWER_LOG_SCALING, NAN), gpu.log_scales, 0);
    machine_destroy(machine);
    diag_clear(&diag);
}

static void machine_files_hold_the_tables(void **state)
{
    (void)state;
    check_file("gtx280", ipp_gtx280());
    check_file("gtx580", ipp_gtx580());
}

/* ---- (63) -------------------------------------------------------------------------------------- */

static void conditions_of_the_closed_form(void **state)
{
    (void)state;
    struct ipp_cores_input in = {.mwp = 10.8, .cwp = 16, .n = 16, .mwp_peak_bw = 10.8, .sms = 30};
    NEAR(ipp_optimal_cores(&in).cores, 20, 0); /* 10.8 * 30 / 16 = 20.25 */
    in.rounding = IPP_ROUND_CEIL;
    NEAR(ipp_optimal_cores(&in).cores, 21, 0);
    in.condition = IPP_CONDITION_PRINTED; /* CWP = N sends everything to all cores: P-4 */
    NEAR(ipp_optimal_cores(&in).cores, 30, 0);
    in.condition = IPP_CONDITION_AND;
    in.mwp = 5;
    NEAR(ipp_optimal_cores(&in).cores, 30, 0); /* MWP < MWP_peak_BW */
    in.mwp = 16;
    NEAR(ipp_optimal_cores(&in).cores, 30, 0); /* MWP = N */
    in = (struct ipp_cores_input){.mwp = 0.01, .cwp = 16, .n = 16, .mwp_peak_bw = 0.01, .sms = 30};
    NEAR(ipp_optimal_cores(&in).cores, 1, 0); /* never none */
}

/* Less energy wins; of equals, more cores (P-7). */
static void ties_go_to_more_cores(void **state)
{
    (void)state;
    const struct core_point points[] = {
        {1, 4, 10, 20, 5}, {2, 2, 20, 40, 10}, {3, 2, 20, 41, 15}, {4, 2, 21, 42, 20}};
    assert_int_equal(core_points_best(points, 4, POWER_METRIC_RUNTIME), 2);
    assert_int_equal(core_points_best(points, 4, POWER_METRIC_TOTAL), 1);
    assert_int_equal(core_points_best(points, 4, POWER_METRIC_GATED), 1);
    NEAR(core_point_saving(&points[1], &points[3], POWER_METRIC_TOTAL), 1 - 80.0 / 84, 1e-15);
}

/* ---- temperature -------------------------------------------------------------------------------- */

static struct ipp_curve_input a_curve(enum ipp_coupling coupling)
{
    return (struct ipp_curve_input){
        .thermal = ipp_gtx280_thermal(),
        .idle_watts = 83,
        .runtime_watts = 60,
        .intensity = 0.2,
        .start_celsius = 57,
        .run_seconds = 600,
        .cool_seconds = 300,
        .step_seconds = 0.7, /* divides neither */
        .coupling = coupling,
    };
}

static struct ipp_curve_point *draw(const struct ipp_curve_input *in, size_t *count)
{
    struct diag diag = {0};
    assert_int_equal(ipp_curve_check(&diag, in), WS_OK);
    *count = ipp_curve_count(in);
    struct ipp_curve_point *points = calloc(*count, sizeof *points);
    ipp_curve(in, points);
    diag_clear(&diag);
    return points;
}

/* (49) at each point; energy is the integral of the power between the points (Simpson's rule on the
 * formula, 1e-9). */
static void printed_curve_is_the_formula(void **state)
{
    (void)state;
    struct ipp_curve_input in = a_curve(IPP_PRINTED);
    size_t count;
    struct ipp_curve_point *points = draw(&in, &count);
    double delta = 0.120 * 60 + 5.5 + 21.505 * 0.2, end = 0;
    size_t i = 0;
    for (; i < count && points[i].seconds <= 600; i++) {
        double want = delta * (1 - exp(-points[i].seconds / 35));
        NEAR(points[i].celsius, 57 + want, 1e-9);
        NEAR(points[i].watts, 143 + 10.0 / 22 * want, 1e-9);
        end = points[i].celsius - 57;
    }
    NEAR(points[i - 1].seconds, 600, 0);
    NEAR(points[i - 1].joules, 143 * 600 + 10.0 / 22 * delta * (600 - 35 * (1 - exp(-600.0 / 35))),
         1e-6);
    for (; i < count; i++)
        NEAR(points[i].celsius, 57 + end * exp(-(points[i].seconds - 600) / 60), 1e-9);
    NEAR(points[count - 1].seconds, 900, 0);
    NEAR(points[count - 1].joules - 0,
         143 * 600 + 10.0 / 22 * delta * (600 - 35 * (1 - exp(-600.0 / 35))) + 83 * 300 +
             10.0 / 22 * end * 60 * (1 - exp(-5.0)),
         1e-6);
    free(points);
}

/* The coupled curve ends where (53) and (56) agree, and its energy is the sum of trapezoids as far as
 * these can tell. */
static void coupled_curve_becomes_steady(void **state)
{
    (void)state;
    struct ipp_curve_input in = a_curve(IPP_COUPLED);
    in.run_seconds = 1500;
    in.cool_seconds = 0;
    size_t count;
    double sum = 0;
    struct ipp_curve_point *points = draw(&in, &count);
    double rise = ipp_coupled_rise(&in.thermal, 60, 0.2);
    NEAR(rise, 0.120 * (60 + 10.0 / 22 * rise) + 5.5 + 21.505 * 0.2, 1e-12);
    NEAR(points[count - 1].celsius, 57 + rise, 1e-6);
    for (size_t i = 1; i < count; i++)
        sum += (points[i].watts + points[i - 1].watts) / 2 *
               (points[i].seconds - points[i - 1].seconds);
    NEAR(points[count - 1].joules, sum, 1e-6 * sum);
    free(points);
}

static void warm_start_is_another_start(void **state)
{
    (void)state;
    struct ipp_curve_input in = a_curve(IPP_PRINTED);
    in.start_celsius = 90; /* warmer than the kernel makes it: cools towards it */
    size_t count;
    struct ipp_curve_point *points = draw(&in, &count);
    double delta = 0.120 * 60 + 5.5 + 21.505 * 0.2;
    NEAR(points[0].celsius, 90, 0);
    NEAR(points[100].celsius, 57 + delta + (33 - delta) * exp(-points[100].seconds / 35), 1e-9);
    free(points);
}

static void bad_curves_are_refused(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct ipp_curve_input in = a_curve(IPP_COUPLED);
    in.step_seconds = 36;
    assert_int_equal(ipp_curve_check(&diag, &in), WS_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "too large"));
    in.step_seconds = 0;
    assert_int_equal(ipp_curve_check(&diag, &in), WS_ERR_ARGUMENT);
    in.step_seconds = 1e-6;
    assert_int_equal(ipp_curve_check(&diag, &in), WS_ERR_ARGUMENT);
    in.step_seconds = 1;
    in.runtime_watts = -1;
    assert_int_equal(ipp_curve_check(&diag, &in), WS_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "at least 0"));
    in.runtime_watts = 1;
    in.start_celsius = 20;
    assert_int_equal(ipp_curve_check(&diag, &in), WS_ERR_ARGUMENT);
    in.start_celsius = 57;
    in.run_seconds = in.cool_seconds = 0;
    assert_int_equal(ipp_curve_check(&diag, &in), WS_ERR_ARGUMENT);
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakdown_adds_up_to_the_total),
        cmocka_unit_test(log_scaling_is_on_the_sum_once),
        cmocka_unit_test(linear_scaling_is_of_the_sms),
        cmocka_unit_test(gated_power_is_a_share),
        cmocka_unit_test(machine_files_hold_the_tables),
        cmocka_unit_test(conditions_of_the_closed_form),
        cmocka_unit_test(ties_go_to_more_cores),
        cmocka_unit_test(printed_curve_is_the_formula),
        cmocka_unit_test(coupled_curve_becomes_steady),
        cmocka_unit_test(warm_start_is_another_start),
        cmocka_unit_test(bad_curves_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
