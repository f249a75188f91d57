// SPDX-License-Identifier: Apache-2.0
/* mwp-cwp from profile and machine to time. Expected values: golden.json (case named), the thesis'
 * tables, or arithmetic on published peaks. */
#include "model/mwp_cwp.h"
#include "model_fixture.h"

/* The kernel of golden case mwpcwp-mixed; 30 registers make the 2 blocks per SM of cc 1.3. */
static const struct hand_kernel mixed = {.blocks = 600,
                                         .threads_per_block = 256,
                                         .registers = 30,
                                         .comp = 40,
                                         .coalesced = 3,
                                         .uncoalesced = 3,
                                         .barriers = 2,
                                         .transactions_per_uncoalesced = 4,
                                         .bytes_per_access = 128};

static void same_answer_as_the_golden_case(void **state)
{
    (void)state;
    static const double rules[] = {10, 12, 32};
    struct profile *profile = make_profile(&mixed);
    for (size_t i = 0; i < 3; i++) {
        struct machine machine;
        make_gtx280(&machine);
        set_figure(&machine, MACHINE_GLOBAL_RULE, rules[i]);
        struct prediction *prediction = predict_printed(profile, &machine, 0);
        const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
        assert_non_null(estimate);
        assert_int_equal(prediction->occupancy.blocks_per_sm, 2);
        assert_close(term(estimate, "mem_l"), 512, 1e-12);
        assert_close(term(estimate, "mwp"), 6.2439024390243905, 1e-9);
        assert_close(term(estimate, "cwp"), 16, 1e-9);
        assert_close(term(estimate, "exec_cycles_synch"), 97528.13008130081, 1e-9);
        assert_close(estimate->time_seconds, 97528.13008130081 / 1.3e9, 1e-9);
        assert_int_equal(estimate->bottleneck, COMPONENT_UNCOALESCED);
        prediction_destroy(prediction);
    }
    profile_destroy(profile);
}

