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
    const double *c = teg->traffic->counts;
    double l2_loads = c[CACHE_COUNT_L2_LOADS], stores = c[CACHE_COUNT_STORES];
    *out = (struct profiler_counts){
        .warp_instructions = teg->traffic->warp_instructions,
        .l1_hit_percent = percent(c[CACHE_COUNT_L1_HITS] + teg->traffic->l1_store_hits,
                                  c[CACHE_COUNT_LOADS] + stores),
        .l2_hit_percent = percent(c[CACHE_COUNT_L2_LOAD_HITS] + stores, l2_loads + stores),
        .l2_load_sectors = l2_loads,
        .l2_store_sectors = stores,
        .dram_sectors = c[CACHE_COUNT_DRAM_READ] + c[CACHE_COUNT_DRAM_WRITTEN],
    };
    return true;
}
