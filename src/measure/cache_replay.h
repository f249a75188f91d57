// SPDX-License-Identifier: Apache-2.0
/* Cache hits of a launch, by replaying its warp traces on the caches of a GPU (CONTRACT section 3).
 * doc/caches.md says what is assumed. */
#ifndef MEASURE_CACHE_REPLAY_H
#define MEASURE_CACHE_REPLAY_H

#include "machine/machine.h"
#include "measure/profile.h"

/* What the hits depend on besides the trace. */
struct cache_geometry {
    uint64_t l1_bytes;   /* of an SM, without what its blocks take as shared memory; 0: no L1 */
    uint64_t l2_bytes;   /* of the GPU; 0: no L2 */
    unsigned line_bytes; /* of both */
    unsigned l1_ways, l2_ways;
    unsigned fill_bytes; /* that a load which misses the L1 asks for: a sector, or the line */
    unsigned l1_loads;   /* 1: plain global loads look into the L1; 0: read-only ones and local */
    unsigned blocks_per_sm; /* resident */
    unsigned sm_count;
};

/* FIELD(ENUM, "id", "sentence"); all count sectors of 32 bytes, of the blocks replayed. */
#define CACHE_COUNTS(FIELD)                                                                        \
    FIELD(LOADS, "loads", "that loads from global and local memory touch")                         \
    FIELD(L1_LOOKUPS, "l1_lookups", "of these looked for in the L1")                               \
    FIELD(L1_HITS, "l1_hits", "found there")                                                       \
    FIELD(L2_LOADS, "l2_loads", "asked of the L2 for loads")                                       \
    FIELD(L2_LOAD_HITS, "l2_load_hits", "found there")                                             \
    FIELD(STORES, "stores", "written through to the L2")                                           \
    FIELD(L2_STORE_HITS, "l2_store_hits", "of lines that were in the L2")                          \
    FIELD(ATOMICS, "atomics", "that atomics touch, in the L2")                                     \
    FIELD(L2_ATOMIC_HITS, "l2_atomic_hits", "found there")                                         \
    FIELD(DRAM_READ, "dram_read", "fetched from DRAM")                                             \
    FIELD(DRAM_WRITTEN, "dram_written", "written to DRAM, those left in the L2 at the end too")
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
    uint32_t blocks, sms; /* replayed, on so many SMs */
    bool is_cut;          /* the replay ended before the traces did */
    uint64_t counts[CACHE_COUNT_COUNT];
};

/* The caches of a machine as blocks of this profile find them. False: it has none (cc 1.x), or its
 * file does not say. blocks_per_sm: resident, at least 1. */
bool cache_geometry_read(const struct machine *machine, const struct profile *profile,
                         unsigned blocks_per_sm, struct cache_geometry *out);

/* Of this geometry, if the profile has it; else NULL. */
const struct cache_section *profile_find_caches(const struct profile *profile,
                                                const struct cache_geometry *geometry);
void profile_add_caches(struct profile *profile, const struct cache_section *section);
/* Replays profile->trace, which is there. */
void cache_replay(const struct profile *profile, const struct cache_geometry *geometry,
                  struct cache_section *out);

/* hits / lookups, 0 to 1; negative: none. */
double cache_l1_hit_rate(const struct cache_section *section); /* of all sectors of loads */
double cache_l2_hit_rate(const struct cache_section *section); /* of all that comes to the L2 */

#endif
