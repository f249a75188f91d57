// SPDX-License-Identifier: Apache-2.0
/* How far an access moves in global memory from a block to the next in x, y and z. What most kernels
 * compute from the block's index is linear in it, and the traced blocks tell: neighbours have the stride
 * in x, the others those in y and z, and all must agree. */
#include <stdlib.h>
#include <string.h>

#include "measure/trace.h"

/* Steps that are looked at, of all traced blocks: the beginning of each warp (a guess: enough for the first
 * iterations of its loops). */
enum { STEPS_MAX = 1 << 20, STEPS_LEAST = 256, DIMENSIONS = 3, ALL_KNOWN = 7, STRIDES_MAX = 4096 };
/* Nor at launches that have more: memory stays bounded. */
enum { VISITS_MAX = 1 << 22 };

/* What a warp of a block does at a site. */
struct visit {
    uint64_t first, sum; /* addresses of global memory */
    uint64_t look;       /* of the patterns, one after the other */
    uint32_t pattern, count;
};

struct guess {
    int64_t by[DIMENSIONS];
    unsigned known, learned, checks;
    bool is_refuted, is_used;
};

struct finder {
    const struct trace *trace;
    struct visit *visits;  /* [block][site], of one warp */
    struct guess *guesses; /* by site */
    int64_t (*places)[DIMENSIONS];
};

/* ---- what blocks do -------------------------------------------------------------------------- */

static void add_access(struct visit *visit, const struct trace_access *access)
{
    if (!visit->count) {
        visit->first = access->base;
        visit->pattern = access->pattern;
    }
    visit->look = (visit->look ^ access->pattern) * UINT64_C(0x9e3779b97f4a7c15);
    visit->sum += access->base;
    visit->count++;
}

static void walk(struct finder *f, struct trace_cursor *cursor, uint32_t block, uint64_t limit)
{
    struct visit *visits = f->visits + (size_t)block * f->trace->site_count;
    struct trace_step step;
    for (uint64_t i = 0; i < limit && trace_cursor_next(cursor, &step); i++)
        for (uint32_t k = 0; k < step.access_count; k++)
            if (f->trace->patterns[step.accesses[k].pattern].space == SPACE_GLOBAL) {
                uint32_t site = f->trace->insns[step.insn].site;
                f->guesses[site].is_used = true;
                add_access(&visits[site], &step.accesses[k]);
            }
}

static void walk_warp(struct finder *f, struct trace_cursor *cursor, uint32_t warp)
{
    const struct trace *trace = f->trace;
    uint64_t limit = STEPS_MAX / ((uint64_t)trace->block_count * trace->head.warps_per_block);
    if (limit < STEPS_LEAST) limit = STEPS_LEAST;
    memset(f->visits, 0, (size_t)trace->block_count * trace->site_count * sizeof *f->visits);
    for (uint32_t i = 0; i < trace->block_count; i++) {
        if (!trace->blocks[i].warps[warp].step_count) continue;
        trace_cursor_begin(cursor, trace, &trace->blocks[i], warp);
        walk(f, cursor, i, limit);
    }
}

/* ---- what follows from it -------------------------------------------------------------------- */

static const struct visit *visit_of(const struct finder *f, uint32_t block, uint32_t site)
{
    return &f->visits[(size_t)block * f->trace->site_count + site];
}

/* Both there, with the same lanes: addresses are of the same lane. */
static bool are_like(const struct visit *a, const struct visit *b)
{
    return a->count && b->count && a->pattern == b->pattern;
}

/* By which known strides two blocks differ; false: also by others than `but`. */
static bool known_part(const struct finder *f, const struct guess *guess, uint32_t from,
                       uint32_t to, unsigned but, uint64_t *out)
{
    *out = 0;
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        int64_t steps = f->places[to][d] - f->places[from][d];
        if (d == but || !steps) continue;
        if (!(guess->known >> d & 1)) return false;
        *out += (uint64_t)steps * (uint64_t)guess->by[d];
    }
    return true;
}

/* From two blocks that differ in dimension d, and in others whose strides are known. */
static bool learn_from(const struct finder *f, struct guess *guess, uint32_t site, unsigned d,
                       uint32_t from, uint32_t to)
{
    const struct visit *a = visit_of(f, from, site), *b = visit_of(f, to, site);
    int64_t steps = f->places[to][d] - f->places[from][d];
    uint64_t known;
    if (!steps || !are_like(a, b) || !known_part(f, guess, from, to, d, &known)) return false;
    int64_t moved = (int64_t)(b->first - a->first - known);
    if (steps < 0) {
        steps = -steps;
        moved = (int64_t) - (uint64_t)moved;
    }
    guess->is_refuted = moved % steps != 0;
    guess->by[d] = moved / steps;
    guess->known |= 1u << d;
    guess->learned++;
    return true;
}

