// SPDX-License-Identifier: Apache-2.0
/* Bandwidth of global memory by blocks, threads and transactions (Zhang and Owens, figure 3): what the
 * paper says of its shape, and tables that a machine file has. */
#include "model_fixture.h"

#include "model/quantitative.h"

/* ---- modelled -------------------------------------------------------------------------------- */

/* 64 kB a block on the memory of the GTX 285. */
static struct zo_global modelled_launch(unsigned blocks)
{
    return (struct zo_global){.peak = 158.976e9,
                              .latency_seconds = 300e-9,
                              .clusters = 10,
                              .blocks = blocks,
                              .bytes = blocks * 64e3};
}

/* Figure 3: near the peak a sawtooth of period 10 that weakens, under an envelope that grows with the
 * blocks up to the peak. */
static void the_bandwidth_is_a_sawtooth_under_an_envelope(void **state)
{
    (void)state;
    double envelope = 0, before = 0;
    for (unsigned blocks = 1; blocks <= 2000; blocks++) {
        struct zo_global global = modelled_launch(blocks);
        double fill = zo_global_fill(&global), saw = zo_global_sawtooth(&global);
        double bandwidth = zo_global_bandwidth(&global);
        assert_true(fill >= envelope && fill < 1);
        envelope = fill;
        assert_close(saw, blocks / (10 * ceil(blocks / 10.0)), 1e-12);
        assert_close(bandwidth, 158.976e9 * fill * saw, 1e-12);
        /* It falls where a new round begins, and nowhere else. */
        assert_int_equal(bandwidth<before, blocks> 10 && blocks % 10 == 1);
        if (blocks > 10) assert_true(saw > 1 - 10.0 / blocks);
        before = bandwidth;
    }
    assert_true(envelope > 0.999);
    /* The busiest of 10 clusters has two of 11 blocks: a latency and 128 kB at a tenth of the peak. */
    struct zo_global eleven = modelled_launch(11);
    assert_close(zo_global_seconds(&eleven, 11 * 64e3, 0), 300e-9 + 128e3 / 15.8976e9, 1e-12);
}

/* Section 4.3: "almost linear with the number of blocks when it is far below the peak". */
static void far_below_the_peak_it_is_linear_in_the_blocks(void **state)
{
    (void)state;
    double one = 0;
    for (unsigned blocks = 1; blocks <= 40; blocks++) {
        struct zo_global global = modelled_launch(blocks);
        global.bytes = blocks * 4.0;
        if (blocks == 1) one = zo_global_bandwidth(&global);
        assert_close(zo_global_bandwidth(&global), blocks * one, 0.01);
    }
}

/* ---- measured -------------------------------------------------------------------------------- */

static const double table_blocks[] = {10, 20, 45, 200}, table_threads[] = {32, 64, 512},
                    table_transactions[] = {1, 8};
enum { TABLE = 4 * 3 * 2 };

static struct zo_global measured_launch(const struct machine_curve *curve, double blocks,
                                        double threads, double transactions)
{
    return (struct zo_global){.peak = 100e9,
                              .latency_seconds = 300e-9,
                              .clusters = 10,
                              .blocks = blocks,
                              .bytes = blocks * threads * transactions * 4,
                              .threads = threads,
                              .transactions = transactions,
                              .measured = curve};
}

static struct machine_curve make_table(const double *shares)
{
    return (struct machine_curve){.count = TABLE,
                                  .axis_counts = {4, 3, 2},
                                  .axes = {table_blocks, table_threads, table_transactions},
                                  .values = shares,
                                  .clusters = 10,
                                  .source = "a test"};
}

/* Measured on a pipeline that takes a latency to fill, at few points: comes out between them, too. */
static void a_measured_table_is_read_between_its_points(void **state)
{
    (void)state;
    double shares[TABLE];
    struct machine_curve curve = make_table(shares);
    for (size_t i = 0; i < TABLE; i++) {
        double at[CURVE_AXES];
        machine_curve_point(&curve, i, at);
        struct zo_global exact = measured_launch(NULL, at[0], at[1], at[2]);
        shares[i] = zo_global_bandwidth(&exact) / exact.peak;
    }
    for (double blocks = 10; blocks <= 200; blocks++)
        for (double threads = 32; threads <= 512; threads += 48)
            for (double transactions = 1; transactions <= 8; transactions += 0.5) {
                struct zo_global exact = measured_launch(NULL, blocks, threads, transactions);
                struct zo_global read = measured_launch(&curve, blocks, threads, transactions);
                assert_close(zo_global_bandwidth(&read), zo_global_bandwidth(&exact), 1e-9);
            }
    /* Level beyond the last point, in proportion below the first: half the threads, half of it. */
    struct zo_global last = measured_launch(&curve, 200, 512, 8);
    struct zo_global beyond = measured_launch(&curve, 4000, 1024, 99);
    assert_close(zo_global_bandwidth(&beyond), zo_global_bandwidth(&last), 1e-12);
    struct zo_global first = measured_launch(&curve, 10, 32, 1);
    struct zo_global half = measured_launch(&curve, 10, 16, 1);
    assert_close(zo_global_bandwidth(&half), zo_global_bandwidth(&first) / 2, 1e-12);
}

