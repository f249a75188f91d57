// SPDX-License-Identifier: Apache-2.0
#include "runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/handles.h"

const float bench_factor = 2.5f;

/* ---- what plain C says of one element -------------------------------------------------------- */

static float saxpy_element(const struct bench *bench, float *const buffers[], size_t i)
{
    (void)bench;
    return fmaf(buffers[0][i], bench_factor, buffers[1][i]);
}

static float product_element(const struct bench *bench, float *const buffers[], size_t i)
{
    size_t n = (size_t)bench->n, row = i / n, column = i % n;
    float sum = 0.0f;
    for (size_t k = 0; k < n; k++)
        sum = fmaf(buffers[0][row * n + k], buffers[1][k * n + column], sum);
    return sum;
}

static float block_sum(const struct bench *bench, float *const buffers[], size_t block)
{
    float sums[256];
    (void)bench;
    for (size_t t = 0; t < 256; t++)
        sums[t] = buffers[0][block * 512 + t] + buffers[0][block * 512 + t + 256];
    for (size_t half = 128; half > 0; half /= 2)
        for (size_t t = 0; t < half; t++)
            sums[t] += sums[t + half];
    return sums[0];
}

static float mandelbrot_element(const struct bench *bench, float *const buffers[], size_t i)
{
    (void)buffers;
    size_t n = (size_t)bench->n;
    float re = -2.0f + 3.0f * (float)(i % n) / (float)n;
    float im = -1.5f + 3.0f * (float)(i / n) / (float)n, a = 0.0f, b = 0.0f;
    int count = 0;
    while (count < 256 &&
           a * a + b * b <= 4.0f) { /* nvcc keeps the squares, and fuses nothing else */
        float next = (a * a - b * b) + re;
        b = fmaf(a + a, b, im);
        a = next;
        count++;
    }
    return (float)count;
}

static float hash_element(const struct bench *bench, float *const buffers[], size_t i)
{
    (void)bench;
    uint32_t h;
    memcpy(&h, &buffers[0][i], sizeof h);
    for (int round = 0; round < 64; round++) {
        h ^= h >> 16;
        h *= 0x7feb352du;
        h ^= h >> 15;
        h *= 0x846ca68bu;
        h ^= h >> 16;
    }
    return (float)(h >> 8);
}

static float gather_element(const struct bench *bench, float *const buffers[], size_t i)
{
    return buffers[0][(size_t)(buffers[1][i] * (float)bench->n)];
}

#define EXAMPLE(name) SOURCE_DIR "/examples/kernels/" name "/" name ".ptx"
#define KERNELS SOURCE_DIR "/bench/engine_kernels.ptx"
enum { BIG = 16 << 20, SIDE = 512, WORDS = 1 << 20, GATHERED = 4 << 20 };

const struct bench benches[BENCH_COUNT] = {
    {"sgemm tiled 512^2",
     EXAMPLE("sgemm_tiled"),
     "sgemm_tiled",
     {SIDE / 16, SIDE / 16, 1},
     {16, 16, 1},
     SIDE,
     false,
     {SIDE * SIDE, SIDE *SIDE, SIDE *SIDE},
     product_element,
     2},
    {"saxpy 16 M",
     EXAMPLE("saxpy"),
     "saxpy",
     {BIG / 256, 1, 1},
     {256, 1, 1},
     BIG,
     true,
     {BIG, BIG, 0},
     saxpy_element,
     1},
    {"reduce 16 M",
     EXAMPLE("reduce"),
     "reduce",
     {BIG / 512, 1, 1},
     {256, 1, 1},
     BIG,
     false,
     {BIG, BIG / 512, 0},
     block_sum,
     1},
    {"mandelbrot 512^2",
     KERNELS,
     "mandelbrot",
     {SIDE / 32, SIDE / 8, 1},
     {32, 8, 1},
     SIDE,
     false,
     {SIDE * SIDE, 0, 0},
     mandelbrot_element,
     0},
    {"hash 1 M",
     KERNELS,
     "hash",
     {WORDS / 256, 1, 1},
     {256, 1, 1},
     WORDS,
     false,
     {WORDS, WORDS, 0},
     hash_element,
     1},
    {"gather 4 M",
     KERNELS,
     "gather",
     {GATHERED / 256, 1, 1},
     {256, 1, 1},
     GATHERED,
     false,
     {GATHERED, GATHERED, GATHERED},
     gather_element,
     2},
};

/* ---- sizes and buffers ----------------------------------------------------------------------- */

struct bench bench_shrunk(const struct bench *bench, double *out_ratio)
{
    enum { SIDE_SHRINK = 8, SHRINK = 256 };
    struct bench small = *bench;
    bool is_square = bench->grid[1] > 1;
    uint32_t by = is_square ? SIDE_SHRINK : SHRINK;
    small.n /= (int)by;
    small.grid[0] /= by;
    if (is_square) small.grid[1] /= by;
    for (unsigned b = 0; b < BUFFERS_MAX; b++)
        small.elements[b] /= is_square ? by * by : by;
    *out_ratio = is_square ? (double)by * by * by : by;
    return small;
}

double bench_fill(const struct bench *bench, float *buffers[BUFFERS_MAX])
{
    uint32_t state = 1;
    double bytes = 0;
    for (size_t b = 0; b < BUFFERS_MAX; b++) {
        buffers[b] = malloc(bench->elements[b] * sizeof(float) + 1);
        if (buffers[b] == NULL) abort();
        bytes += (double)bench->elements[b] * sizeof(float);
        for (size_t i = 0; i < bench->elements[b]; i++) {
            state = state * 1664525u + 1013904223u; /* Numerical Recipes' quick generator */
            buffers[b][i] = (float)(state >> 8) * 0x1p-24f;
        }
    }
    return bytes;
}

