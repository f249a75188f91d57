// SPDX-License-Identifier: Apache-2.0
/* What Nsight Compute would show of a launch: what the model teg issues and moves, by the formulas of its metrics. */
#ifndef ANSWER_PROFILER_COUNTS_H
#define ANSWER_PROFILER_COUNTS_H

#include "model/core/estimate.h"

/* Of the whole grid; sectors are 32 bytes. NAN: unknown. */
struct profiler_counts {
    double warp_instructions;
    /* Loads and stores: a store hits if its sector is present, and allocates none. */
    double l1_hit_percent;
    /* Loads and stores: all stores hit. */
    double l2_hit_percent;
    double l2_load_sectors, l2_store_sectors;
    /* Fetched, and written back before the launch ends. */
    double dram_sectors;
};

/* False: teg did not answer, or the machine has no caches. */
bool profiler_counts_read(const struct prediction *prediction, struct profiler_counts *out);

#endif
