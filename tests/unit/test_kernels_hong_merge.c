// SPDX-License-Identifier: Apache-2.0
/* The image filters, Black-Scholes, the matrix products, the divergent paths and the barrier
 * programs of papers/hong2009 against plain C, with counts that follow from the access patterns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define HONG(name) "papers/hong2009/" name ".ptx"

/* ---- sepia and linear: 64 x 6 pixels, blocks of 32, so 12 warps ------------------------- */

enum { WIDTH = 64, HEIGHT = 6, PIXELS = WIDTH * HEIGHT, IMAGE_WARPS = PIXELS / 32 };

static void fill_image(unsigned char image[3 * PIXELS])
{
    uint64_t seed = 6;
    for (size_t i = 0; i < 3 * PIXELS; i++)
        image[i] = (unsigned char)random_u32(&seed);
}

static void image_setup(struct run *run)
{
    unsigned char image[3 * PIXELS], zeros[3 * PIXELS] = {0};
    fill_image(image);
    run_shape_2d(run, WIDTH / 32, HEIGHT, 32, 1);
    run_int(run, WIDTH);
    if (ws_module_parameter_count(run->module, run->launch.kernel) == 4) run_int(run, HEIGHT);
    run_input(run, image, sizeof image);
    run_input(run, zeros, sizeof zeros);
}

static void sepia_check(struct run *run)
{
    static const float weights[3][3] = {
        {0.393f, 0.769f, 0.189f}, {0.349f, 0.686f, 0.168f}, {0.272f, 0.534f, 0.131f}};
    unsigned char in[3 * PIXELS], expected[3 * PIXELS];
    fill_image(in);
    for (size_t i = 0; i < PIXELS; i++)
        for (size_t c = 0; c < 3; c++) {
            const float *w = weights[c];
            float value = fmaf((float)in[3 * i + 2], w[2],
                               fmaf((float)in[3 * i + 1], w[1], (float)in[3 * i] * w[0]));
            expected[3 * i + c] = (unsigned char)fminf(value, 255.0f);
        }
    expect_bytes(run, 1, expected, sizeof expected);
    /* A warp's bytes lie in 96 consecutive ones: 3 sectors; those of a half-warp, every third of
     * 48, in 2 segments of 32. Bytes are never coalesced on cc 1.0: one transaction a lane. */
    expect_counter(run, "mem.global.load.requests", 3 * IMAGE_WARPS);
    expect_counter(run, "mem.global.load.sectors32", 3 * 3 * IMAGE_WARPS);
    expect_counter(run, "mem.global.load.transactions_cc10", 3 * 32 * IMAGE_WARPS);
    expect_counter(run, "mem.global.load.transactions_cc12", 3 * 2 * 2 * IMAGE_WARPS);
    expect_counter(run, "mem.global.store.requests", 3 * IMAGE_WARPS);
    expect_counter(run, "mem.global.store.transactions_cc12", 3 * 2 * 2 * IMAGE_WARPS);
    expect_counter(run, "branch.divergent", 0);
}

static void test_sepia(void **state)
{
    (void)state;
    run_kernel(HONG("merge"), "sepia", image_setup, sepia_check);
}

static unsigned char average(const unsigned char *in, size_t x, size_t y, size_t colour)
{
    if (x == 0 || x == WIDTH - 1 || y == 0 || y == HEIGHT - 1)
        return in[3 * (y * WIDTH + x) + colour];
    float sum = 0.0f;
    for (size_t row = y - 1; row <= y + 1; row++)
        for (size_t column = x - 1; column <= x + 1; column++)
            sum += (float)in[3 * (row * WIDTH + column) + colour];
    return (unsigned char)(sum * (1.0f / 9.0f));
}

static void linear_check(struct run *run)
{
    /* Two rows are edge; in the others each of the two warps has a lane at the edge. */
    enum { INNER = IMAGE_WARPS / HEIGHT * (HEIGHT - 2), OUTER = IMAGE_WARPS - INNER };
    unsigned char in[3 * PIXELS], expected[3 * PIXELS];
    fill_image(in);
    for (size_t i = 0; i < sizeof expected; i++)
        expected[i] = average(in, i / 3 % WIDTH, i / 3 / WIDTH, i % 3);
    expect_bytes(run, 1, expected, sizeof expected);
    expect_counter(run, "branch.divergent", INNER);
    expect_counter(run, "mem.global.load.requests", 27 * INNER + 3 * INNER + 3 * OUTER);
    expect_counter(run, "mem.global.store.requests", 3 * INNER + 3 * INNER + 3 * OUTER);
    expect_counter(run, "mem.global.store.bytes_requested", 3 * PIXELS);
    expect_counter(run, "mem.global.load.bytes_requested",
                   27 * (WIDTH - 2) * (HEIGHT - 2) + 3 * (2 * WIDTH + 2 * (HEIGHT - 2)));
}

static void test_linear(void **state)
{
    (void)state;
    run_kernel(HONG("merge"), "linear", image_setup, linear_check);
}

