// SPDX-License-Identifier: Apache-2.0
/* energy-per-instruction on profiles written by hand: joules by hand from published energies, and what physics demands
 * of clock, voltage, lanes and SMs. */
#include "model/power/core_sweep.h"
#include "model/power/power_estimate.h"
#include "unit/model_fixture.h"

#define CLOSE(got, want)                                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= 1e-9 * fabs(want_)))                                           \
            fail_msg("%s is %.15g, expected %.15g", #got, got_, want_);                            \
    } while (0)

enum { BLOCKS = 800, WARPS_OF_BLOCK = 8 };
static const double WARPS = BLOCKS * WARPS_OF_BLOCK, SECONDS = 1e-3;

/* Energies of a K40 (Arunkumar et al., HPCA 2019): 50 pJ a multiply-add, 70 an integer addition, 244 pJ a byte of DRAM. */
static void make_machine(struct machine *machine)
{
    make_v100(machine);
    set_figure(machine, MACHINE_ENERGY_CONSTANT, 30);
    set_figure(machine, MACHINE_ENERGY_IDLE_SM, 0.25);
    set_figure(machine, MACHINE_ENERGY_SM_CYCLE, 1e-10);
    set_figure(machine, MACHINE_ENERGY_FP32, 50e-12);
    set_figure(machine, MACHINE_ENERGY_INT, 70e-12);
    set_figure(machine, MACHINE_ENERGY_LOGIC, 60e-12);
    set_figure(machine, MACHINE_ENERGY_DRAM, 244e-12);
    set_figure(machine, MACHINE_CLOCK_LEAST, 0.1e9);
    set_figure(machine, MACHINE_CLOCK_MOST, 1.53e9);
    set_figure(machine, MACHINE_CLOCK_VOLTAGE_KNEE, 0.8e9);
    set_figure(machine, MACHINE_CLOCK_LEAST_VOLTAGE, 0.7);
    set_figure(machine, MACHINE_CLOCK_MOST_VOLTAGE, 1.05);
    set_figure(machine, MACHINE_CLOCK_CORE, 0.8e9);
}

