// SPDX-License-Identifier: Apache-2.0
/* A cache of lines of 128 bytes with sectors of 32: set-associative, least recently used out. */
#ifndef MODEL_TEG_CACHE_H
#define MODEL_TEG_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct teg_cache {
    uint64_t sets;
    unsigned ways;
    uint64_t clock;
    struct teg_cache_way *lines; /* sets * ways; NULL: there is no cache */
};

/* No cache if `bytes` do not hold a line. */
void teg_cache_init(struct teg_cache *cache, uint64_t bytes, unsigned ways);
void teg_cache_clear(struct teg_cache *cache);
/* `sectors` of line number `line` (address / 128): returns those that were there. Those that were
 * not are there afterwards if `allocate`. */
unsigned teg_cache_access(struct teg_cache *cache, uint64_t line, unsigned sectors, bool allocate);

#endif
