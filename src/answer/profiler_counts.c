// SPDX-License-Identifier: Apache-2.0
#include "answer/profiler_counts.h"

#include <math.h>

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

bool profiler_counts_read(const struct prediction *prediction, struct profiler_counts *out)
{
    const struct estimate *teg = prediction_of(prediction, MODEL_TEG);
    if (!teg || !teg->traffic) return false;
    const uint64_t *c = teg->traffic->counts;
    double l2_loads = (double)c[CACHE_COUNT_L2_LOADS], stores = (double)c[CACHE_COUNT_STORES];
    *out = (struct profiler_counts){
        .warp_instructions = teg->warp_instructions,
        .l1_hit_percent = percent((double)(c[CACHE_COUNT_L1_HITS] + c[CACHE_COUNT_L1_STORE_HITS]),
                                  (double)c[CACHE_COUNT_LOADS] + stores),
        .l2_hit_percent = percent((double)c[CACHE_COUNT_L2_LOAD_HITS] + stores, l2_loads + stores),
        .l2_load_sectors = l2_loads,
        .l2_store_sectors = stores,
        .dram_sectors = (double)(c[CACHE_COUNT_DRAM_READ] + c[CACHE_COUNT_DRAM_WRITTEN]),
    };
    return true;
}
