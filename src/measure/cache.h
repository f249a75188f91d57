// SPDX-License-Identifier: Apache-2.0
/* A cache as GPUs have them: set-associative, lines of sectors of 32 bytes, least recently used out.
 * Lines that follow each other lie in sets that do, and powers of two do not meet in one set: the set is
 * the sum of the last three digits of the line's number, written with as many digits as there are
 * sets. Real ones spread lines likewise (Nugteren et al., HPCA 2014, for Fermi); how is unknown.
 * What is written need not be fetched: a sector that is written in part is there for loads only when the
 * rest of it has come or has been written, too. */
#ifndef MEASURE_CACHE_H
#define MEASURE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fixed_divisor.h"

enum { CACHE_SECTOR_BYTES = 32 };

struct cache {
    uint64_t sets;
    struct fixed_divisor by_sets;
    unsigned ways;
    uint64_t clock;
    uint64_t touched; /* the line that was accessed last: set * ways + way */
    /* [sets][ways], apart since a search reads the numbers alone; NULL: no cache. */
    uint64_t *lines; /* number + 1; 0: empty */
    uint64_t *used;  /* the clock at that time */
    struct cache_state *states;
};

enum cache_use {
    CACHE_LOOK,    /* nothing is brought in */
    CACHE_ALLOCATE /* what is missing is there afterwards */
};

/* No cache if `bytes` do not hold a line. */
void cache_init(struct cache *cache, uint64_t bytes, unsigned line_bytes, unsigned ways);
void cache_clear(struct cache *cache);
/* `sectors` (one bit each) of line number `line`, which is address / line_bytes: returns those that
 * were there. */
unsigned cache_access(struct cache *cache, uint64_t line, unsigned sectors, enum cache_use use);
/* A store: `words` are those that it writes whole, one bit for 4 bytes of a line of 128 at most; `sectors` all
 * that it touches. Returns those that were there; *out_clean: that were not changed before. */
unsigned cache_store(struct cache *cache, uint64_t line, unsigned sectors, uint32_t words,
                     unsigned *out_clean);

#endif