void bench_free(float *buffers[BUFFERS_MAX])
{
    for (size_t b = 0; b < BUFFERS_MAX; b++)
        free(buffers[b]);
}

size_t bench_check_step(const struct bench *bench)
{
    return bench->elements[bench->output] / 61 + 1;
}

/* ---- one launch ------------------------------------------------------------------------------ */

struct session {
    ws_context *context;
    ws_module *module;
    ws_device *device;
    uint64_t addresses[BUFFERS_MAX];
    unsigned char parameters[64];
};

static void must(struct session *s, ws_status status)
{
    if (status == WS_OK) return;
    fprintf(stderr, "bench_engine: %s\n", ws_context_error(s->context));
    exit(ws_status_exit_code(status));
}

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void put_parameter(struct session *s, size_t kernel, size_t index, const void *value,
                          size_t bytes)
{
    ws_parameter parameter;
    must(s, ws_module_parameter(s->module, kernel, index, &parameter));
    if (parameter.size != bytes || parameter.offset + bytes > sizeof s->parameters) abort();
    memcpy(s->parameters + parameter.offset, value, bytes);
}

/* The public API always takes the best level. */
static void create_device(struct session *s, const struct run *run)
{
    ws_device_options options = {.size = sizeof options,
                                 .threads = run->threads,
                                 .engine = run->engine ? run->engine : "interpreter"};
    must(s, ws_device_create(s->context, &options, &s->device));
    if (run->isa_level < 0) return;
    device_destroy(s->device->device);
    struct device_options inner = {.threads = run->threads, .isa_level = run->isa_level};
    must(s, device_create(&s->context->diag, &inner, &s->device->device));
}

static void open_session(struct session *s, const struct bench *bench, float *const buffers[],
                         const struct run *run, ws_launch *launch)
{
    *s = (struct session){0};
    if (ws_context_create(&s->context) != WS_OK) abort();
    must(s, ws_module_load_file(s->context, bench->ptx, &s->module));
    create_device(s, run);
    *launch = (ws_launch){.size = sizeof *launch, .parameters = s->parameters};
    must(s, ws_module_find_kernel(s->module, bench->kernel, &launch->kernel));
    memcpy(launch->grid, bench->grid, sizeof launch->grid);
    memcpy(launch->block, bench->block, sizeof launch->block);
    launch->parameter_bytes = ws_module_parameter_bytes(s->module, launch->kernel);
    size_t index = 0;
    put_parameter(s, launch->kernel, index++, &bench->n, sizeof bench->n);
    if (bench->has_factor)
        put_parameter(s, launch->kernel, index++, &bench_factor, sizeof bench_factor);
    for (size_t b = 0; b < BUFFERS_MAX && bench->elements[b] > 0; b++) {
        size_t bytes = bench->elements[b] * sizeof(float);
        must(s, ws_device_alloc(s->device, bytes, &s->addresses[b]));
        must(s, ws_device_copy_in(s->device, s->addresses[b], buffers[b], bytes));
        put_parameter(s, launch->kernel, index++, &s->addresses[b], sizeof s->addresses[b]);
    }
}

static void close_session(struct session *s)
{
    ws_device_destroy(s->device);
    ws_module_destroy(s->module);
    ws_context_destroy(s->context);
}

/* A fast wrong answer is no answer: some elements are compared with plain C. */
static void check_output(struct session *s, const struct bench *bench, float *const buffers[])
{
    size_t n = bench->elements[bench->output], step = bench_check_step(bench);
    for (size_t i = 0; i < n; i += step) {
        float got, expected = bench->expected(bench, buffers, i);
        must(s, ws_device_copy_out(s->device, &got, s->addresses[bench->output] + 4 * i, 4));
        if (memcmp(&got, &expected, sizeof got) != 0) {
            fprintf(stderr, "bench_engine: %s: element %zu is %a, not %a\n", bench->title, i,
                    (double)got, (double)expected);
            exit(1);
        }
    }
}

struct outcome bench_run(const struct bench *bench, float *const buffers[], const struct run *run)
{
    struct session session, *s = &session;
    struct outcome outcome = {.seconds = INFINITY};
    ws_launch launch;
    open_session(s, bench, buffers, run, &launch);
    launch.counters = run->counters;
    for (int i = 0; i < REPETITIONS; i++) {
        ws_profile *profile = NULL;
        size_t out = bench->output; /* saxpy adds to its output: start again */
        must(s, ws_device_copy_in(s->device, s->addresses[out], buffers[out],
                                  bench->elements[out] * sizeof(float)));
        double start = bench_now();
        must(s, ws_device_launch(s->device, s->module, &launch, run->counters ? &profile : NULL));
        outcome.seconds = fmin(outcome.seconds, bench_now() - start);
        if (run->counters) {
            must(s, ws_profile_get(profile, "inst.warp", &outcome.warp_instructions));
            must(s, ws_profile_get(profile, "inst.thread", &outcome.thread_instructions));
        }
        ws_profile_destroy(profile);
    }
    if (bench->expected) check_output(s, bench, buffers);
    if (run->output)
        must(s, ws_device_copy_out(s->device, run->output, s->addresses[bench->output],
                                   bench->elements[bench->output] * sizeof(float)));
    close_session(s);
    return outcome;
}
