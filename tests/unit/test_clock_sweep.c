// SPDX-License-Identifier: Apache-2.0
/* Other clocks of the SMs: what of a machine and of its power changes, and which clock is the best. */
#include "unit/model_fixture.h"

#include "model/power/clock_scaling.h"
#include "model/power/clock_sweep.h"

#define CLOSE(got, want, tolerance)                                                                \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (tolerance)*fabs(want_)))                                      \
            fail_msg("%s is %.15g, expected %.15g", #got, got_, want_);                            \
    } while (0)

/* All units linear, so that watts can be worked out by hand. */
static void make_machine(struct machine *machine)
{
    make_gtx280(machine);
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++) {
        set_figure(machine, MACHINE_POWER_MAX_INT + i, power_unit_infos[i].once_per_gpu ? 50 : 1);
        set_figure(machine, MACHINE_POWER_SPEC_LINEAR_INT + i, 0);
    }
    set_figure(machine, MACHINE_POWER_MAX_L1, 0);
    set_figure(machine, MACHINE_POWER_MAX_L2, 0);
    set_figure(machine, MACHINE_POWER_CONST_SM, 0.5);
    set_figure(machine, MACHINE_POWER_ACTIVATION, 10);
    set_figure(machine, MACHINE_POWER_IDLE, 20);
    set_figure(machine, MACHINE_POWER_LOG_SCALING, 0);
    set_figure(machine, MACHINE_POWER_CLOCK, 1.3e9);
}

