// SPDX-License-Identifier: Apache-2.0
/* The figures of charts against counts and equations by hand. */
#include "model_fixture.h"

#include "answer/analyze.h"
#include "answer/charts.h"
#include "model/mwp_cwp.h"

/* ---- roofline -------------------------------------------------------------------------------- */

/* 6400 warps, each with 100 additions of 32 lanes and 4 loads of 128 bytes, all of different sectors. */
enum { WARPS = 6400, ADDS = 100, LOADS = 4 };

static struct profile *stream(void)
{
    struct profile *profile = make_profile(&(struct hand_kernel){.blocks = 800,
                                                                 .threads_per_block = 256,
                                                                 .registers = 32,
                                                                 .comp = ADDS,
                                                                 .coalesced = LOADS,
                                                                 .bytes_per_access = 128});
    set_count(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT, WARPS * LOADS * 4);
    set_count(profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT, 0);
    return profile;
}

static const struct roof_point *point_at(const struct roof_kind *kind, const char *level)
{
    for (size_t i = 0; i < kind->point_count; i++)
        if (!strcmp(kind->points[i].level, level)) return &kind->points[i];
    fail_msg("no point at %s", level);
    return NULL;
}

static void test_roofline_by_hand(void **state)
{
    (void)state;
    struct machine machine;
    struct arena arena = {0};
    const char *reason;
    const double bytes = WARPS * LOADS * 128.0, flops = WARPS * ADDS * 32.0;
    const double peak = 2 * 64 * 80 * 1.53e9, dram = 898e9, seconds = bytes / dram;
    make_v100(&machine);
    struct profile *profile = stream();
    struct prediction *prediction = predict_headline(profile, &machine, "speed-of-light");
    const struct roofline *roofline = chart_roofline(&arena, prediction, &reason);
    assert_non_null(roofline);
    assert_string_equal(roofline->model, "speed-of-light");
    assert_close(roofline->seconds, seconds, 1e-12);
    assert_int_equal(roofline->level_count, 4);
    assert_string_equal(roofline->levels[0].id, "shared");
    assert_true(isnan(roofline->levels[0].bytes)); /* not counted */
    assert_non_null(roofline->levels[0].reason);
    assert_close(roofline->levels[0].bandwidth, 32 * 4 * 80 * 1.53e9, 1e-12);
    assert_close(roofline->levels[1].bytes, bytes, 1e-12); /* l1 */
    assert_close(roofline->levels[1].bandwidth, 126 * 80 * 1.53e9, 1e-12);
    assert_close(roofline->levels[3].bytes, bytes, 1e-12); /* dram */
    assert_int_equal(roofline->kind_count, 2);
    const struct roof_kind *fp32 = &roofline->kinds[0];
    assert_string_equal(fp32->id, "fp32");
    assert_close(fp32->operations, flops, 1e-12);
    assert_close(fp32->peak, peak, 1e-12);
    const struct roof_point *point = point_at(fp32, "dram");
    assert_close(point->intensity, 6.25, 1e-12); /* 3200 operations, 512 bytes */
    assert_close(point->ridge, peak / dram, 1e-12);
    assert_close(point->roof, 6.25 * dram, 1e-12);
    assert_close(point->share, 1, 1e-12);
    assert_close(point_at(fp32, "l1")->share, 6.25 * dram / peak, 1e-12); /* under the flat roof */
    const struct roof_kind *instructions = &roofline->kinds[1];
    assert_string_equal(instructions->id, "instructions");
    assert_close(instructions->operations, WARPS * (ADDS + LOADS), 1e-12);
    assert_close(instructions->peak, 4 * 80 * 1.53e9, 1e-12);
    prediction_destroy(prediction);
    profile_destroy(profile);
    arena_clear(&arena);
}

/* Whatever model is the headline, and whatever it leaves out. */
static void test_points_are_under_their_roofs(void **state)
{
    (void)state;
    static const char *const headlines[] = {"speed-of-light", "mwp-cwp", "quantitative",
                                            "throughput"};
    for (size_t i = 0; i < 2 * sizeof headlines / sizeof *headlines; i++) {
        struct machine machine;
        struct arena arena = {0};
        const char *reason;
        i % 2 ? make_gtx280(&machine) : make_v100(&machine);
        struct profile *profile = stream();
        struct prediction *prediction = predict_headline(profile, &machine, headlines[i / 2]);
        const struct roofline *roofline = chart_roofline(&arena, prediction, &reason);
        assert_non_null(roofline);
        for (size_t k = 0; k < roofline->kind_count; k++)
            for (size_t p = 0; p < roofline->kinds[k].point_count; p++)
                assert_true(roofline->kinds[k].points[p].share <= 1 + 1e-9);
        prediction_destroy(prediction);
        profile_destroy(profile);
        arena_clear(&arena);
    }
}

