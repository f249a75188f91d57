// SPDX-License-Identifier: Apache-2.0
/* Cyclic reduction of papers/zhang2011: solutions against elimination in double precision, bank
 * conflicts by stage against lanes sorted into banks here. WARPSAGE_FULL_SIZE in the environment: the
 * paper's 512 systems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define CYCLIC "papers/zhang2011/cyclic.ptx"

enum {
    N = 512,
    STEPS = 9, /* log2 of N */
    HALF_WARP = 16,
    BANKS = 16,
    /* Stages of a block: load, forward steps, the last equation, substitution, store. */
    LAST_EQUATION = STEPS + 1,
    SUBSTITUTION = STEPS + 2,
    STORE = SUBSTITUTION + STEPS,
    STAGES = STORE + 1
};

static bool is_padded;
static unsigned systems, threads;

/* ---- solutions ------------------------------------------------------------------------ */

/* |b| > |a| + |c|: elimination without pivoting is stable. */
static float *diagonal(void)
{
    float *b = random_floats((size_t)systems * N, 2);
    for (size_t i = 0; i < (size_t)systems * N; i++)
        b[i] += b[i] < 0 ? -2.5f : 2.5f;
    return b;
}

static void setup(struct run *run)
{
    size_t count = (size_t)systems * N;
    float *b = diagonal();
    run_shape(run, systems, threads);
    input_floats(run, count, 1);
    run_input(run, b, count * sizeof *b);
    input_floats(run, count, 3);
    input_floats(run, count, 4);
    run_output(run, count * sizeof(float));
    free(b);
}

/* Thomas's algorithm. */
static void eliminate(const float *a, const float *b, const float *c, const float *d, float *x)
{
    double above[N], value[N], solution = 0;
    for (size_t i = 0; i < N; i++) {
        double left = i ? (double)a[i] : 0, pivot = (double)b[i];
        pivot -= i ? left * above[i - 1] : 0;
        above[i] = (double)c[i] / pivot;
        value[i] = ((double)d[i] - (i ? left * value[i - 1] : 0)) / pivot;
    }
    for (size_t i = N; i-- > 0;) {
        solution = value[i] - (i + 1 < N ? above[i] * solution : 0);
        x[i] = (float)solution;
    }
}

static void check_solutions(struct run *run)
{
    size_t count = (size_t)systems * N;
    float *a = random_floats(count, 1), *b = diagonal(), *c = random_floats(count, 3);
    float *d = random_floats(count, 4), *x = malloc(count * sizeof *x);
    assert_non_null(x);
    for (size_t first = 0; first < count; first += N)
        eliminate(a + first, b + first, c + first, d + first, x + first);
    expect_close(run, 4, x, count, 4e-6);
    free(a);
    free(b);
    free(c);
    free(d);
    free(x);
}

/* ---- passes through the banks ---------------------------------------------------------- */

static unsigned word(unsigned i)
{
    return is_padded ? i + i / 16 : i;
}

/* Passes of a half-warp: the largest number of different words in one bank. Where lanes share a word
 * here, lane 0 is among them, so that the word is broadcast at once. */
static unsigned half_warp_passes(const unsigned *words, unsigned lanes)
{
    unsigned words_of[BANKS] = {0}, most = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned bank = words[lane] % BANKS, before = 0;
        while (words[before] != words[lane])
            before++;
        words_of[bank] += before == lane;
        if (words_of[bank] > most) most = words_of[bank];
    }
    return most;
}

/* Passes of one access by lanes 0 to working - 1, which reach element offset + lane * stride, or
 * `otherwise` if that is outside of the system. */
static unsigned count_passes(unsigned working, int offset, unsigned stride, int otherwise)
{
    unsigned passes = 0;
    for (unsigned first = 0; first < working; first += HALF_WARP) {
        unsigned words[HALF_WARP], lanes = 0;
        for (; lanes < HALF_WARP && first + lanes < working; lanes++) {
            int i = offset + (int)((first + lanes) * stride);
            words[lanes] = word((unsigned)(i < 0 || i >= N ? otherwise : i));
        }
        passes += half_warp_passes(words, lanes);
    }
    return passes;
}

struct passes {
    unsigned load, store;
};

/* Step s: N / 2^s equations, 2^s apart; four words each of itself and two neighbours are read, four
 * are written. The last equation reads itself for its right neighbour. */
static struct passes forward_step(unsigned step)
{
    unsigned stride = 1u << step, working = N / stride;
    int own = (int)stride - 1, half = (int)stride / 2;
    unsigned centre = count_passes(working, own, stride, 0);
    unsigned left = count_passes(working, own - half, stride, 0);
    unsigned right = count_passes(working, own + half, stride, N - 1);
    return (struct passes){4 * (centre + left + right), 4 * centre};
}

/* The reverse: a, b, c, d of itself and x of both neighbours are read, x is written. The first
 * equation reads its right neighbour's for the left one's. */
static struct passes back_step(unsigned step)
{
    unsigned stride = 1u << step, working = N / stride;
    int half = (int)stride / 2, own = half - 1;
    unsigned centre = count_passes(working, own, stride, 0);
    unsigned left = count_passes(working, own - half, stride, own + half);
    unsigned right = count_passes(working, own + half, stride, 0);
    return (struct passes){4 * centre + left + right, centre};
}

static struct passes stage_passes(unsigned stage)
{
    unsigned all = count_passes(N, 0, 1, 0);
    if (stage == 0) return (struct passes){0, 4 * all};
    if (stage == STORE) return (struct passes){all, 0};
    if (stage == LAST_EQUATION) return (struct passes){2, 1};
    return stage <= STEPS ? forward_step(stage) : back_step(STORE - stage);
}

/* ---- stages of the profile --------------------------------------------------------------- */

