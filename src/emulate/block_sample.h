// SPDX-License-Identifier: Apache-2.0
/* Which blocks of a grid are executed if not all are, and which are traced (doc/sampling.md).
 *
 * The grid is divided into runs of consecutive blocks, the runs into strata, and as many runs are
 * drawn from each stratum. Traced blocks are clusters of neighbours, one from each of equal parts of
 * the grid; they depend on the grid and the seed alone, so a sample traces the same blocks as a full
 * execution. All draws come from SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), keyed by a hash of
 * the seed and the grid. */
#ifndef EMULATE_BLOCK_SAMPLE_H
#define EMULATE_BLOCK_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_NO_RUN UINT32_MAX /* executed only to be traced: not part of the sample */

struct block_sample {
    uint32_t run_blocks;   /* blocks of a run */
    uint32_t stratum_runs; /* runs drawn from each stratum */
    uint32_t strata, run_count;
    uint64_t grid_runs; /* whole runs in the grid: those of stratum h are
                         * h * grid_runs / strata up to (h + 1) * grid_runs / strata */
    uint64_t executed;
    uint64_t *blocks; /* [executed] ascending */
    uint32_t *runs;   /* [executed] run by number, those of stratum 0 first; or BLOCK_NO_RUN */
    /* Blocks of a run are executed one after the other by one thread. */
    uint32_t unit_count;
    uint64_t *units; /* [unit_count + 1] first of `blocks` of each unit */
};

/* A sample of about `effort` of the blocks, and those that are traced. NULL: that is every block. */
struct block_sample *block_sample_create(const uint32_t grid[3], double effort, uint64_t seed,
                                         uint32_t traced);
void block_sample_destroy(struct block_sample *sample);
/* The run of a block; BLOCK_NO_RUN if it is not part of the sample. */
uint32_t block_sample_run(const struct block_sample *sample, uint64_t block);

/* Which `want` blocks of a grid are traced: fewer if the grid has fewer. *out_blocks, to be freed, is
 * ascending. */
uint32_t block_sample_traced(const uint32_t grid[3], uint64_t seed, uint32_t want,
                             uint64_t **out_blocks);

#endif
