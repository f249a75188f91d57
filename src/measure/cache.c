// SPDX-License-Identifier: Apache-2.0
#include "measure/cache.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"

struct cache_way {
    uint64_t line, used; /* used 0: empty */
    uint32_t sectors, changed;
    uint32_t words; /* written whole, of 4 bytes */
};

enum { SECTOR_WORDS = 8 };

void cache_init(struct cache *cache, uint64_t bytes, unsigned line_bytes, unsigned ways)
{
    *cache = (struct cache){.ways = ways ? ways : 1};
    uint64_t lines = bytes / line_bytes;
    if (!lines) return;
    if (lines < cache->ways) cache->ways = (unsigned)lines;
    cache->sets = lines / cache->ways;
    cache->lines = mem_zalloc(cache->sets * cache->ways, sizeof *cache->lines);
}

void cache_clear(struct cache *cache)
{
    mem_free(cache->lines);
    *cache = (struct cache){0};
}

static uint64_t set_of(const struct cache *cache, uint64_t line)
{
    uint64_t above = line / cache->sets;
    return (line + above + above / cache->sets) % cache->sets;
}

/* The way of a line, or the least recently used one of its set. */
static inline struct cache_way *search(const struct cache *cache, uint64_t line, bool *out_is_there)
{
    struct cache_way *set = cache->lines + set_of(cache, line) * cache->ways, *oldest = set;
    *out_is_there = true;
    for (unsigned i = 0; i < cache->ways; i++) {
        struct cache_way *way = &set[i];
        if (way->used && way->line == line) return way;
        if (way->used < oldest->used) oldest = way;
    }
    *out_is_there = false;
    return oldest;
}

/* The way of a line, used now; one that is not there takes the place of the oldest, or (look) is NULL. */
static inline struct cache_way *use_way(struct cache *cache, uint64_t line, enum cache_use use)
{
    bool is_there;
    struct cache_way *way = search(cache, line, &is_there);
    cache->clock++;
    if (!is_there) {
        if (use == CACHE_LOOK) return NULL;
        *way = (struct cache_way){.line = line};
    }
    way->used = cache->clock;
    cache->touched = (uint64_t)(way - cache->lines);
    return way;
}

unsigned cache_access(struct cache *cache, uint64_t line, unsigned sectors, enum cache_use use)
{
    struct cache_way *way = cache->lines ? use_way(cache, line, use) : NULL;
    if (!way) return 0;
    unsigned hits = way->sectors & sectors;
    if (use == CACHE_ALLOCATE) way->sectors |= sectors;
    return hits;
}

unsigned cache_store(struct cache *cache, uint64_t line, unsigned sectors, uint32_t words,
                     unsigned *out_clean)
{
    *out_clean = sectors;
    if (!cache->lines) return 0;
    struct cache_way *way = use_way(cache, line, CACHE_ALLOCATE);
    unsigned hits = way->sectors & sectors;
    *out_clean = sectors & ~way->changed;
    way->changed |= sectors;
    way->words |= words;
    for (unsigned i = 0; i < 32 / SECTOR_WORDS; i++)
        if ((way->words >> SECTOR_WORDS * i & 0xff) == 0xff) way->sectors |= 1u << i;
    return hits;
}
