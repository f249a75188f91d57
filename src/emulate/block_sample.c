// SPDX-License-Identifier: Apache-2.0
#include "emulate/block_sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Long runs show what neighbours share, many runs give narrow intervals: neighbours longer than one
 * block only where that leaves enough of them, and at most RUNS_MAX, whose counts are kept apart. */
enum { RUNS_FOR_PAIRS = 16, RUNS_FOR_FOURS = 64, RUNS_MAX = 4096 };
/* Runs of the grid in a stratum, at least: strata whose sizes differ by one run then have nearly equal
 * parts in the sample. */
enum { STRATUM_RUNS_LEAST = 64 };
/* Neighbours that are traced together, if so many are traced that clusters cover the grid. */
enum { CLUSTER_BLOCKS = 4 };
enum { DRAW_SAMPLE = 1, DRAW_TRACED = 2 };

/* ---- random numbers -------------------------------------------------------------------------- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t stream_begin(const uint32_t grid[3], uint64_t seed, unsigned purpose)
{
    uint64_t state = mix(seed + UINT64_C(0x9e3779b97f4a7c15));
    for (unsigned i = 0; i < 3; i++)
        state = mix(state ^ grid[i]);
    return mix(state ^ purpose);
}

/* From 0 to below - 1, all alike but for 2^-64 * below. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    __extension__ typedef unsigned __int128 wide;
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (uint64_t)((wide)mix(*state) * below >> 64);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* `count` different numbers below `below`, ascending (Floyd; Bentley, CACM 30, 1987). */
static void draw_several(uint64_t *state, uint64_t below, uint32_t count, uint64_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t last = below - count + i, chosen = draw(state, last + 1);
        for (uint32_t k = 0; k < i; k++)
            if (out[k] == chosen) {
                chosen = last;
                break;
            }
        out[i] = chosen;
    }
    qsort(out, count, sizeof *out, compare_numbers);
}

/* ---- traced blocks --------------------------------------------------------------------------- */

static uint64_t blocks_of(const uint32_t grid[3])
{
    return (uint64_t)grid[0] * grid[1] * grid[2];
}

static uint64_t part(uint64_t all, uint64_t i, uint64_t parts)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)all * i / parts);
}

uint32_t block_sample_traced(const uint32_t grid[3], uint64_t seed, uint32_t want,
                             uint64_t **out_blocks)
{
    uint64_t all = blocks_of(grid), state = stream_begin(grid, seed, DRAW_TRACED);
    uint32_t count = all < want ? (uint32_t)all : want, at = 0;
    uint64_t *blocks = *out_blocks = mem_zalloc((size_t)count + 1, sizeof *blocks);
    for (; count == all && at < count; at++)
        blocks[at] = at;
    if (count == all) return at;
    /* At least four places in the grid; then clusters as long as may be. */
    uint32_t length =
        count / CLUSTER_BLOCKS < CLUSTER_BLOCKS ? count / CLUSTER_BLOCKS : CLUSTER_BLOCKS;
    uint32_t clusters = count / (length ? length : 1);
    for (uint32_t i = 0; i < clusters; i++) {
        uint64_t first = part(all, i, clusters), width = part(all, i + 1, clusters) - first;
        uint32_t size = count / clusters + (i < count % clusters);
        if (size > width) size = (uint32_t)width;
        first += draw(&state, width - size + 1);
        for (uint32_t k = 0; k < size; k++)
            blocks[at++] = first + k;
    }
    return at;
}

/* ---- the sample ------------------------------------------------------------------------------ */

static uint32_t run_length(uint64_t wanted)
{
    if (wanted < 2 * RUNS_FOR_PAIRS) return 1;
    if (wanted < 4 * RUNS_FOR_FOURS) return 2;
    uint64_t length = (wanted + RUNS_MAX - 1) / RUNS_MAX;
    return length < 4 ? 4 : (uint32_t)length;
}

static void plan_strata(struct block_sample *s, uint64_t all, double effort)
{
    double wanted = effort * (double)all;
    uint64_t blocks = wanted < 1 ? 1 : (uint64_t)(wanted + 0.5);
    s->run_blocks = run_length(blocks);
    s->grid_runs = all / s->run_blocks;
    uint64_t runs = (blocks + s->run_blocks / 2) / s->run_blocks;
    if (runs > s->grid_runs) runs = s->grid_runs;
    uint64_t each = (uint64_t)((double)STRATUM_RUNS_LEAST * (double)runs / (double)s->grid_runs);
    if (each < 2) each = 2;
    if (each > runs) each = runs;
    s->strata = (uint32_t)(runs / each);
    s->stratum_runs = (uint32_t)(runs / s->strata);
    s->run_count = s->strata * s->stratum_runs;
}

