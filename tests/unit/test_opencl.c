// SPDX-License-Identifier: Apache-2.0
/* OpenCL C through clang and libclc: tests/kernels/opencl/kernels.cl beside plain C. Skipped where there
 * is no clang or no libclc of its version. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define KERNELS "tests/kernels/opencl/kernels.cl"

static bool has_tools;

static int find_tools(void **state)
{
    (void)state;
    ws_context *context;
    ws_module *module;
    if (ws_context_create(&context) != WS_OK) return -1;
    if (ws_context_set_tool_path(context, getenv("PATH")) != WS_OK) return -1;
    ws_status status = ws_module_load_file(context, SOURCE_DIR "/" KERNELS, &module);
    const char *error = status == WS_OK ? "" : ws_context_error(context);
    has_tools = status == WS_OK ||
                (!strstr(error, "clang was not found") && !strstr(error, "libclc was not found"));
    if (!has_tools) print_message("skipped: %s\n", error);
    if (status != WS_OK && has_tools) print_message("%s\n", error);
    ws_module_destroy(module);
    ws_context_destroy(context);
    return 0;
}

static void run_opencl(const char *kernel, run_step *setup, run_step *check)
{
    if (!has_tools) skip();
    run_kernel(KERNELS, kernel, setup, check);
}

/* ---- saxpy ----------------------------------------------------------------------------------- */

enum { SAXPY_N = 970 };

static void saxpy_setup(struct run *run)
{
    float a = 2.5f;
    run_shape(run, 4, 256);
    run_int(run, SAXPY_N);
    run_value(run, &a, sizeof a);
    input_floats(run, SAXPY_N, 1);
    input_floats(run, SAXPY_N, 2);
}

static void saxpy_check(struct run *run)
{
    float *x = random_floats(SAXPY_N, 1), *y = random_floats(SAXPY_N, 2);
    for (size_t i = 0; i < SAXPY_N; i++)
        y[i] = 2.5f * x[i] + y[i];
    expect_close(run, 1, y, SAXPY_N, 3e-7); /* OpenCL allows to fuse */
    free(x);
    free(y);
}

static void test_saxpy(void **state)
{
    (void)state;
    run_opencl("saxpy", saxpy_setup, saxpy_check);
}

/* ---- matmul ---------------------------------------------------------------------------------- */

enum { MATMUL_N = 64 };

static void matmul_setup(struct run *run)
{
    run_shape_2d(run, MATMUL_N / 16, MATMUL_N / 16, 16, 16);
    run_int(run, MATMUL_N);
    input_floats(run, MATMUL_N * MATMUL_N, 1);
    input_floats(run, MATMUL_N * MATMUL_N, 2);
    run_output(run, MATMUL_N * MATMUL_N * sizeof(float));
}

static void matmul_check(struct run *run)
{
    enum { N = MATMUL_N };
    float *a = random_floats(N * N, 1), *b = random_floats(N * N, 2);
    float *c = calloc(N * N, sizeof *c);
    for (size_t row = 0; row < N; row++)
        for (size_t column = 0; column < N; column++)
            for (size_t k = 0; k < N; k++)
                c[row * N + column] = fmaf(a[row * N + k], b[k * N + column], c[row * N + column]);
    expect_floats(run, 2, c, N * N);
    /* Two barriers in each of four tiles, by 16 blocks of 8 warps. */
    expect_counter(run, "barrier.warp", 2 * 4 * 16 * 8);
    free(a);
    free(b);
    free(c);
}

static void test_matmul(void **state)
{
    (void)state;
    run_opencl("matmul", matmul_setup, matmul_check);
}

/* ---- reduce: local memory by the host -------------------------------------------------------- */

enum { REDUCE_GROUPS = 5, REDUCE_SIZE = 128 };

static void reduce_setup(struct run *run)
{
    int values[REDUCE_GROUPS * REDUCE_SIZE];
    uint64_t start = 0; /* the kernel has no other shared memory */
    for (int i = 0; i < REDUCE_GROUPS * REDUCE_SIZE; i++)
        values[i] = i * i - 1000 * i;
    run_shape(run, REDUCE_GROUPS, REDUCE_SIZE);
    run_input(run, values, sizeof values);
    run_output(run, REDUCE_GROUPS * sizeof(int));
    run_value(run, &start, sizeof start);
    run->launch.dynamic_shared_bytes = REDUCE_SIZE * sizeof(int);
}

static void reduce_check(struct run *run)
{
    int sums[REDUCE_GROUPS] = {0};
    for (int i = 0; i < REDUCE_GROUPS * REDUCE_SIZE; i++)
        sums[i / REDUCE_SIZE] += i * i - 1000 * i;
    expect_bytes(run, 1, sums, sizeof sums);
}

