// SPDX-License-Identifier: Apache-2.0
/* Who computes: processes of this computer and, under mpirun, other ranks. One process hands out jobs one by one and
 * stores what comes back, so that a slow job holds nobody up. */
#ifndef CLI_SWEEP_POOL_H
#define CLI_SWEEP_POOL_H

#include "cli/sweep/sweep_job.h"

struct sweep_plan {
    const struct command *command;
    const struct design *design;
    unsigned workers;                /* processes of this computer */
    unsigned threads;                /* of each */
    uint64_t shard, shards;          /* only jobs whose number is `shard` modulo `shards` */
    const struct sweep_ranks *ranks; /* NULL: not under mpirun */
    int rank_count;
};

struct sweep_done {
    uint64_t points, known; /* of the plan; those that were there before */
};

/* Rank 0, or the only one: all jobs of the plan that the store lacks. */
int pool_run(struct cli *cli, const struct sweep_plan *plan, struct sweep_store *store,
             struct sweep_done *out);
/* Another rank: what rank 0 hands out, until it says that nothing is left. */
int pool_serve(struct cli *cli, const struct sweep_plan *plan);

#endif
