// SPDX-License-Identifier: Apache-2.0
/* Which blocks of a grid the timing engine executes, on one cluster of SMs or on all, and what the whole
 * grid takes by that. */
#ifndef MODEL_TEG_GRID_H
#define MODEL_TEG_GRID_H

#include "model/teg/teg_assign.h"
#include "model/teg/teg_engine.h"

struct teg_grid {
    const struct model_input *input;
    struct estimate *out;
    bool is_native_order; /* of PTX, where the compiler is known */
    bool is_weighed;      /* the time, by the instructions of the cluster's blocks */
    bool stays_at_place;  /* blocks have the addresses of the traced ones */
    bool writes_through;  /* nothing that is written stays in the L2 */
    struct teg_machine machine;
    struct teg_assignment assignment;
    struct teg_setup setup;
    struct teg_result result;
    double blocks;     /* of the cluster, which executes the most */
    double work;       /* warp instructions of one of them, the mean; 0: unknown */
    double mean;       /* of all clusters */
    uint64_t wave;     /* blocks that are resident on the simulated SMs */
    unsigned timed;    /* clusters simulated; this is the slowest */
    double mean_total; /* of them, ticks */
    double sharing;
    teg_time longest_ends; /* the block that executes most beyond what stands for it; 0: none */
    teg_time total;        /* of the launch */
};

static inline bool teg_is_cached(const struct teg_machine *machine)
{
    return machine->rule == RULE_IS_SECTOR;
}

/* Of the cluster with the most blocks: what it executes, what it has of the caches. a->input and
 * a->machine are known. */
void teg_prepare(struct teg_grid *a);
/* Executes it. teg_result_clear a->result. */
ws_status teg_run_cluster(struct diag *diag, struct teg_grid *a);
/* Executes all clusters, each with blocks of its own, on all cores of the host; `a` becomes the answer of the
 * slowest. */
ws_status teg_run_clusters(struct diag *diag, struct teg_grid *a);

/* Ticks a block while no place is free, behind the first wave if as many blocks retire there. 0: no more than one
 * wave. */
double teg_steady_rate(const struct teg_grid *a);
/* The launch in whole waves: every cluster has its mean number of blocks, and the last ones are not alone. */
teg_time teg_without_tail(const struct teg_grid *a);

#endif
