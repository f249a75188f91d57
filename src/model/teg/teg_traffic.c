// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_traffic.h"

#include <math.h>

/* Sectors of the grid over those of the simulated blocks: by what was counted of all blocks where it was, else
 * as if all blocks were alike. `local`: COUNTER_COUNT: none. */
static double scale(const struct teg_grid *grid, enum cache_count what, enum counter global,
                    enum counter local)
{
    const struct profile *profile = grid->input->profile;
    double simulated = (double)grid->result.memory.caches[what];
    double counted = profile_get(profile, global);
    if (local != COUNTER_COUNT) counted += profile_get(profile, local);
    if (profile_has(profile, global) && counted > 0 && simulated > 0) return counted / simulated;
    return (double)profile_blocks(profile) / (double)grid->result.block_count;
}

/* Were there loads, and none in the blocks that were simulated? Then nothing is known of their hits. */
static bool lacks_loads(const struct teg_grid *grid)
{
    const struct profile *profile = grid->input->profile;
    return !grid->result.memory.caches[CACHE_COUNT_LOADS] &&
           profile_get(profile, COUNTER_MEM_GLOBAL_LOAD_SECTORS32) +
                   profile_get(profile, COUNTER_MEM_LOCAL_LOAD_SECTORS32) >
               0;
}

static bool is_of_stores(enum cache_count what)
{
    return what == CACHE_COUNT_STORES || what == CACHE_COUNT_L1_STORE_HITS ||
           what == CACHE_COUNT_L2_STORE_HITS || what == CACHE_COUNT_DRAM_WRITTEN;
}

const struct cache_section *teg_traffic(const struct teg_grid *grid)
{
    const struct model_input *input = grid->input;
    const uint64_t *simulated = grid->result.memory.caches;
    struct cache_geometry geometry;
    if (!teg_is_cached(&grid->machine) || !grid->result.block_count || lacks_loads(grid) ||
        !cache_geometry_read(input->machine, input->profile, input->occupancy.blocks_per_sm,
                             &geometry))
        return NULL;
    cache_geometry_find(&geometry, input->l2.share);
    struct cache_section *out = ARENA_ARRAY(input->arena, struct cache_section, 1);
    *out = (struct cache_section){
        .geometry = geometry, .blocks = (uint32_t)grid->result.block_count, .sms = grid->setup.sms};
    double loads = scale(grid, CACHE_COUNT_LOADS, COUNTER_MEM_GLOBAL_LOAD_SECTORS32,
                         COUNTER_MEM_LOCAL_LOAD_SECTORS32);
    double stores = scale(grid, CACHE_COUNT_STORES, COUNTER_MEM_GLOBAL_STORE_SECTORS32,
                          COUNTER_MEM_LOCAL_STORE_SECTORS32);
    double atomics =
        scale(grid, CACHE_COUNT_ATOMICS, COUNTER_MEM_GLOBAL_ATOMIC_SECTORS32, COUNTER_COUNT);
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++) {
        bool of_atomics = i == CACHE_COUNT_ATOMICS || i == CACHE_COUNT_L2_ATOMIC_HITS;
        double factor = of_atomics ? atomics : is_of_stores(i) ? stores : loads;
        out->counts[i] = (uint64_t)llround(factor * (double)simulated[i]);
    }
    return out;
}
