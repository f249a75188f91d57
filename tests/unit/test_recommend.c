// SPDX-License-Identifier: Apache-2.0
/* From a prediction to LIMIT, WHY and ranked advice. */
#include "recommend/advice.h"

#include <ctype.h>

#include "model_fixture.h"

/* ---- profiles with lines --------------------------------------------------------------------- */

struct insn_counts {
    uint16_t ids[16];
    double values[16];
    uint32_t count;
};

static void count(struct insn_counts *counts, enum counter counter, double value)
{
    counts->ids[counts->count] = (uint16_t)counter;
    counts->values[counts->count++] = value;
}

static void add_instruction(struct profile *profile, const char *file, uint32_t line,
                            enum insn_class id, const struct insn_counts *counts)
{
    uint32_t n = profile->instruction_count;
    struct instruction_profile *all =
        ARENA_ARRAY(&profile->arena, struct instruction_profile, n + 1);
    if (n) memcpy(all, profile->instructions, n * sizeof *all);
    uint16_t *ids = ARENA_ARRAY(&profile->arena, uint16_t, counts->count);
    double *values = ARENA_ARRAY(&profile->arena, double, counts->count);
    memcpy(ids, counts->ids, counts->count * sizeof *ids);
    memcpy(values, counts->values, counts->count * sizeof *values);
    all[n] = (struct instruction_profile){.pc = n,
                                          .line = 100 + n,
                                          .file = file,
                                          .source_line = line,
                                          .class_id = (uint8_t)id,
                                          .counter_count = counts->count,
                                          .counters = ids,
                                          .values = values};
    profile->instructions = all;
    profile->instruction_count = n + 1;
}

static void add_load(struct profile *profile, const char *file, uint32_t line, double requests,
                     double sectors, bool coalesced)
{
    struct insn_counts counts = {.count = 0};
    count(&counts, COUNTER_INST_WARP, requests);
    count(&counts, COUNTER_INST_THREAD, 32 * requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_REQUESTS, requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_BYTES_REQUESTED, 128 * requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_SECTORS32, sectors * requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_TRANSACTIONS_CC12, sectors * requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_BYTES_CC12, 32 * sectors * requests);
    if (!coalesced) {
        count(&counts, COUNTER_MEM_GLOBAL_LOAD_UNCOALESCED_SECTOR, requests);
        count(&counts, COUNTER_MEM_GLOBAL_LOAD_UNCOALESCED_TRANSACTIONS_SECTOR, sectors * requests);
        count(&counts, COUNTER_MEM_GLOBAL_LOAD_UNCOALESCED_CC12, requests);
        count(&counts, COUNTER_MEM_GLOBAL_LOAD_UNCOALESCED_TRANSACTIONS_CC12, sectors * requests);
    }
    add_instruction(profile, file, line, CLASS_MEM_GLOBAL_LOAD, &counts);
}

static struct diagnosis *diagnose(const struct prediction *prediction)
{
    struct diag diag = {0};
    struct diagnosis *diagnosis = NULL;
    if (recommend_derive(&diag, prediction, &diagnosis) != WS_OK)
        fail_msg("recommend_derive: %s", diag.text);
    assert_non_null(diagnosis->limit);
    assert_non_null(diagnosis->why);
    assert_non_null(diagnosis->why_where);
    return diagnosis;
}

static const struct advice *find(const struct diagnosis *diagnosis, enum advice_code code)
{
    for (size_t i = 0; i < diagnosis->advice_count; i++)
        if (diagnosis->advice[i].code == code) return &diagnosis->advice[i];
    return NULL;
}

static void check_list(const struct prediction *prediction, const struct diagnosis *diagnosis)
{
    double now = prediction->estimates[prediction->best].time_seconds, last = INFINITY;
    for (size_t i = 0; i < diagnosis->advice_count; i++) {
        const struct advice *item = &diagnosis->advice[i];
        assert_true(*item->title && item->where && *item->evidence);
        if (isnan(item->gain)) {
            last = NAN; /* from here on none is known */
            continue;
        }
        assert_true(item->gain <= last); /* false also after one of unknown gain */
        assert_true(item->gain > 1);
        assert_close(item->time_seconds * item->gain, now, 1e-9);
        last = item->gain;
    }
}

/* ---- causes ---------------------------------------------------------------------------------- */

