// SPDX-License-Identifier: Apache-2.0
/* More of the bundled kernels (see test_kernels_examples.c): transpose, stencil, privatised
 * histogram, n-body step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define EXAMPLE(name) "examples/kernels/" name "/" name ".ptx"

/* ---- transpose: 64 x 64 in 4 blocks of 32 x 8, so 32 warps with 4 rows each -------------- */

enum { SIDE = 64, ROWS = 4 * 8 * 4 }; /* warp accesses: a row of a tile each */

static void transpose_setup(struct run *run)
{
    run_shape_2d(run, SIDE / 32, SIDE / 32, 32, 8);
    run_int(run, SIDE);
    input_floats(run, SIDE * SIDE, 1);
    run_output(run, SIDE * SIDE * sizeof(float));
}

static void transpose_check_values(struct run *run)
{
    float *in = random_floats(SIDE * SIDE, 1), expected[SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; i++)
        expected[i] = in[i % SIDE * SIDE + i / SIDE];
    free(in);
    expect_floats(run, 1, expected, SIDE * SIDE);
    expect_counter(run, "branch.divergent", 0);
    expect_counter(run, "mem.global.load.requests", ROWS);
    expect_counter(run, "mem.global.load.sectors32", 4 * ROWS);
    expect_counter(run, "mem.global.store.requests", ROWS);
}

static void transpose_naive_check(struct run *run)
{
    transpose_check_values(run);
    /* A column: 32 lines, one element of each. */
    expect_counter(run, "mem.global.store.sectors32", 32 * ROWS);
    expect_counter(run, "mem.global.store.lines128", 32 * ROWS);
    expect_counter(run, "mem.global.store.transactions_cc10", 32 * ROWS);
    expect_counter(run, "mem.global.store.transactions_cc12", 32 * ROWS);
    expect_counter(run, "mem.global.store.bytes_cc12", 32 * 32 * ROWS);
    expect_counter(run, "barrier.warp", 0);
    expect_counter(run, "mem.shared.load.requests", 0);
}

static void transpose_shared_check(struct run *run, uint64_t ways32, uint64_t ways16)
{
    transpose_check_values(run);
    expect_counter(run, "mem.global.store.sectors32", 4 * ROWS);
    expect_counter(run, "mem.global.store.lines128", ROWS);
    expect_counter(run, "mem.global.store.transactions_cc12", 2 * ROWS);
    expect_counter(run, "barrier.warp", 32);
    expect_counter(run, "mem.shared.store.wavefronts32", ROWS);
    expect_counter(run, "mem.shared.store.wavefronts16", 2 * ROWS);
    expect_counter(run, "mem.shared.load.wavefronts32", ways32 * ROWS);
    expect_counter(run, "mem.shared.load.conflicts32", (ways32 - 1) * ROWS);
    expect_counter(run, "mem.shared.load.wavefronts16", 2 * ways16 * ROWS);
}

static void transpose_tiled_check(struct run *run)
{
    transpose_shared_check(run, 32, 16); /* a column of the tile is one bank */
}

static void transpose_padded_check(struct run *run)
{
    transpose_shared_check(run, 1, 1);
}

static void test_transpose(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("transpose"), "transpose_naive", transpose_setup, transpose_naive_check);
    run_kernel(EXAMPLE("transpose"), "transpose_tiled", transpose_setup, transpose_tiled_check);
    run_kernel(EXAMPLE("transpose"), "transpose_padded", transpose_setup, transpose_padded_check);
}

/* ---- stencil: 64 x 16 in 2 x 2 blocks of 32 x 8, so 32 warps, a row of a tile each -------- */

enum { WIDTH = 64, HEIGHT = 16, POINTS = WIDTH * HEIGHT, STENCIL_WARPS = POINTS / 32 };

static void stencil_setup(struct run *run)
{
    float centre = 0.5f, side = 0.125f;
    run_shape_2d(run, WIDTH / 32, HEIGHT / 8, 32, 8);
    run_int(run, WIDTH);
    run_int(run, HEIGHT);
    run_value(run, &centre, sizeof centre);
    run_value(run, &side, sizeof side);
    input_floats(run, POINTS, 1);
    run_output(run, POINTS * sizeof(float));
}

static void stencil_check_values(struct run *run)
{
    float *in = random_floats(POINTS, 1), expected[POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        size_t x = i % WIDTH, y = i / WIDTH;
        expected[i] = in[i];
        if (x == 0 || x == WIDTH - 1 || y == 0 || y == HEIGHT - 1) continue;
        float sides = in[i - WIDTH] + in[i + WIDTH] + in[i - 1] + in[i + 1];
        expected[i] = fmaf(0.5f, in[i], 0.125f * sides);
    }
    free(in);
    expect_floats(run, 1, expected, POINTS);
    expect_counter(run, "mem.global.store.requests", STENCIL_WARPS);
    expect_counter(run, "mem.global.store.sectors32", 4 * STENCIL_WARPS);
}

