// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_traffic.h"

/* `local`: COUNTER_COUNT if there is none. Sectors of the grid over those of the simulated blocks: by what was counted of all blocks where it was, else as
 * if all blocks were alike. */
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

const struct launch_traffic *teg_traffic(const struct teg_grid *grid)
{
    const struct teg_memory_counts *memory = &grid->result.memory;
    if (!teg_is_cached(&grid->machine) || !grid->result.block_count) return NULL;
    struct launch_traffic *out = ARENA_ARRAY(grid->input->arena, struct launch_traffic, 1);
    double loads = scale(grid, CACHE_COUNT_LOADS, COUNTER_MEM_GLOBAL_LOAD_SECTORS32,
                         COUNTER_MEM_LOCAL_LOAD_SECTORS32);
    double stores = scale(grid, CACHE_COUNT_STORES, COUNTER_MEM_GLOBAL_STORE_SECTORS32,
                          COUNTER_MEM_LOCAL_STORE_SECTORS32);
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++) {
        bool of_stores = i == CACHE_COUNT_STORES || i == CACHE_COUNT_L2_STORE_HITS ||
                         i == CACHE_COUNT_DRAM_WRITTEN;
        out->counts[i] = (of_stores ? stores : loads) * (double)memory->caches[i];
    }
    double atomics =
        scale(grid, CACHE_COUNT_ATOMICS, COUNTER_MEM_GLOBAL_ATOMIC_SECTORS32, COUNTER_COUNT);
    out->counts[CACHE_COUNT_ATOMICS] = atomics * (double)memory->caches[CACHE_COUNT_ATOMICS];
    out->counts[CACHE_COUNT_L2_ATOMIC_HITS] =
        atomics * (double)memory->caches[CACHE_COUNT_L2_ATOMIC_HITS];
    out->warp_instructions = (double)grid->result.issued *
                             (double)profile_blocks(grid->input->profile) /
                             (double)grid->result.block_count;
    out->l1_store_hits = stores * (double)memory->l1_store_hits;
    return out;
}
