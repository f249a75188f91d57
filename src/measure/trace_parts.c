// SPDX-License-Identifier: Apache-2.0
/* Which traced block stands for which block of the grid. */
#include <math.h>
#include <string.h>

#include "measure/measure_sample.h"
#include "measure/trace.h"

/* Blocks count as alike within this part of their instructions. A guess: it is below what any model
 * can tell, and above the differences of blocks at the rim of a grid. */
static const double ALIKE = 1.0 / 64;

bool trace_is_work_alike(double a, double b)
{
    return fabs(a - b) <= ALIKE * fmax(a, b);
}

bool trace_alike(const struct trace *trace, uint32_t a, uint32_t b)
{
    return trace_is_work_alike((double)trace->blocks[a].work, (double)trace->blocks[b].work);
}

uint32_t trace_cluster(const struct trace *trace, uint32_t block, uint32_t *out_count)
{
    uint32_t first = block, end = block + 1;
    while (first && trace->blocks[first - 1].index + 1 == trace->blocks[first].index)
        first--;
    while (end < trace->block_count && trace->blocks[end - 1].index + 1 == trace->blocks[end].index)
        end++;
    *out_count = end - first;
    return first;
}

uint32_t trace_stand_in(const struct trace *trace, uint64_t block)
{
    if (!trace->part_count) return (uint32_t)(block % trace->block_count);
    uint64_t part = block / trace->part_blocks, offset = block % trace->part_blocks;
    if (part >= trace->part_count) part = trace->part_count - 1u;
    uint32_t chosen = trace->stand_ins[part], count, first = trace_cluster(trace, chosen, &count);
    uint32_t turned = first + (uint32_t)((chosen - first + offset) % count);
    return trace_alike(trace, chosen, turned) ? turned : chosen;
}

