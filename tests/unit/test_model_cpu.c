// SPDX-License-Identifier: Apache-2.0
/* Models on a CPU: throughput against golden.json (cases tput-cpu-*) and section 5.8 of Hong's thesis,
 * the bound against arithmetic by hand. */
#include "model_fixture.h"

/* Table 14, with the frequencies exchanged back. */
static void make_e5645x2(struct machine *machine)
{
    static const struct given_figure figures[] = {
        {MACHINE_CPU_CORES, 12},        {MACHINE_CPU_ISSUE_WIDTH, 4},   {MACHINE_CPU_FP_UNITS, 2},
        {MACHINE_CPU_VECTOR_UNITS, 2},  {MACHINE_CPU_VECTOR_WIDTH, 16}, {MACHINE_CPU_FMA, 0},
        {MACHINE_CPU_INST_LATENCY, 4},  {MACHINE_CPU_LINE, 64},         {MACHINE_CLOCK_CORE, 2.4e9},
        {MACHINE_DRAM_BANDWIDTH, 50e9}, {MACHINE_DRAM_LATENCY, 250},    {MACHINE_KEY_COUNT, 0}};
    memset(machine, 0, sizeof *machine);
    machine->kind = MACHINE_IS_CPU;
    machine->id = machine->name = machine->path = "e5645x2";
    for (size_t i = 0; figures[i].key != MACHINE_KEY_COUNT; i++)
        set_figure(machine, figures[i].key, figures[i].value);
}

/* 20 additions and a load a thread; the threads of a warp touch 8 lines, so that every group of four
 * fetches one, as in the golden cases. */
static const struct hand_kernel additions = {
    .blocks = 120,
    .threads_per_block = 256,
    .comp = 20,
    .uncoalesced = 1,
    .transactions_per_uncoalesced = 8,
    .bytes_per_access = 128,
};

static struct profile *make_additions(double dep)
{
    struct profile *profile = make_profile(&additions);
    set_count(profile, COUNTER_MEM_GLOBAL_LOAD_LINES128, 8 * hand_warps(&additions));
    set_count(profile, COUNTER_DEP_DISTANCE, dep);
    set_count(profile, COUNTER_DEP_ILP, 1);
    return profile;
}

static struct prediction *predict_with(const struct profile *profile, const struct machine *machine,
                                       const char *key, const char *value)
{
    struct diag diag = {0};
    struct prediction *prediction = NULL;
    const struct model_option options[] = {{key, value}};
    const struct predict_options all = {.option_count = key ? 1 : 0, .options = options};
    if (model_predict(&diag, profile, machine, &all, &prediction) != WS_OK)
        fail_msg("model_predict: %s", diag.text);
    return prediction;
}

static double flops(void)
{
    return 20.0 * additions.blocks * additions.threads_per_block;
}

