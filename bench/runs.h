// SPDX-License-Identifier: Apache-2.0
/* The kernels by which speed is judged, and launches of them in full size. */
#ifndef BENCH_RUNS_H
#define BENCH_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BENCH_COUNT = 6,
    OPENCL_COUNT = 3, /* the first of them are in kernels.cl, too */
    BUFFERS_MAX = 3,
    REPETITIONS = 3
};

struct bench {
    const char *title, *ptx, *kernel;
    uint32_t grid[3], block[3];
    int n;
    bool has_factor;              /* a float after n */
    size_t elements[BUFFERS_MAX]; /* floats in each buffer; 0: no more */
    float (*expected)(const struct bench *bench, float *const buffers[],
                      size_t i); /* NULL: the caller compares the output */
    size_t output;               /* buffer that `expected` speaks of */
};
extern const struct bench benches[BENCH_COUNT];
extern const float bench_factor;

/* The same with less to do: `*out_ratio` times less. */
struct bench bench_shrunk(const struct bench *bench, double *out_ratio);

/* Numbers in [0, 1) in all buffers; bench_free frees them. Returns their bytes. */
double bench_fill(const struct bench *bench, float *buffers[BUFFERS_MAX]);
void bench_free(float *buffers[BUFFERS_MAX]);
/* Places of the output to compare with `expected`: a fast wrong answer is no answer. */
size_t bench_check_step(const struct bench *bench);

struct run {
    unsigned threads;
    bool counters;
    int isa_level;      /* -1: the best that the host runs */
    const char *engine; /* with the best level only; NULL: the interpreter */
    float *output;      /* all of it, if not NULL */
};
struct outcome {
    double seconds; /* of the best launch alone */
    double warp_instructions, thread_instructions;
};
struct outcome bench_run(const struct bench *bench, float *const buffers[], const struct run *run);

double bench_now(void);

#endif
