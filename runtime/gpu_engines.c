// SPDX-License-Identifier: Apache-2.0
#include "gpu_engines.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Waves of a kernel that are told apart: of more, the kernel is cut into as many parts of equal length. What kernels that share
 * units slow each other down by is found in as many steps. A guess. */
enum { WAVES_MOST = 16 };

/* Grids that a GPU executes at once (CUDA programming guide: "Maximum number of resident grids per device", 128 from compute
 * capability 6.0 on but for a few). */
enum { GRIDS_MOST = 128 };

/* Waves, or parts of one, that are followed; older ones have ended. */
enum { TAKEN_MOST = 512, PARTS_MOST = 4 * WAVES_MOST };

static const double rounding = 1e-9;

struct taken {
    double begin, end, share;
};

/* Most work ends behind all that was before: lists are by end, and gone through from behind. */
static struct engine {
    struct taken taken[TAKEN_MOST]; /* the latest: a ring that begins at `first` */
    size_t first, count;
    double full_until; /* what is older than those has ended by then */
    double last_end;
} engines[ENGINES];

/* A kernel on its way: parts of it have their places. */
struct grid {
    const struct engine *engine;
    double share, piece; /* of the GPU, at most, and seconds of a wave */
    struct taken parts[PARTS_MOST];
    size_t count;
};

static const struct taken *taken_at(const struct engine *engine, size_t i)
{
    return &engine->taken[(engine->first + i) % TAKEN_MOST];
}

/* How many end by then: those behind them end later. */
static size_t count_ended(const struct engine *engine, double at)
{
    size_t ended = engine->count;
    while (ended && taken_at(engine, ended - 1)->end > at)
        ended--;
    return ended;
}

/* What is taken at a time: all, and by this kernel. */
struct use {
    double share, own;
    size_t parts;
};

static void add_use(struct use *use, const struct taken *one, double at, bool is_own)
{
    if (one->begin > at || one->end <= at) return;
    use->share += one->share;
    use->own += is_own ? one->share : 0;
    use->parts++;
}

static struct use use_at(const struct grid *grid, double at)
{
    struct use use = {0};
    for (size_t i = count_ended(grid->engine, at); i < grid->engine->count; i++)
        add_use(&use, taken_at(grid->engine, i), at, false);
    for (size_t i = 0; i < grid->count; i++)
        add_use(&use, &grid->parts[i], at, true);
    return use;
}

static double least_room(const struct grid *grid, double at, double least)
{
    struct use use = use_at(grid, at);
    double room = use.parts < GRIDS_MOST ? fmin(1 - use.share, grid->share - use.own) : 0;
    return fmin(least, room);
}

/* Room for a wave that begins at a time, until it ends: it shrinks where others begin. */
static double room_from(const struct grid *grid, double at)
{
    double room = least_room(grid, at, 1);
    for (size_t i = count_ended(grid->engine, at); i < grid->engine->count && room > rounding;
         i++) {
        const struct taken *one = taken_at(grid->engine, i);
        if (one->begin > at && one->begin < at + grid->piece)
            room = least_room(grid, one->begin, room);
    }
    return room;
}

/* The first end after `at`: there may be room then. */
static double next_end(const struct grid *grid, double at)
{
    size_t ended = count_ended(grid->engine, at);
    double next = ended < grid->engine->count ? taken_at(grid->engine, ended)->end : INFINITY;
    for (size_t i = 0; i < grid->count; i++)
        if (grid->parts[i].end > at) next = fmin(next, grid->parts[i].end);
    return next;
}

/* A wave that follows one of the same size makes one of both. */
static void add_part(struct grid *grid, double begin, double share)
{
    for (size_t i = 0; i < grid->count; i++) {
        struct taken *one = &grid->parts[i];
        if (fabs(one->end - begin) > rounding * grid->piece || fabs(one->share - share) > rounding)
            continue;
        one->end = begin + grid->piece;
        return;
    }
    grid->parts[grid->count++] = (struct taken){begin, begin + grid->piece, share};
}

/* What is left when there are too many parts comes after all others, with all that the kernel can have. */
static void add_rest(struct grid *grid, double rest)
{
    double begin = grid->engine->last_end;
    for (size_t i = 0; i + 1 < grid->count; i++)
        begin = fmax(begin, grid->parts[i].end);
    grid->parts[grid->count++] =
        (struct taken){begin, begin + rest / grid->share * grid->piece, grid->share};
}

static void place_waves(struct grid *grid, double ready, double rest)
{
    for (double at = ready; rest > rounding; at = next_end(grid, at)) {
        double share = fmin(room_from(grid, at), rest);
        if (share <= rounding) continue;
        if (grid->count + 1 == PARTS_MOST) {
            add_rest(grid, rest);
            return;
        }
        add_part(grid, at, share);
        rest -= share;
    }
}

static void take(struct engine *engine, const struct taken *one)
{
    if (engine->count == TAKEN_MOST) {
        engine->full_until = fmax(engine->full_until, engine->taken[engine->first].end);
        engine->first = (engine->first + 1) % TAKEN_MOST;
        engine->count--;
    }
    size_t at = count_ended(engine, one->end);
    for (size_t i = engine->count++; i > at; i--)
        engine->taken[(engine->first + i) % TAKEN_MOST] = *taken_at(engine, i - 1);
    engine->taken[(engine->first + at) % TAKEN_MOST] = *one;
    engine->last_end = fmax(engine->last_end, one->end);
}

static struct grid grid_of(const struct engine *engine, double seconds, struct grid_demand demand,
                           double *out_rest)
{
    const double least = 1e-6; /* of what is unknown or next to nothing */
    double places = fmax(fmin(demand.waves, 1), least), busy = fmin(demand.busy, 1);
    double waves = fmax(ceil(demand.waves - rounding), 1);
    if (busy > places || waves > WAVES_MOST) waves = WAVES_MOST;
    struct grid grid = {.engine = engine, .share = fmax(places, busy), .piece = seconds / waves};
    *out_rest = grid.share * waves;
    if (demand.waves > 1 && busy <= places) /* the last wave may leave places free */
        *out_rest = demand.waves * waves / ceil(demand.waves - rounding);
    return grid;
}

double engine_free(enum gpu_engine number, double ready)
{
    return fmax(ready, engines[number].last_end);
}

struct gpu_span engine_run(enum gpu_engine number, double ready, double seconds,
                           struct grid_demand demand)
{
    struct engine *engine = &engines[number];
    double rest;
    struct grid grid = grid_of(engine, seconds, demand, &rest);
    bool is_kernel = number == ENGINE_KERNELS;
    ready = fmax(ready, is_kernel ? engine->full_until : engine->last_end);
    if (!(seconds > 0)) return (struct gpu_span){ready, ready};
    place_waves(&grid, ready, rest);
    struct gpu_span span = {INFINITY, ready};
    for (size_t i = 0; i < grid.count; i++) {
        span.begin = fmin(span.begin, grid.parts[i].begin);
        span.end = fmax(span.end, grid.parts[i].end);
        take(engine, &grid.parts[i]);
    }
    return span;
}