/* Of halves: a native instruction, and one of PTX with x2, has two of them. */
static void test_operations_of_halves(void **state)
{
    (void)state;
    static const struct {
        const char *op, *text;
        bool is_native;
        double operations;
    } rows[] = {{"fma.rn.f16x2", NULL, false, 4},
                {"fma.rn.f16", NULL, false, 2},
                {"add.f16x2", NULL, false, 2},
                {"max.f16x2", NULL, false, 0},
                {"HFMA2.MMA", "HFMA2.MMA R2, R3, R4, R5", true, 4},
                {"HADD2", "HADD2 R2, R3, R4", true, 2},
                /* A move, as ptxas writes them. */
                {"HFMA2.MMA", "HFMA2.MMA R21, -RZ, RZ, 0, 0", true, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const uint16_t ids[] = {COUNTER_INST_WARP, COUNTER_INST_THREAD};
        static const double counts[] = {WARPS, WARPS * 31.0};
        struct instruction_profile insn = {.op = rows[i].op,
                                           .text = rows[i].text,
                                           .is_native = rows[i].is_native,
                                           .class_id = CLASS_FP16,
                                           .counter_count = 2,
                                           .counters = ids,
                                           .values = counts};
        struct machine machine;
        struct arena arena = {0};
        const char *reason;
        make_v100(&machine);
        set_figure(&machine, MACHINE_THROUGHPUT_FP16, 64);
        struct profile *profile = stream();
        set_count(profile, COUNTER_INST_WARP_FP16, WARPS);
        profile->instructions = &insn;
        profile->instruction_count = 1;
        struct prediction *prediction = predict_headline(profile, &machine, "speed-of-light");
        const struct roofline *roofline = chart_roofline(&arena, prediction, &reason);
        bool is_there = roofline->kind_count == 3;
        assert_int_equal(is_there, rows[i].operations > 0);
        if (is_there) {
            assert_string_equal(roofline->kinds[1].id, "fp16");
            assert_close(roofline->kinds[1].operations, WARPS * 31.0 * rows[i].operations, 1e-12);
            assert_close(roofline->kinds[1].peak, 4 * 64 * 80 * 1.53e9, 1e-12);
        }
        prediction_destroy(prediction);
        profile->instructions = NULL;
        profile->instruction_count = 0;
        profile_destroy(profile);
        arena_clear(&arena);
    }
}

/* ---- warps ----------------------------------------------------------------------------------- */

/* The worked example of Hong and Kim (ISCA 2009): MWP_Without_BW 73 / 32, MWP_peak_BW 28.5, CWP_full 34.2. */
static void test_parallelism_of_the_example(void **state)
{
    (void)state;
    const struct mwp_cwp_input example = {.freq_hz = 1e9,
                                          .mem_bandwidth = 80e9,
                                          .active_sms = 16,
                                          .mem_ld = 420,
                                          .dep_uncoal = 10,
                                          .dep_coal = 4,
                                          .uncoal_per_mw = 32,
                                          .load_bytes_per_warp = 128,
                                          .warp_size = 32,
                                          .threads_per_block = 128,
                                          .blocks = 80,
                                          .active_blocks_per_sm = 5,
                                          .issue_cycles = 4,
                                          .m_factor = 1,
                                          .total_insts = 33,
                                          .uncoal_mem_insts = 6,
                                          .synch_insts = 6};
    struct diag diag = {0};
    struct mwp_cwp_terms whole, terms;
    assert_int_equal(mwp_cwp_predict(&diag, &example, &whole), WS_OK);
    assert_close(whole.n, 20, 0);
    for (unsigned warps = 1; warps <= 20; warps++) {
        struct mwp_cwp_input in = mwp_cwp_with_warps(&example, warps);
        assert_int_equal(mwp_cwp_predict(&diag, &in, &terms), WS_OK);
        assert_close(terms.n, warps, 1e-12);
        assert_close(terms.mwp, fmin(730.0 / 320, warps), 1e-12);
        assert_close(terms.cwp, fmin((4380.0 + 132) / 132, warps), 1e-12);
    }
    assert_close(terms.exec_cycles_synch, whole.exec_cycles_synch, 1e-12);
}

static void test_parallelism_has_the_launch(void **state)
{
    (void)state;
    struct machine machine;
    struct arena arena = {0};
    const char *reason;
    make_gtx280(&machine);
    struct profile *profile = make_profile(&(struct hand_kernel){.blocks = 600,
                                                                 .threads_per_block = 256,
                                                                 .registers = 16,
                                                                 .comp = 40,
                                                                 .coalesced = 3,
                                                                 .uncoalesced = 3,
                                                                 .transactions_per_uncoalesced = 4,
                                                                 .bytes_per_access = 128});
    struct prediction *prediction = predict(profile, &machine);
    const struct estimate *mwp = prediction_of(prediction, MODEL_MWP_CWP);
    const struct parallelism_chart *chart = chart_parallelism(&arena, prediction, &reason);
    assert_non_null(chart);
    assert_int_equal(chart->here, (uint64_t)term(mwp, "n"));
    assert_int_equal(chart->count, 32); /* as many as an SM of cc 1.3 holds */
    const struct parallelism_point *here = &chart->rows[chart->here - 1];
    assert_close(here->mwp, term(mwp, "mwp"), 1e-12);
    assert_close(here->cwp, term(mwp, "cwp"), 1e-12);
    assert_close(here->seconds, mwp->time_seconds, 1e-12);
    for (size_t i = 0; i < chart->count; i++) {
        assert_int_equal(chart->rows[i].warps, i + 1);
        assert_true(chart->rows[i].cwp <= (double)(i + 1));
    }
    assert_null(chart_scaling(&arena, prediction, &reason)); /* no traces */
    assert_non_null(strstr(reason, "teg"));
    prediction_destroy(prediction);
    profile_destroy(profile);
    arena_clear(&arena);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static struct answer *ask_charts(struct profile *profile, struct machine *machine)
{
    struct diag diag = {0};
    const ws_input charts = {.name = "charts", .value = 1};
    struct asked asked = {.diag = &diag,
                          .question = &question_analyze,
                          .profile_count = 1,
                          .machine_count = 1,
                          .profiles = &profile,
                          .machines = &machine,
                          .inputs = &charts,
                          .input_count = 1};
    struct answer *answer;
    if (question_ask(&asked, &answer) != WS_OK) fail_msg("%s", diag.text);
    return answer;
}

/* Registers against warps of blocks of 256 on cc 7.0, as NVIDIA's calculator has them. */
static void test_occupancy_of_the_calculator(void **state)
{
    (void)state;
    static const struct {
        uint64_t registers, warps;
    } rows[] = {{32, 64}, {40, 48}, {48, 40}, {64, 32}, {80, 24}, {128, 16}, {255, 8}};
    struct machine machine;
    struct arena arena = {0};
    size_t found = 0;
    make_v100(&machine);
    struct profile *profile = stream();
    struct answer *answer = ask_charts(profile, &machine);
    const struct node *table = node_find(
        &answer->root, "kernels/0/machines/v100/charts/occupancy/registers_per_thread/points");
    assert_non_null(table);
    for (size_t i = 0; i < table->value.item_count; i++) {
        struct node row = node_row(table, i, &arena);
        uint64_t first = node_count(&row, "first"), last = node_count(&row, "last");
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (rows[k].registers < first || rows[k].registers > last) continue;
            assert_int_equal(node_count(&row, "warps_per_sm"), rows[k].warps);
            found++;
        }
        assert_int_equal(node_flag(&row, "is_here"), first <= 32 && 32 <= last);
    }
    assert_int_equal(found, sizeof rows / sizeof *rows);
    answer_destroy(answer);
    profile_destroy(profile);
    arena_clear(&arena);
}

/* Bound by DRAM: with twice its bandwidth by the additions, with anything else as before. */
static void test_sensitivity_by_hand(void **state)
{
    (void)state;
    const double dram = WARPS * LOADS * 128 / 898e9, adds = WARPS * ADDS * 32 / (64 * 80 * 1.53e9);
    struct machine machine;
    make_v100(&machine);
    /* Only the bound can answer. */
    forget_figure(&machine, MACHINE_DRAM_LATENCY);
    forget_figure(&machine, MACHINE_ISSUE_CYCLES);
    struct profile *profile = stream();
    struct answer *answer = ask_charts(profile, &machine);
    const struct node *sensitivity =
        node_find(&answer->root, "kernels/0/machines/v100/charts/sensitivity");
    assert_string_equal(node_word(sensitivity, "model"), "speed-of-light");
    assert_close(node_number(sensitivity, "time_s"), dram, 1e-12);
    const struct node *changes = node_child(sensitivity, "changes");
    const struct node *first = &changes->children[0];
    assert_string_equal(node_word(first, "id"), "dram_bandwidth");
    assert_close(node_number(first, "time_s"), adds, 1e-12);
    assert_close(node_number(first, "gain"), dram / adds, 1e-12);
    for (size_t i = 1; i < changes->child_count; i++)
        assert_close(node_number(&changes->children[i], "gain"), 1, 1e-12);
    assert_non_null(node_child(changes, "fp32"));
    assert_null(node_child(changes, "fp64")); /* not used */
    answer_destroy(answer);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roofline_by_hand),
        cmocka_unit_test(test_points_are_under_their_roofs),
        cmocka_unit_test(test_operations_of_halves),
        cmocka_unit_test(test_parallelism_of_the_example),
        cmocka_unit_test(test_parallelism_has_the_launch),
        cmocka_unit_test(test_occupancy_of_the_calculator),
        cmocka_unit_test(test_sensitivity_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