static void learn(const struct finder *f, struct guess *guess, uint32_t site, unsigned d)
{
    for (uint32_t to = 1; to < f->trace->block_count; to++)
        for (uint32_t from = visit_of(f, to, site)->count ? to : 0; from-- > 0;)
            if (learn_from(f, guess, site, d, from, to)) return;
}

static void check(const struct finder *f, struct guess *guess, uint32_t site, uint32_t from,
                  uint32_t to)
{
    const struct visit *a = visit_of(f, from, site), *b = visit_of(f, to, site);
    uint64_t moved;
    if (!known_part(f, guess, from, to, DIMENSIONS, &moved)) return;
    bool is_alike = a->count == b->count && a->look == b->look;
    guess->checks++;
    if (b->first - a->first != moved || (is_alike && b->sum - a->sum != moved * a->count))
        guess->is_refuted = true;
}

/* Against the block before and the first of those that are like it. */
static void check_all(const struct finder *f, struct guess *guess, uint32_t site)
{
    for (uint32_t to = 1; to < f->trace->block_count && !guess->is_refuted; to++) {
        uint32_t first = 0, before = to;
        while (first < to && !are_like(visit_of(f, first, site), visit_of(f, to, site)))
            first++;
        if (first == to) continue;
        check(f, guess, site, first, to);
        while (!are_like(visit_of(f, --before, site), visit_of(f, to, site))) {
        }
        if (before != first) check(f, guess, site, before, to);
    }
}

static void conclude(struct finder *f)
{
    for (uint32_t site = 0; site < f->trace->site_count; site++) {
        struct guess *guess = &f->guesses[site];
        for (unsigned d = 0; d < DIMENSIONS && !guess->is_refuted; d++)
            if (!(guess->known >> d & 1)) learn(f, guess, site, d);
        if (!guess->is_refuted) check_all(f, guess, site);
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* More was found than is needed to learn it: chance is not enough. */
static bool is_certain(const struct guess *guess)
{
    return !guess->is_refuted && guess->known == ALL_KNOWN && guess->checks > guess->learned;
}

static uint32_t number_of(struct trace *trace, const struct guess *guess)
{
    for (uint32_t i = 1; i < trace->stride_count; i++)
        if (!memcmp(trace->strides[i], guess->by, sizeof guess->by)) return i;
    if (trace->stride_count == STRIDES_MAX) return 0;
    memcpy(trace->strides[trace->stride_count], guess->by, sizeof guess->by);
    return trace->stride_count++;
}

static void begin(struct finder *f)
{
    const struct trace *trace = f->trace;
    const uint32_t *grid = trace->head.grid;
    unsigned given = 0;
    for (unsigned d = 0; d < DIMENSIONS; d++)
        if (grid[d] <= 1) given |= 1u << d;
    for (uint32_t i = 0; i < trace->site_count; i++)
        f->guesses[i].known = given;
    for (uint32_t i = 0; i < trace->block_count; i++)
        trace_place(trace, trace->blocks[i].index, f->places[i]);
}

void trace_place(const struct trace *trace, uint64_t block, int64_t out[3])
{
    const uint32_t *grid = trace->head.grid;
    out[0] = (int64_t)(block % grid[0]);
    out[1] = (int64_t)(block / grid[0] % grid[1]);
    out[2] = (int64_t)(block / grid[0] / grid[1]);
}

void trace_find_strides(struct trace *trace)
{
    struct finder f = {.trace = trace};
    struct trace_cursor cursor = {0};
    if ((uint64_t)trace->block_count * trace->site_count > VISITS_MAX) return;
    f.visits = mem_alloc(((size_t)trace->block_count * trace->site_count + 1) * sizeof *f.visits);
    f.guesses = mem_zalloc(trace->site_count + 1u, sizeof *f.guesses);
    f.places = mem_alloc((trace->block_count + 1u) * sizeof *f.places);
    begin(&f);
    for (uint32_t warp = 0; warp < trace->head.warps_per_block; warp++) {
        walk_warp(&f, &cursor, warp);
        conclude(&f);
    }
    uint32_t most = trace->site_count < STRIDES_MAX ? trace->site_count : STRIDES_MAX;
    trace->site_strides = ARENA_ARRAY(&trace->arena, uint32_t, trace->site_count + 1u);
    trace->strides = arena_alloc(&trace->arena, (most + 1u) * sizeof *trace->strides);
    memset(trace->strides, 0, (most + 1u) * sizeof *trace->strides);
    trace->stride_count = 1;
    trace->is_linear = true;
    for (uint32_t i = 0; i < trace->site_count; i++) {
        if (is_certain(&f.guesses[i])) trace->site_strides[i] = number_of(trace, &f.guesses[i]);
        if (f.guesses[i].is_used && !trace->site_strides[i]) trace->is_linear = false;
    }
    trace_cursor_clear(&cursor);
    mem_free(f.visits);
    mem_free(f.guesses);
    mem_free(f.places);
}
