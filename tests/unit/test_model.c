// SPDX-License-Identifier: Apache-2.0
/* The runner: needs, options, effects, which estimate fits; and the bound speed-of-light. */
#include "model_fixture.h"

static const struct hand_kernel streaming = {.blocks = 2400,
                                             .threads_per_block = 256,
                                             .registers = 16,
                                             .comp = 10,
                                             .coalesced = 2,
                                             .bytes_per_access = 128};

static const char *refusal(const struct prediction *prediction, const char *model)
{
    for (size_t i = 0; i < prediction->refusal_count; i++)
        if (!strcmp(prediction->refusals[i].model, model)) return prediction->refusals[i].reason;
    fail_msg("%s was not refused", model);
    return NULL;
}

/* ---- needs ----------------------------------------------------------------------------------- */

static void a_missing_machine_figure_is_named_with_its_file(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    forget_figure(&machine, MACHINE_DRAM_LATENCY);
    struct profile *profile = make_profile(&streaming);
    struct prediction *prediction = predict(profile, &machine);
    assert_string_equal(
        refusal(prediction, "mwp-cwp"),
        "requires machine dram.latency, which machines/gtx280.yaml does not define");
    assert_string_not_equal(prediction->estimates[prediction->best].model, "mwp-cwp");
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* A rule that was not requested is not taken for zero. */
static void a_missing_counter_is_named_with_its_reason(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct profile *profile = make_profile(&streaming);
    struct counter_value *value = &profile->counters[COUNTER_MEM_GLOBAL_LOAD_UNCOALESCED_CC12];
    *value = (struct counter_value){.reason = "rule not requested"};
    /* The other half of the requests tells it as well. */
    struct prediction *prediction = predict(profile, &machine);
    assert_non_null(prediction_find(prediction, "mwp-cwp"));
    prediction_destroy(prediction);
    profile->counters[COUNTER_MEM_GLOBAL_LOAD_COALESCED_CC12] = *value;
    prediction = predict(profile, &machine);
    assert_string_equal(refusal(prediction, "mwp-cwp"),
                        "requires counter mem.global.load.uncoalesced_cc12 (rule not requested)");
    prediction_destroy(prediction);
    set_figure(&machine, MACHINE_GLOBAL_RULE, 32); /* another rule, another counter */
    prediction = predict(profile, &machine);
    assert_non_null(prediction_find(prediction, "mwp-cwp"));
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* A profile written by hand with only what mwp-cwp needs: launch, instructions, loads. */
static void a_minimal_hand_written_profile_is_enough(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct profile *profile = profile_create();
    profile->grid[0] = 30;
    profile->block[0] = 256;
    profile->grid[1] = profile->grid[2] = profile->block[1] = profile->block[2] = 1;
    double warps = 30 * 8;
    set_count(profile, COUNTER_INST_WARP, 46 * warps);
    set_count(profile, COUNTER_MEM_GLOBAL_LOAD_REQUESTS, 6 * warps);
    set_count(profile, COUNTER_MEM_GLOBAL_LOAD_BYTES_REQUESTED, 6 * warps * 128);
    set_count(profile, COUNTER_MEM_GLOBAL_LOAD_COALESCED_CC12, 6 * warps);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_non_null(estimate);
    /* golden case mwpcwp-few-blocks without its barriers */
    assert_close(estimate->cycles, 3122.6666666666665, 1e-9);
    assert_true(assumes(estimate, "barrier.warp is not in the profile"));
    assert_true(assumes(estimate, "no counts by class"));
    assert_contains(prediction->registers_note, "register count unknown");
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void no_answer_says_what_each_model_lacks(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct machine machine;
    struct prediction *prediction;
    make_gtx280(&machine);
    struct profile *profile = make_profile(&streaming);
    profile->counters[COUNTER_INST_WARP] = (struct counter_value){.reason = "not in this profile"};
    assert_int_equal(model_predict(&diag, profile, &machine, NULL, &prediction), WS_ERR_NO_MODEL);
    assert_null(prediction);
    assert_contains(diag.text, "speed-of-light: requires counter inst.warp (not in this profile)");
    assert_contains(diag.text, "mwp-cwp: requires counter inst.warp");
    set_count(profile, COUNTER_INST_WARP, 0); /* told, but nothing runs */
    assert_int_equal(model_predict(&diag, profile, &machine, NULL, &prediction), WS_ERR_NO_MODEL);
    assert_contains(diag.text, "executes no instructions");
    profile_destroy(profile);
    diag_clear(&diag);
}

static void a_launch_beyond_the_limits_is_refused(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct machine machine;
    struct prediction *prediction;
    make_gtx280(&machine);
    struct hand_kernel kernel = streaming;
    kernel.threads_per_block = 1024;
    struct profile *profile = make_profile(&kernel);
    assert_int_equal(model_predict(&diag, profile, &machine, NULL, &prediction), WS_ERR_LAUNCH);
    assert_contains(diag.text, "1024 threads");
    profile_destroy(profile);
    profile = make_profile(&streaming);
    profile->static_shared_bytes = 20000;
    assert_int_equal(model_predict(&diag, profile, &machine, NULL, &prediction), WS_ERR_LAUNCH);
    profile_destroy(profile);
    diag_clear(&diag);
}

/* ---- options and effects --------------------------------------------------------------------- */

static ws_status predict_with(const char *key, const char *value, struct diag *diag,
                              double *out_mem_l)
{
    struct machine machine;
    make_gtx280(&machine);
    struct profile *profile = make_profile(&streaming);
    struct model_option option = {.key = key, .value = value};
    struct predict_options options = {.option_count = 1, .options = &option};
    struct prediction *prediction;
    ws_status status = model_predict(diag, profile, &machine, &options, &prediction);
    if (status == WS_OK) *out_mem_l = term(prediction_find(prediction, "mwp-cwp"), "mem_l");
    prediction_destroy(prediction);
    profile_destroy(profile);
    return status;
}

static void options_choose_readings(void **state)
{
    (void)state;
    struct diag diag = {0};
    double mem_l = 0;
    assert_int_equal(predict_with("mem_l_coal", "thesis", &diag, &mem_l), WS_OK);
    assert_close(mem_l, 454, 1e-12);
    assert_int_equal(predict_with("mem_l_coal", "slides", &diag, &mem_l), WS_OK);
    assert_close(mem_l, 450, 1e-12);
    assert_int_equal(predict_with("mem_l_cool", "slides", &diag, &mem_l), WS_ERR_ARGUMENT);
    assert_contains(diag.text, "unknown model option 'mem_l_cool' (did you mean 'mem_l_coal'");
    assert_contains(diag.text, "case_policy");
    assert_int_equal(predict_with("rep", "fractoin", &diag, &mem_l), WS_ERR_ARGUMENT);
    assert_contains(diag.text, "option rep: unknown value 'fractoin' (did you mean 'fraction'");
    assert_contains(diag.text, "fraction, ceil");
    diag_clear(&diag);
}

static void effects_are_found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < EFFECT_COUNT; i++)
        assert_int_equal(effect_find(effect_infos[i].id), i);
    assert_int_equal(effect_find("bank-conflict"), -1);
}

static struct hand_kernel random_kernel(uint64_t *seed)
{
    return (struct hand_kernel){
        .blocks = (uint32_t)exp(9 * next_uniform(seed)),
        .threads_per_block = 1 + (uint32_t)(511 * next_uniform(seed)),
        .registers = 8 + (unsigned)(20 * next_uniform(seed)),
        .comp = floor(1 + exp(8 * next_uniform(seed))),
        .coalesced = floor(12 * next_uniform(seed)),
        .uncoalesced = floor(12 * next_uniform(seed)),
        .barriers = floor(6 * next_uniform(seed)),
        .transactions_per_uncoalesced = 2 + floor(31 * next_uniform(seed)),
        .bytes_per_access = 4 * floor(1 + 64 * next_uniform(seed)),
    };
}

static struct profile *random_profile(uint64_t *seed)
{
    struct hand_kernel kernel = random_kernel(seed);
    struct profile *profile = make_profile(&kernel);
    double warps = hand_warps(&kernel);
    set_count(profile, COUNTER_INST_THREAD_ACTIVE,
              profile_get(profile, COUNTER_INST_THREAD) * (0.1 + 0.9 * next_uniform(seed)));
    set_count(profile, COUNTER_INST_WARP_SFU_RCP, kernel.comp * warps * 0.3 * next_uniform(seed));
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, kernel.comp * warps * 0.7);
    double shared = floor(20 * next_uniform(seed)) * warps;
    set_count(profile, COUNTER_MEM_SHARED_LOAD_REQUESTS, shared);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS32, shared * 4);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_CONFLICTS32, shared * 3);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS16, shared * 6);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_CONFLICTS16, shared * 4);
    if (next_uniform(seed) < 0.5) {
        double loads = profile_get(profile, COUNTER_MEM_GLOBAL_LOAD_REQUESTS);
        set_count(profile, COUNTER_MEM_LOADS, loads);
        set_count(profile, COUNTER_MEM_INDEPENDENT, loads * next_uniform(seed));
    }
    return profile;
}

