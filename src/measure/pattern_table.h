// SPDX-License-Identifier: Apache-2.0
/* From a memory access to the number of its cost, worked out once per pattern. A pattern is what
 * the cost depends on: lane-to-lane differences, mask, alignment, width, kind. One table a worker.
 *
 *     instruction's own patterns (last hit first)  ->  worker's hash of patterns  ->  access_cost
 */
#ifndef MEASURE_PATTERN_TABLE_H
#define MEASURE_PATTERN_TABLE_H

#include "emulate/observer.h"
#include "measure/access_cost.h"

enum {
    COSTS_MAX = 4096,         /* distinct costs that get a number */
    COST_UNLISTED = COSTS_MAX /* no number left: see pattern_table.unlisted */
};

/* Uniform, strided and two-half accesses. */
struct regular_key {
    uint64_t head; /* mask | alignment << 32 | shape << 48 | space << 56 */
    uint64_t stride, delta;
};

enum { SITE_PATTERNS = 8 };

/* A memory instruction as one worker sees it. */
struct access_site {
    struct regular_key keys[SITE_PATTERNS];
    uint16_t costs[SITE_PATTERNS];
    uint8_t used, last, next;
    uint8_t unknown;                 /* general accesses in a row whose pattern was not known */
    uint8_t bytes;                   /* of the lane; static */
    uint8_t kinds[SPACE_COUNT];      /* enum memory_kind by space */
    uint16_t alignment[SPACE_COUNT]; /* minus 1 */
    uint16_t uniform_alignment[SPACE_COUNT]; /* minus 1, for uniform accesses */
};

struct pattern_table {
    const struct lane_math *math;
    struct counting_rules rules;
    uint32_t cost_count;
    struct cost *costs;   /* [COSTS_MAX] */
    struct cost unlisted; /* of the access that was answered COST_UNLISTED */
    uint32_t *cost_slots; /* open hash over costs: index + 1 */
    struct cost_summary *summaries;
    struct regular_pattern *regular;
    struct general_pattern *general; /* NULL until the first general access */
};

void pattern_table_init(struct pattern_table *table, struct counting_rules rules,
                        const struct lane_math *math);
void pattern_table_clear(struct pattern_table *table);
void access_site_init(struct access_site *site, enum memory_operation operation, unsigned bytes,
                      const struct counting_rules *rules);

/* low: the bits of the first address that the cost depends on. */
static inline struct regular_key regular_key(const struct access *access, uint64_t low)
{
    return (struct regular_key){
        .head = access->mask | low << 32 | (uint64_t)access->shape << 48 |
                (uint64_t)access->space << 56,
        .stride = access->shape == ACCESS_UNIFORM ? 0 : (uint64_t)access->stride,
        .delta = access->shape == ACCESS_HALVES ? access->base2 - access->base : 0,
    };
}
static inline bool regular_key_equal(const struct regular_key *a, const struct regular_key *b)
{
    return a->head == b->head && a->stride == b->stride && a->delta == b->delta;
}

/* Slow paths of pattern_cost. */
uint32_t pattern_cost_regular(struct pattern_table *table, struct access_site *site,
                              const struct regular_key *key, const struct access *access);
uint32_t pattern_cost_general(struct pattern_table *table, struct access_site *site,
                              const struct access *access);

/* Number of the cost of this access, or COST_UNLISTED. */
static inline uint32_t pattern_cost(struct pattern_table *table, struct access_site *site,
                                    const struct access *access)
{
    if (access->shape == ACCESS_GENERAL) return pattern_cost_general(table, site, access);
    uint64_t low =
        access->base & (access->shape == ACCESS_UNIFORM ? site->uniform_alignment[access->space]
                                                        : site->alignment[access->space]);
    const struct regular_key key = regular_key(access, low);
    if (regular_key_equal(&key, &site->keys[site->last])) return site->costs[site->last];
    return pattern_cost_regular(table, site, &key, access);
}

#endif
