// SPDX-License-Identifier: Apache-2.0
/* Causes behind the components of quantitative: gains worked out from the paper's figures. */
#include "model_fixture.h"

#include "recommend/advice.h"

/* Blocks of 64 threads on the GTX 285: 8 of them, 16 warps, fit an SM. */
static const struct hand_kernel full = {
    .blocks = 240, .threads_per_block = 64, .registers = 16, .comp = 1000, .bytes_per_access = 128};

struct scene {
    struct machine *machine;
    struct profile *profile;
    struct prediction *prediction;
    struct diagnosis *diagnosis;
};

static void open_scene(struct scene *scene, const struct hand_kernel *kernel)
{
    struct diag diag = {0};
    memset(scene, 0, sizeof *scene);
    if (machine_load(&diag, SOURCE_DIR "/data/machines", "gtx285", &scene->machine) != WS_OK)
        fail_msg("%s", diag.text);
    scene->profile = make_profile(kernel);
}

static void diagnose(struct scene *scene)
{
    struct diag diag = {0};
    scene->prediction = predict_headline(scene->profile, scene->machine, "quantitative");
    assert_string_equal(scene->prediction->estimates[scene->prediction->best].model,
                        "quantitative");
    if (recommend_derive(&diag, scene->prediction, &scene->diagnosis) != WS_OK)
        fail_msg("%s", diag.text);
}

static void close_scene(struct scene *scene)
{
    diagnosis_destroy(scene->diagnosis);
    prediction_destroy(scene->prediction);
    profile_destroy(scene->profile);
    machine_destroy(scene->machine);
}

static const struct advice *find(const struct scene *scene, enum advice_code code)
{
    for (size_t i = 0; i < scene->diagnosis->advice_count; i++)
        if (scene->diagnosis->advice[i].code == code) return &scene->diagnosis->advice[i];
    fail_msg("no %s", advice_infos[code].code);
    return NULL;
}

static void add_class(struct profile *profile, enum insn_class id, double count)
{
    set_count(profile, (enum counter)(COUNTER_INST_WARP_FIRST + id), count);
    double all = profile_get(profile, COUNTER_INST_WARP) + count;
    set_count(profile, COUNTER_INST_WARP, all);
    set_count(profile, COUNTER_INST_THREAD_ACTIVE, 32 * all);
}

/* Three lines of logic: line 5 has two instructions of 60 shares, line 9 one of 100. */
static void add_lines(struct profile *profile)
{
    static const uint32_t lines[] = {5, 5, 9};
    static const double weights[] = {60, 60, 100};
    static const uint16_t counter[] = {COUNTER_INST_WARP};
    profile->instructions = ARENA_ARRAY(&profile->arena, struct instruction_profile, 3);
    profile->instruction_count = 3;
    for (uint32_t i = 0; i < 3; i++)
        profile->instructions[i] = (struct instruction_profile){.pc = i,
                                                                .file = "loop.cu",
                                                                .source_line = lines[i],
                                                                .class_id = CLASS_LOGIC,
                                                                .counter_count = 1,
                                                                .counters = counter,
                                                                .values = &weights[i]};
}

static void bookkeeping_is_a_low_density(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, &full);
    add_class(scene.profile, CLASS_LOGIC, 3 * 480000);
    add_lines(scene.profile);
    diagnose(&scene);
    const struct advice *advice = find(&scene, ADVICE_I303);
    assert_close(advice->gain, 4, 1e-9);
    assert_string_equal(advice->where, "loop.cu:5");
    assert_contains(advice->evidence, "75 % of the instructions");
    assert_contains(scene.diagnosis->limit, "instruction pipeline 100 % of the time");
    assert_contains(scene.diagnosis->why, "75 % of the instructions");
    close_scene(&scene);
}

/* 2 warps per SM reach 8.39 / 6 x 2 Ginst/s, 32 would reach 9.33. */
static void few_warps_leave_pipes_empty(void **state)
{
    (void)state;
    struct scene scene;
    struct hand_kernel few = full;
    few.blocks = 30;
    open_scene(&scene, &few);
    diagnose(&scene);
    const struct advice *advice = find(&scene, ADVICE_L405);
    assert_close(advice->gain, 9.33 / (8.39 / 6 * 2), 1e-9);
    assert_contains(advice->evidence, "2 of 32 are resident");
    assert_contains(advice->evidence, "fill 25 % of a pipe"); /* 2.797 / 11.1 */
    close_scene(&scene);
}