static void same_answer_as_the_golden_case(void **state)
{
    (void)state;
    struct machine machine;
    make_e5645x2(&machine);
    struct profile *profile = make_additions(4);
    struct prediction *prediction = predict_with(profile, &machine, "ilp", "profile");
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    /* tput-cpu-vec */
    assert_close(term(estimate, "peak_achi"), 230.4e9, 1e-12);
    assert_close(term(estimate, "perf_cycles"), 20, 1e-12);
    assert_close(term(estimate, "total_cycles"), 21, 1e-12);
    assert_close(term(estimate, "mwp_app_infin"), 11.904761904761905, 1e-12);
    assert_close(term(estimate, "mwp_bw"), 6.781684027777778, 1e-12);
    assert_close(term(estimate, "mwp"), 1, 0);
    assert_close(term(estimate, "idle"), 229, 1e-12);
    assert_close(term(estimate, "eff_ratio"), 0.08, 1e-12);
    assert_close(term(estimate, "perf"), 18.432e9, 1e-12);
    assert_close(term(estimate, "category"), 5, 0);
    assert_close(estimate->time_seconds, flops() / 18.432e9, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* tput-cpu-scalar's peak: 12 cores of 2 units at 2.4 GHz. A thread by itself has every line to itself: 8
 * lines of 32 threads are a quarter of a line each. */
static void threads_by_themselves_use_scalar_units(void **state)
{
    (void)state;
    struct machine machine;
    make_e5645x2(&machine);
    struct profile *profile = make_additions(4);
    struct prediction *prediction = predict_with(profile, &machine, "vectorise", "none");
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    assert_close(term(estimate, "peak_achi"), 57.6e9, 1e-12);
    assert_close(term(estimate, "lanes"), 1, 0);
    assert_close(term(estimate, "fp_insts"), 20, 1e-12);
    assert_close(term(estimate, "fp_vec_insts"), 0, 0);
    assert_close(term(estimate, "lines"), 0.25, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Section 5.8 and figure 141: four times as slow at a distance of 1, twice at 2, not at 4 and more. */
static void dependences_cost_as_in_section_5_8(void **state)
{
    (void)state;
    static const struct {
        double dep, factor;
    } rows[] = {{1, 4}, {2, 2}, {4, 1}, {8, 1}};
    struct machine machine;
    make_e5645x2(&machine);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct profile *profile = make_additions(rows[i].dep);
        struct prediction *prediction = predict_with(profile, &machine, "cache", "l1");
        const struct estimate *estimate = prediction_find(prediction, "throughput");
        assert_close(term(estimate, "dep_effect"), rows[i].factor, 1e-12);
        /* 20 of 21 instructions are useful. */
        assert_close(term(estimate, "perf"), 230.4e9 * 20 / 21 / rows[i].factor, 1e-12);
        assert_close(estimate->time_seconds, flops() / term(estimate, "perf"), 1e-12);
        if (rows[i].factor > 1)
            assert_close(estimate->without[EFFECT_INST_LATENCY].gain, rows[i].factor, 1e-9);
        prediction_destroy(prediction);
        profile_destroy(profile);
    }
}

/* A thread of 20 additions, a load and 2 sines: 2 * 51 + 21 instructions on a CPU, and 23 without the effect or in
 * the bound. A square root is one. */
static void a_sine_is_a_sequence(void **state)
{
    (void)state;
    struct machine machine;
    make_e5645x2(&machine);
    static const struct {
        enum counter counter;
        double insts;
    } rows[] = {{COUNTER_INST_WARP_SFU_SIN, 21 + 2 * 51},  {COUNTER_INST_WARP_SFU_COS, 21 + 2 * 49},
                {COUNTER_INST_WARP_SFU_EX2, 21 + 2 * 32},  {COUNTER_INST_WARP_SFU_LG2, 21 + 2 * 45},
                {COUNTER_INST_WARP_SFU_TANH, 21 + 2 * 64}, {COUNTER_INST_WARP_SFU_SQRT, 21 + 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct profile *profile = make_additions(4);
        double warps = hand_warps(&additions);
        set_count(profile, rows[i].counter, 2 * warps);
        set_count(profile, COUNTER_INST_WARP, 23 * warps);
        struct prediction *prediction = predict_with(profile, &machine, "cache", "l1");
        const struct estimate *estimate = prediction_find(prediction, "throughput");
        assert_close(term(estimate, "total_cycles"), rows[i].insts / 2, 1e-12); /* two units */
        assert_close(term(estimate, "br_misc_insts"), rows[i].insts - 21, 1e-12);
        assert_close(estimate->without[EFFECT_LONG_INSTRUCTIONS].gain, rows[i].insts / 23, 1e-9);
        prediction_destroy(prediction);
        profile_destroy(profile);
    }
}

/* Section 5.7: two instructions without multiply-add in the hardware, so the peak stays; with it one
 * instruction of two flops. */
static void a_multiply_add_is_two_instructions(void **state)
{
    (void)state;
    struct machine machine;
    make_e5645x2(&machine);
    for (unsigned fma = 0; fma < 2; fma++) {
        set_figure(&machine, MACHINE_CPU_FMA, fma);
        struct profile *profile = make_additions(4);
        set_count(profile, COUNTER_INST_WARP_FP32_FMA,
                  profile_get(profile, COUNTER_INST_WARP_FP32_ADD));
        set_count(profile, COUNTER_INST_WARP_FP32_ADD, 0);
        struct prediction *prediction = predict_with(profile, &machine, "cache", "l1");
        const struct estimate *estimate = prediction_find(prediction, "throughput");
        assert_close(term(estimate, "peak_achi"), fma ? 460.8e9 : 230.4e9, 1e-12);
        assert_close(term(estimate, "eff_ratio"), fma ? 20.0 / 21 : 40.0 / 41, 1e-12);
        prediction_destroy(prediction);
        profile_destroy(profile);
    }
}

/* Two lanes of eight bytes in 16: half the peak. */
static void double_precision_has_half_the_lanes(void **state)
{
    (void)state;
    struct machine machine;
    make_e5645x2(&machine);
    struct profile *profile = make_additions(4);
    set_count(profile, COUNTER_INST_WARP_FP64_ADD,
              profile_get(profile, COUNTER_INST_WARP_FP32_ADD));
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, 0);
    struct prediction *prediction = predict_with(profile, &machine, "cache", "l1");
    assert_close(term(prediction_find(prediction, "throughput"), "peak_achi"), 115.2e9, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Groups of 4 threads: 120 x 256 / 4 on 12 cores; 21 instructions, 4 a cycle; 20 of them on 2 units. */
static void the_bound_is_a_roofline(void **state)
{
    (void)state;
    struct machine machine;
    make_e5645x2(&machine);
    struct profile *profile = make_additions(4);
    set_count(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT, 1e6);
    set_count(profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT, 5e5);
    struct prediction *prediction = predict_with(profile, &machine, NULL, NULL);
    const struct estimate *bound = prediction_find(prediction, "speed-of-light");
    assert_close(term(bound, "t_issue"), 7680 / 12.0 * 21 / 4 / 2.4e9, 1e-12);
    assert_close(term(bound, "t_fp"), 7680 / 12.0 * 20 / 2 / 2.4e9, 1e-12);
    assert_close(term(bound, "t_dram"), 1.5e6 * 32 / 50e9, 1e-12);
    assert_int_equal(bound->bottleneck, COMPONENT_CPU_BANDWIDTH);
    assert_int_equal(bound->next, COMPONENT_FLOATING_POINT_UNITS);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Fewer blocks than cores leave some idle; one thread cannot share a vector. */
static void small_launches_use_what_they_fill(void **state)
{
    (void)state;
    struct machine machine;
    struct hand_kernel small = additions;
    small.blocks = 3;
    small.threads_per_block = 1;
    make_e5645x2(&machine);
    struct profile *profile = make_profile(&small);
    struct prediction *prediction = predict_with(profile, &machine, NULL, NULL);
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    assert_close(term(estimate, "active_cores"), 3, 0);
    assert_close(term(estimate, "lanes"), 1, 0);
    assert_close(term(estimate, "peak_achi"), 2.4e9 * 3 * 2, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void models_of_gpus_say_so(void **state)
{
    (void)state;
    static const char *const names[] = {"mwp-cwp", "quantitative", "teg"};
    struct machine machine;
    make_e5645x2(&machine);
    struct profile *profile = make_additions(4);
    struct prediction *prediction = predict_with(profile, &machine, NULL, NULL);
    assert_int_equal(prediction->estimate_count, 2);
    assert_int_equal(prediction->refusal_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(prediction->refusals[i].model, names[i]);
        assert_string_equal(prediction->refusals[i].reason, "models GPUs only, e5645x2 is a CPU");
    }
    assert_contains(prediction->no_power, "no power coefficients for this CPU");
    assert_string_equal(prediction->estimates[prediction->best].model, "throughput");
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Instructions count where nothing is useful in the thesis' sense, and that is said. */
static void without_floating_point_instructions_count(void **state)
{
    (void)state;
    struct machine machine;
    make_e5645x2(&machine);
    struct profile *profile = make_additions(4);
    set_count(profile, COUNTER_INST_WARP_INT_ADD, profile_get(profile, COUNTER_INST_WARP_FP32_ADD));
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, 0);
    struct prediction *prediction = predict_with(profile, &machine, "cache", "l1");
    const struct estimate *estimate = prediction_find(prediction, "throughput");
    assert_true(assumes(estimate, "no floating-point instruction"));
    assert_close(estimate->time_seconds, 7680 / 12.0 * 21 / 2 / 2.4e9, 1e-12);
    assert_close(term(estimate, "perf"), 0, 0);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_answer_as_the_golden_case),
        cmocka_unit_test(threads_by_themselves_use_scalar_units),
        cmocka_unit_test(dependences_cost_as_in_section_5_8),
        cmocka_unit_test(a_sine_is_a_sequence),
        cmocka_unit_test(a_multiply_add_is_two_instructions),
        cmocka_unit_test(double_precision_has_half_the_lanes),
        cmocka_unit_test(the_bound_is_a_roofline),
        cmocka_unit_test(small_launches_use_what_they_fill),
        cmocka_unit_test(models_of_gpus_say_so),
        cmocka_unit_test(without_floating_point_instructions_count),
    };
    return cmocka_run_group_tests_name("models on a CPU", tests, NULL, NULL);
}