enum { INNER_WARPS = STENCIL_WARPS / HEIGHT * (HEIGHT - 2) }; /* not in the first or last row */

static void stencil_global_check(struct run *run)
{
    stencil_check_values(run);
    /* 31 lanes of a warp have neighbours: those at x = 0 and x = 63 have none. */
    expect_counter(run, "mem.global.load.requests", STENCIL_WARPS + 4 * INNER_WARPS);
    expect_counter(run, "mem.global.load.bytes_requested",
                   4 * (POINTS + 4 * (WIDTH - 2) * (HEIGHT - 2)));
    /* The row itself 4, north and south 4 each; one element to the left or right of 31 lanes, which
     * start or end at the edge of the grid: 0 to 30 is 4 sectors, 2 to 32 is 5. */
    expect_counter(run, "mem.global.load.sectors32",
                   4 * STENCIL_WARPS + INNER_WARPS * (4 + 4) + INNER_WARPS * (4 + 5));
    expect_counter(run, "mem.shared.load.requests", 0);
    expect_counter(run, "barrier.warp", 0);
}

static void stencil_shared_check(struct run *run)
{
    stencil_check_values(run);
    /* A point once; in each of the 4 blocks a row of halo above or below (the other is outside),
     * and at each of the 8 rows one element left or right. */
    expect_counter(run, "mem.global.load.requests", STENCIL_WARPS + 4 * (1 + 8));
    expect_counter(run, "mem.global.load.bytes_requested", 4 * (POINTS + 4 * (32 + 8)));
    expect_counter(run, "mem.global.load.sectors32", 4 * STENCIL_WARPS + 4 * (4 + 8));
    expect_counter(run, "mem.shared.store.requests", STENCIL_WARPS + 4 * (1 + 8));
    expect_counter(run, "mem.shared.load.requests", STENCIL_WARPS + 4 * INNER_WARPS);
    expect_counter(run, "mem.shared.load.conflicts32", 0);
    expect_counter(run, "mem.shared.store.conflicts32", 0);
    expect_counter(run, "barrier.warp", STENCIL_WARPS);
}

static void test_stencil(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("stencil2d"), "stencil2d_global", stencil_setup, stencil_global_check);
    run_kernel(EXAMPLE("stencil2d"), "stencil2d_shared", stencil_setup, stencil_shared_check);
}

/* ---- privatised histogram: 1000 keys, 2 blocks of 64, 37 bins ---------------------------- */

enum { KEYS = 1000, BINS = 37, STRIDE = 128 };

static void fill_keys(uint32_t keys[KEYS])
{
    uint64_t seed = 4;
    for (size_t i = 0; i < KEYS; i++)
        keys[i] = random_u32(&seed);
}

static void histogram_setup(struct run *run)
{
    uint32_t keys[KEYS], zeros[BINS] = {0}, bins = BINS;
    fill_keys(keys);
    run_shape(run, 2, 64);
    run->launch.dynamic_shared_bytes = BINS * sizeof(uint32_t);
    run_int(run, KEYS);
    run_input(run, keys, sizeof keys);
    run_value(run, &bins, sizeof bins);
    run_input(run, zeros, sizeof zeros);
}

/* A shared atomic takes the distinct words of the fullest bank, and the largest number of lanes on
 * one word, less one. There are 37 words: bins 0 to 4 share their banks with bins 32 to 36. */
static uint64_t atomic_wavefronts(const uint32_t *keys, size_t lanes)
{
    uint64_t lanes_of[BINS] = {0}, most_words = 0, most_lanes = 0;
    for (size_t lane = 0; lane < lanes; lane++)
        lanes_of[keys[lane] % BINS]++;
    for (size_t bank = 0; bank < 32; bank++) {
        uint64_t words = 0;
        for (size_t bin = bank; bin < BINS; bin += 32) {
            words += lanes_of[bin] > 0;
            if (lanes_of[bin] > most_lanes) most_lanes = lanes_of[bin];
        }
        if (words > most_words) most_words = words;
    }
    return most_words + most_lanes - 1;
}