static void test_reduce(void **state)
{
    (void)state;
    run_opencl("reduce", reduce_setup, reduce_check);
}

/* ---- nbody: float4, native_rsqrt ------------------------------------------------------------- */

enum { BODIES = 96 };

static void nbody_setup(struct run *run)
{
    run_shape(run, 3, 32);
    run_int(run, BODIES);
    input_floats(run, 4 * BODIES, 7);
    run_output(run, 4 * BODIES * sizeof(float));
}

static void nbody_check(struct run *run)
{
    float *body = random_floats(4 * BODIES, 7), force[4 * BODIES] = {0};
    for (size_t i = 0; i < BODIES; i++) {
        double sum[3] = {0};
        for (size_t k = 0; k < BODIES; k++) {
            double d[3], square = (double)0.01f;
            for (size_t c = 0; c < 3; c++) {
                d[c] = (double)(body[4 * k + c] - body[4 * i + c]);
                square += d[c] * d[c];
            }
            for (size_t c = 0; c < 3; c++)
                sum[c] += d[c] * (double)body[4 * k + 3] / (square * sqrt(square));
        }
        for (size_t c = 0; c < 3; c++)
            force[4 * i + c] = (float)sum[c];
    }
    expect_close(run, 1, force, 4 * BODIES, 3e-5); /* sums of up to 96 terms up to 1000 */
    free(body);
}

static void test_nbody(void **state)
{
    (void)state;
    run_opencl("nbody", nbody_setup, nbody_check);
}

/* ---- convolve -------------------------------------------------------------------------------- */

enum { WIDTH = 48, HEIGHT = 24 };

static void convolve_setup(struct run *run)
{
    run_shape_2d(run, WIDTH / 16, HEIGHT / 8, 16, 8);
    run_int(run, WIDTH);
    run_int(run, HEIGHT);
    input_floats(run, WIDTH * HEIGHT, 3);
    run_output(run, WIDTH * HEIGHT * sizeof(float));
}

static int clamp_int(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

static void convolve_check(struct run *run)
{
    static const double weight[] = {0.25, 0.5, 0.25};
    float *in = random_floats(WIDTH * HEIGHT, 3), out[WIDTH * HEIGHT];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double sum = 0;
            for (int k = 0; k < 9; k++) {
                int at = clamp_int(y + k / 3 - 1, HEIGHT - 1) * WIDTH +
                         clamp_int(x + k % 3 - 1, WIDTH - 1);
                sum += weight[k / 3] * weight[k % 3] * (double)in[at];
            }
            out[y * WIDTH + x] = (float)sum;
        }
    expect_close(run, 1, out, WIDTH * HEIGHT, 5e-7);
    free(in);
}

static void test_convolve(void **state)
{
    (void)state;
    run_opencl("convolve", convolve_setup, convolve_check);
}

/* ---- index space ----------------------------------------------------------------------------- */

static void indices_setup(struct run *run)
{
    run_shape_2d(run, 3, 2, 4, 5);
    run_output(run, 12 * 10 * 12 * sizeof(uint32_t));
}

static void indices_check(struct run *run)
{
    uint32_t expected[12 * 10 * 12];
    for (uint32_t y = 0; y < 10; y++)
        for (uint32_t x = 0; x < 12; x++) {
            const uint32_t one[12] = {x, y, x % 4, y % 5, x / 4, y / 5, 12, 5, 3, 2, 2, 0};
            memcpy(expected + (y * 12 + x) * 12, one, sizeof one);
        }
    expect_bytes(run, 0, expected, sizeof expected);
}

static void test_indices(void **state)
{
    (void)state;
    run_opencl("indices", indices_setup, indices_check);
}

/* ---- functions ------------------------------------------------------------------------------- */

enum { VALUES = 64, FUNCTIONS = 24 };

static float function_input(size_t i)
{
    return 0.05f + 0.07f * (float)i;
}

static void functions_setup(struct run *run)
{
    float x[VALUES];
    for (size_t i = 0; i < VALUES; i++)
        x[i] = function_input(i);
    run_shape(run, 2, VALUES / 2);
    run_input(run, x, sizeof x);
    run_output(run, VALUES * FUNCTIONS * sizeof(float));
}

/* Errors in ulp: OpenCL 1.2, table 7.4. Those of native functions are the implementation's: the bounds
 * of PTX's approximations, absolute. */
