// SPDX-License-Identifier: Apache-2.0
/* The n-body programs and the classifier of papers/hong2009 against plain C, with counts that
 * follow from the access patterns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define HONG(name) "papers/hong2009/" name ".ptx"

/* ---- n-body: 2 blocks of 64 bodies, 10 sources: two rounds of four and two more ------- */

enum {
    BODIES = 585 * 256, /* the capacity of the arrays, fixed in nbody.cu */
    NBODY_THREADS = 128,
    NBODY_WARPS = 4,
    SOURCES = 10
};

static const struct nbody_row {
    const char *kernel;
    bool packed, shared, transposed, rsqrt;
    unsigned four; /* PTX instructions for four sources */
} nbody_rows[] = {
    {"cuda", false, false, false, false, 4 * 22},
    {"cuda_shmem", false, true, false, false, 4 * 22},
    {"cuda_shmem_trans", false, true, true, false, 4 * 22},
    {"cuda_vecpack", true, false, false, false, 4 * 19},
    {"cuda_vecpack_ujam", true, false, false, false, 66},
    {"cuda_vecpack_rsqr", true, false, false, true, 4 * 18},
    {"cuda_vecpack_shmem", true, true, false, true, 4 * 18},
    {"cuda_vecpack_ujam_rsqr", true, false, false, true, 62},
    {"cuda_shmem_ujam_rsqr_tight", false, true, false, true, 4 * 21 + 8},
    {"cuda_shmem_trans_ujam_rsqr", false, true, true, true, 74},
    {"cuda_shmem_trans_ujam_rsqr_tight", false, true, true, true, 4 * 21 + 8},
};

static const struct nbody_row *nbody_row;
static int nbody_sources;

/* Element of word c (x, y, z, m) of body i. */
static size_t word(size_t i, size_t c)
{
    return nbody_row->packed ? 4 * i + c : c * BODIES + i;
}

static float *nbody_bodies(void)
{
    float *random = random_floats(4 * NBODY_THREADS, 1);
    float *bodies = calloc((size_t)4 * BODIES, sizeof *bodies);
    assert_non_null(bodies);
    for (size_t i = 0; i < NBODY_THREADS; i++)
        for (size_t c = 0; c < 4; c++)
            bodies[word(i, c)] = random[4 * i + c];
    free(random);
    return bodies;
}

static void nbody_setup(struct run *run)
{
    float eps2 = 0.0625f, *bodies = nbody_bodies();
    run_shape(run, NBODY_THREADS / 64, 64);
    run->launch.dynamic_shared_bytes = nbody_row->shared ? 16 * 64 : 0;
    run_int(run, nbody_sources);
    run_value(run, &eps2, sizeof eps2);
    run_input(run, bodies, (size_t)4 * BODIES * sizeof *bodies);
    run_output(run, (size_t)(nbody_row->packed ? 4 : 3) * BODIES * sizeof(float));
    free(bodies);
}

static void nbody_acceleration(const float *bodies, size_t i, float sum[3])
{
    for (size_t j = 0; j < SOURCES; j++) {
        float d[3];
        for (size_t c = 0; c < 3; c++)
            d[c] = bodies[word(j, c)] - bodies[word(i, c)];
        float r2 = fmaf(d[0], d[0], fmaf(d[1], d[1], fmaf(d[2], d[2], 0.0625f)));
        float inverse = 1.0f / sqrtf(r2);
        float s = bodies[word(j, 3)] * inverse * (inverse * inverse);
        for (size_t c = 0; c < 3; c++)
            sum[c] = fmaf(d[c], s, sum[c]);
    }
}

static void nbody_check_values(struct run *run)
{
    /* r >= 1/4, |m| < 1, |d| < 2: terms up to 2 * 64; the two roundings of 1 / sqrt against the
     * 2^-22 of rsqrt.approx, cubed: 4e-7 of 10 such terms. */
    double tolerance = nbody_row->rsqrt ? 1e-3 : 0.0;
    float *bodies = nbody_bodies(), *got = run_read(run, 1);
    for (size_t i = 0; i < NBODY_THREADS; i++) {
        float sum[3] = {0};
        nbody_acceleration(bodies, i, sum);
        for (size_t c = 0; c < 3; c++)
            if (!(fabs((double)got[word(i, c)] - (double)sum[c]) <= tolerance))
                fail_msg("%s: body %zu, %zu: %.9g, not %.9g", nbody_row->kernel, i, c,
                         (double)got[word(i, c)], (double)sum[c]);
    }
    free(bodies);
    free(got);
}

