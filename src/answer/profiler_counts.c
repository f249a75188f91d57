// SPDX-License-Identifier: Apache-2.0
#include "answer/profiler_counts.h"

#include <math.h>

#include "measure/cache.h"

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

/* At the end the L2 keeps what was written last, as much as it holds. */
static double written_back(const struct cache_section *section, double written)
{
    double kept = (double)section->geometry.l2_bytes / CACHE_SECTOR_BYTES;
    return fmax(0, written - kept);
}

bool profiler_counts_read(const struct prediction *prediction, struct profiler_counts *out)
{
    const struct cache_section *section = prediction->caches;
    if (!section || section->is_cut || !section->blocks) return false;
    double c[CACHE_COUNT_COUNT],
        scale = (double)profile_blocks(prediction->profile) / section->blocks;
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++)
        c[i] = scale * (double)section->counts[i];
    /* The replay does not look up stores in the L1: all of them miss. */
    double l1_store_hits = 0, l2_loads = c[CACHE_COUNT_L2_LOADS], stores = c[CACHE_COUNT_STORES];
    double written = written_back(section, c[CACHE_COUNT_DRAM_WRITTEN]);
    *out = (struct profiler_counts){
        .l1_hit_percent =
            percent(c[CACHE_COUNT_L1_HITS] + l1_store_hits, c[CACHE_COUNT_LOADS] + stores),
        .l2_hit_percent = percent(c[CACHE_COUNT_L2_LOAD_HITS] + stores, l2_loads + stores),
        .l2_load_sectors = l2_loads,
        .l2_store_sectors = stores,
        .dram_sectors = c[CACHE_COUNT_DRAM_READ] + written,
    };
    return true;
}
