// SPDX-License-Identifier: Apache-2.0
/* Samples of a grid: the intervals cover what a full execution counts, the same blocks are traced, and
 * nothing depends on the number of threads. The truth of each kernel is one full execution. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/handles.h"
#include "measure/measure_sample.h"
#include "measure/trace.h"
#include "model/core/estimate.h"
#include "support/kernel_run.h"

enum { SEEDS = 100, COVERED_LEAST = 93, TEG_SEEDS = 16, TEG_SEEDS_NIGHTLY = 100 };

/* ---- kernels --------------------------------------------------------------------------------- */

static void mandelbrot(struct run *run)
{
    enum { WIDTH = 320 };
    run_shape_2d(run, WIDTH / 8, WIDTH / 8, 8, 8);
    run_output(run, WIDTH * WIDTH * 4);
    run_int(run, WIDTH);
    run_int(run, 200);
}

/* Samples at a fixed distance would see one column of it. */
static void ramp(struct run *run)
{
    run_shape_2d(run, 100, 100, 32, 1);
    run_output(run, 100 * 100 * 32 * 4);
    run_int(run, 100);
}

/* Lengths by a power law: a few rows have hundreds of entries, most have two. */
static uint32_t *skewed_starts(uint32_t rows, uint64_t *state)
{
    uint32_t *starts = malloc((rows + 1) * sizeof *starts);
    assert_non_null(starts);
    starts[0] = 0;
    for (uint32_t i = 0; i < rows; i++) {
        double u = (random_u32(state) + 1.0) / 0x1p32;
        double length = fmin(300, floor(2 * pow(u, -0.7)));
        starts[i + 1] = starts[i] + (uint32_t)length;
    }
    return starts;
}

static uint32_t *random_columns(uint32_t count, uint32_t below, uint64_t *state)
{
    uint32_t *columns = malloc((count + 1) * sizeof *columns);
    assert_non_null(columns);
    for (uint32_t i = 0; i < count; i++)
        columns[i] = random_u32(state) % below;
    return columns;
}

static void spmv(struct run *run)
{
    enum { ROWS = 64 * 1500 };
    uint64_t state = 3;
    uint32_t *starts = skewed_starts(ROWS, &state);
    uint32_t *columns = random_columns(starts[ROWS], ROWS, &state);
    float *zeros = calloc(starts[ROWS] + ROWS, sizeof *zeros);
    assert_non_null(zeros);
    run_shape(run, ROWS / 64, 64);
    run_input(run, starts, (ROWS + 1) * sizeof *starts);
    run_input(run, columns, starts[ROWS] * sizeof *columns);
    run_input(run, zeros, starts[ROWS] * sizeof *zeros);
    run_input(run, zeros, ROWS * sizeof *zeros);
    run_output(run, ROWS * sizeof(float));
    run_int(run, ROWS);
    free(starts);
    free(columns);
    free(zeros);
}

/* A frontier that lies mostly in one part of the numbers. */
static void bfs(struct run *run)
{
    enum { NODES = 64 * 1500 };
    uint64_t state = 5;
    uint32_t *starts = skewed_starts(NODES, &state);
    uint32_t *columns = random_columns(starts[NODES], NODES, &state);
    uint32_t *levels = malloc(NODES * sizeof *levels);
    assert_non_null(levels);
    for (uint32_t i = 0; i < NODES; i++) {
        double share = exp(-8.0 * fabs((double)i / NODES - 0.3));
        levels[i] = random_u32(&state) / 0x1p32 < share ? 2 : 9;
    }
    run_shape(run, NODES / 64, 64);
    run_input(run, starts, (NODES + 1) * sizeof *starts);
    run_input(run, columns, starts[NODES] * sizeof *columns);
    run_input(run, levels, NODES * sizeof *levels);
    run_output(run, NODES * sizeof *levels);
    run_int(run, NODES);
    run_int(run, 2);
    free(starts);
    free(columns);
    free(levels);
}

