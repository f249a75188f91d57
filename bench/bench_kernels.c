// SPDX-License-Identifier: Apache-2.0
/* Both engines on kernels of many kinds, counters on: their speed side by side, in one process, and with two host threads.
 * bench_kernels [NAME] runs one of them. The results must be the same, to the bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <warpsage/warpsage.h>

#include "runs.h"

#define KERNELS SOURCE_DIR "/bench/more_kernels.ptx"
enum { WORDS = 1 << 23, SIDE = 4096, ROWS = 1 << 18, BODIES = 16384, QUEENS = 9, STARTS = 1 << 16 };

#define LINE(name, blocks, n, in, other, out)                                                      \
    {                                                                                              \
        name, KERNELS, name, {blocks, 1, 1}, {256, 1, 1}, n, false, {in, other, out}, NULL, 2      \
    }
#define SQUARE(name, block_x, block_y, tile_y)                                                     \
    {                                                                                              \
        name, KERNELS, name, {SIDE / (block_x), SIDE / (tile_y), 1}, {block_x, block_y, 1}, SIDE,  \
            false, {SIDE * SIDE, 1, SIDE * SIDE}, NULL, 2                                          \
    }
static const struct bench kernels[] = {
    SQUARE("stencil", 32, 8, 8),
    LINE("histogram", WORDS / 4096, WORDS, WORDS, 1, 256),
    SQUARE("transpose_naive", 32, 8, 8),
    SQUARE("transpose_tiled", 32, 8, 32),
    LINE("scan", WORDS / 256, WORDS, WORDS, 1, WORDS),
    LINE("scan_shuffles", WORDS / 256, WORDS, WORDS, 1, WORDS),
    LINE("bitonic", WORDS / 8 / 512, WORDS / 8, WORDS / 8, 1, WORDS / 8),
    LINE("queens", STARTS / 256, QUEENS, 1, 1, STARTS),
    LINE("spmv", ROWS / 256, ROWS, ROWS * 32, ROWS, ROWS),
    LINE("bfs", WORDS / 8 / 256, WORDS / 8, WORDS, WORDS / 8, WORDS / 8),
    LINE("fft", WORDS / 4 / 512, WORDS / 4, WORDS / 4, 512, WORDS / 4),
    LINE("black_scholes", WORDS / 256, WORDS, WORDS, WORDS, WORDS),
    LINE("nbody_f64", BODIES / 256, BODIES, BODIES, BODIES, BODIES),
};

static struct outcome run_engine(const struct bench *bench, float *const buffers[],
                                 const char *engine, unsigned threads, float *output)
{
    const struct run run = {threads, true, -1, engine, output};
    return bench_run(bench, buffers, &run);
}

static void must_equal(const struct bench *bench, const float *got, const float *expected)
{
    if (!memcmp(got, expected, bench->elements[bench->output] * sizeof *got)) return;
    fprintf(stderr, "bench_kernels: %s: the engines differ\n", bench->title);
    exit(1);
}

static void show(const struct bench *bench)
{
    float *buffers[BUFFERS_MAX];
    size_t bytes = bench->elements[bench->output] * sizeof(float);
    float *expected = malloc(bytes), *got = malloc(bytes);
    if (!expected || !got) abort();
    bench_fill(bench, buffers);
    memset(buffers[bench->output], 0, bytes);
    struct outcome interpreted = run_engine(bench, buffers, "interpreter", 1, expected);
    struct outcome compiled = run_engine(bench, buffers, "compiled", 1, got);
    must_equal(bench, got, expected);
    struct outcome two = run_engine(bench, buffers, "compiled", 2, got);
    must_equal(bench, got, expected);
    double millions = compiled.thread_instructions * 1e-6;
    printf("%-18s %10.0f M %10.0f M %8.2f x %8.2f x\n", bench->title,
           millions / interpreted.seconds, millions / compiled.seconds,
           interpreted.seconds / compiled.seconds, compiled.seconds / two.seconds);
    fflush(stdout);
    bench_free(buffers);
    free(expected);
    free(got);
}

int main(int argc, char **argv)
{
    printf("%-18s %12s %12s %10s %10s\n", "thread-insts/s", "interpreter", "compiled", "ratio",
           "2 threads");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (argc < 2 || !strcmp(argv[1], kernels[i].title)) show(&kernels[i]);
    return 0;
}
