// SPDX-License-Identifier: Apache-2.0
/* Which blocks of the grid each cluster of SMs executes. GPUs deal blocks out in turn while there is room, then
 * each to the cluster that first has room again: if blocks do equal work, those of an SM lie as far apart
 * as there are SMs. */
#ifndef MODEL_TEG_ASSIGN_H
#define MODEL_TEG_ASSIGN_H

#include "base/arena.h"
#include "measure/trace.h"

struct teg_assignment {
    const struct trace *trace;
    uint64_t blocks; /* of the grid */
    unsigned clusters;
    unsigned
        longest; /* the cluster that executes the most instructions, or as many blocks as any */
    uint32_t *owners; /* by block, its cluster; NULL: in turn */
    uint64_t *counts; /* by cluster: blocks; NULL: in turn */
    double
        *works; /* by cluster: warp instructions of its blocks; NULL: unknown, each has the mean */
    uint32_t *
        running; /* clusters that still execute something when the longest has retired so many blocks;
                        * NULL: in turn */
};

/* `resident`: blocks that a cluster executes at once. Dealt once for a trace, which keeps it. */
struct teg_assignment teg_assign(const struct trace *trace, uint64_t blocks, unsigned clusters,
                                 unsigned resident);
uint64_t teg_assigned_count(const struct teg_assignment *assignment, unsigned cluster);
/* Warp instructions of a block of the cluster, the mean; 0: unknown. */
double teg_assigned_work(const struct teg_assignment *assignment, unsigned cluster);
/* Of a sample of `fraction` of the blocks: how many times longer than the longest block that was executed the longest
 * of all may be. *out_share: warp instructions of the former, over those of the longest cluster. */
double teg_assigned_unseen(const struct teg_assignment *assignment, double fraction,
                           double *out_share);
/* The cluster's blocks by number, in the order in which it gets them, if it executes `count` of them in waves
 * of `wave`: all; or whole waves, each at random in its part of the grid, and the last one if it is not whole. */
uint64_t *teg_assigned_blocks(struct arena *arena, const struct teg_assignment *assignment,
                              unsigned cluster, uint64_t count, uint64_t wave);

#endif