static void queens(struct run *run)
{
    enum { N = 9, GIVEN = 4, BLOCKS = N * N * N * N / 32 };
    run_shape(run, BLOCKS, 32);
    run_output(run, BLOCKS * 32 * 4);
    run_int(run, N);
    run_int(run, GIVEN);
}

/* Halos between neighbours in both directions. */
static void stencil(struct run *run)
{
    enum { WIDTH = 32 * 30 };
    float *zeros = calloc(WIDTH * WIDTH, sizeof *zeros);
    assert_non_null(zeros);
    run_shape_2d(run, WIDTH / 32, WIDTH / 8, 32, 8);
    run_int(run, WIDTH);
    run_int(run, WIDTH);
    run_value(run, &(float){0.5f}, 4);
    run_value(run, &(float){0.125f}, 4);
    run_input(run, zeros, WIDTH * WIDTH * sizeof *zeros);
    run_input(run, zeros, WIDTH * WIDTH * sizeof *zeros);
    free(zeros);
}

struct sampled_kernel {
    const char *ptx, *name;
    run_step *setup;
    double effort;
};

static const struct sampled_kernel kernels[] = {
    {"tests/kernels/irregular.ptx", "mandelbrot", mandelbrot, 0.05},
    {"tests/kernels/irregular.ptx", "ramp", ramp, 0.01},
    {"tests/kernels/irregular.ptx", "spmv", spmv, 0.05},
    {"tests/kernels/irregular.ptx", "bfs", bfs, 0.05},
    {"tests/kernels/irregular.ptx", "queens", queens, 0.2},
    {"examples/kernels/stencil2d/stencil2d.ptx", "stencil2d_global", stencil, 0.03},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- one launch ------------------------------------------------------------------------------ */

static struct profile *launch(struct run *run, double effort, uint64_t seed)
{
    run->launch.effort = effort;
    run->launch.seed = seed;
    ws_profile_destroy(run->profile);
    run->profile = NULL;
    run_launch(run);
    return run->profile->profile;
}

static void begin(struct run *run, const struct sampled_kernel *kernel, unsigned threads)
{
    run_begin(run, kernel->ptx, kernel->name, threads);
    kernel->setup(run);
    run->launch.all_rules = false;
    run->launch.trace_blocks = WS_TRACE_NONE;
}

/* ---- intervals ------------------------------------------------------------------------------- */

static bool covers(const struct counter_value *value, double truth)
{
    double rounding = 1e-9 * fabs(truth);
    return value->lo - rounding <= truth && truth <= value->hi + rounding;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Models that read counters only, for every seed; teg, which follows the traced blocks, for a few. */
struct agreement {
    unsigned agree[MODEL_COUNT], asked[MODEL_COUNT];
    double truth[MODEL_COUNT];
};

/* A profile of the whole grid gives the truth. */
static void compare_times(const struct profile *profile, const struct machine *machine,
                          bool without_traces, struct agreement *all)
{
    struct predict_options options = {
        .without_gains = true, .without_details = true, .without_traces = without_traces};
    struct prediction *prediction;
    struct diag diag = {0};
    if (model_predict(&diag, profile, machine, &options, &prediction) != WS_OK)
        fail_msg("%s", diag.text);
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        const struct estimate *e = &prediction->estimates[i];
        if (models[e->id]->needs_trace == without_traces) continue;
        if (profile->sampled_fraction == 1) {
            assert_true(e->high_seconds == 0);
            all->truth[e->id] = e->time_seconds;
            continue;
        }
        double truth = all->truth[e->id];
        assert_true(e->low_seconds <= e->time_seconds && e->time_seconds <= e->high_seconds);
        if (getenv("SHOW") && !without_traces)
            print_message("    %s %.3f (%.3f %.3f)\n", e->model, e->time_seconds / truth,
                          e->low_seconds / truth, e->high_seconds / truth);
        all->asked[e->id]++;
        all->agree[e->id] +=
            e->low_seconds * (1 - 1e-9) <= truth && truth <= e->high_seconds * (1 + 1e-9);
    }
    prediction_destroy(prediction);
}

/* Of each model. */
static bool is_agreed(const struct agreement *all, const char *kernel)
{
    bool agreed = true;
    for (unsigned i = 0; i < MODEL_COUNT; i++) {
        bool bad = 100 * all->agree[i] < COVERED_LEAST * all->asked[i];
        if (all->asked[i] && (bad || getenv("SHOW")))
            print_message("%s %s: %u of %u\n", kernel, models[i]->name, all->agree[i],
                          all->asked[i]);
        agreed &= !bad;
    }
    return agreed;
}

/* Counters, and the times of models that read nothing else. */
static bool is_covered(const struct sampled_kernel *kernel, const struct machine *machine)
{
    struct run run;
    struct agreement counted = {0};
    unsigned covered[COUNTER_COUNT] = {0};
    double truth[COUNTER_COUNT], width[COUNTER_COUNT] = {0}, off[COUNTER_COUNT] = {0};
    begin(&run, kernel, 2);
    struct profile *profile = launch(&run, 0, 0);
    compare_times(profile, machine, true, &counted);
    for (unsigned i = 0; i < COUNTER_COUNT; i++)
        truth[i] =
            profile_has(profile, (enum counter)i) ? profile_get(profile, (enum counter)i) : NAN;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        profile = launch(&run, kernel->effort, seed);
        compare_times(profile, machine, true, &counted);
        for (unsigned i = 0; i < COUNTER_COUNT; i++) {
            const struct counter_value *value = &profile->counters[i];
            covered[i] += value->origin == ORIGIN_SAMPLED && covers(value, truth[i]);
            width[i] += (value->hi - value->lo) / 2 / truth[i] / SEEDS;
            off[i] += (value->value / truth[i] - 1) / SEEDS;
        }
    }
    bool good = is_agreed(&counted, kernel->name);
    for (unsigned i = 0; i < COUNTER_COUNT; i++) {
        if (!(truth[i] > 0) || i == COUNTER_BLOCKS_EXECUTED) continue;
        bool bad = covered[i] < COVERED_LEAST;
        good &= !bad;
        if (bad || getenv("SHOW"))
            print_message("%s %s: %u of %u, %.0f +- %.3g %%, off by %.2g %%\n", kernel->name,
                          counter_infos[i].id, covered[i], SEEDS, truth[i], 100 * width[i],
                          100 * off[i]);
    }
    run_end(&run);
    return good;
}