static void functions_check(struct run *run)
{
    enum { ULP_COLUMNS = 14 };
    static const double ulps[ULP_COLUMNS] = {4, 4, 5, 3, 3, 16, 3, 2, 5, 6, 0, 0, 16, 2};
    float *got = run_read(run, 1);
    for (size_t i = 0; i < VALUES; i++) {
        double v = (double)function_input(i), p = (double)1.7f;
        const double want[FUNCTIONS] = {sin(v),
                                        cos(v),
                                        tan(v),
                                        exp(v),
                                        log(v),
                                        pow(v, p),
                                        sqrt(v),
                                        1 / sqrt(v),
                                        tanh(v),
                                        atan2(v, 2),
                                        fmod(v, (double)0.3f),
                                        floor((double)(function_input(i) * 10)),
                                        erf(v),
                                        cbrt(v),
                                        sin(v),
                                        cos(v),
                                        exp(v),
                                        log(v),
                                        pow(v, p),
                                        pow(10, v),
                                        log10(v),
                                        tan(v),
                                        sqrt(v * v + 14),
                                        2 + exp2(v)};
        for (size_t f = 0; f < FUNCTIONS; f++) {
            float near = (float)want[f];
            double ulp = (double)(nextafterf(fabsf(near), INFINITY) - fabsf(near));
            double allowed = f < ULP_COLUMNS ? (ulps[f] + 0.5) * ulp
                                             : 1e-6 + 4e-6 * fmax(1, fabs(v)) * fabs(want[f]);
            if (f == 21) allowed *= 1 + want[f] * want[f]; /* the slope of tan */
            double error = fabs((double)got[i * FUNCTIONS + f] - want[f]);
            if (!(error <= allowed))
                fail_msg("function %zu of %g: %.9g, not %.9g", f, v, (double)got[i * FUNCTIONS + f],
                         want[f]);
        }
    }
    free(got);
}

static void test_functions(void **state)
{
    (void)state;
    run_opencl("functions", functions_setup, functions_check);
}

/* ---- half, double, a copy by the group -------------------------------------------------------- */

enum { FORMATS_N = 64, HALF_ONE = 0x3c00 }; /* 1.0 as a half; each step more is 2^-10 */

static void formats_setup(struct run *run)
{
    uint16_t in[FORMATS_N];
    for (unsigned i = 0; i < FORMATS_N; i++)
        in[i] = (uint16_t)(HALF_ONE + i);
    run_shape(run, 2, 32);
    run_input(run, in, sizeof in);
    run_output(run, sizeof in);
    run_output(run, FORMATS_N * sizeof(double));
}

static void formats_check(struct run *run)
{
    uint16_t *halves = run_read(run, 1);
    double *wide = run_read(run, 2);
    for (unsigned i = 0; i < FORMATS_N; i++) {
        /* 3 + 3 i/1024 has steps of 2^-9 from 2 to 4, to nearest even. */
        double v = 1 + i / 1024.0, units = 3 * v * 512;
        assert_int_equal(halves[i], 0x4000 + (int)(nearbyint(units) - 1024));
        unsigned other = i / 32 * 32 + 31 - i % 32;
        double from = 1 + other / 1024.0, want = sqrt(from) + exp(from);
        if (!(fabs(wide[i] - want) <= 1e-15 * want))
            fail_msg("element %u: %.17g, not %.17g", i, wide[i], want);
    }
    free(halves);
    free(wide);
}

static void test_formats(void **state)
{
    (void)state;
    run_opencl("formats", formats_setup, formats_check);
}

/* ---- histogram ------------------------------------------------------------------------------- */

enum { PIXELS = 1000 };

static uint8_t pixel(size_t i)
{
    return (uint8_t)(i * 37 % 251);
}

static void histogram_setup(struct run *run)
{
    uint8_t pixels[PIXELS];
    int bins[16] = {0};
    for (size_t i = 0; i < PIXELS; i++)
        pixels[i] = pixel(i);
    run_shape(run, 3, 64);
    run_input(run, pixels, sizeof pixels);
    run_input(run, bins, sizeof bins);
    run_int(run, PIXELS);
}

static void histogram_check(struct run *run)
{
    int bins[16] = {0};
    for (size_t i = 0; i < PIXELS; i++)
        bins[pixel(i) >> 4]++;
    expect_bytes(run, 1, bins, sizeof bins);
}

static void test_histogram(void **state)
{
    (void)state;
    run_opencl("histogram", histogram_setup, histogram_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saxpy),     cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_reduce),    cmocka_unit_test(test_nbody),
        cmocka_unit_test(test_convolve),  cmocka_unit_test(test_indices),
        cmocka_unit_test(test_functions), cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests_name("OpenCL C", tests, find_tools, NULL);
}