static unsigned stage_counter(const struct run *run, unsigned stage, const char *id)
{
    double value;
    if (ws_profile_get_stage(run->profile, stage, id, &value) != WS_OK)
        fail_msg("stage %u: %s", stage, ws_context_error(run->context));
    return (unsigned)value;
}

static void expect_stage(const struct run *run, unsigned stage, const char *id, unsigned expected)
{
    unsigned got = stage_counter(run, stage, id);
    if (got != systems * expected)
        fail_msg("stage %u, %s: %u, not %u x %u", stage, id, got, systems, expected);
}

/* Warps that access shared memory: those that have an equation, however many test and wait. */
static void check_shared_warps(struct run *run)
{
    char *text = run_profile_text(run);
    const char *at = text;
    for (unsigned stage = 0; stage < STAGES; stage++) {
        static const char key[] = "\"shared_warps_working\": ";
        unsigned step = stage <= STEPS ? stage : STORE - stage;
        unsigned expected = stage == LAST_EQUATION ? 1u : (unsigned)N / 32 >> step;
        if (expected > threads / 32) expected = threads / 32;
        at = strstr(at, key);
        assert_non_null(at);
        at += sizeof key - 1;
        assert_true(strtod(at, NULL) == (expected ? expected : 1));
    }
    free(text);
}

static void check_stages(struct run *run)
{
    double value;
    check_shared_warps(run);
    for (unsigned stage = 0; stage < STAGES; stage++) {
        struct passes passes = stage_passes(stage);
        expect_stage(run, stage, "mem.shared.load.wavefronts16", passes.load);
        expect_stage(run, stage, "mem.shared.store.wavefronts16", passes.store);
        expect_stage(run, stage, "barrier.warp", stage < STORE ? threads / 32 : 0);
    }
    assert_int_equal(ws_profile_get_stage(run->profile, STAGES, "inst.warp", &value),
                     WS_ERR_COMPARE);
    /* "Steps 4-9 have identical performance characteristics": one warp divides twice. */
    for (unsigned step = 1; step <= STEPS; step++)
        expect_stage(run, step, "inst.warp.fp32.div", step < 4 ? 16u >> (step - 1) : 2);
}

static void check(struct run *run)
{
    check_solutions(run);
    check_stages(run);
    /* Four arrays are read and one is written, a line of 64 bytes a half-warp. */
    uint64_t half_warps = (uint64_t)systems * N / HALF_WARP;
    expect_counter(run, "mem.global.load.transactions_cc12", 4 * half_warps);
    expect_counter(run, "mem.global.store.transactions_cc12", half_warps);
}

static void run_both(unsigned systems_of_run, unsigned threads_of_block)
{
    systems = systems_of_run;
    threads = threads_of_block;
    is_padded = false;
    run_kernel(CYCLIC, threads == N ? "cr" : "cr_256", setup, check);
    is_padded = true;
    run_kernel(CYCLIC, threads == N ? "cr_nbc" : "cr_nbc_256", setup, check);
}

static void test_thread_an_equation(void **state)
{
    (void)state;
    run_both(getenv("WARPSAGE_FULL_SIZE") ? 512 : 3, N);
}

static void test_all_threads_work_at_first(void **state)
{
    (void)state;
    run_both(3, N / 2);
}

/* Wang et al.: 2 blocks of 512 threads. */
static void test_wang(void **state)
{
    (void)state;
    run_both(2, N);
}

/* What the paper says of conflicts (figure 7b): as many transactions in steps 1 to 4 although the
 * equations get fewer, 2, 4, 8 and 16 lanes meeting in a bank; what padding leaves of it. */
static void test_conflict_degrees(void **state)
{
    (void)state;
    /* One access of an equation to its own words, steps 1 to 9: transactions stay the same up to
     * step 4, then fall with the active threads. */
    static const unsigned plain[STEPS] = {32, 32, 32, 32, 16, 8, 4, 2, 1};
    static const unsigned padded[STEPS] = {16, 8, 4, 2, 2, 2, 2, 2, 1};
    for (unsigned step = 1; step <= STEPS; step++) {
        unsigned stride = 1u << step, working = N / stride;
        is_padded = false;
        assert_int_equal(count_passes(working, (int)stride - 1, stride, 0), plain[step - 1]);
        is_padded = true;
        assert_int_equal(count_passes(working, (int)stride - 1, stride, 0), padded[step - 1]);
    }
}

/* The same of the kernel's own counts: degrees are passes over those without conflict, for all 16
 * accesses of a step. In step 4 the last equation, which has no right neighbour, spares 4 of 512. */
static void test_degrees_by_stage(void **state)
{
    (void)state;
    static const unsigned passes[4] = {512, 512, 512, 508};
    struct run run;
    systems = 2;
    threads = N;
    run_begin(&run, CYCLIC, "cr", 1);
    setup(&run);
    run_launch(&run);
    for (unsigned step = 1; step <= 4; step++) {
        unsigned got = stage_counter(&run, step, "mem.shared.load.wavefronts16") +
                       stage_counter(&run, step, "mem.shared.store.wavefronts16");
        unsigned conflicts = stage_counter(&run, step, "mem.shared.load.conflicts16") +
                             stage_counter(&run, step, "mem.shared.store.conflicts16");
        unsigned degree = 1u << step, without = 16 * (N >> step) / HALF_WARP;
        assert_int_equal(got, systems * passes[step - 1]);
        assert_int_equal(got - conflicts, systems * without);
        assert_int_equal((passes[step - 1] + without - 1) / without, degree);
    }
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thread_an_equation),
        cmocka_unit_test(test_all_threads_work_at_first),
        cmocka_unit_test(test_wang),
        cmocka_unit_test(test_conflict_degrees),
        cmocka_unit_test(test_degrees_by_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
