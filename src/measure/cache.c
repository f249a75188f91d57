// SPDX-License-Identifier: Apache-2.0
#include "measure/cache.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

struct cache_state {
    uint32_t words; /* written whole, of 4 bytes */
    uint8_t sectors, changed;
};

enum { SECTOR_WORDS = 8 };

void cache_init(struct cache *cache, uint64_t bytes, unsigned line_bytes, unsigned ways)
{
    *cache = (struct cache){.ways = ways ? ways : 1};
    uint64_t lines = bytes / line_bytes;
    if (!lines) return;
    if (lines < cache->ways) cache->ways = (unsigned)lines;
    cache->sets = lines / cache->ways;
    cache->by_sets = fixed_divisor_of(cache->sets);
    cache->lines = mem_zalloc(cache->sets * cache->ways, sizeof *cache->lines);
    cache->used = mem_zalloc(cache->sets * cache->ways, sizeof *cache->used);
    cache->states = mem_zalloc(cache->sets * cache->ways, sizeof *cache->states);
}

void cache_clear(struct cache *cache)
{
    mem_free(cache->lines);
    mem_free(cache->used);
    mem_free(cache->states);
    *cache = (struct cache){0};
}

static uint64_t set_of(const struct cache *cache, uint64_t line)
{
    uint64_t above = fixed_quotient(&cache->by_sets, line);
    uint64_t sum = line + above + fixed_quotient(&cache->by_sets, above);
    return fixed_remainder(&cache->by_sets, sum);
}

/* Is the line in its set, from `first` on? *out_place is where, or that of the least recently used one. */
static inline bool find(const struct cache *cache, uint64_t line, uint64_t first,
                        uint64_t *out_place)
{
    const uint64_t *lines = cache->lines + first, *used = cache->used + first;
    for (unsigned i = 0; i < cache->ways; i++) {
        if (lines[i] != line + 1) continue;
        *out_place = first + i;
        return true;
    }
    unsigned oldest = 0;
    for (unsigned i = 1; i < cache->ways; i++)
        if (used[i] < used[oldest]) oldest = i;
    *out_place = first + oldest;
    return false;
}

/* The state of a line, used now; one that is not there takes the place of the oldest, or (look) is NULL. */
static inline struct cache_state *use_line(struct cache *cache, uint64_t line, enum cache_use use)
{
    uint64_t place;
    bool is_there = find(cache, line, set_of(cache, line) * cache->ways, &place);
    cache->clock++;
    if (!is_there) {
        if (use == CACHE_LOOK) return NULL;
        cache->lines[place] = line + 1;
        cache->states[place] = (struct cache_state){0};
    }
    cache->used[place] = cache->clock;
    cache->touched = place;
    return &cache->states[place];
}

unsigned cache_access(struct cache *cache, uint64_t line, unsigned sectors, enum cache_use use)
{
    struct cache_state *state = cache->lines ? use_line(cache, line, use) : NULL;
    if (!state) return 0;
    unsigned hits = state->sectors & sectors;
    if (use == CACHE_ALLOCATE) state->sectors |= (uint8_t)sectors;
    return hits;
}

unsigned cache_store(struct cache *cache, uint64_t line, unsigned sectors, uint32_t words,
                     unsigned *out_clean)
{
    *out_clean = sectors;
    if (!cache->lines) return 0;
    struct cache_state *state = use_line(cache, line, CACHE_ALLOCATE);
    unsigned hits = state->sectors & sectors;
    *out_clean = sectors & ~(unsigned)state->changed;
    state->changed |= (uint8_t)sectors;
    state->words |= words;
    for (unsigned i = 0; i < 32 / SECTOR_WORDS; i++)
        if ((state->words >> SECTOR_WORDS * i & 0xff) == 0xff) state->sectors |= (uint8_t)(1u << i);
    return hits;
}