/* 300 blocks of 256 threads; `fp` and `memory` instructions of a warp. */
static struct profile *make_kernel(double fp, double memory)
{
    const struct hand_kernel kernel = {.blocks = 300,
                                       .threads_per_block = 256,
                                       .registers = 16,
                                       .comp = fp,
                                       .coalesced = memory,
                                       .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    double warps = hand_warps(&kernel);
    for (unsigned i = 0; i < UNIT_COUNT; i++)
        set_count(profile, (enum counter)(COUNTER_INST_UNIT_FIRST + i), 0);
    set_count(profile, (enum counter)(COUNTER_INST_UNIT_FIRST + UNIT_FP), fp * warps);
    set_count(profile, (enum counter)(COUNTER_INST_UNIT_FIRST + UNIT_FDS), (fp + memory) * warps);
    set_count(profile, (enum counter)(COUNTER_INST_UNIT_FIRST + UNIT_GLOBAL), memory * warps);
    return profile;
}

static struct clock_sweep *sweep(const struct profile *profile, const struct machine *machine,
                                 const char *model, struct clock_range range)
{
    struct diag diag = {0};
    struct prediction *whole;
    struct clock_sweep *out = NULL;
    const struct model_option options[] = {{"power_time", model}};
    const struct predict_options given = {.option_count = 1, .options = options};
    if (model_predict(&diag, profile, machine, &given, &whole) != WS_OK ||
        clock_sweep_run(&diag, whole, NULL, &range, &out) != WS_OK)
        fail_msg("%s", diag.text);
    prediction_destroy(whole);
    diag_clear(&diag);
    return out;
}

/* A kernel without memory takes so many cycles at any clock: at half the clock twice the time, the
 * switching power of the SMs is half, so their energy is the same; idle power and activation are paid
 * for twice as long. */
static void computation_wants_the_highest_clock(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    struct profile *profile = make_kernel(1000, 0);
    struct clock_sweep *all = sweep(profile, &machine, "mwp-cwp", (struct clock_range){0});
    const struct core_sweep_point *half = &all->points[0].all, *full = &all->points[10].all;
    assert_int_equal(all->count, 11);
    assert_int_equal(all->best, 10);
    assert_true(all->every_pair);
    CLOSE(all->points[0].clock_hz, 0.65e9, 1e-12);
    CLOSE(half->point.seconds, 2 * full->point.seconds, 1e-12);
    CLOSE(half->sms_watts, full->sms_watts / 2, 1e-12);
    CLOSE(half->point.gpu_watts, 20 + 10 + half->sms_watts, 1e-12);
    CLOSE(full->point.gpu_watts, 20 + 10 + full->sms_watts, 1e-12);
    /* MaxPower 1 W of FP and FDS at the rate 1, and 0.5 W of Const_SM, on 30 SMs. */
    CLOSE(full->sms_watts, 30 * (1 + 1 + 0.5), 1e-12);
    clock_sweep_destroy(all);
    profile_destroy(profile);
}

/* Bandwidth decides: the time stays, accesses a second stay, and with them the power of the memory. The
 * speed of light of 20 accesses of 128 B a warp is 2400 x 20 x 128 B / 141.7 GB/s. */
static void bandwidth_wants_the_lowest_clock(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    struct profile *profile = make_kernel(2, 20);
    struct clock_sweep *all = sweep(profile, &machine, "speed-of-light", (struct clock_range){0});
    const struct core_sweep_point *half = &all->points[0].all, *full = &all->points[10].all;
    CLOSE(full->point.seconds, 2400.0 * 20 * 128 / 141.7e9, 1e-9);
    CLOSE(half->point.seconds, full->point.seconds, 1e-12);
    CLOSE(half->memory_watts, full->memory_watts, 1e-12);
    /* Accesses over issue slots of 4 cycles of 1.3 GHz, on 30 SMs. */
    CLOSE(full->memory_watts, 50 * 2400.0 * 20 / (full->point.seconds * 1.3e9 / 4 * 30), 1e-9);
    /* As many uses a second, so as much power, but half of Const_SM. */
    CLOSE(full->sms_watts - half->sms_watts, 30 * 0.5 / 2, 1e-9);
    assert_int_equal(all->best_all, 0);
    clock_sweep_destroy(all);
    profile_destroy(profile);
}

/* Switching power is f V^2: at 1 V of 1.2 V and half the clock, 0.5 x (1 / 1.2)^2. */
static void voltage_counts_twice(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    set_figure(&machine, MACHINE_CLOCK_LEAST, 0.65e9);
    set_figure(&machine, MACHINE_CLOCK_MOST, 1.3e9);
    set_figure(&machine, MACHINE_CLOCK_LEAST_VOLTAGE, 1.0);
    set_figure(&machine, MACHINE_CLOCK_MOST_VOLTAGE, 1.2);
    CLOSE(clock_volts(&machine, 0.975e9), 1.1, 1e-12);
    struct profile *profile = make_kernel(1000, 0);
    struct clock_sweep *all = sweep(profile, &machine, "mwp-cwp", (struct clock_range){0});
    CLOSE(all->points[0].volts, 1.0, 1e-12);
    CLOSE(all->points[0].all.sms_watts, all->points[10].all.sms_watts * 0.5 / 1.44, 1e-12);
    clock_sweep_destroy(all);
    profile_destroy(profile);
}

/* What lies beyond the SMs keeps its time. */
static void latencies_outside_keep_their_seconds(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    double cycles = machine_get(&machine, MACHINE_DRAM_LATENCY, 0);
    double bandwidth = machine_get(&machine, MACHINE_DRAM_BANDWIDTH, 0);
    clock_set(&machine, 0.65e9);
    CLOSE(machine_get(&machine, MACHINE_DRAM_LATENCY, 0), cycles / 2, 1e-12);
    CLOSE(machine_get(&machine, MACHINE_DRAM_BANDWIDTH, 0), bandwidth, 0);
    CLOSE(machine_get(&machine, MACHINE_CLOCK_CORE, 0), 0.65e9, 0);
    assert_false(machine_has(&machine, MACHINE_L2_LATENCY));
    CLOSE(clock_ratio(&machine), 1, 0); /* no power.clock: whatever the clock, it is theirs */
}

/* Every pair of clock and number of SMs, each by itself, has no less energy than what is chosen. */
static void no_pair_is_better(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    struct profile *profile = make_kernel(40, 20);
    struct clock_sweep *all =
        sweep(profile, &machine, "mwp-cwp", (struct clock_range){0.7e9, 1.3e9, 0.1e9});
    const struct core_point *best = &all->points[all->best].best.point;
    double least = core_point_joules(best, POWER_METRIC_TOTAL);
    assert_int_equal(all->count, 7);
    for (size_t i = 0; i < all->count; i++)
        for (unsigned cores = 1; cores <= 30; cores++) {
            struct machine other = machine;
            struct diag diag = {0};
            struct prediction *whole;
            struct core_sweep *one;
            const struct model_option options[] = {{"power_time", "mwp-cwp"}};
            const struct predict_options given = {.option_count = 1, .options = options};
            clock_set(&other, all->points[i].clock_hz);
            assert_int_equal(model_predict(&diag, profile, &other, &given, &whole), WS_OK);
            assert_int_equal(core_sweep_run(&diag, whole, cores, cores, &one), WS_OK);
            double joules = core_point_joules(&one->points[0].point, POWER_METRIC_TOTAL);
            assert_true(joules >= least * (1 - 1e-12));
            if (cores == best->cores && i == all->best) CLOSE(joules, least, 1e-12);
            core_sweep_destroy(one);
            prediction_destroy(whole);
        }
    clock_sweep_destroy(all);
    profile_destroy(profile);
}

static void ranges_are_checked(void **state)
{
    (void)state;
    static const struct clock_range bad[] = {
        {0, 1e9, 1e8},      {1.2e9, 1e9, 1e8}, {1e9, 1.2e9, 0},
        {1e9, 1.2e9, -1e8}, {1e9, 1.2e9, NAN}, {NAN, 1.2e9, 1e8},
        {1e9, INFINITY, 1}, {1e9, 1.2e9, 1},   {0.5e9, 1e9, 1e8}, /* below clock.least */
        {1e9, 1.4e9, 1e8},                                        /* above clock.most */
    };
    struct machine machine;
    struct diag diag = {0};
    struct prediction *whole;
    struct clock_sweep *out;
    make_machine(&machine);
    set_figure(&machine, MACHINE_CLOCK_LEAST, 0.65e9);
    set_figure(&machine, MACHINE_CLOCK_MOST, 1.3e9);
    struct profile *profile = make_kernel(10, 10);
    assert_int_equal(model_predict(&diag, profile, &machine, NULL, &whole), WS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(clock_sweep_run(&diag, whole, NULL, &bad[i], &out), WS_ERR_ARGUMENT);
        assert_null(out);
        assert_non_null(strstr(diag.text, "clock"));
    }
    prediction_destroy(whole);
    diag_clear(&diag);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computation_wants_the_highest_clock),
        cmocka_unit_test(bandwidth_wants_the_lowest_clock),
        cmocka_unit_test(voltage_counts_twice),
        cmocka_unit_test(latencies_outside_keep_their_seconds),
        cmocka_unit_test(no_pair_is_better),
        cmocka_unit_test(ranges_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
