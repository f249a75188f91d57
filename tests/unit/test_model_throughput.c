// SPDX-License-Identifier: Apache-2.0
/* throughput from profile and machine to time. Expected values: golden.json (case named), or what the
 * equations leave when a term is taken away. */
#include "model_fixture.h"

/* Tables 10 and 14 of the thesis: the GTX 580 of golden cases tput-gpu-*. */
static void make_gtx580(struct machine *machine)
{
    static const struct given_figure changes[] = {{MACHINE_SM_COUNT, 16},
                                                  {MACHINE_SM_MAX_THREADS, 1536},
                                                  {MACHINE_SM_MAX_WARPS, 48},
                                                  {MACHINE_SM_REGISTERS, 32768},
                                                  {MACHINE_CLOCK_CORE, 1.544e9},
                                                  {MACHINE_ISSUE_CYCLES, 1},
                                                  {MACHINE_DRAM_BANDWIDTH, 150e9},
                                                  {MACHINE_DRAM_LATENCY, 450},
                                                  {MACHINE_LATENCY_FIRST + CLASS_FP32_FMA, 20},
                                                  {MACHINE_KEY_COUNT, 0}};
    make_gtx280(machine);
    set_figures(machine, changes, 32, 4);
}

static struct prediction *predict_with(const struct profile *profile, const struct machine *machine,
                                       const char *key, const char *value)
{
    struct diag diag = {0};
    struct prediction *prediction = NULL;
    /* Table 14's latency is that of an access, without the departure delay of chapter II. */
    const struct model_option options[] = {{"mem_l_coal", "slides"}, {"cases", "printed"},
                                           {"overlap", "n"},         {"tail_periods", "one"},
                                           {"bound", "none"},        {key, value}};
    const struct predict_options all = {.option_count = key ? 6 : 5, .options = options};
    if (model_predict(&diag, profile, machine, &all, &prediction) != WS_OK)
        fail_msg("model_predict: %s", diag.text);
    return prediction;
}

/* 20 additions and an access of 128 bytes a warp; 6 blocks of 8 warps fill an SM. */
static const struct hand_kernel additions = {
    .blocks = 16 * 6 * 10,
    .threads_per_block = 256,
    .registers = 20,
    .comp = 20,
    .coalesced = 1,
    .bytes_per_access = 128,
};

static void same_answer_as_the_golden_case(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx580(&machine);
    struct profile *profile = make_profile(&additions);
    struct prediction *prediction = predict_with(profile, &machine, NULL, NULL);
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    assert_non_null(estimate);
    assert_close(term(estimate, "n"), 48, 0);
    assert_close(term(estimate, "peak_achi"), 790.528e9, 1e-9);
    assert_close(term(estimate, "eff_ratio_comp"), 0.9523809523809523, 1e-9);
    assert_close(term(estimate, "mwp_app"), 21.428571428571427, 1e-9);
    assert_close(term(estimate, "mwp_bw"), 21.34649247085492, 1e-9);
    assert_close(term(estimate, "idle"), 431.1521818879535, 1e-9);
    assert_close(term(estimate, "perf"), 527.329138329504e9, 1e-9);
    assert_close(term(estimate, "category"), 9, 0);
    double flops = 16 * 6 * 10 * 256 * 20;
    assert_close(estimate->time_seconds, flops / 527.329138329504e9, 1e-9);
    assert_int_equal(estimate->bottleneck, COMPONENT_GLOBAL_BANDWIDTH);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* All hits in L1 leave the computation: 20 of 21 instructions, each a cycle of an SM. */
static void without_memory_the_computation_is_left(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx580(&machine);
    struct profile *profile = make_profile(&additions);
    struct prediction *prediction = predict_with(profile, &machine, "cache", "l1");
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    assert_close(term(estimate, "eff_ratio"), 20.0 / 21, 1e-12);
    assert_close(estimate->cycles, 21 * 8 * 6 * 10, 1e-12);
    assert_null(estimate_term(estimate, "category"));
    assert_int_equal(estimate->bottleneck, COMPONENT_ISSUE);
    prediction_destroy(prediction);

    prediction = predict_with(profile, &machine, NULL, NULL);
    estimate = prediction_find(prediction, "throughput");
    assert_true(estimate->without[EFFECT_CACHE_MISSES].modelled);
    assert_close(estimate->without[EFFECT_CACHE_MISSES].time_seconds, 21 * 8 * 6 * 10 / 1.544e9,
                 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* One warp alone with a dependence in every instruction: each waits 20 cycles (reading T-9). */
static void few_warps_show_the_latency(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx580(&machine);
    struct hand_kernel alone = additions;
    alone.blocks = 16;
    alone.threads_per_block = 32;
    struct profile *profile = make_profile(&alone);
    struct prediction *prediction = predict_with(profile, &machine, "cache", "l1");
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    assert_close(term(estimate, "dep_effect"), 20, 1e-12);
    assert_close(estimate->cycles, 20 * 21, 1e-12);
    assert_int_equal(estimate->bottleneck, COMPONENT_INSTRUCTION_LATENCY);
    prediction_destroy(prediction);

    set_count(profile, COUNTER_DEP_DISTANCE, 4); /* four independent ones between */
    prediction = predict_with(profile, &machine, "cache", "l1");
    estimate = prediction_find(prediction, "throughput");
    assert_close(term(estimate, "dep_effect"), 5, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Instructions of lower rate: 2 lanes of 32 take 16 cycles, and no flop. */
static void classes_have_their_price(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx580(&machine);
    struct profile *profile = make_profile(&additions);
    double warps = hand_warps(&additions);
    set_figure(&machine, MACHINE_THROUGHPUT_SFU_RCP, 2);
    set_count(profile, COUNTER_INST_WARP_SFU_RCP, 3 * warps);
    set_count(profile, COUNTER_INST_WARP, 24 * warps);
    struct prediction *prediction = predict_with(profile, &machine, "cache", "l1");
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    assert_close(term(estimate, "total_cycles"), 21 + 3 * 16, 1e-12);
    assert_close(term(estimate, "br_misc_insts"), 3, 1e-12);
    assert_close(term(estimate, "perf"), 790.528e9 * 20 / (21 + 3 * 16), 1e-9);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* No floating point: a time all the same, and it says what it counted. */
static void integers_alone_are_counted(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx580(&machine);
    struct profile *profile = make_profile(&additions);
    double additions_done = profile_get(profile, COUNTER_INST_WARP_FP32_ADD);
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, 0);
    set_count(profile, COUNTER_INST_WARP_INT_ADD, additions_done);
    struct prediction *prediction = predict_with(profile, &machine, NULL, NULL);
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    assert_close(term(estimate, "peak_achi"), 0, 0);
    assert_close(estimate->time_seconds, 16 * 6 * 10 * 256 * 20 / 527.329138329504e9, 1e-9);
    assert_true(assumes(estimate, "no floating-point instruction"));
    prediction_destroy(prediction);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_answer_as_the_golden_case),
        cmocka_unit_test(without_memory_the_computation_is_left),
        cmocka_unit_test(few_warps_show_the_latency),
        cmocka_unit_test(classes_have_their_price),
        cmocka_unit_test(integers_alone_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