struct drawn_run {
    uint64_t first; /* block */
    uint32_t number;
};

static int compare_runs(const void *a, const void *b)
{
    const struct drawn_run *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* The strata begin anywhere in the grid, and so do the runs as far as their number leaves blocks
 * over: each block is drawn with the same probability. */
static struct drawn_run *draw_runs(const struct block_sample *s, uint64_t all, uint64_t state)
{
    struct drawn_run *runs = mem_zalloc(s->run_count, sizeof *runs);
    uint64_t *chosen = mem_zalloc(s->stratum_runs, sizeof *chosen);
    uint64_t turn = draw(&state, s->grid_runs);
    uint64_t offset = draw(&state, all - s->grid_runs * s->run_blocks + 1);
    for (uint32_t h = 0; h < s->strata; h++) {
        uint64_t first = part(s->grid_runs, h, s->strata);
        draw_several(&state, part(s->grid_runs, h + 1, s->strata) - first, s->stratum_runs, chosen);
        for (uint32_t i = 0; i < s->stratum_runs; i++) {
            uint64_t run = (first + chosen[i] + turn) % s->grid_runs;
            uint32_t number = h * s->stratum_runs + i;
            runs[number] = (struct drawn_run){offset + run * s->run_blocks, number};
        }
    }
    qsort(runs, s->run_count, sizeof *runs, compare_runs);
    mem_free(chosen);
    return runs;
}

static void add_block(struct block_sample *s, uint64_t block, uint32_t run)
{
    s->blocks[s->executed] = block;
    s->runs[s->executed++] = run;
}

/* Both in ascending order; a block of both is one of the sample. */
static void merge(struct block_sample *s, const struct drawn_run *runs, const uint64_t *traced,
                  uint32_t traced_count)
{
    uint64_t most = (uint64_t)s->run_count * s->run_blocks + traced_count;
    uint32_t t = 0;
    s->blocks = mem_zalloc(most, sizeof *s->blocks);
    s->runs = mem_zalloc(most, sizeof *s->runs);
    for (uint32_t i = 0; i < s->run_count; i++) {
        for (; t < traced_count && traced[t] < runs[i].first; t++)
            add_block(s, traced[t], BLOCK_NO_RUN);
        for (uint32_t k = 0; k < s->run_blocks; k++)
            add_block(s, runs[i].first + k, runs[i].number);
        while (t < traced_count && traced[t] < runs[i].first + s->run_blocks)
            t++;
    }
    for (; t < traced_count; t++)
        add_block(s, traced[t], BLOCK_NO_RUN);
}

static void find_units(struct block_sample *s)
{
    s->units = mem_zalloc(s->executed + 1, sizeof *s->units);
    for (uint64_t i = 0; i < s->executed; i++)
        if (!i || s->runs[i] == BLOCK_NO_RUN || s->runs[i] != s->runs[i - 1])
            s->units[s->unit_count++] = i;
    s->units[s->unit_count] = s->executed;
}

struct block_sample *block_sample_create(const uint32_t grid[3], double effort, uint64_t seed,
                                         uint32_t traced)
{
    uint64_t all = blocks_of(grid), *traced_blocks;
    if (!(effort > 0 && effort < 1) || all < 2) return NULL;
    struct block_sample *s = mem_zalloc(1, sizeof *s);
    plan_strata(s, all, effort);
    struct drawn_run *runs = draw_runs(s, all, stream_begin(grid, seed, DRAW_SAMPLE));
    uint32_t count = block_sample_traced(grid, seed, traced, &traced_blocks);
    merge(s, runs, traced_blocks, count);
    find_units(s);
    mem_free(runs);
    mem_free(traced_blocks);
    if (s->executed < all) return s;
    block_sample_destroy(s);
    return NULL;
}

void block_sample_destroy(struct block_sample *sample)
{
    if (!sample) return;
    mem_free(sample->blocks);
    mem_free(sample->runs);
    mem_free(sample->units);
    mem_free(sample);
}

uint32_t block_sample_run(const struct block_sample *sample, uint64_t block)
{
    uint64_t low = 0, high = sample->executed;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sample->blocks[middle] < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sample->executed && sample->blocks[low] == block ? sample->runs[low]
                                                                  : BLOCK_NO_RUN;
}
