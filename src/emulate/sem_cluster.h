// SPDX-License-Identifier: Apache-2.0
/* Clusters: arrivals at their barrier, and addresses in the shared memory of their blocks (cluster.h). */
#ifndef EMULATE_SEM_CLUSTER_H
#define EMULATE_SEM_CLUSTER_H

#include "emulate/cluster.h"
#include "emulate/sem_move.h"
#include "emulate/sem_select.h"

static void cluster_arrive_any(struct exec *x, const struct uop *u)
{
    if (x->mask) cluster_arrive(x, u->insn, x->mask);
}
SELECT_ONE(cluster_arrive, SAME(cluster_arrive_any))

/* The shared address of source 0, which is generic or not. */
static inline uint64_t shared_address(const struct exec *x, const struct uop *u, unsigned lane)
{
    uint64_t address = read_bits(x, u->src[0], type_infos[u->insn->type].bits, lane);
    bool is_generic = u->space == SPACE_NONE || u->space == SPACE_GENERIC;
    if (!is_generic) return (uint32_t)address;
    return window_of(address) == SPACE_SHARED ? window_offset(address, SPACE_SHARED) : UINT64_MAX;
}

/* One's own address stays as it is. What is no shared memory, and ranks that the cluster does not have, give what faults
 * when it is used. */
static void mapa_any(struct exec *x, const struct uop *u)
{
    unsigned bits = type_infos[u->insn->type].bits;
    bool is_generic = u->space == SPACE_NONE || u->space == SPACE_GENERIC;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = shared_address(x, u, lane);
        uint32_t rank = SRC(uint32_t, 1)[lane];
        if (address == UINT64_MAX) {
            write_bits(x, u->dst[0], bits, 0, 0, lane);
            continue;
        }
        address &= SHARED_WINDOW_BYTES - 1;
        if (rank >= CLUSTER_BLOCKS_MAX) rank = CLUSTER_BLOCKS_MAX - 1;
        if (rank != x->block->rank) address = cluster_address(rank, address);
        write_bits(x, u->dst[0], bits, is_generic ? shared_to_generic(address) : address, 0, lane);
    }
}
SELECT_ONE(mapa, SAME(mapa_any))

static void getctarank_any(struct exec *x, const struct uop *u)
{
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = shared_address(x, u, lane);
        const struct block *block = address == UINT64_MAX ? NULL : cluster_block(x, &address);
        DST(uint32_t, 0)[lane] = block ? block->rank : 0;
    }
}
SELECT_ONE(getctarank, SAME(getctarank_any))

#endif