double trace_mean_work(const struct trace *trace)
{
    const uint32_t *grid = trace->head.grid;
    uint64_t left = (uint64_t)grid[0] * grid[1] * grid[2];
    double blocks = (double)left, sum = 0;
    for (uint32_t i = 0; i < trace->part_count; i++) {
        uint64_t of_part = left < trace->part_blocks ? left : trace->part_blocks;
        sum += (double)trace->work[i] * (double)of_part;
        left -= of_part;
    }
    return blocks > 0 ? sum / blocks : 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* The choice for one part after the other: what parts with the same work have in common is kept. */
struct chooser {
    const struct trace *trace;
    double work;
    uint32_t *fitting, fitting_count; /* traced blocks that are nearest in work */
    uint32_t at;                      /* of those the nearest in the grid */
    uint32_t *alike, alike_count;     /* neighbours of `at` that are alike */
    uint32_t alike_of;                /* of which traced block they are; UINT32_MAX: none */
};

static void chooser_init(struct chooser *chooser, const struct trace *trace)
{
    *chooser = (struct chooser){.trace = trace, .work = NAN, .alike_of = UINT32_MAX};
    chooser->fitting = mem_alloc((trace->block_count + 1u) * sizeof *chooser->fitting);
    chooser->alike = mem_alloc((trace->block_count + 1u) * sizeof *chooser->alike);
}

static void chooser_clear(struct chooser *chooser)
{
    mem_free(chooser->fitting);
    mem_free(chooser->alike);
}

static void find_fitting(struct chooser *chooser, double work)
{
    const struct trace *trace = chooser->trace;
    double least = INFINITY;
    chooser->work = work;
    chooser->at = chooser->fitting_count = 0;
    for (uint32_t i = 0; i < trace->block_count; i++)
        least = fmin(least, fabs((double)trace->blocks[i].work - work));
    for (uint32_t i = 0; i < trace->block_count; i++)
        if (fabs((double)trace->blocks[i].work - work) <= least + ALIKE * work)
            chooser->fitting[chooser->fitting_count++] = i;
}

static void find_alike(struct chooser *chooser, uint32_t nearest)
{
    uint32_t count, first = trace_cluster(chooser->trace, nearest, &count);
    chooser->alike_of = nearest;
    chooser->alike_count = 0;
    for (uint32_t i = first; i < first + count; i++)
        if (trace_alike(chooser->trace, i, nearest)) chooser->alike[chooser->alike_count++] = i;
}

/* Nearest in work, of those that are alike the nearest in the grid; of its neighbours that are alike,
 * one after the other. Parts come in ascending order, as traced blocks lie. */
static uint32_t choose(struct chooser *chooser, uint64_t block, double work)
{
    const struct trace_block *blocks = chooser->trace->blocks;
    if (work != chooser->work) find_fitting(chooser, work);
    const uint32_t *fitting = chooser->fitting;
    if (!chooser->fitting_count) return 0;
    while (chooser->at + 1 < chooser->fitting_count &&
           distance(blocks[fitting[chooser->at + 1]].index, block) <
               distance(blocks[fitting[chooser->at]].index, block))
        chooser->at++;
    uint32_t nearest = fitting[chooser->at];
    if (blocks[nearest].index == block) return nearest;
    if (nearest != chooser->alike_of) find_alike(chooser, nearest);
    return chooser->alike_count ? chooser->alike[block % chooser->alike_count] : nearest;
}

/* The grid in tiles, as far as they go square, with a few executed blocks in each on average. */
struct tiles {
    uint64_t width, height; /* of a tile, in blocks */
    uint64_t grid_width, across, count;
    uint32_t *first, *executed; /* by tile, of executed: parts; [count + 1] */
};

static uint64_t tile_of(const struct tiles *tiles, uint64_t block)
{
    uint64_t x = block % tiles->grid_width, row = block / tiles->grid_width;
    return row / tiles->height * tiles->across + x / tiles->width;
}

static void set_tiles(struct tiles *tiles, const struct trace *trace, uint32_t executed)
{
    enum { DONORS = 3 };
    const uint32_t *grid = trace->head.grid;
    double rows = (double)grid[1] * grid[2], area = DONORS * grid[0] * rows / executed;
    tiles->grid_width = grid[0];
    tiles->width = (uint64_t)ceil(fmin(grid[0], fmax(sqrt(area), area / rows)));
    tiles->height = (uint64_t)ceil(fmin(rows, area / (double)tiles->width));
    tiles->across = (grid[0] + tiles->width - 1) / tiles->width;
    tiles->count = tiles->across * (((uint64_t)rows + tiles->height - 1) / tiles->height);
}

/* Executed parts by tile. */
static void fill_tiles(struct tiles *tiles, const struct trace *trace, const struct grid_work *work,
                       uint32_t executed)
{
    set_tiles(tiles, trace, executed);
    tiles->first = mem_zalloc(tiles->count + 2, sizeof *tiles->first);
    tiles->executed = mem_alloc((executed + 1u) * sizeof *tiles->executed);
    for (uint32_t i = 0; i < work->entry_count; i++)
        if (work->blocks[i]) tiles->first[tile_of(tiles, i * trace->part_blocks) + 2]++;
    for (uint64_t i = 2; i < tiles->count + 2; i++)
        tiles->first[i] += tiles->first[i - 1];
    for (uint32_t i = 0; i < work->entry_count; i++)
        if (work->blocks[i])
            tiles->executed[tiles->first[tile_of(tiles, i * trace->part_blocks) + 1]++] = i;
}

/* One of the part's tile, or of the next that has any, by a hash of the part. */
static uint32_t choose_donor(const struct tiles *tiles, uint64_t block, uint32_t part)
{
    uint64_t tile = tile_of(tiles, block),
             hash = ((uint64_t)part + 1) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
    for (uint64_t i = 0; i < tiles->count; i++, tile = (tile + 1) % tiles->count) {
        uint32_t first = tiles->first[tile], count = tiles->first[tile + 1] - first;
        if (count) return tiles->executed[first + (uint32_t)((hash >> 32) * count >> 32)];
    }
    return part;
}

/* Parts without executed blocks have the work of one at random of those near them (hot deck): so they differ from
 * each other as those do. Were each as the nearest of all, every SM would have the mean. */
static void set_work(struct trace *trace, const struct grid_work *work)
{
    struct tiles tiles;
    uint32_t executed = 0;
    for (uint32_t i = 0; i < work->entry_count; i++)
        executed += work->blocks[i] > 0;
    if (!executed) return;
    fill_tiles(&tiles, trace, work, executed);
    for (uint32_t i = 0; i < work->entry_count; i++) {
        uint32_t from = work->blocks[i] ? i : choose_donor(&tiles, i * trace->part_blocks, i);
        trace->work[i] = (float)((double)work->sums[from] / (double)work->blocks[from]);
    }
    mem_free(tiles.first);
    mem_free(tiles.executed);
}

void trace_set_parts(struct trace *trace, const struct grid_work *work)
{
    trace->part_blocks = work->blocks_per_entry;
    trace->part_count = work->entry_count;
    trace->work = ARENA_ARRAY(&trace->arena, float, work->entry_count + 1u);
    trace->stand_ins = ARENA_ARRAY(&trace->arena, uint32_t, work->entry_count + 1u);
    set_work(trace, work);
    struct chooser chooser;
    chooser_init(&chooser, trace);
    for (uint32_t i = 0; i < work->entry_count; i++)
        trace->stand_ins[i] = choose(&chooser, i * work->blocks_per_entry, trace->work[i]);
    chooser_clear(&chooser);
    trace_find_strides(trace);
}