static void check_gains(const struct estimate *estimate)
{
    const struct model *model = model_find(estimate->model);
    for (unsigned i = 0; i < EFFECT_COUNT; i++) {
        const struct effect_gain *gain = &estimate->without[i];
        if (!(model->effects >> i & 1)) assert_false(gain->modelled);
        if (!gain->modelled) continue;
        assert_true(isfinite(gain->gain) && gain->gain >= 1);
        assert_true(gain->time_seconds > 0);
        assert_close(gain->gain * gain->time_seconds, estimate->time_seconds, 1e-9);
    }
}

static size_t models_of_time(void)
{
    size_t count = 0;
    for (size_t i = 0; i < MODEL_COUNT; i++)
        count += models[i]->predict != NULL;
    return count;
}

/* Gains are never below 1, no term is infinite, and no chosen answer lies below the bound. */
static void gains_over_a_random_sweep(void **state)
{
    (void)state;
    uint64_t seed = 3;
    unsigned from_mwp = 0, from_bound = 0, answered = 0, gained[EFFECT_COUNT] = {0};
    for (unsigned i = 0; i < 3000; i++) {
        struct machine machine;
        i % 2 ? make_gtx280(&machine) : make_v100(&machine);
        struct profile *profile = random_profile(&seed);
        struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
        /* quantitative needs stages where one block with barriers fills an SM. */
        answered += prediction_find(prediction, "quantitative") != NULL;
        assert_int_equal(prediction->estimate_count + prediction->refusal_count, models_of_time());
        assert_true(!prediction->power && prediction->no_power); /* no coefficients */
        assert_non_null(prediction_find(prediction, "mwp-cwp"));
        const struct estimate *bound = prediction_find(prediction, "speed-of-light");
        const struct estimate *best = &prediction->estimates[prediction->best];
        assert_true(best->time_seconds >= bound->time_seconds * (1 - 1e-9));
        *(best == bound ? &from_bound : &from_mwp) += 1;
        for (size_t k = 0; k < prediction->estimate_count; k++) {
            const struct estimate *estimate = &prediction->estimates[k];
            check_gains(estimate);
            for (size_t t = 0; t < estimate->term_count; t++)
                assert_true(isfinite(estimate->terms[t].value));
            for (unsigned e = 0; e < EFFECT_COUNT; e++)
                gained[e] += estimate->without[e].modelled && estimate->without[e].gain > 1.01;
        }
        prediction_destroy(prediction);
        profile_destroy(profile);
    }
    assert_true(from_mwp > 10 * from_bound);
    assert_true(answered > 1500);
    assert_true(gained[EFFECT_UNCOALESCED] && gained[EFFECT_DIVERGENCE] && gained[EFFECT_SYNC] &&
                gained[EFFECT_LONG_INSTRUCTIONS] && gained[EFFECT_MEM_LATENCY] &&
                gained[EFFECT_BANDWIDTH] && gained[EFFECT_BANK_CONFLICTS]);
}