static struct machine *v100(void)
{
    struct machine *machine;
    struct diag diag = {0};
    if (machine_load(&diag, SOURCE_DIR "/data/machines", "v100", &machine) != WS_OK)
        fail_msg("%s", diag.text);
    return machine;
}

static void test_coverage(void **state)
{
    (void)state;
    struct machine *machine = v100();
    bool good = true;
    for (unsigned k = 0; k < KERNELS; k++)
        good &= is_covered(&kernels[k], machine);
    machine_destroy(machine);
    assert_true(good);
}

/* Each seed traces other blocks. */
static void test_times_by_traces(void **state)
{
    (void)state;
    struct machine *machine = v100();
    unsigned seeds = getenv("NIGHTLY") ? TEG_SEEDS_NIGHTLY : TEG_SEEDS;
    bool agreed = true;
    for (unsigned k = 0; k < KERNELS; k++) {
        struct run run;
        struct agreement traced = {0};
        begin(&run, &kernels[k], 2);
        run.launch.trace_blocks = 0;
        for (unsigned seed = 0; seed < seeds; seed++) {
            compare_times(launch(&run, 0, seed), machine, false, &traced);
            compare_times(launch(&run, kernels[k].effort, seed), machine, false, &traced);
        }
        agreed &= is_agreed(&traced, kernels[k].name);
        run_end(&run);
    }
    machine_destroy(machine);
    assert_true(agreed);
}

