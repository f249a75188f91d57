// SPDX-License-Identifier: Apache-2.0
#include "measure/cache.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "measure/bits.h"

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

/* The way of a line, or the one that it would drive out. */
static struct cache_way *find_way(const struct cache *cache, uint64_t line, bool *out_is_there)
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

static void drive_out(struct cache *cache, struct cache_way *way, uint64_t line)
{
    cache->written_back += bits_count(way->changed);
    *way = (struct cache_way){.line = line};
}

static void touch(struct cache *cache, struct cache_way *way)
{
    way->used = cache->clock;
    cache->touched = (uint64_t)(way - cache->lines);
}

unsigned cache_access(struct cache *cache, uint64_t line, unsigned sectors, enum cache_use use)
{
    bool is_there;
    if (!cache->lines) return 0;
    struct cache_way *way = find_way(cache, line, &is_there);
    cache->clock++;
    if (!is_there && use == CACHE_LOOK) return 0;
    if (!is_there) drive_out(cache, way, line);
    unsigned hits = way->sectors & sectors;
    if (use != CACHE_LOOK) way->sectors |= sectors;
    if (use == CACHE_CHANGE) way->changed |= sectors;
    touch(cache, way);
    return hits;
}

unsigned cache_store(struct cache *cache, uint64_t line, unsigned sectors, uint32_t words,
                     unsigned *out_clean)
{
    bool is_there;
    *out_clean = sectors;
    if (!cache->lines) return 0;
    struct cache_way *way = find_way(cache, line, &is_there);
    cache->clock++;
    if (!is_there) drive_out(cache, way, line);
    unsigned hits = way->sectors & sectors;
    *out_clean = sectors & ~way->changed;
    way->changed |= sectors;
    way->words |= words;
    for (unsigned i = 0; i < 32 / SECTOR_WORDS; i++)
        if ((way->words >> SECTOR_WORDS * i & 0xff) == 0xff) way->sectors |= 1u << i;
    touch(cache, way);
    return hits;
}

uint64_t cache_changed(const struct cache *cache)
{
    uint64_t count = 0;
    for (uint64_t i = 0; cache->lines && i < cache->sets * cache->ways; i++)
        count += bits_count(cache->lines[i].changed);
    return count;
}
