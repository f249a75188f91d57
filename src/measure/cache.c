// SPDX-License-Identifier: Apache-2.0
#include "measure/cache.h"

#include <stdlib.h>

#include "base/arena.h"
#include "measure/bits.h"

struct cache_way {
    uint64_t line, used; /* used 0: empty */
    uint32_t sectors, changed;
};

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

unsigned cache_access(struct cache *cache, uint64_t line, unsigned sectors, enum cache_use use)
{
    if (!cache->lines) return 0;
    struct cache_way *set = cache->lines + set_of(cache, line) * cache->ways, *oldest = set;
    uint32_t changed = use == CACHE_CHANGE ? sectors : 0;
    cache->clock++;
    for (unsigned i = 0; i < cache->ways; i++) {
        struct cache_way *way = &set[i];
        if (way->used && way->line == line) {
            unsigned hits = way->sectors & sectors;
            cache->touched = (uint64_t)(way - cache->lines);
            way->used = cache->clock;
            way->changed |= changed;
            if (use != CACHE_LOOK) way->sectors |= sectors;
            return hits;
        }
        if (way->used < oldest->used) oldest = way;
    }
    if (use == CACHE_LOOK) return 0;
    cache->written_back += bits_count(oldest->changed);
    cache->touched = (uint64_t)(oldest - cache->lines);
    *oldest = (struct cache_way){line, cache->clock, sectors, changed};
    return 0;
}

uint64_t cache_changed(const struct cache *cache)
{
    uint64_t count = 0;
    for (uint64_t i = 0; cache->lines && i < cache->sets * cache->ways; i++)
        count += bits_count(cache->lines[i].changed);
    return count;
}
