// SPDX-License-Identifier: Apache-2.0
/* Counting a sample of the blocks: counters by run, from which their confidence intervals come
 * (doc/sampling.md), and the instructions of each part of the grid. */
#ifndef MEASURE_MEASURE_SAMPLE_H
#define MEASURE_MEASURE_SAMPLE_H

#include "measure/profile.h"
#include "measure/reach.h"

struct measure;
struct worker;
struct stage_sums;

enum { SAMPLE_TOUCHES = 3 }; /* enum of measure_state.h: read, written, texture */

/* What is summed by run: the counters, what ratios are made of, and sectors that it touches. */
enum sample_sum {
    SAMPLE_DISTANCE = COUNTER_COUNT,
    SAMPLE_CONSUMERS,
    SAMPLE_INSNS,
    SAMPLE_PATHS,
    SAMPLE_TOUCH_FIRST,
    SAMPLE_SUMS = SAMPLE_TOUCH_FIRST + SAMPLE_TOUCHES
};

/* How the blocks were drawn, and what was counted. */
struct sample_sums {
    uint32_t run_count, run_blocks, stratum_runs, strata; /* run_count 0: every block counts */
    uint64_t grid_runs;
    uint64_t *sums; /* [run_count][SAMPLE_SUMS]; atomic while the launch runs */
    struct reach reaches[SAMPLE_TOUCHES];
    struct launch_view view; /* grid and buffers, its own copy */
};

/* A worker's: what it had counted when its last block ended. */
struct sample_worker {
    struct stage_sums *all;
    uint64_t *before, *now; /* [SAMPLE_SUMS] */
    struct reach reaches[SAMPLE_TOUCHES];
};

/* At launch_begin, of a launch that has a sample. */
void sample_begin(struct measure *measure);
void sample_clear(struct sample_sums *sums);
void sample_worker_begin(struct worker *worker);
void sample_worker_clear(struct sample_worker *worker);
void sample_merge(struct measure *measure, const struct sample_worker *worker);
/* A block of `run` has ended. */
void sample_block_end(struct worker *worker, uint32_t run);

/* 95 % intervals of the counters that are known. */
void sample_intervals(const struct measure *measure, struct profile *profile);
/* Distinct sectors that the grid touches; `touch`: enum of measure_state.h. */
void sample_footprint(const struct measure *measure, unsigned touch, struct counter_value *out);

/* Student's t is within this of 0 with probability `confidence`. */
double student_t(double confidence, double degrees_of_freedom);

/* ---- instructions by place in the grid ------------------------------------------------------- */

/* Warp instructions of the blocks that were executed, in at most GRID_WORK_ENTRIES parts of the grid
 * of equally many blocks. */
enum { GRID_WORK_ENTRIES = 1 << 16 };
struct grid_work {
    uint64_t blocks_per_entry;
    uint32_t entry_count;
    uint64_t *sums; /* by entry; atomic while the launch runs */
    uint64_t *blocks;
};
void grid_work_init(struct grid_work *work, uint64_t block_count);
void grid_work_add(struct grid_work *work, uint64_t block, uint64_t instructions);
void grid_work_clear(struct grid_work *work);

#endif