static void histogram_check(struct run *run)
{
    uint32_t keys[KEYS], expected[BINS] = {0};
    uint64_t wavefronts = 0;
    fill_keys(keys);
    for (size_t i = 0; i < KEYS; i++)
        expected[keys[i] % BINS]++;
    expect_bytes(run, 1, expected, sizeof expected);
    for (size_t i = 0; i < KEYS; i += 32)
        wavefronts += atomic_wavefronts(keys + i, KEYS - i < 32 ? KEYS - i : 32);
    /* 1000 keys are 31 warps and 8 lanes; a block has 32 + 5 bins to clear and to add. */
    expect_counter(run, "mem.global.load.requests", 32);
    expect_counter(run, "mem.shared.atomic.requests", 32);
    expect_counter(run, "mem.shared.atomic.bytes_requested", 4 * KEYS);
    expect_counter(run, "mem.shared.atomic.wavefronts32", wavefronts);
    expect_counter(run, "mem.shared.store.requests", 2 * 2);
    expect_counter(run, "mem.shared.load.requests", 2 * 2);
    expect_counter(run, "mem.global.atomic.requests", 2 * 2);
    expect_counter(run, "mem.global.atomic.bytes_requested", 2 * 4 * BINS);
    expect_counter(run, "barrier.warp", 4 * 2);
}

static void test_histogram_private(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("histogram"), "histogram_private", histogram_setup, histogram_check);
}

/* ---- n-body step: 256 bodies in 2 blocks of 128 ------------------------------------------ */

enum { BODIES = 256, NBODY_WARPS = 8, TILES = 2 };

static const float dt = 0.015625f, eps2 = 0.0625f;

static void nbody_setup(struct run *run)
{
    run_shape(run, BODIES / 128, 128);
    run_int(run, BODIES);
    run_value(run, &dt, sizeof dt);
    run_value(run, &eps2, sizeof eps2);
    input_floats(run, 4 * BODIES, 1);
    input_floats(run, 4 * BODIES, 2);
    run_output(run, 4 * BODIES * sizeof(float));
}

/* In double: velocity and place of body i after the step. */
static void nbody_step(const float *body, float *velocity, float *moved, size_t i)
{
    double a[3] = {0};
    for (size_t j = 0; j < BODIES; j++) {
        double d[3], r2 = (double)eps2;
        for (size_t c = 0; c < 3; c++) {
            d[c] = (double)body[4 * j + c] - (double)body[4 * i + c];
            r2 += d[c] * d[c];
        }
        for (size_t c = 0; c < 3; c++)
            a[c] += d[c] * (double)body[4 * j + 3] / (r2 * sqrt(r2));
    }
    for (size_t c = 0; c < 3; c++) {
        double v = (double)velocity[4 * i + c] + a[c] * (double)dt;
        velocity[4 * i + c] = (float)v;
        moved[4 * i + c] = (float)((double)body[4 * i + c] + v * (double)dt);
    }
    moved[4 * i + 3] = body[4 * i + 3];
}

static void nbody_check(struct run *run)
{
    float *body = random_floats(4 * BODIES, 1), *velocity = random_floats(4 * BODIES, 2);
    float moved[4 * BODIES];
    for (size_t i = 0; i < BODIES; i++)
        nbody_step(body, velocity, moved, i);
    /* 256 terms up to 2 / eps^3 = 128, a few roundings of 2^-22 each, times dt: below 1e-4. */
    expect_close(run, 1, velocity, 4 * BODIES, 1e-4);
    expect_close(run, 2, moved, 4 * BODIES, 1e-5);
    free(body);
    free(velocity);
    /* A warp's 16-byte words are 512 bytes. All lanes read one word of the tile: 4 phases. */
    expect_counter(run, "mem.global.load.requests", NBODY_WARPS * (1 + TILES + 1));
    expect_counter(run, "mem.global.load.sectors32", NBODY_WARPS * (1 + TILES + 1) * 16);
    expect_counter(run, "mem.global.load.transactions_cc12", NBODY_WARPS * (1 + TILES + 1) * 4);
    expect_counter(run, "mem.global.store.sectors32", NBODY_WARPS * 2 * 16);
    expect_counter(run, "mem.shared.load.requests", NBODY_WARPS * BODIES);
    expect_counter(run, "mem.shared.load.wavefronts32", NBODY_WARPS * BODIES * 4);
    expect_counter(run, "mem.shared.load.conflicts32", 0);
    expect_counter(run, "mem.shared.store.conflicts32", 0);
    expect_counter(run, "barrier.warp", NBODY_WARPS * TILES * 2);
    expect_counter(run, "inst.warp.sfu.rsqrt", NBODY_WARPS * BODIES);
    expect_counter(run, "inst.warp.fp32.fma", NBODY_WARPS * (BODIES * 6 + 6));
    expect_counter(run, "branch.divergent", 0);
}

static void test_nbody(void **state)
{
    (void)state;
    run_kernel(EXAMPLE("nbody"), "nbody", nbody_setup, nbody_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_stencil),
        cmocka_unit_test(test_histogram_private),
        cmocka_unit_test(test_nbody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