/* Two loads of 32 sectors and a coalesced one; line 17 runs three times as often as line 9. */
static struct profile *make_transpose(struct hand_kernel *kernel)
{
    *kernel = (struct hand_kernel){.blocks = 4000,
                                   .threads_per_block = 256,
                                   .registers = 16,
                                   .comp = 20,
                                   .coalesced = 2,
                                   .uncoalesced = 4,
                                   .transactions_per_uncoalesced = 32,
                                   .bytes_per_access = 128};
    struct profile *profile = make_profile(kernel);
    double warps = hand_warps(kernel);
    add_load(profile, "src/t.cu", 5, 2 * warps, 4, true);
    add_load(profile, "src/t.cu", 9, warps, 32, false);
    add_load(profile, "src/t.cu", 17, 3 * warps, 32, false);
    return profile;
}

static void uncoalesced_loads_are_blamed_by_line(void **state)
{
    (void)state;
    struct hand_kernel kernel;
    struct machine machine;
    make_v100(&machine);
    struct profile *profile = make_transpose(&kernel);
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    struct diagnosis *diagnosis = diagnose(prediction);
    check_list(prediction, diagnosis);
    assert_contains(diagnosis->limit, "uncoalesced accesses");
    assert_contains(diagnosis->limit, "% of the time  (next: ");
    assert_contains(diagnosis->why, "32 sectors/request, ideal 4");
    assert_string_equal(diagnosis->why_where, "t.cu:17");
    const struct advice *first = &diagnosis->advice[0];
    assert_int_equal(first->code, ADVICE_G102);
    assert_string_equal(first->where, "t.cu:17");
    assert_contains(first->evidence, "75 % of the extra ones");
    /* One line is less than all, and line 9 less than line 17. */
    const struct estimate *best = &prediction->estimates[prediction->best];
    assert_true(first->gain < best->without[EFFECT_UNCOALESCED].gain);
    bool found = false;
    for (size_t i = 1; i < diagnosis->advice_count; i++)
        found = found || (!strcmp(diagnosis->advice[i].where, "t.cu:9") &&
                          diagnosis->advice[i].gain < first->gain);
    assert_true(found);
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* If one line has all uncoalesced accesses, its repair is the effect switched off. */
static void the_gain_of_the_only_line_is_the_gain_of_the_effect(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 4000,
                                 .threads_per_block = 256,
                                 .registers = 16,
                                 .comp = 20,
                                 .uncoalesced = 4,
                                 .transactions_per_uncoalesced = 16,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    add_load(profile, NULL, 0, 4 * hand_warps(&kernel), 16, false);
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    struct diagnosis *diagnosis = diagnose(prediction);
    const struct estimate *best = &prediction->estimates[prediction->best];
    assert_string_equal(best->model, "mwp-cwp");
    const struct advice *advice = find(diagnosis, ADVICE_G102);
    assert_non_null(advice);
    assert_close(advice->gain, best->without[EFFECT_UNCOALESCED].gain, 1e-9);
    assert_contains(advice->evidence, "16 transactions/request, ideal 2");
    assert_string_equal(advice->where, "PTX:100");
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void one_sector_too_many_is_a_matter_of_alignment(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    set_figure(&machine, MACHINE_DEPARTURE_UNCOALESCED, 40);
    struct hand_kernel kernel = {.blocks = 4000,
                                 .threads_per_block = 256,
                                 .registers = 16,
                                 .comp = 20,
                                 .uncoalesced = 4,
                                 .transactions_per_uncoalesced = 5,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    add_load(profile, "a.cu", 3, 4 * hand_warps(&kernel), 5, false);
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    struct diagnosis *diagnosis = diagnose(prediction);
    assert_non_null(find(diagnosis, ADVICE_G101));
    assert_null(find(diagnosis, ADVICE_G102));
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* 16-byte words take at least two transactions a half-warp (cc 1.x). */
static void wide_words_have_another_ideal(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 4000,
                                 .threads_per_block = 256,
                                 .comp = 20,
                                 .uncoalesced = 4,
                                 .transactions_per_uncoalesced = 8,
                                 .bytes_per_access = 512};
    struct profile *profile = make_profile(&kernel);
    double requests = 4 * hand_warps(&kernel);
    struct insn_counts counts = {.count = 0};
    count(&counts, COUNTER_INST_THREAD, 32 * requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_REQUESTS, requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_BYTES_REQUESTED, 512 * requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_TRANSACTIONS_CC12, 8 * requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_UNCOALESCED_CC12, requests);
    count(&counts, COUNTER_MEM_GLOBAL_LOAD_UNCOALESCED_TRANSACTIONS_CC12, 8 * requests);
    add_instruction(profile, "k.cu", 2, CLASS_MEM_GLOBAL_LOAD, &counts);
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    struct diagnosis *diagnosis = diagnose(prediction);
    assert_contains(find(diagnosis, ADVICE_G102)->evidence, "8 transactions/request, ideal 4");
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void a_stream_is_limited_by_bandwidth(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 65535,
                                 .threads_per_block = 256,
                                 .registers = 16,
                                 .comp = 10,
                                 .coalesced = 3,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    add_load(profile, "saxpy.cu", 4, 3 * hand_warps(&kernel), 2, true);
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    struct diagnosis *diagnosis = diagnose(prediction);
    check_list(prediction, diagnosis);
    assert_contains(diagnosis->limit, "global memory bandwidth");
    assert_contains(diagnosis->why, "warps per SM saturate it");
    assert_string_equal(diagnosis->why_where, "saxpy.cu:4");
    assert_null(find(diagnosis, ADVICE_G102));
    const struct advice *less = find(diagnosis, ADVICE_G103);
    assert_non_null(less);
    assert_true(less->gain > 1.5 && less->gain < 2.2); /* half of the traffic */
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* One warp per SM at a time, 20 registers too many for a second block. */
static void latency_is_blamed_on_what_limits_occupancy(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 6000,
                                 .threads_per_block = 128,
                                 .registers = 72, /* 9216 of 16384 registers */
                                 .comp = 20,
                                 .coalesced = 1,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    double loads = profile_get(profile, COUNTER_MEM_GLOBAL_LOAD_REQUESTS);
    set_count(profile, COUNTER_MEM_LOADS, loads);
    set_count(profile, COUNTER_MEM_INDEPENDENT, 0);
    set_count(profile, COUNTER_MEM_MSTR, 1);
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    assert_int_equal(prediction->occupancy.blocks_per_sm, 1);
    struct diagnosis *diagnosis = diagnose(prediction);
    check_list(prediction, diagnosis);
    assert_contains(diagnosis->limit, "memory latency");
    assert_contains(diagnosis->why, "4 warps per SM");
    assert_contains(diagnosis->why, "by registers");
    const struct advice *advice = find(diagnosis, ADVICE_L402);
    assert_non_null(advice);
    assert_string_equal(advice->title, "use at most 64 registers per thread"); /* 128 x 64 x 2 */
    assert_contains(advice->evidence, "72 registers: 1 block per SM; 64 registers: 2 blocks");
    assert_true(advice->gain > 1.3);
    double paired = find(diagnosis, ADVICE_L401)->time_seconds;
    set_count(profile, COUNTER_MEM_INDEPENDENT, loads / 2); /* the profile of such a kernel */
    struct prediction *pairs = predict_headline(profile, &machine, "mwp-cwp");
    assert_close(pairs->estimates[pairs->best].time_seconds, paired, 1e-9);
    prediction_destroy(pairs);
    set_count(profile, COUNTER_MEM_INDEPENDENT, 0);
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);

    profile->registers[0].value = 16;
    profile->static_shared_bytes = 8704; /* 17 units of 512: one block; 16 units: two */
    prediction = predict_headline(profile, &machine, "mwp-cwp");
    diagnosis = diagnose(prediction);
    advice = find(diagnosis, ADVICE_L403);
    assert_non_null(advice);
    assert_string_equal(advice->title, "use at most 8192 B of shared memory per block");
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void gains_that_no_model_knows_are_not_invented(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    struct hand_kernel kernel = {.blocks = 20,
                                 .threads_per_block = 64,
                                 .registers = 16,
                                 .comp = 100,
                                 .coalesced = 2,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    double requests = 2 * hand_warps(&kernel);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_REQUESTS, requests);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS32, 8 * requests);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_CONFLICTS32, 7 * requests);
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    assert_string_equal(prediction->estimates[prediction->best].model, "mwp-cwp");
    struct diagnosis *diagnosis = diagnose(prediction);
    check_list(prediction, diagnosis);
    const struct advice *conflicts = find(diagnosis, ADVICE_S201),
                        *grid = find(diagnosis, ADVICE_L404);
    assert_true(conflicts && isnan(conflicts->gain));
    assert_contains(conflicts->evidence, "7 passes per request beyond");
    assert_true(grid && isnan(grid->gain));
    assert_contains(grid->evidence, "20 blocks on 80 SMs");
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* The bound knows shared memory: there the gain is a number. */
static void the_bound_knows_bank_conflicts(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    forget_figure(&machine, MACHINE_DRAM_LATENCY); /* no mwp-cwp */
    struct hand_kernel kernel = {.blocks = 2000, .threads_per_block = 256, .comp = 10};
    struct profile *profile = make_profile(&kernel);
    double requests = 10 * hand_warps(&kernel);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_REQUESTS, requests);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS32, 32 * requests);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_CONFLICTS32, 31 * requests);
    struct insn_counts counts = {.count = 0};
    count(&counts, COUNTER_MEM_SHARED_LOAD_REQUESTS, requests);
    count(&counts, COUNTER_MEM_SHARED_LOAD_CONFLICTS32, 31 * requests);
    add_instruction(profile, "t.cu", 12, CLASS_MEM_SHARED_LOAD, &counts);
    struct prediction *prediction = predict_headline(profile, &machine, "speed-of-light");
    struct diagnosis *diagnosis = diagnose(prediction);
    check_list(prediction, diagnosis);
    assert_contains(diagnosis->limit, "shared memory 100 %");
    assert_contains(diagnosis->why, "bank conflicts");
    assert_string_equal(diagnosis->why_where, "t.cu:12");
    assert_int_equal(diagnosis->advice[0].code, ADVICE_S201);
    assert_true(diagnosis->advice[0].gain > 4);
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void instructions_are_blamed_by_class_and_line(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 2000, .threads_per_block = 256, .registers = 16};
    kernel.comp = 1000;
    struct profile *profile = make_profile(&kernel);
    double warps = hand_warps(&kernel);
    struct insn_counts counts = {.count = 0};
    count(&counts, COUNTER_INST_WARP, 900 * warps);
    add_instruction(profile, "k.cu", 7, CLASS_FP32_ADD, &counts);
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    struct diagnosis *diagnosis = diagnose(prediction);
    assert_contains(diagnosis->limit, "instruction issue 100 %");
    assert_contains(diagnosis->why, "100 % of them fp32.add");
    assert_string_equal(diagnosis->why_where, "k.cu:7");
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);

    counts.count = 0; /* now a third of them are reciprocals at line 8 */
    count(&counts, COUNTER_INST_WARP, 300 * warps);
    add_instruction(profile, "k.cu", 8, CLASS_SFU_RCP, &counts);
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, 700 * warps);
    set_count(profile, COUNTER_INST_WARP_SFU_RCP, 300 * warps);
    prediction = predict_headline(profile, &machine, "mwp-cwp");
    diagnosis = diagnose(prediction);
    check_list(prediction, diagnosis);
    assert_contains(diagnosis->why, "sfu.rcp: 100 % of the extra issue slots");
    assert_string_equal(diagnosis->why_where, "k.cu:8");
    assert_close(find(diagnosis, ADVICE_I301)->gain, 1.9, 1e-9); /* 0.7 + 0.3 x 4 */
    diagnosis_destroy(diagnosis);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void every_code_has_one_page(void **state)
{
    (void)state;
    for (size_t i = 0; i < ADVICE_COUNT; i++) {
        const struct advice_info *info = &advice_infos[i];
        assert_int_equal(strlen(info->code), 4);
        assert_non_null(strchr("GSILBWC", info->code[0]));
        for (int k = 1; k < 4; k++)
            assert_true(isdigit((unsigned char)info->code[k]));
        assert_true(strlen(info->title) > 8 && strlen(info->text) > 100);
        if (i) assert_true(strcmp(advice_infos[i - 1].code, info->code) != 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(advice_infos[k].code, info->code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uncoalesced_loads_are_blamed_by_line),
        cmocka_unit_test(the_gain_of_the_only_line_is_the_gain_of_the_effect),
        cmocka_unit_test(one_sector_too_many_is_a_matter_of_alignment),
        cmocka_unit_test(wide_words_have_another_ideal),
        cmocka_unit_test(a_stream_is_limited_by_bandwidth),
        cmocka_unit_test(latency_is_blamed_on_what_limits_occupancy),
        cmocka_unit_test(gains_that_no_model_knows_are_not_invented),
        cmocka_unit_test(the_bound_knows_bank_conflicts),
        cmocka_unit_test(instructions_are_blamed_by_class_and_line),
        cmocka_unit_test(every_code_has_one_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