/* A table whose envelope grows along its axes, at random; 45 blocks leave a tenth of it idle. */
static void make_growing(double shares[TABLE], uint64_t *seed)
{
    static const size_t steps[] = {6, 2, 1};
    double envelope[TABLE];
    for (size_t i = 0; i < TABLE; i++) {
        const bool inner[] = {i >= 6, i % 6 >= 2, i % 2 == 1};
        double least = 0.01;
        for (unsigned axis = 0; axis < CURVE_AXES; axis++)
            if (inner[axis]) least = fmax(least, envelope[i - steps[axis]]);
        envelope[i] = least + (1 - least) * next_uniform(seed) / 4;
        shares[i] = envelope[i] * (i / 6 == 2 ? 45.0 / 50 : 1);
    }
}

static void check_growing(const struct machine_curve *curve, double threads, double transactions)
{
    double before = 0;
    for (double blocks = 1; blocks < 260; blocks++) {
        struct zo_global one = measured_launch(curve, blocks, threads, transactions);
        struct zo_global wider = measured_launch(curve, blocks, threads + 20, transactions);
        struct zo_global longer = measured_launch(curve, blocks, threads, transactions * 1.1);
        double fill = zo_global_fill(&one);
        assert_true(fill >= before * (1 - 1e-12));
        assert_true(zo_global_fill(&wider) >= fill * (1 - 1e-12));
        assert_true(zo_global_fill(&longer) >= fill * (1 - 1e-12));
        assert_close(zo_global_bandwidth(&one), 100e9 * fill * blocks / (10 * ceil(blocks / 10)),
                     1e-12);
        assert_true(zo_global_bandwidth(&one) <= 100e9 * (1 + 1e-12));
        before = fill;
    }
}

static void measured_envelopes_are_monotone(void **state)
{
    (void)state;
    uint64_t seed = 11;
    double shares[TABLE];
    struct machine_curve curve = make_table(shares);
    for (unsigned round = 0; round < 50; round++) {
        make_growing(shares, &seed);
        for (size_t i = 0; i < TABLE; i++) {
            double at[CURVE_AXES];
            machine_curve_point(&curve, i, at);
            struct zo_global point = measured_launch(&curve, at[0], at[1], at[2]);
            assert_close(zo_global_bandwidth(&point), shares[i] * 100e9, 1e-12);
        }
        for (double threads = 8; threads < 700; threads += 97)
            for (double transactions = 0.25; transactions < 12; transactions *= 1.7)
                check_growing(&curve, threads, transactions);
    }
}

/* Measured at every number of blocks, as figure 3 is drawn: two points of one round differ only by
 * the idle clusters, and what lies between neighbours lies between their values. */
static void dense_tables_are_met(void **state)
{
    (void)state;
    enum { BLOCKS = 60 };
    static const double one[] = {64};
    double blocks[BLOCKS], shares[BLOCKS];
    struct machine_curve curve = {.count = BLOCKS,
                                  .axis_counts = {BLOCKS, 1, 1},
                                  .axes = {blocks, one, one},
                                  .values = shares,
                                  .clusters = 10};
    for (unsigned i = 0; i < BLOCKS; i++) {
        blocks[i] = i + 1;
        shares[i] = 0.9 * blocks[i] / (10 * ceil(blocks[i] / 10)) * (i % 3 ? 1 : 0.97);
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct zo_global at = measured_launch(&curve, blocks[i], 64, 64);
        assert_close(zo_global_bandwidth(&at), 100e9 * shares[i], 1e-12);
    }
}

/* 40 blocks of 64 threads, 4 loads each: what the table has for them, and a half more of it on a GPU
 * with a half more bandwidth. */
static void the_machines_own_table_is_used(void **state)
{
    (void)state;
    static const struct hand_kernel kernel = {.blocks = 40,
                                              .threads_per_block = 64,
                                              .registers = 8,
                                              .comp = 1,
                                              .coalesced = 4,
                                              .bytes_per_access = 128};
    struct diag diag = {0};
    struct machine *machine;
    if (machine_load(&diag, SOURCE_DIR "/data/machines",
                     TESTS_DIR "/machines/bandwidth/measured.yaml", &machine) != WS_OK)
        fail_msg("%s", diag.text);
    struct profile *profile = make_profile(&kernel);
    double bytes = 40 * 2 * 4 * 128.0;
    for (unsigned i = 0; i < 2; i++) {
        struct prediction *prediction = predict(profile, machine);
        const struct estimate *estimate = prediction_find(prediction, "quantitative");
        assert_non_null(estimate);
        double peak = i ? 150e9 : 100e9;
        assert_false(assumes(estimate, "figure 3 has no numbers"));
        assert_close(term(estimate, "gmem_per_thread"), 4, 1e-12);
        assert_close(term(estimate, "gmem_bandwidth"), 0.48 * peak, 1e-12);
        /* A warp waits for each of its loads, longer than this table takes: 4 latencies. */
        assert_close(term(estimate, "t_gmem"), fmax(bytes / (0.48 * peak), 4 * 100 / 1e9), 1e-12);
        prediction_destroy(prediction);
        assert_int_equal(machine_set(&diag, machine, "dram.bandwidth", "=+50%"), WS_OK);
    }
    profile_destroy(profile);
    machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bandwidth_is_a_sawtooth_under_an_envelope),
        cmocka_unit_test(far_below_the_peak_it_is_linear_in_the_blocks),
        cmocka_unit_test(a_measured_table_is_read_between_its_points),
        cmocka_unit_test(measured_envelopes_are_monotone),
        cmocka_unit_test(dense_tables_are_met),
        cmocka_unit_test(the_machines_own_table_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
