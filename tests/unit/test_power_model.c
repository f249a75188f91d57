// SPDX-License-Identifier: Apache-2.0
/* ipp-power and the sweep over active SMs on profiles written by hand: golden.json's ipp_sweep cases by
 * way of profile and machine, options, what is missing. */
#include "model/power/core_sweep.h"
#include "model/power/power_estimate.h"
#include "unit/model_fixture.h"

static void add_power(struct machine *machine, struct ipp_parameters gpu)
{
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++) {
        set_figure(machine, MACHINE_POWER_MAX_INT + i, gpu.max_watts[i]);
        set_figure(machine, MACHINE_POWER_SPEC_LINEAR_INT + i, gpu.spec_linear[i]);
    }
    set_figure(machine, MACHINE_POWER_SPEC_LINEAR_SLOPE, gpu.spec_slope);
    set_figure(machine, MACHINE_POWER_SPEC_LINEAR_OFFSET, gpu.spec_offset);
    set_figure(machine, MACHINE_POWER_CONST_SM, gpu.const_sm_watts);
    set_figure(machine, MACHINE_POWER_ACTIVATION, gpu.activation_watts);
    set_figure(machine, MACHINE_POWER_IDLE, gpu.idle_watts);
    set_figure(machine, MACHINE_POWER_LOG_SCALING, gpu.log_scales);
    set_figure(machine, MACHINE_POWER_LOG_BETA, gpu.log_beta);
}

/* The machine of golden.json's sweeps: MWP_peak_BW 10.8 with 30 SMs. */
static void make_sweep_machine(struct machine *machine)
{
    make_gtx280(machine);
    add_power(machine, ipp_gtx280());
    set_figure(machine, MACHINE_DRAM_BANDWIDTH, 119.808e9);
    set_figure(machine, MACHINE_DRAM_LATENCY, 446);
}

static void count_unit(struct profile *profile, enum insn_unit unit, double per_warp, double warps)
{
    set_count(profile, (enum counter)(COUNTER_INST_UNIT_FIRST + unit), per_warp * warps);
}

