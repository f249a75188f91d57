// SPDX-License-Identifier: Apache-2.0
/* What passes the caches of a GPU in a launch, as the model finds it that follows them in time
 * (model/core/estimate.h: follows_caches). doc/caches.md says what is assumed. */
#ifndef MEASURE_CACHE_SECTION_H
#define MEASURE_CACHE_SECTION_H

#include "machine/machine.h"
#include "measure/profile.h"

/* What the hits depend on besides the trace. NUMBER(name, least, most) */
#define CACHE_GEOMETRY(NUMBER)                                                                     \
    NUMBER(l1_bytes, 0, UINT64_C(1) << 32) /* of an SM, without the shared memory of its blocks */ \
    NUMBER(l2_bytes, 0, UINT64_C(1) << 40) /* of the GPU */                                        \
    NUMBER(line_bytes, 32, 1024)           /* of both */                                           \
    NUMBER(l1_ways, 1, 1 << 20)                                                                    \
    NUMBER(l2_ways, 1, 1 << 20)                                                                    \
    NUMBER(fill_bytes, 32, 1024)      /* that a miss in the L1 asks for: a sector, or the line */  \
    NUMBER(l1_loads, 0, 1)            /* 0: only read-only and local loads look into the L1 */     \
    NUMBER(blocks_per_sm, 1, 1 << 16) /* resident */                                               \
    NUMBER(sm_count, 1, 1 << 16)                                                                   \
    NUMBER(l2_found, 0, 1000) /* per mille of the distinct sectors read: in the L2 before */
struct cache_geometry {
#define NUMBER(name, least, most) uint64_t name;
    CACHE_GEOMETRY(NUMBER)
#undef NUMBER
};
struct cache_geometry_number {
    const char *id;
    uint64_t least, most;
};
enum { CACHE_GEOMETRY_COUNT = sizeof(struct cache_geometry) / sizeof(uint64_t) };
extern const struct cache_geometry_number cache_geometry_numbers[CACHE_GEOMETRY_COUNT];
/* By index in that table. */
uint64_t cache_geometry_get(const struct cache_geometry *geometry, unsigned number);
void cache_geometry_set(struct cache_geometry *geometry, unsigned number, uint64_t value);

/* FIELD(ENUM, "id", "sentence"); all count sectors of 32 bytes, of the whole launch. */
#define CACHE_COUNTS(FIELD)                                                                        \
    FIELD(LOADS, "loads", "that loads from global and local memory touch")                         \
    FIELD(L1_LOOKUPS, "l1_lookups", "of these looked for in the L1")                               \
    FIELD(L1_HITS, "l1_hits", "found there")                                                       \
    FIELD(L2_LOADS, "l2_loads", "asked of the L2 for loads")                                       \
    FIELD(L2_LOAD_HITS, "l2_load_hits", "found there")                                             \
    FIELD(STORES, "stores", "written through to the L2")                                           \
    FIELD(L1_STORE_HITS, "l1_store_hits", "of these that were in the L1")                          \
    FIELD(L2_STORE_HITS, "l2_store_hits", "of lines that were in the L2")                          \
    FIELD(ATOMICS, "atomics", "that atomics touch, in the L2")                                     \
    FIELD(L2_ATOMIC_HITS, "l2_atomic_hits", "found there")                                         \
    FIELD(DRAM_READ, "dram_read", "fetched from DRAM")                                             \
    FIELD(DRAM_WRITTEN, "dram_written", "written to DRAM before the launch ends")
enum cache_count {
#define FIELD(name, id, text) CACHE_COUNT_##name,
    CACHE_COUNTS(FIELD)
#undef FIELD
        CACHE_COUNT_COUNT
};
struct cache_count_info {
    const char *id, *text;
};
extern const struct cache_count_info cache_count_infos[CACHE_COUNT_COUNT];

struct cache_section {
    struct cache_geometry geometry;
    uint32_t blocks, sms; /* followed, on so many SMs */
    uint64_t counts[CACHE_COUNT_COUNT];
};

/* The caches of a machine as blocks of this profile find them. False: it has none (cc 1.x), or its
 * file does not say. blocks_per_sm: resident, at least 1. */
bool cache_geometry_read(const struct machine *machine, const struct profile *profile,
                         unsigned blocks_per_sm, struct cache_geometry *out);

/* Sets l2_found to a share from 0 to 1. Returns the geometry. */
struct cache_geometry *cache_geometry_find(struct cache_geometry *geometry, double share);

/* ---- the memo of a profile: sections by geometry ---------------------------------------------- */

/* Several threads may look up, add and predict at once: the memo locks itself, and what it returns
 * stays valid as long as the profile. Every profile has one; copies of the struct share it. */
struct cache_memo *cache_memo_create(void);
void cache_memo_destroy(struct cache_memo *memo);

/* Of this geometry, if the profile has it; else NULL. */
const struct cache_section *profile_find_caches(const struct profile *profile,
                                                const struct cache_geometry *geometry);
/* The same caches as another number of resident blocks finds them; NULL: not in the profile. */
const struct cache_section *profile_near_caches(const struct profile *profile,
                                                const struct cache_geometry *geometry);
/* Copies it, unless a section of this geometry is there. */
void profile_add_caches(const struct profile *profile, const struct cache_section *section);
/* All of them, in the order in which they were added: NULL gives the first; NULL is the end. */
const struct cache_section *profile_next_caches(const struct profile *profile,
                                                const struct cache_section *after);

/* hits / lookups, 0 to 1; negative: none. */
double cache_l1_hit_rate(const struct cache_section *section); /* of all sectors of loads */
double cache_l2_hit_rate(const struct cache_section *section); /* of all that comes to the L2 */

#endif
