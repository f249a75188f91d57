// SPDX-License-Identifier: Apache-2.0
/* The model quantitative on profiles written by hand, against the paper's equations worked out
 * here, and what must hold for every launch. */
#include "model_fixture.h"

#include "model/quantitative.h"

/* ---- machine and profiles -------------------------------------------------------------------- */

/* The GTX 285 as the paper has it: 1.48 GHz, 158.976 GB/s, its curves. */
static const struct stage_times *stages_of(const struct estimate *estimate)
{
    const struct stage_times *times = estimate_details(estimate, MODEL_QUANTITATIVE);
    assert_non_null(times);
    return times;
}

static struct machine *load_gtx285(void)
{
    struct diag diag = {0};
    struct machine *machine = NULL;
    if (machine_load(&diag, SOURCE_DIR "/data/machines", "gtx285", &machine) != WS_OK)
        fail_msg("%s", diag.text);
    return machine;
}

/* Sets counts of a class beside those of the fixture. */
static void set_class(struct profile *profile, enum insn_class id, double count)
{
    set_count(profile, (enum counter)(COUNTER_INST_WARP_FIRST + id), count);
    set_count(profile, COUNTER_INST_WARP, profile_get(profile, COUNTER_INST_WARP) + count);
}

static void set_shared(struct profile *profile, double passes, double conflicts)
{
    set_count(profile, COUNTER_MEM_SHARED_LOAD_REQUESTS, passes - conflicts);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS16, passes);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_CONFLICTS16, conflicts);
}

/* Blocks of 64 threads, without accesses: 8 of them fit an SM, which makes 16 warps. */
static const struct hand_kernel arithmetic = {
    .blocks = 240, .threads_per_block = 64, .registers = 16, .comp = 1000, .bytes_per_access = 128};

static const struct estimate *ask(const struct prediction *prediction)
{
    const struct estimate *estimate = prediction_find(prediction, "quantitative");
    if (!estimate) fail_msg("quantitative was refused: %s", prediction->refusals[0].reason);
    return estimate;
}

static const char *refusal(const struct prediction *prediction)
{
    for (size_t i = 0; i < prediction->refusal_count; i++)
        if (!strcmp(prediction->refusals[i].model, "quantitative"))
            return prediction->refusals[i].reason;
    fail_msg("quantitative was not refused");
    return NULL;
}

/* ---- the paper's figures --------------------------------------------------------------------- */

static void the_machine_file_has_the_papers_points(void **state)
{
    (void)state;
    static const double warps[] = {6, 16, 32}, instructions[] = {8.39e9, 9.05e9, 9.33e9};
    static const double shared[] = {870e9, 1112e9, 1165e9};
    struct machine *machine = load_gtx285();
    double cycles = 30 * 1.48e9; /* of all SMs in a second */
    for (unsigned i = 0; i < 3; i++) {
        assert_close(machine_curve_at(&machine->curves[CURVE_INSTRUCTION], warps[i]) * cycles / 32,
                     instructions[i], 1e-12);
        assert_close(machine_curve_at(&machine->curves[CURVE_SHARED], warps[i]) * cycles, shared[i],
                     1e-12);
    }
    /* From 0 in a line, level beyond 32 warps. */
    assert_close(machine_curve_at(&machine->curves[CURVE_SHARED], 3) * cycles, 435e9, 1e-12);
    assert_close(machine_curve_at(&machine->curves[CURVE_SHARED], 99) * cycles, 1165e9, 1e-12);
    machine_destroy(machine);
}