/* One block of 512 threads an SM: 32 registers a thread. */
static struct profile *make_sweep_profile(double comp, double fp, double ints, double alu)
{
    const struct hand_kernel kernel = {.blocks = 6000,
                                       .threads_per_block = 512,
                                       .registers = 32,
                                       .comp = comp,
                                       .coalesced = 10,
                                       .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    double warps = hand_warps(&kernel);
    for (unsigned i = 0; i < UNIT_COUNT; i++)
        count_unit(profile, (enum insn_unit)i, 0, warps);
    count_unit(profile, UNIT_FP, fp, warps);
    count_unit(profile, UNIT_INT, ints, warps);
    count_unit(profile, UNIT_ALU, alu, warps);
    count_unit(profile, UNIT_REG, comp + 10, warps);
    count_unit(profile, UNIT_FDS, comp + 10, warps);
    count_unit(profile, UNIT_GLOBAL, 10, warps);
    return profile;
}

static struct core_sweep *sweep(const struct profile *profile, const struct machine *machine,
                                const char *key, const char *value)
{
    struct diag diag = {0};
    struct prediction *whole;
    struct core_sweep *out = NULL;
    const struct model_option options[] = {{"power_time", "mwp-cwp"}, {key, value}};
    const struct predict_options given = {.option_count = key ? 2 : 1, .options = options};
    if (model_predict(&diag, profile, machine, &given, &whole) != WS_OK ||
        core_sweep_run(&diag, whole, 1, 30, &out) != WS_OK)
        fail_msg("%s", diag.text);
    prediction_destroy(whole);
    diag_clear(&diag);
    return out;
}

#define CLOSE(got, want, tolerance)                                                                \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (tolerance)*fabs(want_)))                                      \
            fail_msg("%s is %.15g, expected %.15g", #got, got_, want_);                            \
    } while (0)

/* golden.json: ipp-sweep-runtime, -total, -powergate. Work is 20 instructions of 6000 x 16 warps of 32
 * threads, in thousand millions. */
static void a_sweep_is_that_of_the_golden_cases(void **state)
{
    (void)state;
    static const struct {
        double cores, perf_per_watt, saving;
    } golden[] = {{21, 0.7540137816055171, 0.08019756409254464},
                  {21, 0.36415849009527496, 0.03434148809196769},
                  {20, 0.49163281218634336, 0.28472482526086484}};
    struct machine machine;
    make_sweep_machine(&machine);
    struct profile *profile = make_sweep_profile(10, 2, 4, 2);
    struct core_sweep *all = sweep(profile, &machine, NULL, NULL);
    assert_int_equal(all->count, 30);
    for (unsigned m = 0; m < POWER_METRIC_COUNT; m++) {
        const struct core_point *best = &all->points[all->best[m]].point;
        double joules = core_point_joules(best, (enum power_metric)m);
        CLOSE(best->cores, golden[m].cores, 0);
        CLOSE(20 * 6000 * 16 * 32 / 1e9 / joules, golden[m].perf_per_watt, 1e-9);
        CLOSE(core_point_saving(best, &all->all.point, (enum power_metric)m), golden[m].saving,
              1e-9);
    }
    CLOSE(all->closed.exact, 10.8 * 30 / 16, 1e-9);
    CLOSE(all->closed.cores, 20, 0);
    assert_int_equal(all->points[19].case_number, 1);
    assert_int_equal(all->points[20].case_number, 2);
    core_sweep_destroy(all);
    profile_destroy(profile);
}

/* ipp-sweep-compute: bound by computation. */
static void computation_wants_all_cores(void **state)
{
    (void)state;
    struct machine machine;
    make_sweep_machine(&machine);
    struct profile *profile = make_sweep_profile(4000, 3000, 500, 500);
    struct core_sweep *all = sweep(profile, &machine, NULL, NULL);
    const struct core_point *best = &all->points[all->best[POWER_METRIC_TOTAL]].point;
    CLOSE(best->cores, 30, 0);
    CLOSE(4010.0 * 6000 * 16 * 32 / 1e9 / core_point_joules(best, POWER_METRIC_TOTAL),
          2.0379866663899557, 1e-9);
    CLOSE(all->closed.cores, 30, 0);
    core_sweep_destroy(all);
    profile_destroy(profile);
}

/* With the measured time the point of all SMs takes just that; the others follow. */
static void a_measured_time_scales_all(void **state)
{
    (void)state;
    struct machine machine;
    make_sweep_machine(&machine);
    struct profile *profile = make_sweep_profile(10, 2, 4, 2);
    struct core_sweep *plain = sweep(profile, &machine, NULL, NULL);
    struct core_sweep *measured = sweep(profile, &machine, "power_time_s", "0.002");
    CLOSE(measured->all.point.seconds, 0.002, 1e-12);
    CLOSE(measured->points[4].point.seconds,
          plain->points[4].point.seconds * 0.002 / plain->all.point.seconds, 1e-12);
    assert_true(measured->all.point.runtime_watts < plain->all.point.runtime_watts);
    core_sweep_destroy(plain);
    core_sweep_destroy(measured);
    profile_destroy(profile);
}

static void ranges_are_checked(void **state)
{
    (void)state;
    static const unsigned bad[][2] = {{0, 3}, {5, 4}, {1, 31}};
    struct machine machine;
    struct diag diag = {0};
    struct prediction *whole;
    struct core_sweep *out;
    make_sweep_machine(&machine);
    struct profile *profile = make_sweep_profile(10, 2, 4, 2);
    assert_int_equal(model_predict(&diag, profile, &machine, NULL, &whole), WS_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(core_sweep_run(&diag, whole, bad[i][0], bad[i][1], &out), WS_ERR_ARGUMENT);
        assert_null(out);
    }
    prediction_destroy(whole);
    diag_clear(&diag);
    profile_destroy(profile);
}

static const char *refusal(const struct profile *profile, const struct machine *machine)
{
    static char text[512];
    struct prediction *prediction = predict(profile, machine);
    assert_null(prediction->power);
    snprintf(text, sizeof text, "%s", prediction->no_power);
    prediction_destroy(prediction);
    return text;
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    struct machine machine;
    make_sweep_machine(&machine);
    struct profile *profile = make_sweep_profile(10, 2, 4, 2);
    forget_figure(&machine, MACHINE_POWER_MAX_FDS);
    assert_non_null(strstr(refusal(profile, &machine), "gtx280 lacks power.max.fds"));
    assert_non_null(
        strstr(refusal(profile, &machine), "warpsage calibrate --power -o gtx280.yaml"));
    make_sweep_machine(&machine);
    forget_figure(&machine, MACHINE_POWER_LOG_BETA);
    assert_non_null(strstr(refusal(profile, &machine), "power.log_beta"));
    make_sweep_machine(&machine);
    forget_figure(&machine, MACHINE_POWER_SPEC_LINEAR_OFFSET);
    assert_non_null(strstr(refusal(profile, &machine), "power.spec_linear.offset"));
    /* A unit that is used needs its coefficient, one that is not does not. */
    make_sweep_machine(&machine);
    forget_figure(&machine, MACHINE_POWER_MAX_TEXTURE);
    struct prediction *prediction = predict(profile, &machine);
    assert_non_null(prediction->power);
    prediction_destroy(prediction);
    count_unit(profile, UNIT_TEXTURE, 1, 96000);
    assert_non_null(strstr(refusal(profile, &machine), "power.max.texture"));
    profile_destroy(profile);
}

/* Table 11 has no ALU and no local memory: with INT and global (P-13). */
static void units_without_coefficient_count_with_their_kin(void **state)
{
    (void)state;
    struct machine machine;
    make_sweep_machine(&machine);
    forget_figure(&machine, MACHINE_POWER_MAX_ALU);
    forget_figure(&machine, MACHINE_POWER_MAX_LOCAL);
    struct profile *profile = make_sweep_profile(10, 2, 4, 2);
    count_unit(profile, UNIT_LOCAL, 5, 96000);
    struct prediction *prediction = predict(profile, &machine);
    const struct power_estimate *power = prediction->power;
    double slots = power->answer.cycles / 4 * 30;
    CLOSE(power->rates[POWER_UNIT_INT], (4 + 2) * 96000 / slots, 1e-12);
    CLOSE(power->rates[POWER_UNIT_GLOBAL], (10 + 5) * 96000 / slots, 1e-12);
    assert_true(power->rates[POWER_UNIT_ALU] == 0 && power->watts.units[POWER_UNIT_ALU] == 0);
    assert_non_null(power->unit_reasons[POWER_UNIT_ALU]);
    assert_true(power->answer.assumption_count >= 2);
    /* (54) is of the kernel's instructions: 15 of 20 + 5 - 15 others. */
    CLOSE(power->intensity, 15.0 / (20 - 15), 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Double precision and matrices are parts of FP and ALU until they have coefficients of their own; the tensor
 * cores' rate is the share of their peak (P-18). */
static void later_units_are_taken_out(void **state)
{
    (void)state;
    struct machine machine;
    make_sweep_machine(&machine);
    set_figure(&machine, MACHINE_TENSOR_FMA, 512);
    struct profile *profile = make_sweep_profile(10, 3, 4, 3);
    set_count(profile, (enum counter)(COUNTER_INST_WARP_FIRST + CLASS_FP64_FMA), 1 * 96000);
    set_count(profile, (enum counter)(COUNTER_INST_WARP_FIRST + CLASS_FP64_DIV), 1 * 96000);
    set_count(profile, (enum counter)(COUNTER_INST_WARP_FIRST + CLASS_TENSOR), 2 * 96000);
    set_count(profile, COUNTER_TENSOR_FMA, 2 * 96000 * 4096.0);
    forget_figure(&machine, MACHINE_POWER_MAX_FP64);
    forget_figure(&machine, MACHINE_POWER_MAX_TENSOR);
    struct prediction *prediction = predict(profile, &machine);
    const struct power_estimate *power = prediction->power;
    double cycles = power->answer.cycles, slots = cycles / 4 * 30;
    CLOSE(power->rates[POWER_UNIT_FP], 3 * 96000 / slots, 1e-12);
    CLOSE(power->rates[POWER_UNIT_ALU], 3 * 96000 / slots, 1e-12);
    assert_true(power->rates[POWER_UNIT_FP64] == 0 && power->rates[POWER_UNIT_TENSOR] == 0);
    assert_non_null(strstr(power->unit_reasons[POWER_UNIT_TENSOR], "counted with alu"));
    prediction_destroy(prediction);
    set_figure(&machine, MACHINE_POWER_MAX_FP64, 1.5);
    set_figure(&machine, MACHINE_POWER_MAX_TENSOR, 4);
    prediction = predict(profile, &machine);
    power = prediction->power;
    CLOSE(power->rates[POWER_UNIT_FP], 1 * 96000 / slots, 1e-12);
    CLOSE(power->rates[POWER_UNIT_FP64], 2 * 96000 / slots, 1e-12);
    CLOSE(power->rates[POWER_UNIT_ALU], 1 * 96000 / slots, 1e-12);
    CLOSE(power->rates[POWER_UNIT_TENSOR], 2 * 96000 * 4096.0 / (512 * 30 * cycles), 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Of 100 sectors 80 are looked for in the L1, 60 come to the L2, 30 to the DRAM: so many of the kernel's
 * 10 accesses a warp count there (P-16). */
static void caches_take_their_share(void **state)
{
    (void)state;
    struct machine machine;
    struct diag diag = {0};
    struct prediction *prediction;
    make_sweep_machine(&machine);
    set_figure(&machine, MACHINE_POWER_MAX_L1, 1.6);
    set_figure(&machine, MACHINE_POWER_MAX_L2, 12);
    struct profile *profile = make_sweep_profile(10, 2, 4, 2);
    const struct cache_section caches = {.counts = {[CACHE_COUNT_LOADS] = 80,
                                                    [CACHE_COUNT_L1_LOOKUPS] = 80,
                                                    [CACHE_COUNT_L1_HITS] = 40,
                                                    [CACHE_COUNT_L2_LOADS] = 40,
                                                    [CACHE_COUNT_STORES] = 20,
                                                    [CACHE_COUNT_DRAM_READ] = 20,
                                                    [CACHE_COUNT_DRAM_WRITTEN] = 10}};
    const struct model_option mwp_cwp = {"power_time", "mwp-cwp"};
    const struct predict_options given = {
        .caches = &caches, .option_count = 1, .options = &mwp_cwp};
    assert_int_equal(model_predict(&diag, profile, &machine, &given, &prediction), WS_OK);
    const struct power_estimate *power = prediction->power;
    double slots = power->answer.cycles / 4 * 30;
    CLOSE(power->rates[POWER_UNIT_L1], 0.8 * 10 * 96000 / slots, 1e-12);
    CLOSE(power->rates[POWER_UNIT_L2], 0.6 * 10 * 96000 / slots, 1e-12);
    CLOSE(power->rates[POWER_UNIT_GLOBAL], 0.3 * 10 * 96000 / slots, 1e-12);
    /* The cache access profile: of 80 + 20 sectors; none of the 40 loads of the L2 was found there. */
    CLOSE(estimate_term(&power->answer, "caches.l1_share")->value, 80.0 / 100, 1e-12);
    CLOSE(estimate_term(&power->answer, "caches.l1_hit_rate")->value, 40.0 / 80, 1e-12);
    CLOSE(estimate_term(&power->answer, "caches.l2_share")->value, 60.0 / 100, 1e-12);
    assert_true(estimate_term(&power->answer, "caches.l2_load_hit_rate")->value == 0);
    CLOSE(estimate_term(&power->answer, "caches.dram_share")->value, 30.0 / 100, 1e-12);
    prediction_destroy(prediction);

    prediction = predict_headline(profile, &machine, "mwp-cwp");
    assert_true(prediction->power->rates[POWER_UNIT_L1] == 0);
    assert_non_null(prediction->power->unit_reasons[POWER_UNIT_L1]);
    assert_null(estimate_term(&prediction->power->answer, "caches.l1_share"));
    CLOSE(prediction->power->rates[POWER_UNIT_GLOBAL], 10 * 96000 / slots, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* A time too short for its instructions: rates are 1, and it is said. */
static void rates_do_not_exceed_one(void **state)
{
    (void)state;
    struct machine machine;
    struct diag diag = {0};
    struct prediction *prediction;
    make_sweep_machine(&machine);
    struct profile *profile = make_sweep_profile(10, 2, 4, 2);
    const struct model_option option = {"power_time_s", "1e-6"};
    const struct predict_options given = {.option_count = 1, .options = &option};
    assert_int_equal(model_predict(&diag, profile, &machine, &given, &prediction), WS_OK);
    CLOSE(prediction->power->rates[POWER_UNIT_FDS], 1, 0);
    CLOSE(prediction->power->watts.effective[POWER_UNIT_FDS], 1.001375, 1e-12);
    assert_true(prediction->power->measured && prediction->power->answer.assumption_count > 0);
    prediction_destroy(prediction);
    diag_clear(&diag);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_is_that_of_the_golden_cases),
        cmocka_unit_test(computation_wants_all_cores),
        cmocka_unit_test(a_measured_time_scales_all),
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(units_without_coefficient_count_with_their_kin),
        cmocka_unit_test(later_units_are_taken_out),
        cmocka_unit_test(caches_take_their_share),
        cmocka_unit_test(rates_do_not_exceed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
