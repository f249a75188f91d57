// SPDX-License-Identifier: Apache-2.0
#include "gpu_engines.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Grids that a GPU executes at once (CUDA programming guide: "Maximum number of resident grids per device", 128 from compute
 * capability 6.0 on but for a few). */
enum { GRIDS_MOST = 128 };

struct taken {
    double begin, end, share;
};

/* Most work ends behind all that was before: lists are by end, and gone through from behind. */
static struct engine {
    struct taken taken[GRIDS_MOST]; /* the latest: a ring that begins at `first` */
    size_t first, count;
    double full_until; /* what is older than those has ended by then */
    double last_end;
} engines[ENGINES];

static size_t place(const struct engine *engine, size_t i)
{
    return (engine->first + i) % GRIDS_MOST;
}

/* How many end by then: those behind them end later. */
static size_t count_ended(const struct engine *engine, double at)
{
    size_t ended = engine->count;
    while (ended && engine->taken[place(engine, ended - 1)].end > at)
        ended--;
    return ended;
}

/* The first end after `at`. */
static double next_end(const struct engine *engine, double at)
{
    size_t ended = count_ended(engine, at);
    return ended < engine->count ? engine->taken[place(engine, ended)].end : INFINITY;
}

static bool has_room(const struct engine *engine, double begin, double end, double share)
{
    const double rounding = 1e-9;
    double sum = share;
    for (size_t i = count_ended(engine, begin); i < engine->count; i++) {
        const struct taken *one = &engine->taken[place(engine, i)];
        if (one->begin < end || one->begin <= begin) sum += one->share;
    }
    return sum <= 1 + rounding;
}

double engine_begin(enum gpu_engine number, double ready, double seconds, double share)
{
    const struct engine *engine = &engines[number];
    double begin = fmax(ready, number == ENGINE_KERNELS ? engine->full_until : engine->last_end);
    while (!has_room(engine, begin, begin + seconds, share))
        begin = next_end(engine, begin);
    return begin;
}

static void drop_first(struct engine *engine)
{
    engine->full_until = fmax(engine->full_until, engine->taken[engine->first].end);
    engine->first = place(engine, 1);
    engine->count--;
}

void engine_take(enum gpu_engine number, double begin, double end, double share)
{
    struct engine *engine = &engines[number];
    if (engine->count == GRIDS_MOST) drop_first(engine);
    size_t at = count_ended(engine, end);
    for (size_t i = engine->count++; i > at; i--)
        engine->taken[place(engine, i)] = engine->taken[place(engine, i - 1)];
    engine->taken[place(engine, at)] = (struct taken){begin, end, share};
    engine->last_end = fmax(engine->last_end, end);
}
