// SPDX-License-Identifier: Apache-2.0
#include "model/teg_cache.h"

#include <stdlib.h>

#include "base/arena.h"

enum { LINE_BYTES = 128 };

struct teg_cache_way {
    uint64_t line, used; /* used 0: empty */
    unsigned sectors;
};

void teg_cache_init(struct teg_cache *cache, uint64_t bytes, unsigned ways)
{
    *cache = (struct teg_cache){.ways = ways ? ways : 1};
    uint64_t lines = bytes / LINE_BYTES;
    if (!lines) return;
    if (lines < cache->ways) cache->ways = (unsigned)lines;
    cache->sets = lines / cache->ways;
    cache->lines = mem_zalloc(cache->sets * cache->ways, sizeof *cache->lines);
}

void teg_cache_clear(struct teg_cache *cache)
{
    free(cache->lines);
    *cache = (struct teg_cache){0};
}

unsigned teg_cache_access(struct teg_cache *cache, uint64_t line, unsigned sectors, bool allocate)
{
    if (!cache->lines) return 0;
    struct teg_cache_way *set = cache->lines + line % cache->sets * cache->ways, *oldest = set;
    cache->clock++;
    for (unsigned i = 0; i < cache->ways; i++) {
        struct teg_cache_way *way = &set[i];
        if (way->used && way->line == line) {
            unsigned hits = way->sectors & sectors;
            way->used = cache->clock;
            if (allocate) way->sectors |= sectors;
            return hits;
        }
        if (way->used < oldest->used) oldest = way;
    }
    if (allocate)
        *oldest = (struct teg_cache_way){.line = line, .used = cache->clock, .sectors = sectors};
    return 0;
}