/* That of teg reaches as far as the widest of the others, and as the DRAM is busy longer if the footprint is twice
 * what it is said to be, or less long if it is half. */
static void test_footprint_in_time(void **state)
{
    (void)state;
    struct machine *machine = v100();
    const struct predict_options options = {.without_gains = true, .without_details = true};
    struct prediction *prediction;
    struct diag diag = {0};
    struct run run;
    begin(&run, &kernels[KERNELS - 1], 2);
    run.launch.trace_blocks = 0;
    struct profile *profile = launch(&run, kernels[KERNELS - 1].effort, 0);
    struct counter_value *read = &profile->counters[COUNTER_MEM_GLOBAL_READ_FOOTPRINT];
    struct counter_value *written = &profile->counters[COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT];
    *read = (struct counter_value){
        .value = 115200, .lo = 57600, .hi = 230400, .origin = ORIGIN_SAMPLED};
    *written = *read;
    if (model_predict(&diag, profile, machine, &options, &prediction) != WS_OK)
        fail_msg("%s", diag.text);
    double low = 1, high = 1;
    const struct estimate *teg = NULL;
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        const struct estimate *e = &prediction->estimates[i];
        if (models[e->id]->needs_trace) {
            teg = e;
            continue;
        }
        low = fmin(low, e->low_seconds / e->time_seconds);
        high = fmax(high, e->high_seconds / e->time_seconds);
    }
    assert_non_null(teg);
    double busy = estimate_busy(teg, COMPONENT_GLOBAL_BANDWIDTH)->value, time = teg->time_seconds;
    assert_true(busy > time / 10);
    assert_true(teg->low_seconds <= fmax(0, time * low - busy / 2) * (1 + 1e-9));
    assert_true(teg->high_seconds >= (time * high + busy) * (1 - 1e-9));
    prediction_destroy(prediction);
    run_end(&run);
    machine_destroy(machine);
}

/* ---- what does not depend on the sample ------------------------------------------------------- */

static void test_same_for_any_threads(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KERNELS; k++) {
        char *texts[3];
        for (unsigned threads = 1; threads <= 3; threads++) {
            struct run run;
            begin(&run, &kernels[k], threads);
            run.launch.trace_blocks = 0;
            launch(&run, kernels[k].effort, 7);
            texts[threads - 1] = run_profile_text(&run);
            run_end(&run);
        }
        assert_string_equal(texts[0], texts[1]);
        assert_string_equal(texts[0], texts[2]);
        for (unsigned i = 0; i < 3; i++)
            free(texts[i]);
    }
}

/* A sample is drawn anew for another seed, and not otherwise; what is traced is the same for samples of
 * every size, in clusters from all over the grid. */
static void test_draws(void **state)
{
    (void)state;
    const uint32_t grid[3] = {100, 100, 1};
    struct block_sample *a = block_sample_create(grid, 0.01, 1, 32);
    struct block_sample *b = block_sample_create(grid, 0.01, 1, 32);
    struct block_sample *c = block_sample_create(grid, 0.01, 2, 32);
    assert_int_equal(a->executed, b->executed);
    assert_memory_equal(a->blocks, b->blocks, a->executed * sizeof *a->blocks);
    assert_true(memcmp(a->blocks, c->blocks, 100 * sizeof *a->blocks) != 0);
    uint32_t counted = 0;
    for (uint64_t i = 0; i < a->executed; i++) {
        counted += a->runs[i] != BLOCK_NO_RUN;
        assert_true(!i || a->blocks[i] > a->blocks[i - 1]);
        assert_true(a->blocks[i] < 10000);
    }
    assert_int_equal(counted, a->run_count * a->run_blocks);
    assert_in_range(counted, 98, 102);
    uint64_t *traced;
    assert_int_equal(block_sample_traced(grid, 1, 32, &traced), 32);
    for (unsigned i = 0; i < 32; i++) {
        assert_in_range(traced[i], i / 4 * 1250, i / 4 * 1250 + 1249);
        assert_true(i % 4 == 0 || traced[i] == traced[i - 1] + 1);
        bool executed = false;
        for (uint64_t k = 0; k < a->executed; k++)
            executed |= a->blocks[k] == traced[i];
        assert_true(executed);
    }
    mem_free(traced);
    block_sample_destroy(a);
    block_sample_destroy(b);
    block_sample_destroy(c);
}