/* ---- which estimate fits --------------------------------------------------------------------- */

/* The model with a row; its band is what the row says; of another generation that is said. */
static void the_headline_follows_the_evidence(void **state)
{
    (void)state;
    static const char *const chosen[] = {"mwp-cwp", "throughput"};
    struct machine machine;
    struct profile *profile = make_profile(&streaming);
    make_v100(&machine);
    for (size_t i = 0; i < 2; i++) {
        struct prediction *prediction = predict_headline(profile, &machine, chosen[i]);
        const struct estimate *best = &prediction->estimates[prediction->best];
        const struct estimate *bound = prediction_find(prediction, "speed-of-light");
        assert_string_equal(best->model, chosen[i]);
        assert_string_equal(prediction->best_reason, "lowest error on hardware of this generation: "
                                                     "median 10 % on 3 kernels (a set)");
        assert_string_equal(prediction->band.meaning, "two of three kernels of its set");
        assert_close(prediction->band.high_seconds, 1.25 * best->time_seconds, 1e-12);
        assert_close(prediction->band.low_seconds,
                     fmax(best->time_seconds / 1.25, bound->time_seconds), 1e-12);
        prediction_destroy(prediction);
    }
    machine.cc_major = 13;
    struct prediction *prediction = predict_headline(profile, &machine, "mwp-cwp");
    assert_int_equal(prediction->evidence_distance, 10);
    assert_contains(prediction->best_reason,
                    "of another generation (cc 1.0 to 12.0; none is known");
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Without evidence the answer in the middle, and it is said. */
static void without_evidence_the_median_answers(void **state)
{
    (void)state;
    struct machine machine;
    struct profile *profile = make_profile(&streaming);
    make_gtx280(&machine);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *best = &prediction->estimates[prediction->best];
    size_t below = 0, above = 0;
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        const struct estimate *estimate = &prediction->estimates[i];
        if (estimate == best || !strcmp(estimate->model, "speed-of-light")) continue;
        *(estimate->model_seconds < best->model_seconds ? &below : &above) += 1;
    }
    assert_true(below - above <= 1);
    assert_contains(prediction->best_reason, "predictions; evidence file not found");
    assert_true(isnan(prediction->band.low_seconds));
    assert_null(prediction->evidence);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Case 2 leaves out the computation: where Mem_cycles are not much longer it answers less than the
 * issue of the instructions takes. One access of u = 12: L = 890, D = 480, MWP = 1.85; 156
 * instructions: 624 cycles, CWP = 2.4; N = 32, Rep = 2. */
static void an_answer_below_the_bound_is_not_chosen(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 240,
                                 .threads_per_block = 256,
                                 .registers = 16,
                                 .comp = 155,
                                 .uncoalesced = 1,
                                 .transactions_per_uncoalesced = 12,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    static const struct model_option cases = {"cases", "printed"};
    struct evidence_row row = {.model = "mwp-cwp",
                               .set = "a set",
                               .source = "a source",
                               .cc_last = 999,
                               .kernels = 1,
                               .median_error = 0.2,
                               .two_thirds_factor = NAN};
    const struct evidence evidence = {.count = 1, .rows = &row};
    const struct predict_options options = {
        .options = &cases, .option_count = 1, .evidence = &evidence};
    struct diag diag = {0};
    struct prediction *prediction;
    assert_int_equal(model_predict(&diag, profile, &machine, &options, &prediction), WS_OK);
    const struct estimate *mwp = prediction_find(prediction, "mwp-cwp");
    const struct estimate *bound = prediction_find(prediction, "speed-of-light");
    double printed = 2 * (480.0 * 32 + 624 * (890.0 / 480 - 1));
    assert_true(term(mwp, "case") == 2);
    assert_close(bound->cycles, 2 * 624.0 * 32, 1e-9);
    assert_close(term(mwp, "exec_cycles_synch"), printed, 1e-9);
    assert_close(mwp->model_seconds, printed / 1.3e9, 1e-9);
    assert_close(mwp->cycles, bound->cycles, 1e-12); /* raised, and said */
    assert_true(assumes(mwp, "raised to the speed of light"));
    assert_int_equal(mwp->bottleneck, bound->bottleneck);
    assert_ptr_equal(&prediction->estimates[prediction->best], bound);
    assert_contains(prediction->best_reason, "the bound: mwp-cwp predicts less");
    assert_string_equal(prediction->below_bound, "mwp-cwp");
    assert_close(prediction->band.low_seconds, bound->time_seconds, 1e-12);
    assert_close(prediction->band.high_seconds, bound->time_seconds / 0.8, 1e-12);
    assert_string_equal(prediction->band.meaning, "median error 20 %");
    prediction_destroy(prediction);

    prediction = predict_printed(profile, &machine, 0);
    assert_close(prediction_find(prediction, "mwp-cwp")->cycles, printed, 1e-9);
    prediction_destroy(prediction);
    prediction = predict(profile, &machine); /* the joined cases: L + Comp_cycles N */
    assert_close(prediction_find(prediction, "mwp-cwp")->cycles, 2 * (890 + 624.0 * 32), 1e-9);
    prediction_destroy(prediction);
    kernel.comp = 20; /* little computation: the model's own ground */
    profile_destroy(profile);
    profile = make_profile(&kernel);
    prediction = predict_headline(profile, &machine, "mwp-cwp");
    assert_string_equal(prediction->estimates[prediction->best].model, "mwp-cwp");
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* The machine files that come with the program give what both models need. */
static void every_shipped_machine_can_be_asked(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct arena arena = {0};
    const char *const *ids;
    size_t count;
    const char *dir = SOURCE_DIR "/data/machines";
    assert_int_equal(machine_list(&diag, &arena, dir, &ids, &count), WS_OK);
    assert_true(count >= 4);
    struct profile *profile = make_profile(&streaming);
    for (size_t i = 0; i < count; i++) {
        struct machine *machine;
        if (machine_load(&diag, dir, ids[i], &machine) != WS_OK) fail_msg("%s", diag.text);
        struct prediction *prediction = predict(profile, machine);
        assert_non_null(prediction_find(prediction, "speed-of-light"));
        bool wanted = !strcmp(ids[i], "gtx280") || !strcmp(ids[i], "gtx285") ||
                      !strcmp(ids[i], "v100") || !strcmp(ids[i], "h200");
        if (wanted && !prediction_find(prediction, "mwp-cwp"))
            fail_msg("%s: mwp-cwp %s", ids[i], refusal(prediction, "mwp-cwp"));
        prediction_destroy(prediction);
        machine_destroy(machine);
    }
    profile_destroy(profile);
    arena_clear(&arena);
}

static void registers_of_another_target_are_noted(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct profile *profile = make_profile(&streaming);
    profile->registers[0] = (struct register_count){.target = 75, .value = 31, .from = "ptxas"};
    struct prediction *prediction = predict(profile, &machine);
    assert_string_equal(prediction->registers_note,
                        "31 registers by ptxas for sm_75, used for sm_13");
    assert_int_equal(prediction->registers, 31);
    prediction_destroy(prediction);
    profile->registers[0] = (struct register_count){.target = 75, .value = 200, .from = "ptxas"};
    profile->block[0] = 64;
    prediction = predict(profile, &machine);
    assert_int_equal(prediction->registers, 124);
    assert_contains(prediction->registers_note, "the limit of this GPU is 124 per thread");
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* ---- speed-of-light -------------------------------------------------------------------------- */

/* Without caches every transaction is DRAM traffic: 2 requests a warp of 128 B. */
static void bound_of_a_stream_without_caches(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct profile *profile = make_profile(&streaming);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *bound = prediction_find(prediction, "speed-of-light");
    double warps = 2400 * 8, dram = warps * 256 / 141.7e9;
    assert_close(term(bound, "t_dram"), dram, 1e-9);
    assert_close(term(bound, "t_issue"), warps * 12 * 4 / 30 / 1.3e9, 1e-9);
    assert_close(term(bound, "t_lsu"), warps * 2 * 4 / 30 / 1.3e9, 1e-9);
    assert_close(bound->time_seconds, dram, 1e-9);
    assert_int_equal(bound->bottleneck, COMPONENT_GLOBAL_BANDWIDTH);
    assert_int_equal(bound->next, COMPONENT_ISSUE);
    assert_close(bound->without[EFFECT_BANDWIDTH].time_seconds, warps * 12 * 4 / 30 / 1.3e9, 1e-9);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* With caches the footprint passes DRAM; if it is not known, DRAM is named but no part of the bound.
 * All sectors pass L1, stores pass L2. */
static void bound_with_caches(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    struct profile *profile = make_profile(&streaming);
    double warps = 2400 * 8;
    set_count(profile, COUNTER_MEM_GLOBAL_STORE_REQUESTS, warps);
    set_count(profile, COUNTER_MEM_GLOBAL_STORE_BYTES_REQUESTED, warps * 128);
    set_count(profile, COUNTER_MEM_GLOBAL_STORE_SECTORS32, warps * 4);
    set_count(profile, COUNTER_MEM_GLOBAL_STORE_UNCOALESCED_SECTOR, 0);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *bound = prediction_find(prediction, "speed-of-light");
    assert_close(term(bound, "t_l1"), warps * 3 * 128 / (126.0 * 80 * 1.53e9), 1e-9);
    assert_close(term(bound, "t_l2"), warps * 128 / 2430e9, 1e-9);
    assert_close(term(bound, "t_dram_no_reuse"), warps * 3 * 128 / 898e9, 1e-9);
    assert_true(bound->time_seconds < term(bound, "t_dram_no_reuse"));
    assert_true(assumes(bound, "DRAM is not part of the bound"));
    set_count(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT, 6e6);
    set_count(profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT, 1e6);
    prediction_destroy(prediction);
    prediction = predict(profile, &machine);
    bound = prediction_find(prediction, "speed-of-light");
    double sectors = 7e6 - 6.0 * 1024 * 1024 / 32; /* what the L2 holds may stay there */
    assert_close(term(bound, "t_dram"), sectors * 32 / 898e9, 1e-9);
    assert_close(bound->time_seconds, sectors * 32 / 898e9, 1e-9);
    assert_int_equal(bound->bottleneck, COMPONENT_GLOBAL_BANDWIDTH);
    profile->counters[COUNTER_MEM_GLOBAL_READ_FOOTPRINT].origin = ORIGIN_NONE;
    set_figure(&machine, MACHINE_L1_SIZE, 0); /* loads pass L2, too */
    prediction_destroy(prediction);
    prediction = predict(profile, &machine);
    bound = prediction_find(prediction, "speed-of-light");
    assert_close(term(bound, "t_l2"), warps * 3 * 128 / 2430e9, 1e-9);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Table 1 of Zhang and Owens: peak of class k = lanes_k SMs clock / 32 warp instructions a second.
 */
static void bound_of_the_pipes(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    set_figure(&machine, MACHINE_CLOCK_CORE, 1.48e9);
    struct hand_kernel kernel = {.blocks = 240, .threads_per_block = 256, .comp = 100};
    struct profile *profile = make_profile(&kernel);
    double warps = hand_warps(&kernel);
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, 0);
    set_count(profile, COUNTER_INST_WARP_SFU_RCP, 100 * warps);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *bound = prediction_find(prediction, "speed-of-light");
    assert_close(bound->time_seconds, 100 * warps / (2 * 30 * 1.48e9 / 32), 1e-9);
    assert_int_equal(bound->bottleneck, COMPONENT_PIPE_SFU);
    assert_close(bound->without[EFFECT_LONG_INSTRUCTIONS].gain, 4, 1e-9);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void bound_of_shared_memory(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    struct hand_kernel kernel = {.blocks = 800, .threads_per_block = 256, .comp = 10};
    struct profile *profile = make_profile(&kernel);
    double requests = 10 * hand_warps(&kernel);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_REQUESTS, requests);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS32, 32 * requests);
    set_count(profile, COUNTER_MEM_SHARED_LOAD_CONFLICTS32, 31 * requests);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *bound = prediction_find(prediction, "speed-of-light");
    assert_close(term(bound, "t_shared"), 32 * requests / 80 / 1.53e9, 1e-9);
    assert_int_equal(bound->bottleneck, COMPONENT_SHARED);
    assert_true(bound->without[EFFECT_BANK_CONFLICTS].gain > 4);
    prediction_destroy(prediction);
    /* 16 banks were not counted: one pass a request, and said. */
    set_figure(&machine, MACHINE_SHARED_BANKS, 16);
    prediction = predict(profile, &machine);
    bound = prediction_find(prediction, "speed-of-light");
    assert_close(term(bound, "t_shared"), requests / 80 / 1.53e9, 1e-9);
    assert_true(assumes(bound, "16 banks were not counted"));
    prediction_destroy(prediction);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_machine_figure_is_named_with_its_file),
        cmocka_unit_test(a_missing_counter_is_named_with_its_reason),
        cmocka_unit_test(a_minimal_hand_written_profile_is_enough),
        cmocka_unit_test(no_answer_says_what_each_model_lacks),
        cmocka_unit_test(a_launch_beyond_the_limits_is_refused),
        cmocka_unit_test(options_choose_readings),
        cmocka_unit_test(effects_are_found_by_name),
        cmocka_unit_test(gains_over_a_random_sweep),
        cmocka_unit_test(the_headline_follows_the_evidence),
        cmocka_unit_test(without_evidence_the_median_answers),
        cmocka_unit_test(an_answer_below_the_bound_is_not_chosen),
        cmocka_unit_test(every_shipped_machine_can_be_asked),
        cmocka_unit_test(registers_of_another_target_are_noted),
        cmocka_unit_test(bound_of_a_stream_without_caches),
        cmocka_unit_test(bound_with_caches),
        cmocka_unit_test(bound_of_the_pipes),
        cmocka_unit_test(bound_of_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