static void nbody_check(struct run *run)
{
    nbody_check_values(run);
    /* A source is at one address for all lanes: a transaction a half-warp on cc 1.2, one a lane on
     * cc 1.0. A warp's own words are 128 bytes; packed 512, in 4 transactions of 128. */
    uint64_t loads = nbody_row->packed ? 1 : 4, sources = SOURCES * loads;
    uint64_t own = nbody_row->packed ? 4 : 2; /* transactions of a load */
    /* The own mass is needed for the way through shared memory only. */
    uint64_t words = nbody_row->packed ? 1 : nbody_row->shared ? 4 : 3;
    expect_counter(run, "mem.global.load.requests", NBODY_WARPS * (sources + words));
    expect_counter(run, "mem.global.load.transactions_cc12",
                   NBODY_WARPS * (2 * sources + own * words));
    expect_counter(run, "mem.global.load.transactions_cc10",
                   NBODY_WARPS * (32 * sources + own * words));
    expect_counter(run, "mem.global.load.sectors32",
                   NBODY_WARPS * (sources + (nbody_row->packed ? 16 : 4) * words));
    /* Four stores and four loads of own words: 4 words apart they meet in every 4th bank. */
    uint64_t requests = nbody_row->shared ? 4 * NBODY_WARPS : 0;
    uint64_t ways = nbody_row->transposed ? 1 : 4;
    expect_counter(run, "mem.shared.store.requests", requests);
    expect_counter(run, "mem.shared.store.wavefronts32", ways * requests);
    expect_counter(run, "mem.shared.load.wavefronts32", ways * requests);
    expect_counter(run, "mem.shared.load.wavefronts16", 2 * ways * requests);
    expect_counter(run, "barrier.warp", nbody_row->shared ? NBODY_WARPS : 0);
    expect_counter(run, "inst.warp.sfu.rsqrt", nbody_row->rsqrt ? NBODY_WARPS * SOURCES : 0);
    expect_counter(run, "inst.warp.sfu.sqrt", nbody_row->rsqrt ? 0 : NBODY_WARPS * SOURCES);
    expect_counter(run, "inst.warp.fp32.fma", NBODY_WARPS * SOURCES * 6);
}

static void test_nbody(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nbody_rows / sizeof *nbody_rows; i++) {
        const char *kernel = nbody_rows[i].kernel;
        nbody_row = &nbody_rows[i];
        nbody_sources = SOURCES;
        run_kernel(HONG("nbody"), kernel, nbody_setup, nbody_check);
        uint64_t less = launch_counter(HONG("nbody"), kernel, nbody_setup, "inst.warp");
        nbody_sources = SOURCES + 4;
        uint64_t more = launch_counter(HONG("nbody"), kernel, nbody_setup, "inst.warp");
        assert_int_equal(more - less, NBODY_WARPS * nbody_row->four);
    }
}

/* ---- the classifier: 96 positions in 2 blocks of 64, so 3 warps and one with nothing to do  */

enum { POSITIONS = 96, WORKING = 3, BINS = 16, MACHINE_VECTORS = 51, VECTORS = 5 };

static struct {
    float vector[MACHINE_VECTORS * BINS], weight[MACHINE_VECTORS];
} machine;

/* The recipe of svm.cu. */
static void fill_machine(void)
{
    uint32_t state = 1;
    for (size_t i = 0; i < MACHINE_VECTORS * BINS; i++) {
        state = state * 1664525u + 1013904223u;
        machine.vector[i] = (float)((state >> 26) + 1) / 64.0f;
    }
    for (size_t i = 0; i < MACHINE_VECTORS; i++) {
        state = state * 1664525u + 1013904223u;
        machine.weight[i] = (float)((int)(state >> 26) - 32) / 32.0f;
    }
}

static float histogram(size_t position, size_t bin)
{
    return (float)((position * 7 + bin * 13) % 32 + 1) / 32.0f;
}

