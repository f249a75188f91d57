// SPDX-License-Identifier: Apache-2.0
#include "gpu_engines.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Grids that a GPU executes at once (CUDA programming guide: "Maximum number of resident grids per device", 128 from compute
 * capability 6.0 on but for a few). */
enum { GRIDS_MOST = 128 };

static struct engine {
    struct taken {
        double begin, end, share;
    } taken[GRIDS_MOST]; /* the latest */
    size_t count;
    double full_until; /* what is older than those has ended by then */
    double last_end;
} engines[ENGINES];

/* The first end after `at`. */
static double next_end(const struct engine *engine, double at)
{
    double found = INFINITY;
    for (size_t i = 0; i < engine->count; i++)
        if (engine->taken[i].end > at && engine->taken[i].end < found) found = engine->taken[i].end;
    return found;
}

static bool has_room(const struct engine *engine, double begin, double end, double share)
{
    const double rounding = 1e-9;
    double sum = share;
    for (size_t i = 0; i < engine->count; i++)
        if ((engine->taken[i].begin < end || engine->taken[i].begin <= begin) &&
            engine->taken[i].end > begin)
            sum += engine->taken[i].share;
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

static size_t first_to_end(const struct engine *engine)
{
    size_t first = 0;
    for (size_t i = 1; i < engine->count; i++)
        if (engine->taken[i].end < engine->taken[first].end) first = i;
    return first;
}

void engine_take(enum gpu_engine number, double begin, double end, double share)
{
    struct engine *engine = &engines[number];
    size_t at = engine->count;
    if (at == GRIDS_MOST) {
        at = first_to_end(engine);
        engine->full_until = fmax(engine->full_until, engine->taken[at].end);
    } else {
        engine->count++;
    }
    engine->taken[at] = (struct taken){begin, end, share};
    engine->last_end = fmax(engine->last_end, end);
}