/* 1,000 multiply-adds and 100 integer additions a warp, and 4 coalesced loads of 128 bytes. */
static struct profile *make_launch(unsigned blocks, double lanes)
{
    const struct hand_kernel kernel = {.blocks = blocks,
                                       .threads_per_block = WARPS_OF_BLOCK * 32,
                                       .registers = 32,
                                       .comp = 1100,
                                       .coalesced = 4,
                                       .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    double warps = hand_warps(&kernel);
    for (unsigned id = 0; id < CLASS_COUNT; id++)
        set_count(profile, (enum counter)(COUNTER_INST_WARP_FIRST + id), 0);
    set_count(profile, COUNTER_INST_WARP_FP32_FMA, 1000 * warps);
    set_count(profile, COUNTER_INST_WARP_INT_ADD, 100 * warps);
    set_count(profile, COUNTER_INST_WARP, 1104 * warps);
    set_count(profile, COUNTER_INST_THREAD, 1104 * warps * lanes);
    return profile;
}

/* By a time of SECONDS, whatever the clock; `celsius` of the chip, NULL: not given. */
static const struct power_estimate *ask_at(const struct profile *profile,
                                           const struct machine *machine, const char *celsius,
                                           struct prediction **out)
{
    struct diag diag = {0};
    const struct model_option options[] = {{"power_time_s", "0.001"}, {"chip_degc", celsius}};
    const struct predict_options given = {.option_count = celsius ? 2 : 1, .options = options};
    if (model_predict(&diag, profile, machine, &given, out) != WS_OK) fail_msg("%s", diag.text);
    if (!(*out)->power) fail_msg("%s", (*out)->no_power);
    return (*out)->power;
}

static const struct power_estimate *ask(const struct profile *profile,
                                        const struct machine *machine, struct prediction **out)
{
    return ask_at(profile, machine, NULL, out);
}

static double watts_at(const struct profile *profile, struct machine *machine, double clock_hz)
{
    struct prediction *prediction;
    set_figure(machine, MACHINE_CLOCK_CORE, clock_hz);
    double watts = ask(profile, machine, &prediction)->watts.gpu_watts;
    prediction_destroy(prediction);
    return watts;
}

static void joules_are_those_of_the_events(void **state)
{
    (void)state;
    struct machine machine;
    struct prediction *prediction;
    make_machine(&machine);
    struct profile *profile = make_launch(BLOCKS, 32);
    const struct power_estimate *power = ask(profile, &machine, &prediction);
    double fp = 1000 * WARPS * 32 * 50e-12, ints = 100 * WARPS * 32 * 70e-12;
    double dram = 4 * 128 * WARPS * 244e-12, cycles = 0.8e9 * SECONDS * 80 * 1e-10;
    CLOSE(power->watts.units[POWER_UNIT_FP] * SECONDS, fp);
    CLOSE(power->watts.units[POWER_UNIT_INT] * SECONDS, ints);
    CLOSE(power->watts.units[POWER_UNIT_GLOBAL] * SECONDS, dram);
    CLOSE(power->watts.const_sm_watts * SECONDS, cycles);
    CLOSE(power->watts.idle_watts, 30 + 80 * 0.25);
    CLOSE(power->watts.gpu_watts * SECONDS, fp + ints + dram + cycles + 50 * SECONDS);
    assert_string_equal(power->answer.model, "energy-per-instruction");
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* C V^2: 1.5 times the voltage, 2.25 times the energy, of all but DRAM and the board. */
static void energy_follows_the_square_of_the_voltage(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    struct profile *profile = make_launch(BLOCKS, 32);
    double dram = 4 * 128 * WARPS * 244e-12 / SECONDS, low = watts_at(profile, &machine, 0.8e9);
    double cycles = 80 * 1e-10 * (1.53e9 - 0.8e9); /* more of them in the same time */
    double switched = low - 30 - dram;
    CLOSE(watts_at(profile, &machine, 1.53e9), 30 + dram + 2.25 * (switched + cycles));
    profile_destroy(profile);
}

static void voltage_is_constant_below_the_knee(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    struct profile *profile = make_launch(BLOCKS, 32);
    double step = watts_at(profile, &machine, 0.5e9) - watts_at(profile, &machine, 0.4e9);
    CLOSE(watts_at(profile, &machine, 0.8e9) - watts_at(profile, &machine, 0.7e9), step);
    profile_destroy(profile);
}

static void watts_never_fall_with_the_clock_or_below_idle(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    struct profile *profile = make_launch(BLOCKS, 32);
    double before = 30 + 80 * 0.25;
    for (double clock = 0.1e9; clock < 1.53e9; clock += 0.05e9) {
        double watts = watts_at(profile, &machine, clock);
        assert_true(watts >= before);
        before = watts;
    }
    profile_destroy(profile);
}

/* Half of the lanes switch half of the data paths. */
static void inactive_lanes_take_nothing(void **state)
{
    (void)state;
    struct machine machine;
    struct prediction *whole, *half;
    make_machine(&machine);
    struct profile *all = make_launch(BLOCKS, 32), *some = make_launch(BLOCKS, 16);
    const struct power_estimate *a = ask(all, &machine, &whole), *b = ask(some, &machine, &half);
    CLOSE(b->watts.units[POWER_UNIT_FP], a->watts.units[POWER_UNIT_FP] / 2);
    CLOSE(b->watts.units[POWER_UNIT_GLOBAL], a->watts.units[POWER_UNIT_GLOBAL]);
    prediction_destroy(whole);
    prediction_destroy(half);
    profile_destroy(all);
    profile_destroy(some);
}

/* The same work in each block: more blocks in the same time are more SMs, more watts. */
static void more_work_takes_more_watts(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    double before = 0;
    for (unsigned blocks = 1; blocks <= 1024; blocks *= 2) {
        struct profile *profile = make_launch(blocks, 32);
        double watts = watts_at(profile, &machine, 0.8e9);
        assert_true(watts > before);
        before = watts;
        profile_destroy(profile);
    }
}

static double idle_watts_at(const struct profile *profile, const struct machine *machine,
                            const char *celsius)
{
    struct prediction *prediction;
    const struct power_estimate *power = ask_at(profile, machine, celsius, &prediction);
    double idle = power->watts.idle_watts, gpu = power->watts.gpu_watts;
    CLOSE(gpu, idle + power->watts.runtime_watts);
    prediction_destroy(prediction);
    return idle;
}

/* Liao, He and Lepak, 65 nm at 0.95 V: 16.00, 19.44 and 23.44 uA a gate at 60, 80 and 100 degC; the model is exponential
 * between the outer ones. Static power of 80 SMs at 65 degC is 20 W, constant power 30 W. */
static void static_power_grows_with_the_temperature(void **state)
{
    (void)state;
    struct machine machine;
    make_machine(&machine);
    struct profile *profile = make_launch(BLOCKS, 32);
    double cool = idle_watts_at(profile, &machine, "60") - 30;
    CLOSE((idle_watts_at(profile, &machine, "100") - 30) / cool, 23.44 / 16.00);
    assert_true(fabs((idle_watts_at(profile, &machine, "80") - 30) / cool - 19.44 / 16.00) < 0.01);
    CLOSE(idle_watts_at(profile, &machine, "65"), 50);
    CLOSE(idle_watts_at(profile, &machine, NULL), 50);
    double before = 30;
    for (int celsius = 5; celsius <= 150; celsius += 5) {
        char text[8];
        snprintf(text, sizeof text, "%d", celsius);
        double idle = idle_watts_at(profile, &machine, text);
        assert_true(idle > before);
        before = idle;
    }
    profile_destroy(profile);
}

static void impossible_temperatures_are_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {"-5", "0", "151", "1e9"};
    struct machine machine;
    make_machine(&machine);
    struct profile *profile = make_launch(BLOCKS, 32);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct diag diag = {0};
        struct prediction *prediction = NULL;
        const struct model_option options[] = {{"chip_degc", refused[i]}};
        const struct predict_options given = {.option_count = 1, .options = options};
        assert_int_equal(model_predict(&diag, profile, &machine, &given, &prediction),
                         WS_ERR_ARGUMENT);
        assert_non_null(strstr(diag_text(&diag), "chip_degc"));
        diag_clear(&diag);
        prediction_destroy(prediction);
    }
    profile_destroy(profile);
}

static void the_option_chooses_the_model(void **state)
{
    (void)state;
    struct machine machine;
    struct diag diag = {0};
    struct prediction *prediction;
    const struct model_option options[] = {{"power_model", "ipp-power"}};
    const struct predict_options given = {.option_count = 1, .options = options};
    make_machine(&machine);
    struct profile *profile = make_launch(BLOCKS, 32);
    assert_int_equal(model_predict(&diag, profile, &machine, &given, &prediction), WS_OK);
    assert_null(prediction->power);
    assert_non_null(strstr(prediction->no_power, "power.max.int"));
    prediction_destroy(prediction);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joules_are_those_of_the_events),
        cmocka_unit_test(energy_follows_the_square_of_the_voltage),
        cmocka_unit_test(voltage_is_constant_below_the_knee),
        cmocka_unit_test(watts_never_fall_with_the_clock_or_below_idle),
        cmocka_unit_test(inactive_lanes_take_nothing),
        cmocka_unit_test(more_work_takes_more_watts),
        cmocka_unit_test(static_power_grows_with_the_temperature),
        cmocka_unit_test(impossible_temperatures_are_refused),
        cmocka_unit_test(the_option_chooses_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
