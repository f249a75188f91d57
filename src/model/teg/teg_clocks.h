// SPDX-License-Identifier: Apache-2.0
/* When the warps of a launch read their clocks, and on which SM: what `warpsage run --clock teg` lets kernels see.
 * Each cluster of SMs that the model executes has an observer of its own, so that clusters run in parallel.
 *
 *     struct teg_clocks clocks = {0};
 *     ... model_predict with options.only = "teg", options.clocks = &clocks
 *     teg_clocks_find(&clocks, block, &found);   from several threads
 *     teg_clocks_clear(&clocks);
 *
 * A block that was not simulated reads what another one read: the block that its SM executes at the same place of
 * the same round, on the cluster that was. */
#ifndef MODEL_TEG_CLOCKS_H
#define MODEL_TEG_CLOCKS_H

#include "emulate/emulate.h"
#include "model/teg/teg_assign.h"
#include "model/teg/teg_engine.h"

struct teg_clock_block {
    uint64_t block; /* of the grid */
    unsigned sm;    /* of its cluster */
    bool is_traced; /* stands for itself */
    bool has_begun;
    teg_time begun;
    struct warp_clocks *warps;
};

struct teg_clock_cluster {
    struct teg_observer observer;
    struct teg_clocks *of;
    unsigned cluster;
    const struct trace *trace;
    uint64_t count;
    struct teg_clock_block *blocks; /* in the order of launch */
};

/* Memory of the answer, not of the prediction. */
struct teg_clocks {
    struct teg_clock_cluster *clusters; /* those that were simulated */
    unsigned cluster_count;
    unsigned all_clusters, cluster_sms; /* of the GPU */
    uint64_t grid_blocks;
    uint32_t warps_per_block;
    teg_time launch;  /* before the first block begins */
    uint64_t wave;    /* blocks that are resident on a cluster */
    double steady;    /* ticks that each block of a cluster takes while no place is free */
    uint32_t *owners; /* by block of the grid: its cluster, */
    uint64_t *ranks;  /* and how many that cluster had before; NULL: in turn */
    bool is_known;
};

struct teg_clocks_found {
    unsigned sm; /* of the GPU */
    teg_time shift;
    const struct warp_clocks *warps; /* NULL: unknown */
    bool is_own;                     /* the block itself was simulated, by its own trace */
};

/* For the model: an observer for each of `count` clusters, which have these numbers. The first stands for those that are
 * not among them. */
void teg_clocks_begin(struct teg_clocks *clocks, const struct teg_machine *machine,
                      const struct teg_setup *setups, const unsigned *numbers, unsigned count);
const struct teg_observer *teg_clocks_observer(struct teg_clocks *clocks, unsigned i);
/* After the executions. */
void teg_clocks_end(struct teg_clocks *clocks, const struct teg_assignment *assignment,
                    uint64_t wave, double steady);
void teg_clocks_clear(struct teg_clocks *clocks);

void teg_clocks_find(const struct teg_clocks *clocks, uint64_t block, struct teg_clocks_found *out);

#endif