static void shared_operands_belong_into_registers(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, &full);
    add_class(scene.profile, CLASS_MEM_SHARED_LOAD, 960000);
    set_count(scene.profile, COUNTER_MEM_SHARED_LOAD_REQUESTS, 960000);
    set_count(scene.profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS16, 4e6);
    set_count(scene.profile, COUNTER_MEM_SHARED_LOAD_CONFLICTS16, 0);
    set_count(scene.profile, COUNTER_MEM_SHARED_STORE_WAVEFRONTS16, 1e6);
    set_count(scene.profile, COUNTER_MEM_SHARED_STORE_CONFLICTS16, 0);
    diagnose(&scene);
    const struct advice *advice = find(&scene, ADVICE_S202);
    assert_close(advice->gain, 5.0 / 3, 1e-9); /* 4e6 + 1e6 passes become 2e6 + 1e6 */
    assert_contains(advice->evidence, "2 loads per floating-point instruction");
    assert_contains(advice->evidence, "20 % of the passes only store");
    assert_contains(scene.diagnosis->limit, "shared memory access 100 % of the time");
    close_scene(&scene);
}

/* Coalesced requests that move 128 bytes and want 64. */
static void large_transactions_fetch_in_vain(void **state)
{
    (void)state;
    struct scene scene;
    struct hand_kernel streaming = full;
    streaming.blocks = 2400;
    streaming.comp = 1;
    streaming.coalesced = 20;
    streaming.bytes_per_access = 64;
    open_scene(&scene, &streaming);
    set_count(scene.profile, COUNTER_MEM_MSTR, 4); /* four loads in flight: bandwidth limits */
    diagnose(&scene);
    double bytes = 2400 * 2 * 20 * 128.0, latency = 440 / 1.48e9;
    const struct advice *advice = find(&scene, ADVICE_G106);
    assert_close(advice->gain, (bytes / 158.976e9 + latency) / (bytes / 2 / 158.976e9 + latency),
                 1e-9);
    assert_contains(advice->evidence, "50 % of the bytes moved");
    close_scene(&scene);
}

/* 11 blocks on 10 memory pipelines; one warp each, so that the latency shows, too. */
static void few_requests_wait_for_the_latency(void **state)
{
    (void)state;
    struct scene scene;
    static const struct hand_kernel few = {.blocks = 11,
                                           .threads_per_block = 32,
                                           .registers = 8,
                                           .comp = 1,
                                           .coalesced = 1,
                                           .bytes_per_access = 128};
    open_scene(&scene, &few);
    diagnose(&scene);
    double latency = 440 / 1.48e9, cycle = 1 / 1.48e9, bytes = 11 * 128.0;
    /* A latency, then two of the 11 blocks in the busiest of 10 clusters: as long as 20 in all. */
    double flow = bytes / 0.55 / 158.976e9, now = flow + latency;
    double then = fmax(flow + cycle, 22 / (8.39e9 / 6 * 11 / 30)); /* the instructions are next */
    assert_close(find(&scene, ADVICE_L406)->gain, now / then, 1e-9);
    assert_close(find(&scene, ADVICE_L407)->gain, now / (bytes / 158.976e9 + latency), 1e-9);
    assert_contains(find(&scene, ADVICE_L407)->evidence, "leaves 45 % of them idle");
    close_scene(&scene);
}

/* A repair found for the launch reaches every stage: the gain is that of the whole. */
static void what_ifs_reach_the_stages(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, &full);
    add_class(scene.profile, CLASS_LOGIC, 3 * 480000);
    struct stage_profile *stages = ARENA_ARRAY(&scene.profile->arena, struct stage_profile, 2);
    memset(stages, 0, 2 * sizeof *stages);
    for (uint32_t i = 0; i < 2; i++) {
        stages[i].index = i;
        stages[i].warps_working = 2;
        stages[i].counters[COUNTER_INST_WARP] = 4 * 240000;
        stages[i].counters[COUNTER_INST_THREAD_ACTIVE] = 32 * 4 * 240000;
        stages[i].counters[COUNTER_INST_WARP_FP32_ADD] = 240000;
        stages[i].counters[COUNTER_INST_WARP_LOGIC] = 3 * 240000;
    }
    scene.profile->stages = stages;
    scene.profile->stage_count = 2;
    diagnose(&scene);
    assert_close(find(&scene, ADVICE_I303)->gain, 4, 1e-9);
    assert_close(stages[0].counters[COUNTER_INST_WARP_LOGIC], 3 * 240000, 0); /* as they were */
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bookkeeping_is_a_low_density),
        cmocka_unit_test(few_warps_leave_pipes_empty),
        cmocka_unit_test(shared_operands_belong_into_registers),
        cmocka_unit_test(large_transactions_fetch_in_vain),
        cmocka_unit_test(few_requests_wait_for_the_latency),
        cmocka_unit_test(what_ifs_reach_the_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