/* ---- Black-Scholes: 100 options in 2 blocks of 64: 3 warps, 4 lanes, nothing ------------ */

enum { OPTIONS = 100 };

static void fill_options(float price[OPTIONS], float strike[OPTIONS], float years[OPTIONS])
{
    for (size_t i = 0; i < OPTIONS; i++) {
        price[i] = 5.0f + (float)(i * 37 % 26);
        strike[i] = 1.0f + (float)(i * 11 % 50);
        years[i] = 0.25f + 0.125f * (float)(i % 40);
    }
}

static void options_setup(struct run *run)
{
    float rate = 0.02f, volatility = 0.3f, price[OPTIONS], strike[OPTIONS], years[OPTIONS];
    fill_options(price, strike, years);
    run_shape(run, 2, 64);
    run_int(run, OPTIONS);
    run_value(run, &rate, sizeof rate);
    run_value(run, &volatility, sizeof volatility);
    run_input(run, price, sizeof price);
    run_input(run, strike, sizeof strike);
    run_input(run, years, sizeof years);
    run_output(run, sizeof price);
    run_output(run, sizeof price);
}

static double normal(double d)
{
    return 0.5 * erfc(-d / sqrt(2.0));
}

static void options_check(struct run *run)
{
    float price[OPTIONS], strike[OPTIONS], years[OPTIONS], call[OPTIONS], put[OPTIONS];
    fill_options(price, strike, years);
    for (size_t i = 0; i < OPTIONS; i++) {
        double s = (double)price[i], x = (double)strike[i], t = (double)years[i];
        double deviation = 0.3 * sqrt(t), discounted = x * exp(-0.02 * t);
        double d1 = (log(s / x) + (0.02 + 0.5 * 0.3 * 0.3) * t) / deviation, d2 = d1 - deviation;
        call[i] = (float)(s * normal(d1) - discounted * normal(d2));
        put[i] = (float)(discounted * normal(-d2) - s * normal(-d1));
    }
    /* 26.2.17 is good to 7.5e-8, times prices up to 50; the rest is float's rounding. */
    expect_close(run, 3, call, OPTIONS, 5e-5);
    expect_close(run, 4, put, OPTIONS, 5e-5);
    expect_counter(run, "mem.global.load.requests", 3 * 4);
    expect_counter(run, "mem.global.store.requests", 2 * 4);
    expect_counter(run, "mem.global.load.transactions_cc12", 3 * (3 * 2 + 1));
    expect_counter(run, "mem.global.load.sectors32", 3 * (3 * 4 + 1));
    expect_counter(run, "inst.warp.sfu.ex2", 3 * 4);
}

static void test_blackscholes(void **state)
{
    (void)state;
    run_kernel(HONG("merge"), "blackscholes", options_setup, options_check);
}

/* ---- matrix products -------------------------------------------------------------------- */

static size_t matrix_n;

static void matrix_arguments(struct run *run)
{
    run_int(run, (int)matrix_n);
    input_floats(run, matrix_n * matrix_n, 1);
    input_floats(run, matrix_n * matrix_n, 2);
    run_output(run, matrix_n * matrix_n * sizeof(float));
}

static void expect_product(struct run *run)
{
    size_t n = matrix_n;
    float *a = random_floats(n * n, 1), *b = random_floats(n * n, 2);
    float *c = calloc(n * n, sizeof *c);
    assert_non_null(c);
    for (size_t i = 0; i < n * n; i++)
        for (size_t k = 0; k < n; k++)
            c[i] = fmaf(a[i / n * n + k], b[k * n + i % n], c[i]);
    expect_floats(run, 2, c, n * n);
    free(a);
    free(b);
    free(c);
}

static void naive_setup(struct run *run)
{
    matrix_n = 32;
    run_shape_2d(run, 1, 32, 32, 1);
    matrix_arguments(run);
}

static void naive_check(struct run *run)
{
    expect_product(run);
    /* An element of A for all lanes and a row of B, 32 times a warp. */
    expect_counter(run, "mem.global.load.requests", 32 * 32 * 2);
    expect_counter(run, "mem.global.load.sectors32", 32 * 32 * (1 + 4));
    expect_counter(run, "mem.global.load.transactions_cc10", 32 * 32 * (32 + 2));
    expect_counter(run, "mem.global.load.transactions_cc12", 32 * 32 * (2 + 2));
    expect_counter(run, "inst.warp.fp32.fma", 32 * 32);
    expect_counter(run, "branch.warp", 32 * (2 + 32));
}

static void tiled_setup(struct run *run)
{
    matrix_n = 20; /* two tiles of 16 x 16 each way, the second with 4 of 16 columns and rows */
    run_shape_2d(run, 2, 2, 16, 16);
    run->launch.dynamic_shared_bytes = 8 * 16 * 16;
    matrix_arguments(run);
}