static void svm_setup(struct run *run, bool naive, bool by_bins)
{
    float in[POSITIONS * BINS];
    for (size_t p = 0; p < POSITIONS; p++)
        for (size_t b = 0; b < BINS; b++)
            in[by_bins ? b * POSITIONS + p : p * BINS + b] = histogram(p, b);
    fill_machine();
    run_shape(run, 2, 64);
    run_int(run, POSITIONS);
    run_int(run, VECTORS);
    run_input(run, in, sizeof in);
    if (naive) {
        run_input(run, machine.vector, sizeof machine.vector);
        run_input(run, machine.weight, sizeof machine.weight);
    }
    run_output(run, POSITIONS * sizeof(float));
}

static void svm_naive_setup(struct run *run)
{
    svm_setup(run, true, false);
}

static void svm_constant_setup(struct run *run)
{
    svm_setup(run, false, false);
}

static void svm_optimized_setup(struct run *run)
{
    svm_setup(run, false, true);
}

static void svm_check_scores(struct run *run, size_t buffer)
{
    float expected[POSITIONS];
    for (size_t p = 0; p < POSITIONS; p++) {
        double score = 0.0;
        for (size_t v = 0; v < VECTORS; v++) {
            double far = 0.0;
            for (size_t b = 0; b < BINS; b++) {
                double x = (double)histogram(p, b), s = (double)machine.vector[v * BINS + b];
                far += (x - s) * (x - s) / (x + s);
            }
            score += (double)machine.weight[v] * exp(-far);
        }
        expected[p] = (float)score;
    }
    expect_close(run, buffer, expected, POSITIONS, 1e-5);
    expect_counter(run, "inst.warp.sfu.ex2", WORKING * VECTORS);
    expect_counter(run, "mem.global.store.requests", WORKING);
    expect_counter(run, "branch.divergent", 0);
}

enum { ELEMENTS = WORKING * VECTORS * BINS }; /* warp loads of histogram elements */

static void svm_naive_check(struct run *run)
{
    svm_check_scores(run, 3);
    /* A histogram is 64 bytes: the lanes' elements lie in 32 sectors; two of them are at both ends
     * of a segment of 128 bytes, which cc 1.2 moves at once. A vector's element or weight is one
     * address for all lanes. */
    uint64_t uniform = ELEMENTS + WORKING * VECTORS;
    expect_counter(run, "mem.global.load.requests", ELEMENTS + uniform);
    expect_counter(run, "mem.global.load.transactions_cc10", 32 * (ELEMENTS + uniform));
    expect_counter(run, "mem.global.load.transactions_cc12", 16 * ELEMENTS + 2 * uniform);
    expect_counter(run, "mem.global.load.sectors32", 32 * ELEMENTS + uniform);
    expect_counter(run, "inst.warp.mem.const.load", 0);
}

static void svm_constant_check(struct run *run)
{
    svm_check_scores(run, 1);
    expect_counter(run, "mem.global.load.requests", ELEMENTS);
    expect_counter(run, "mem.global.load.transactions_cc10", 32 * ELEMENTS);
    expect_counter(run, "mem.global.load.transactions_cc12", 16 * ELEMENTS);
    expect_counter(run, "inst.warp.mem.const.load", ELEMENTS + WORKING * VECTORS);
}

static void svm_optimized_check(struct run *run)
{
    svm_check_scores(run, 1);
    expect_counter(run, "mem.global.load.requests", ELEMENTS);
    expect_counter(run, "mem.global.load.transactions_cc10", 2 * ELEMENTS);
    expect_counter(run, "mem.global.load.transactions_cc12", 2 * ELEMENTS);
    expect_counter(run, "mem.global.load.sectors32", 4 * ELEMENTS);
    expect_counter(run, "inst.warp.mem.const.load", ELEMENTS + WORKING * VECTORS);
}

static void test_svm(void **state)
{
    (void)state;
    run_kernel(HONG("svm"), "svm_naive", svm_naive_setup, svm_naive_check);
    run_kernel(HONG("svm"), "svm_constant", svm_constant_setup, svm_constant_check);
    run_kernel(HONG("svm"), "svm_optimized", svm_optimized_setup, svm_optimized_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nbody),
        cmocka_unit_test(test_svm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