/* Without its uncoalesced accesses and barriers the same kernel is golden case mwpcwp-coal-bw. */
static void effects_lead_to_other_golden_cases(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct profile *profile = make_profile(&mixed);
    struct prediction *prediction =
        predict_printed(profile, &machine, 1u << EFFECT_UNCOALESCED | 1u << EFFECT_SYNC);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(estimate->cycles, 37465.52376401632, 1e-9);
    assert_int_equal(estimate->bottleneck, COMPONENT_GLOBAL_BANDWIDTH);
    assert_true(assumes(estimate, "sync: switched off by the user"));
    prediction_destroy(prediction);

    prediction = predict_printed(profile, &machine, 1u << EFFECT_SYNC);
    estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(estimate->cycles, 80328.13008130081, 1e-9);
    assert_close(estimate->without[EFFECT_UNCOALESCED].gain, 80328.13008130081 / 37465.52376401632,
                 1e-9);
    prediction_destroy(prediction);

    prediction = predict_printed(profile, &machine, 0);
    estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(estimate->without[EFFECT_SYNC].gain, 97528.13008130081 / 80328.13008130081, 1e-9);
    assert_false(estimate->without[EFFECT_BANK_CONFLICTS].modelled);
    assert_false(estimate->without[EFFECT_CACHE_MISSES].modelled);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Independent loads: golden case mwpcwp-indep (3 of 6). */
static void independent_loads_raise_mwp(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 600,
                                 .threads_per_block = 64,
                                 .registers = 124,
                                 .comp = 40,
                                 .coalesced = 6,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    set_count(profile, COUNTER_MEM_LOADS, 6 * hand_warps(&kernel));
    set_count(profile, COUNTER_MEM_INDEPENDENT, 3 * hand_warps(&kernel));
    struct prediction *prediction = predict(profile, &machine);
    assert_int_equal(prediction->occupancy.blocks_per_sm, 2);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(term(estimate, "mwp"), 8, 1e-9);
    assert_close(estimate->cycles, 16380, 1e-9);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* The thesis publishes 10 and 4 for the Quadro FX 5600; the rule for machines without gives 9, 4.
 */
static void delays_are_modelled_where_none_is_published(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    set_figure(&machine, MACHINE_SM_COUNT, 16);
    set_figure(&machine, MACHINE_CLOCK_CORE, 1.35e9);
    set_figure(&machine, MACHINE_DRAM_BANDWIDTH, 76.8e9);
    forget_figure(&machine, MACHINE_DEPARTURE_COALESCED);
    forget_figure(&machine, MACHINE_DEPARTURE_UNCOALESCED);
    struct profile *profile = make_profile(&mixed);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(term(estimate, "dep_coal"), 4, 1e-12);
    assert_close(term(estimate, "dep_uncoal"), 9, 1e-12);
    assert_true(assumes(estimate, "Departure_del_uncoal modelled"));
    assert_true(assumes(estimate, "Departure_del_coal modelled"));
    prediction_destroy(prediction);

    forget_figure(&machine, MACHINE_GLOBAL_LOAD_STORE_LANES);
    prediction = predict(profile, &machine);
    estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(term(estimate, "dep_coal"), 1, 1e-12);
    assert_true(assumes(estimate, "32 load-store lanes (assumed)"));
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Nothing but fused multiply-adds: the published peak of 64 lanes on 80 SMs, not the issue rate. */
static void computation_never_beats_the_published_peak(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    struct hand_kernel kernel = {.blocks = 640, .threads_per_block = 256, .registers = 32};
    kernel.comp = 1000;
    struct profile *profile = make_profile(&kernel);
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, 0);
    set_count(profile, COUNTER_INST_WARP_FP32_FMA, 1000 * hand_warps(&kernel));
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    double threads = 640.0 * 256;
    assert_close(estimate->time_seconds, 1000 * threads / (64 * 80 * 1.53e9), 1e-9);
    assert_close(prediction_find(prediction, "speed-of-light")->time_seconds,
                 estimate->time_seconds, 1e-9);
    assert_int_equal(estimate->bottleneck, COMPONENT_ISSUE);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Table 6: a class of 2 lanes takes 4 issue slots; a class without a figure takes one, and is
 * named. */
static void expensive_classes_take_more_slots(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 240, .threads_per_block = 128, .registers = 16};
    kernel.comp = 100;
    struct profile *profile = make_profile(&kernel);
    double warps = hand_warps(&kernel);
    set_count(profile, COUNTER_INST_WARP_FP32_ADD, 80 * warps);
    set_count(profile, COUNTER_INST_WARP_SFU_RCP, 10 * warps);
    set_count(profile, COUNTER_INST_WARP_TENSOR, 10 * warps);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(term(estimate, "m_factor"), (80 + 4 * 10 + 10) / 100.0, 1e-12);
    assert_true(assumes(estimate, "tensor: throughput unknown"));
    assert_close(estimate->without[EFFECT_LONG_INSTRUCTIONS].gain, 1.3, 1e-9);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* 40 blocks on 30 SMs that hold 2: two of a block's time, not 40/60 of a full SM's. */
static void small_grids_have_the_warps_they_have(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = mixed;
    kernel.blocks = 30;
    struct profile *profile = make_profile(&kernel);
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(term(estimate, "n"), 8, 1e-12);
    assert_close(term(estimate, "rep"), 1, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);

    kernel.blocks = 1;
    profile = make_profile(&kernel);
    prediction = predict(profile, &machine);
    estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(term(estimate, "active_sms"), 1, 1e-12);
    assert_close(term(estimate, "n"), 8, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* Half of the lanes idle: half of the instructions without divergence, the same transactions. */
static void divergence_halves_the_instructions(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = {.blocks = 600, .threads_per_block = 256, .registers = 30};
    kernel.comp = 100;
    struct profile *profile = make_profile(&kernel);
    set_count(profile, COUNTER_INST_THREAD_ACTIVE, 16 * profile_get(profile, COUNTER_INST_WARP));
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(estimate->without[EFFECT_DIVERGENCE].gain, 2, 1e-9);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static struct prediction *predict_without(const struct profile *profile,
                                          const struct machine *machine, enum effect effect)
{
    struct diag diag = {0};
    struct prediction *prediction = NULL;
    struct predict_options options = {.effects_off = 1u << effect};
    assert_int_equal(model_predict(&diag, profile, machine, &options, &prediction), WS_OK);
    return prediction;
}

/* Of a coalesced access of 128 bytes and one of 8 transactions of 32 half of each is left: an access
 * moves twice the mean of 192. */
static void without_divergence_the_same_bytes_move(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct hand_kernel kernel = mixed;
    kernel.transactions_per_uncoalesced = 8;
    kernel.bytes_per_access = 64;
    struct profile *profile = make_profile(&kernel);
    set_count(profile, COUNTER_INST_THREAD_ACTIVE, 16 * profile_get(profile, COUNTER_INST_WARP));
    struct prediction *prediction = predict_without(profile, &machine, EFFECT_DIVERGENCE);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(term(estimate, "total_insts"), 23, 1e-9);
    assert_close(term(estimate, "uncoal_mem_insts"), 1.5, 1e-9);
    assert_close(term(estimate, "coal_mem_insts"), 1.5, 1e-9);
    assert_close(term(estimate, "uncoal_per_mw"), 16, 1e-9);
    assert_close(term(estimate, "load_bytes_per_warp"), 384, 1e-9);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void memory_that_answers_in_one_cycle(void **state)
{
    (void)state;
    struct machine machine;
    make_gtx280(&machine);
    struct profile *profile = make_profile(&mixed);
    struct prediction *prediction = predict_without(profile, &machine, EFFECT_MEM_LATENCY);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_close(term(estimate, "mem_l_coal"), 1 + 4, 1e-12);
    assert_close(term(estimate, "mem_l_uncoal"), 1 + 3 * 40, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* On 64 lanes a float addition takes two of the four schedulers' slots, a load one: making all as
 * fast as the addition must not make the load slower. */
static void cheap_classes_stay_cheap(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    struct hand_kernel kernel = {.blocks = 640,
                                 .threads_per_block = 256,
                                 .registers = 32,
                                 .comp = 50,
                                 .coalesced = 50,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    struct prediction *prediction = predict_without(profile, &machine, EFFECT_LONG_INSTRUCTIONS);
    assert_close(term(prediction_find(prediction, "mwp-cwp"), "m_factor"), 1.5, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* One warp on an SM uses one of four schedulers; four or more use all. */
static void idle_schedulers_do_not_issue(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    struct hand_kernel kernel = {.blocks = 80, .threads_per_block = 32, .comp = 100};
    struct profile *profile = make_profile(&kernel);
    struct prediction *prediction = predict(profile, &machine);
    assert_close(term(prediction_find(prediction, "mwp-cwp"), "issue_cycles"), 1, 1e-12);
    prediction_destroy(prediction);
    profile->block[0] = 128;
    prediction = predict(profile, &machine);
    assert_close(term(prediction_find(prediction, "mwp-cwp"), "issue_cycles"), 0.25, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

/* All lanes read one word: 128 B requested, 32 B moved. */
static void broadcasts_move_one_sector(void **state)
{
    (void)state;
    struct machine machine;
    make_v100(&machine);
    struct hand_kernel kernel = {.blocks = 640,
                                 .threads_per_block = 256,
                                 .comp = 50,
                                 .coalesced = 5,
                                 .bytes_per_access = 128};
    struct profile *profile = make_profile(&kernel);
    struct prediction *prediction = predict(profile, &machine);
    assert_false(assumes(prediction_find(prediction, "mwp-cwp"), "lanes that read the same word"));
    prediction_destroy(prediction);
    set_count(profile, COUNTER_MEM_GLOBAL_LOAD_SECTORS32,
              profile_get(profile, COUNTER_MEM_GLOBAL_LOAD_REQUESTS));
    prediction = predict(profile, &machine);
    const struct estimate *estimate = prediction_find(prediction, "mwp-cwp");
    assert_false(assumes(estimate, "lanes that read the same word"));
    assert_close(term(estimate, "load_bytes_per_warp"), 32, 1e-12);
    prediction_destroy(prediction);
    prediction = predict_printed(profile, &machine, 0);
    estimate = prediction_find(prediction, "mwp-cwp");
    assert_true(assumes(estimate, "lanes that read the same word"));
    assert_close(term(estimate, "load_bytes_per_warp"), 128, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
}

static void degenerate_inputs(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct mwp_cwp_terms terms;
    struct mwp_cwp_input in = {.freq_hz = 1.3e9,
                               .mem_bandwidth = 141.7e9,
                               .active_sms = 30,
                               .mem_ld = 450,
                               .dep_uncoal = 40,
                               .dep_coal = 4,
                               .uncoal_per_mw = 1,
                               .load_bytes_per_warp = 128,
                               .warp_size = 32,
                               .threads_per_block = 32,
                               .blocks = 30,
                               .active_blocks_per_sm = 1,
                               .issue_cycles = 4,
                               .m_factor = 1};
    assert_int_equal(mwp_cwp_predict(&diag, &in, &terms), WS_ERR_NO_MODEL); /* It = 0 */
    assert_contains(diag.text, "no instructions");
    in.total_insts = 10; /* Im = 0: 4 cycles each */
    assert_int_equal(mwp_cwp_predict(&diag, &in, &terms), WS_OK);
    assert_close(terms.exec_cycles_synch, 40, 1e-12);
    assert_close(terms.cwp, 1, 1e-12);
    in.coal_mem_insts = 1; /* one warp: its own latency and computation (case 1) */
    assert_int_equal(mwp_cwp_predict(&diag, &in, &terms), WS_OK);
    assert_int_equal(terms.case_number, 1);
    assert_close(terms.exec_cycles, 454 + 40, 1e-12);
    in.mem_bandwidth /= 1000; /* MWP < 1: the ramp is not negative */
    assert_int_equal(mwp_cwp_predict(&diag, &in, &terms), WS_OK);
    assert_true(terms.mwp < 1);
    assert_close(terms.exec_cycles, 454 / terms.mwp_peak_bw, 1e-9);
    in.synch_insts = 5; /* barriers of one-warp blocks cost nothing */
    assert_int_equal(mwp_cwp_predict(&diag, &in, &terms), WS_OK);
    assert_true(terms.synch_cost == 0);
    in.active_blocks_per_sm = 0;
    assert_int_equal(mwp_cwp_predict(&diag, &in, &terms), WS_ERR_NO_MODEL);
    diag_clear(&diag);
}

/* ---- properties ------------------------------------------------------------------------------ */

static struct mwp_cwp_input random_input(uint64_t *seed)
{
    struct mwp_cwp_input in = {.freq_hz = 1.3e9, .warp_size = 32, .issue_cycles = 4, .m_factor = 1};
    in.mem_bandwidth = 1e9 * exp(8 * next_uniform(seed));
    in.active_sms = floor(1 + 100 * next_uniform(seed));
    in.mem_ld = 100 + 900 * next_uniform(seed);
    in.dep_coal = 1 + 8 * next_uniform(seed);
    in.dep_uncoal = in.dep_coal + 40 * next_uniform(seed);
    in.uncoal_per_mw = 2 + 30 * next_uniform(seed);
    in.load_bytes_per_warp = 4 * floor(1 + 128 * next_uniform(seed));
    in.threads_per_block = floor(1 + 512 * next_uniform(seed));
    in.blocks = in.active_sms * floor(1 + 50 * next_uniform(seed));
    in.active_blocks_per_sm = floor(1 + 8 * next_uniform(seed));
    in.coal_mem_insts = floor(20 * next_uniform(seed));
    in.uncoal_mem_insts = floor(20 * next_uniform(seed));
    in.total_insts =
        in.coal_mem_insts + in.uncoal_mem_insts + floor(1 + exp(8 * next_uniform(seed)));
    in.synch_insts = floor(10 * next_uniform(seed));
    return in;
}

/* Within one case, less latency, more bandwidth or fewer slots never cost time beyond the ramp
 * Comp_p (MWP - 1), which the model adds as more warps overlap. */
static void monotone_within_a_case(void **state)
{
    (void)state;
    uint64_t seed = 1;
    unsigned compared[4] = {0};
    for (unsigned i = 0; i < 60000; i++) {
        struct diag diag = {0};
        struct mwp_cwp_terms now, then;
        struct mwp_cwp_input in = random_input(&seed), better = in;
        if (i % 3 == 0) better.mem_ld *= next_uniform(&seed);
        if (i % 3 == 1) better.mem_bandwidth *= 1 + next_uniform(&seed);
        if (i % 3 == 2) better.issue_cycles *= next_uniform(&seed);
        assert_int_equal(mwp_cwp_predict(&diag, &in, &now), WS_OK);
        assert_int_equal(mwp_cwp_predict(&diag, &better, &then), WS_OK);
        assert_true(isfinite(now.exec_cycles_synch) && now.exec_cycles_synch > 0);
        if (now.case_number != then.case_number) continue;
        double ramp = then.comp_p * fmax(0, then.mwp - now.mwp) * now.rep;
        assert_true(then.exec_cycles <= (now.exec_cycles + ramp) * (1 + 1e-9));
        compared[now.case_number]++;
    }
    for (unsigned number = 1; number <= 3; number++)
        assert_true(compared[number] > 1000);
}

/* One step of the joined model for each of 40,000 random inputs: less bandwidth, more latency or a longer
 * issue never takes less, and it never takes less than the case that (21)-(23) choose, where barriers do
 * not matter. One access a warp or more, as Comp_p means nothing else. */
static void joined_cases_never_gain_by_worse_machines(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (unsigned i = 0; i < 40000; i++) {
        struct diag diag = {0};
        struct mwp_cwp_terms now, then, chosen;
        struct mwp_cwp_input in = random_input(&seed);
        in.synch_insts = 0;
        in.coal_mem_insts += 1;
        in.total_insts += 1;
        struct mwp_cwp_input printed = in, worse = in;
        in.readings.joined = worse.readings.joined = true;
        if (i % 3 == 0) worse.mem_bandwidth *= next_uniform(&seed);
        if (i % 3 == 1) worse.mem_ld *= 1 + next_uniform(&seed);
        if (i % 3 == 2) worse.issue_cycles *= 1 + next_uniform(&seed);
        assert_int_equal(mwp_cwp_predict(&diag, &in, &now), WS_OK);
        assert_int_equal(mwp_cwp_predict(&diag, &worse, &then), WS_OK);
        assert_int_equal(mwp_cwp_predict(&diag, &printed, &chosen), WS_OK);
        assert_true(then.exec_cycles_synch >= now.exec_cycles_synch * (1 - 1e-12));
        assert_true(now.exec_cycles >= chosen.exec_cycles * (1 - 1e-12));
    }
}

/* The three cases cover everything, by either policy, and keep to their definitions. */
static void cases_cover_everything(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (unsigned i = 0; i < 20000; i++) {
        struct diag diag = {0};
        struct mwp_cwp_terms terms;
        struct mwp_cwp_input in = random_input(&seed);
        in.readings.case_policy = i % 2 ? MWP_CASE_PRINTED : MWP_CASE_FIGURE8;
        assert_int_equal(mwp_cwp_predict(&diag, &in, &terms), WS_OK);
        bool both = terms.mwp >= terms.n * (1 - 1e-9) && terms.cwp >= terms.n * (1 - 1e-9);
        bool memory = in.coal_mem_insts + in.uncoal_mem_insts > 0;
        if (memory) assert_int_equal(both, terms.case_number == 1);
        if (terms.case_number == 2 && !(i % 2)) {
            assert_true(terms.cwp >= terms.mwp);
            assert_true(terms.comp_cycles <= terms.mem_cycles);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_answer_as_the_golden_case),
        cmocka_unit_test(effects_lead_to_other_golden_cases),
        cmocka_unit_test(independent_loads_raise_mwp),
        cmocka_unit_test(delays_are_modelled_where_none_is_published),
        cmocka_unit_test(computation_never_beats_the_published_peak),
        cmocka_unit_test(expensive_classes_take_more_slots),
        cmocka_unit_test(small_grids_have_the_warps_they_have),
        cmocka_unit_test(divergence_halves_the_instructions),
        cmocka_unit_test(without_divergence_the_same_bytes_move),
        cmocka_unit_test(memory_that_answers_in_one_cycle),
        cmocka_unit_test(cheap_classes_stay_cheap),
        cmocka_unit_test(idle_schedulers_do_not_issue),
        cmocka_unit_test(broadcasts_move_one_sector),
        cmocka_unit_test(degenerate_inputs),
        cmocka_unit_test(monotone_within_a_case),
        cmocka_unit_test(joined_cases_never_gain_by_worse_machines),
        cmocka_unit_test(cases_cover_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