static void tiled_check(struct run *run)
{
    enum { WARPS = 4 * 8, TILES = 2 };
    expect_product(run);
    expect_counter(run, "barrier.warp", WARPS * TILES * 2);
    expect_counter(run, "inst.warp.fp32.fma", WARPS * TILES * 16);
    expect_counter(run, "mem.shared.load.requests", WARPS * TILES * 16 * 2);
    /* A warp is two rows: words 16 banks apart of A, 16 words in a row of B. */
    expect_counter(run, "mem.shared.load.conflicts32", 0);
    expect_counter(run, "mem.shared.store.wavefronts32", WARPS * TILES * 2);
    /* Each of the 20 x 20 elements of A and B is loaded by the blocks of its rows or columns. */
    expect_counter(run, "mem.global.load.bytes_requested", 2 * 2 * 400 * 4);
    expect_counter(run, "mem.global.store.bytes_requested", 400 * 4);
}

static void test_matmul(void **state)
{
    (void)state;
    run_kernel(HONG("matmul"), "matmul_naive", naive_setup, naive_check);
    run_kernel(HONG("matmul"), "matmul_tiled", tiled_setup, tiled_check);
}

/* ---- divergent paths: one block of 64 --------------------------------------------------- */

enum { ROUNDS = 5 };

static int path_four, path_two;

static void paths_setup(struct run *run)
{
    run_shape(run, 1, 64);
    run_int(run, path_four);
    run_int(run, path_two);
    run_int(run, ROUNDS);
    input_floats(run, 64, 3);
    run_output(run, 64 * sizeof(float));
}

static float work(float value, float factor, int rounds)
{
    for (int i = 0; i < rounds; i++)
        value = fmaf(value, factor, factor);
    return value;
}

static void paths_check(struct run *run)
{
    float *in = random_floats(64, 3), expected[64];
    for (int i = 0; i < 64; i++) {
        int lane = i % 32;
        float value = in[i];
        if (lane >= path_two)
            value = work(value, 0.125f, 3 * ROUNDS);
        else if (lane < path_four)
            value = work(work(value, 0.5f, ROUNDS), 0.75f, ROUNDS);
        else
            value = work(work(value, 0.25f, 2 * ROUNDS), 0.75f, ROUNDS);
        expected[i] = value;
    }
    free(in);
    expect_floats(run, 1, expected, 64);
}

static uint64_t paths_count(int four, int two, const char *id)
{
    path_four = four;
    path_two = two;
    run_kernel(HONG("paths"), "paths", paths_setup, paths_check);
    return launch_counter(HONG("paths"), "paths", paths_setup, id);
}

static void test_paths(void **state)
{
    (void)state;
    /* B4, B5, B6 and B3 have 1, 2, 1 and 3 times ROUNDS multiplications, B4 and B5 share B6. */
    assert_int_equal(paths_count(32, 32, "inst.warp.fp32.fma"), 2 * 2 * ROUNDS);
    assert_int_equal(paths_count(0, 32, "inst.warp.fp32.fma"), 2 * 3 * ROUNDS);
    assert_int_equal(paths_count(0, 0, "inst.warp.fp32.fma"), 2 * 3 * ROUNDS);
    assert_int_equal(paths_count(4, 16, "inst.warp.fp32.fma"), 2 * 7 * ROUNDS);
    assert_int_equal(paths_count(32, 32, "branch.divergent"), 0);
    assert_int_equal(paths_count(0, 32, "branch.divergent"), 0);
    assert_int_equal(paths_count(0, 0, "branch.divergent"), 0);
    assert_int_equal(paths_count(4, 16, "branch.divergent"), 2 * 2);
}

/* ---- barriers: 2 blocks of 96 ----------------------------------------------------------- */

enum { BARRIER_THREADS = 192 };

static void barrier_setup(struct run *run)
{
    run_shape(run, 2, 96);
    input_floats(run, BARRIER_THREADS, 4);
}

static void barrier_check(struct run *run)
{
    float *expected = random_floats(BARRIER_THREADS, 4);
    for (size_t i = 0; i < BARRIER_THREADS; i++)
        expected[i] *= 10.0f;
    expect_floats(run, 0, expected, BARRIER_THREADS);
    free(expected);
    expect_counter(run, "mem.global.load.transactions_cc10", 2 * 6);
    expect_counter(run, "mem.global.store.transactions_cc10", 2 * 6);
}

static void test_barriers(void **state)
{
    (void)state;
    run_kernel(HONG("barrier"), "barrier_a", barrier_setup, barrier_check);
    run_kernel(HONG("barrier"), "barrier_b", barrier_setup, barrier_check);
    uint64_t a = launch_counter(HONG("barrier"), "barrier_a", barrier_setup, "inst.warp");
    uint64_t b = launch_counter(HONG("barrier"), "barrier_b", barrier_setup, "inst.warp");
    /* "The only difference is the barrier instruction": one for each of the 6 warps. */
    assert_int_equal(a - b, 6);
    assert_int_equal(launch_counter(HONG("barrier"), "barrier_a", barrier_setup, "barrier.warp"),
                     6);
    assert_int_equal(launch_counter(HONG("barrier"), "barrier_b", barrier_setup, "barrier.warp"),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sepia),        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_blackscholes), cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_paths),        cmocka_unit_test(test_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