static void instructions_take_the_measured_throughput(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct profile *profile = make_profile(&arithmetic);
    struct prediction *prediction = predict(profile, machine);
    const struct estimate *estimate = ask(prediction);
    /* 480 warps x 1000 additions (type II) at 16 warps per SM: 9.05 Ginst/s. */
    assert_close(term(estimate, "n"), 16, 1e-12);
    assert_close(term(estimate, "t_inst"), 480000 / 9.05e9, 1e-12);
    assert_close(estimate->time_seconds, 480000 / 9.05e9, 1e-12);
    assert_int_equal(estimate->bottleneck, COMPONENT_INSTRUCTION_PIPELINE);
    assert_int_equal(estimate->next, COMPONENT_NONE);
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* Time of one special function instruction a warp with a preset of table 1. */
static double special_seconds(const char *table1, const char *type_curve)
{
    struct diag diag = {0};
    const struct model_option options[] = {{"table1", table1}, {"type_curve", type_curve}};
    const struct predict_options given = {.options = options, .option_count = 2};
    struct machine *machine = load_gtx285();
    struct hand_kernel none = arithmetic;
    struct prediction *prediction;
    none.comp = 0;
    struct profile *profile = make_profile(&none);
    set_class(profile, CLASS_SFU_SIN, 480000);
    assert_int_equal(model_predict(&diag, profile, machine, &given, &prediction), WS_OK);
    double seconds = term(ask(prediction), "t_inst");
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
    return seconds;
}

/* 4 units in the paper, 2 in Wang's table 1. The type's own curve is that of the multiply-adds at
 * warps x 8 / units: 32 warps and more, 9.33 of 11.1 Ginst/s. */
static void presets_count_units(void **state)
{
    (void)state;
    assert_close(special_seconds("zhang-owens", "same"), 480000 / (9.05e9 * 4 / 8), 1e-12);
    assert_close(special_seconds("machine", "same"), 480000 / (9.05e9 * 4 / 8), 1e-12);
    assert_close(special_seconds("wang", "same"), 480000 / (9.05e9 * 2 / 8), 1e-12);
    assert_close(special_seconds("teg", "same"), 480000 / (9.05e9 * 2 / 8), 1e-12);
    assert_close(special_seconds("zhang-owens", "own"), 480000 / (9.33e9 * 4 / 8), 1e-12);
}

static void few_blocks_use_few_sms(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct hand_kernel few = arithmetic;
    few.blocks = 10; /* one block of 2 warps on each of 10 SMs: 8.39 / 6 x 2 Ginst/s of 30 SMs */
    struct profile *profile = make_profile(&few);
    struct prediction *prediction = predict(profile, machine);
    assert_close(term(ask(prediction), "t_inst"), 20000 / (8.39e9 * 2 / 6 * 10 / 30), 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* ---- shared memory and stages ---------------------------------------------------------------- */

static void conflicts_count_as_transactions(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct profile *profile = make_profile(&arithmetic);
    set_shared(profile, 4e6, 3e6);
    struct prediction *prediction = predict_printed(profile, machine, 0);
    const struct estimate *estimate = ask(prediction);
    assert_close(term(estimate, "t_smem"), 4e6 * 64 / 1112e9, 1e-12);
    assert_int_equal(estimate->bottleneck, COMPONENT_SHARED_ACCESS);
    assert_int_equal(estimate->next, COMPONENT_INSTRUCTION_PIPELINE);
    assert_true(estimate->without[EFFECT_BANK_CONFLICTS].modelled);
    assert_close(estimate->without[EFFECT_BANK_CONFLICTS].time_seconds, 1e6 * 64 / 1112e9, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* Stage 0: additions by all 16 warps of a block; stage 1: shared memory by 2 of them. */
static struct profile *make_stages(uint64_t shared_bytes)
{
    static const struct hand_kernel kernel = {.blocks = 240,
                                              .threads_per_block = 512,
                                              .registers = 8,
                                              .comp = 100,
                                              .barriers = 1,
                                              .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    struct stage_profile *stages = ARENA_ARRAY(&profile->arena, struct stage_profile, 2);
    double warps = hand_warps(&kernel);
    set_shared(profile, 4e6, 0);
    profile->dynamic_shared_bytes = shared_bytes;
    memset(stages, 0, 2 * sizeof *stages);
    stages[0].warps_working = 16;
    stages[0].counters[COUNTER_INST_WARP] = stages[0].counters[COUNTER_INST_WARP_FP32_ADD] =
        100 * warps;
    stages[0].counters[COUNTER_INST_THREAD_ACTIVE] = 3200 * warps;
    stages[1].index = 1;
    stages[1].warps_working = 2;
    stages[1].counters[COUNTER_MEM_SHARED_LOAD_REQUESTS] = 4e6;
    stages[1].counters[COUNTER_MEM_SHARED_LOAD_WAVEFRONTS16] = 4e6;
    profile->stages = stages;
    profile->stage_count = 2;
    return profile;
}

static void stages_of_one_block_follow_each_other(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct profile *profile = make_stages(12000); /* one block fits */
    struct prediction *prediction = predict(profile, machine);
    const struct estimate *estimate = ask(prediction);
    double first = 240 * 16 * 100 / 9.05e9, second = 4e6 * 64 / (870e9 / 6 * 2);
    assert_false(stages_of(estimate)->overlap);
    assert_int_equal(stages_of(estimate)->count, 2);
    assert_close(stages_of(estimate)->stages[0].inst_seconds, first, 1e-12);
    assert_close(stages_of(estimate)->stages[1].smem_seconds, second, 1e-12);
    assert_close(stages_of(estimate)->stages[1].warps, 2, 1e-12);
    assert_int_equal(stages_of(estimate)->stages[0].bottleneck, COMPONENT_INSTRUCTION_PIPELINE);
    assert_int_equal(stages_of(estimate)->stages[1].bottleneck, COMPONENT_SHARED_ACCESS);
    assert_close(estimate->time_seconds, first + second, 1e-12);
    assert_int_equal(estimate->bottleneck, COMPONENT_SHARED_ACCESS);
    assert_int_equal(estimate->next, COMPONENT_INSTRUCTION_PIPELINE);
    /* Barriers for free: the stages overlap. */
    assert_close(estimate->without[EFFECT_SYNC].time_seconds, second, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* 5e5 sectors of 32 B come once, 3 in 4 fetches belong to stage 1; the pipeline of global memory fills
 * as by section "Global memory" of quantitative.md; 240 blocks are a multiple of the 10 clusters. */
static void fetches_share_the_sectors_that_they_touch(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct profile *profile = make_stages(12000);
    const double latency_bytes = 158.976e9 * 440 / 1.48e9;
    const enum counter fetches = (enum counter)(COUNTER_INST_WARP_FIRST + CLASS_MEM_TEXTURE_LOAD);
    set_count(profile, fetches, 4000);
    set_count(profile, COUNTER_MEM_TEXTURE_READ_FOOTPRINT, 5e5);
    profile->stages[0].counters[fetches] = 1000;
    profile->stages[1].counters[fetches] = 3000;
    struct prediction *prediction = predict(profile, machine);
    const struct estimate *estimate = ask(prediction);
    assert_close(stages_of(estimate)->stages[0].gmem_seconds, (4e6 + latency_bytes) / 158.976e9,
                 1e-9);
    assert_close(stages_of(estimate)->stages[1].gmem_seconds, (12e6 + latency_bytes) / 158.976e9,
                 1e-9);
    assert_true(assumes(estimate, "texture fetches"));
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* The 14 idle warps of stage 1 test and wait a lot: they take issue slots, but no shared memory. */
static void bandwidth_follows_the_warps_that_access_shared_memory(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct profile *profile = make_stages(12000);
    profile->stages[1].warps_working = 5;
    profile->stages[1].shared_warps_working = 2;
    struct prediction *prediction = predict(profile, machine);
    const struct estimate *estimate = ask(prediction);
    assert_close(stages_of(estimate)->stages[1].warps, 5, 1e-12);
    assert_close(stages_of(estimate)->stages[1].smem_seconds, 4e6 * 64 / (870e9 / 6 * 2), 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

static void stages_of_two_blocks_overlap(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct profile *profile = make_stages(6000); /* two blocks fit */
    struct prediction *prediction = predict(profile, machine);
    const struct estimate *estimate = ask(prediction);
    assert_true(stages_of(estimate)->overlap);
    assert_close(term(estimate, "n"), 32, 1e-12);
    assert_close(term(estimate, "t_inst"), 240 * 16 * 100 / 9.33e9, 1e-12);
    assert_close(estimate->time_seconds, 4e6 * 64 / (870e9 / 6 * 4), 1e-12);
    assert_true(assumes(estimate, "overlap completely"));
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* Idle warps of stage 1 give their place to other blocks: 16 work in every stage, and stages of
 * different blocks overlap. */
static void early_release_keeps_all_warps_at_work(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct profile *profile = make_stages(12000);
    set_figure(machine, MACHINE_SM_EARLY_RELEASE, 1);
    struct prediction *prediction = predict_printed(profile, machine, 0);
    const struct estimate *estimate = ask(prediction);
    assert_true(stages_of(estimate)->overlap);
    assert_close(stages_of(estimate)->stages[1].warps, 16, 1e-12);
    assert_close(estimate->time_seconds, fmax(240 * 16 * 100 / 9.05e9, 4e6 * 64 / 1112e9), 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* ---- global memory --------------------------------------------------------------------------- */

static void streaming_takes_bytes_over_bandwidth(void **state)
{
    (void)state;
    static const struct hand_kernel kernel = {.blocks = 3000,
                                              .threads_per_block = 256,
                                              .registers = 8,
                                              .comp = 1,
                                              .coalesced = 10,
                                              .bytes_per_access = 128};
    struct machine *machine = load_gtx285();
    struct profile *profile = make_profile(&kernel);
    struct prediction *prediction = predict(profile, machine);
    const struct estimate *estimate = ask(prediction);
    double bytes = 3000 * 8 * 10 * 128.0;
    assert_close(term(estimate, "gmem_bytes"), bytes, 1e-12);
    assert_close(estimate->time_seconds, bytes / 158.976e9 + 440 / 1.48e9, 1e-12);
    assert_int_equal(estimate->bottleneck, COMPONENT_GLOBAL_ACCESS);
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* More blocks of the same work never take less time, and nothing jumps where an SM gets its second. */
static void more_blocks_take_no_less_time(void **state)
{
    (void)state;
    static const struct hand_kernel shapes[] = {
        {.threads_per_block = 64, .registers = 16, .comp = 1000, .bytes_per_access = 128},
        {.threads_per_block = 64,
         .registers = 16,
         .comp = 1,
         .coalesced = 20,
         .bytes_per_access = 128},
        {.threads_per_block = 256,
         .registers = 8,
         .comp = 40,
         .coalesced = 2,
         .uncoalesced = 3,
         .transactions_per_uncoalesced = 16,
         .bytes_per_access = 128}};
    struct machine *machine = load_gtx285();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        double before = 0;
        for (uint32_t blocks = 1; blocks <= 400; blocks++) {
            struct hand_kernel kernel = shapes[i];
            kernel.blocks = blocks;
            struct profile *profile = make_profile(&kernel);
            struct prediction *prediction = predict(profile, machine);
            double seconds = ask(prediction)->time_seconds;
            if (seconds < before * (1 - 1e-12))
                fail_msg("shape %zu: %u blocks take %g s, one less %g s", i, blocks, seconds,
                         before);
            before = seconds;
            prediction_destroy(prediction);
            profile_destroy(profile);
        }
    }
    machine_destroy(machine);
}

/* One warp on the GPU, whose loads wait for each other: nothing hides the latency. */
static void a_lonely_warp_waits_for_every_load(void **state)
{
    (void)state;
    static const struct hand_kernel kernel = {.blocks = 1,
                                              .threads_per_block = 32,
                                              .registers = 8,
                                              .comp = 1,
                                              .coalesced = 1000,
                                              .bytes_per_access = 128};
    struct machine *machine = load_gtx285();
    struct profile *profile = make_profile(&kernel);
    struct prediction *prediction = predict(profile, machine);
    assert_close(term(ask(prediction), "t_gmem"), 1000 * 440 / 1.48e9, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* ---- what it cannot answer ------------------------------------------------------------------- */

static void what_is_missing_is_said(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct profile *profile = make_stages(12000);
    profile->stage_count = 0;
    struct prediction *prediction = predict(profile, machine);
    assert_contains(refusal(prediction), "the profile has no stages");
    prediction_destroy(prediction);

    profile->counters[COUNTER_MEM_SHARED_LOAD_WAVEFRONTS16] =
        (struct counter_value){.reason = "rule not requested"};
    prediction = predict(profile, machine);
    assert_contains(refusal(prediction),
                    "requires counter mem.shared.load.wavefronts16 (rule not requested)");
    prediction_destroy(prediction);

    machine->values[MACHINE_THROUGHPUT_FP32_FMA].known = false;
    prediction = predict(profile, machine);
    assert_contains(refusal(prediction), "requires machine throughput.fp32.fma");
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

static void bytes_moved_are_needed(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    struct hand_kernel kernel = arithmetic;
    kernel.coalesced = 1;
    struct profile *profile = make_profile(&kernel);
    profile->counters[COUNTER_MEM_GLOBAL_LOAD_BYTES_CC12] = (struct counter_value){.reason = "no"};
    struct prediction *prediction = predict(profile, machine);
    assert_contains(refusal(prediction), "requires counter mem.global.load.bytes_cc12");
    prediction_destroy(prediction);
    profile_destroy(profile);
    machine_destroy(machine);
}

/* A GPU without measured curves: pipes that a latency's worth of warps fills. */
static void without_curves_the_fill_is_modelled(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    set_figure(&machine, (enum machine_key)(MACHINE_LATENCY_FIRST + CLASS_FP32_FMA), 24);
    struct hand_kernel few = arithmetic;
    few.blocks = 30; /* 2 warps per SM of the 6 that 24 cycles x 8 lanes need */
    struct profile *profile = make_profile(&few);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *estimate = ask(prediction);
    assert_close(term(estimate, "inst_fill"), 1.0 / 3, 1e-12);
    assert_close(term(estimate, "t_inst"), 60000 / (8 * 1.3e9 * 30 / 32 / 3), 1e-12);
    assert_true(assumes(estimate, "modelled as saturated by 6 warps"));
    prediction_destroy(prediction);
    profile_destroy(profile);
    arena_clear(&machine.arena);
}

/* ---- what holds for every launch ------------------------------------------------------------- */

static struct hand_kernel random_kernel(uint64_t *seed)
{
    struct hand_kernel kernel = {
        .blocks = 1 + (uint32_t)(next_uniform(seed) * 500),
        .threads_per_block = 1 + (uint32_t)(next_uniform(seed) * 511),
        .registers = 1 + (unsigned)(next_uniform(seed) * 30),
        .comp = next_uniform(seed) * 1000,
        .coalesced = floor(next_uniform(seed) * 20),
        .uncoalesced = floor(next_uniform(seed) * 20),
        .barriers = floor(next_uniform(seed) * 10),
        .transactions_per_uncoalesced = 2 + floor(next_uniform(seed) * 30),
        .bytes_per_access = 128,
    };
    if (kernel.threads_per_block * kernel.registers > 8000) kernel.registers = 8;
    return kernel;
}

/* Without an effect no launch takes longer, and none is faster than its bound at the peaks. */
static void effects_never_cost_time(void **state)
{
    (void)state;
    struct machine *machine = load_gtx285();
    uint64_t seed = 5;
    unsigned answered = 0;
    for (unsigned i = 0; i < 500; i++) {
        struct hand_kernel kernel = random_kernel(&seed);
        struct profile *profile = make_profile(&kernel);
        double passes = 1 + floor(next_uniform(&seed) * 1e6);
        set_shared(profile, passes, 0);
        set_class(profile, CLASS_MEM_SHARED_LOAD, passes);
        struct prediction *prediction = predict(profile, machine);
        const struct estimate *estimate = prediction_find(prediction, "quantitative");
        if (estimate) {
            answered++;
            assert_false(assumes(estimate, "cases are discontinuous"));
            assert_true(estimate->time_seconds >=
                        prediction_find(prediction, "speed-of-light")->time_seconds * (1 - 1e-12));
            for (unsigned effect = 0; effect < EFFECT_COUNT; effect++)
                if (estimate->without[effect].modelled)
                    assert_true(estimate->without[effect].gain >= 1);
        }
        prediction_destroy(prediction);
        profile_destroy(profile);
    }
    assert_true(answered > 200);
    machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_file_has_the_papers_points),
        cmocka_unit_test(instructions_take_the_measured_throughput),
        cmocka_unit_test(presets_count_units),
        cmocka_unit_test(few_blocks_use_few_sms),
        cmocka_unit_test(conflicts_count_as_transactions),
        cmocka_unit_test(stages_of_one_block_follow_each_other),
        cmocka_unit_test(fetches_share_the_sectors_that_they_touch),
        cmocka_unit_test(bandwidth_follows_the_warps_that_access_shared_memory),
        cmocka_unit_test(stages_of_two_blocks_overlap),
        cmocka_unit_test(early_release_keeps_all_warps_at_work),
        cmocka_unit_test(streaming_takes_bytes_over_bandwidth),
        cmocka_unit_test(more_blocks_take_no_less_time),
        cmocka_unit_test(a_lonely_warp_waits_for_every_load),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(bytes_moved_are_needed),
        cmocka_unit_test(without_curves_the_fill_is_modelled),
        cmocka_unit_test(effects_never_cost_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
