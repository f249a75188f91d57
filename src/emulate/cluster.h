// SPDX-License-Identifier: Apache-2.0
/* Clusters of blocks: their places in the grid, their barrier, their shared memory. */
#ifndef EMULATE_CLUSTER_H
#define EMULATE_CLUSTER_H

#include "emulate/splits.h"

/* The blocks of the cluster with that number begin; returns them as a list. */
struct block *cluster_start(struct worker *worker, uint64_t number);
/* A block of a launch without clusters begins. */
void cluster_start_alone(struct block *block, uint64_t index, uint32_t threads);
/* A block has ended, or will not go on. */
void cluster_leave(struct worker *worker, struct block *block);
void cluster_clear(struct worker *worker);
/* Positions in the cluster, by enum block_special. */
void cluster_fill_specials(const struct launch *launch, const struct block *block,
                           uint32_t *values);

/* barrier.cluster.arrive by lanes of the warp at hand. */
void cluster_arrive(struct exec *x, const struct insn *insn, uint32_t lanes);
/* barrier.cluster.wait: true if the split may go on at once. */
bool cluster_wait(struct exec *x, struct warp *warp, struct split *split, const struct code *code);
/* Lanes leave the kernel. */
void cluster_drop(struct exec *x, struct warp *warp, uint32_t lanes);

/* The block whose memory an address in shared memory means, and the address there; NULL: the cluster has none. */
struct block *cluster_block(const struct exec *x, uint64_t *address);
/* The block whose shared memory lies at that distance from that of the block at hand, in the host; then the address
 * there. */
struct block *cluster_home(const struct exec *x, uint64_t *distance);
/* What `bytes` bytes there are; NULL: a fault was recorded. */
unsigned char *cluster_memory(struct exec *x, const struct uop *u, uint32_t lane, uint64_t address,
                              uint64_t bytes);

#endif