/* Each block is drawn as often as any other: 4,000 samples of 10 of 100 blocks; the standard deviation
 * of a block's number is 19. */
static void test_equal_probability(void **state)
{
    (void)state;
    const uint32_t grid[3] = {10, 10, 1};
    unsigned drawn[100] = {0};
    for (unsigned seed = 0; seed < 4000; seed++) {
        struct block_sample *sample = block_sample_create(grid, 0.1, seed, 0);
        assert_int_equal(sample->executed, 10);
        for (unsigned i = 0; i < 10; i++)
            drawn[sample->blocks[i]]++;
        block_sample_destroy(sample);
    }
    for (unsigned i = 0; i < 100; i++)
        assert_in_range(drawn[i], 400 - 5 * 19, 400 + 5 * 19);
}

/* `count` more sectors, each of which so many runs of the sample touch. */
static void add_sectors(struct reach *reach, uint64_t *first, uint32_t count, uint32_t runs)
{
    for (uint32_t run = 0; run < runs; run++)
        for (uint32_t i = 0; i < count; i++) {
            struct access access = {.shape = ACCESS_UNIFORM,
                                    .space = SPACE_GLOBAL,
                                    .bytes = 4,
                                    .mask = 1,
                                    .base = (*first + i) * 32};
            reach_add(reach, &access, &(struct reach_block){run, run, true});
        }
    *first += count;
}

/* What a sample of half of the runs is expected to see, and how many sectors the grid touches. */
static void test_footprints(void **state)
{
    (void)state;
    const struct {
        uint32_t once, twice, thrice;
        double sectors;
    } rows[] = {{500, 0, 0, 1000},    /* each by one run */
                {400, 200, 0, 800},   /* each by two */
                {300, 300, 100, 800}, /* each by three */
                {400, 100, 0, 800},   /* 400 by one, 400 by two */
                {500, 400, 100, 1200} /* 400 by two, 800 by three */};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reach reach;
        const struct launch_view view = {0};
        uint64_t first = 1000;
        double low, high;
        reach_init(&reach, 10);
        add_sectors(&reach, &first, rows[i].once, 1);
        add_sectors(&reach, &first, rows[i].twice, 2);
        add_sectors(&reach, &first, rows[i].thrice, 3);
        double value = reach_estimate(&reach, &view, 0.5, 0.01, &low, &high);
        assert_true(fabs(value / rows[i].sectors - 1) < 1e-9);
        assert_true(low < value && value < high);
        reach_clear(&reach);
    }
}

/* Tables of Student's t. */
static void test_student(void **state)
{
    (void)state;
    const struct {
        double confidence, degrees, t;
    } rows[] = {{0.95, 1, 12.706},  {0.95, 2, 4.3027},  {0.95, 3, 3.1824}, {0.95, 5, 2.5706},
                {0.95, 10, 2.2281}, {0.95, 30, 2.0423}, {0.98, 4, 3.7469}, {0.98, 20, 2.528}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(student_t(rows[i].confidence, rows[i].degrees) / rows[i].t - 1) < 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_equal_probability),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_footprints),
        cmocka_unit_test(test_same_for_any_threads),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_footprint_in_time),
        cmocka_unit_test(test_times_by_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
