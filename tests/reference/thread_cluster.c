// SPDX-License-Identifier: Apache-2.0
/* Clusters: PTX ISA, mapa, getctarank, barrier.cluster. A block's own shared memory begins at 0; that of the block with
 * rank r of the cluster, its own included, at (r + 1) << CLUSTER_SHIFT, which mapa gives. */
#include "reference/thread.h"

enum { CLUSTER_SHIFT = 24 };

uint64_t reference_cluster_blocks(const struct reference_launch *launch)
{
    return (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}

void block_place(const struct reference_launch *launch, uint64_t number, uint32_t rank,
                 uint32_t id[3])
{
    const uint32_t *size = launch->cluster;
    for (unsigned k = 0; k < 3; k++) {
        uint32_t clusters = launch->grid[k] / size[k];
        id[k] = (uint32_t)(number % clusters) * size[k] + rank % size[k];
        number /= clusters;
        rank /= size[k];
    }
}

uint32_t block_rank(const struct block *block)
{
    const uint32_t *size = block->state->launch->cluster, *id = block->id;
    return (id[2] % size[2] * size[1] + id[1] % size[1]) * size[0] + id[0] % size[0];
}

struct block *block_at(struct block *block, uint64_t *address)
{
    uint64_t rank = *address >> CLUSTER_SHIFT;
    if (!rank) return block;
    *address &= (1 << CLUSTER_SHIFT) - 1;
    return rank <= reference_cluster_blocks(block->state->launch) ? &block->cluster[rank - 1]
                                                                  : NULL;
}

uint64_t address_in_rank(uint64_t address, uint64_t rank)
{
    return (address & ((1 << CLUSTER_SHIFT) - 1)) | (rank + 1) << CLUSTER_SHIFT;
}

/* The shared address that source 0 means. */
static uint64_t shared_address(struct thread *thread, const struct insn *insn)
{
    uint64_t address = thread_read(thread, insn_source(insn, 0), insn->type);
    return insn->space == SPACE_SHARED ? address : address - SHARED_GENERIC;
}

void thread_map_shared(struct thread *thread, const struct insn *insn)
{
    uint64_t address = shared_address(thread, insn);
    uint64_t rank = thread_read(thread, insn_source(insn, 1), TYPE_U32);
    if (rank >= reference_cluster_blocks(thread->block->state->launch))
        thread_fault(thread, insn, "the cluster has no such block");
    address = address_in_rank(address, rank);
    thread_write(thread, &insn->operands[0],
                 insn->space == SPACE_SHARED ? address : address + SHARED_GENERIC);
}

void thread_shared_rank(struct thread *thread, const struct insn *insn)
{
    uint64_t address = shared_address(thread, insn);
    const struct block *block = block_at(thread->block, &address);
    if (block)
        thread_write(thread, &insn->operands[0], block_rank(block));
    else
        thread_fault(thread, insn, "the cluster has no such block");
}

/* ---- the barrier ----------------------------------------------------------------------------- */

void thread_cluster_arrive(struct thread *thread, const struct insn *insn)
{
    if (thread->cluster_arrivals != thread->cluster_waits)
        thread_fault(thread, insn, "a second arrival at the barrier of the cluster without a wait");
    thread->cluster_arrivals++;
}

void thread_cluster_wait(struct thread *thread, const struct insn *insn)
{
    if (thread->cluster_arrivals == thread->cluster_waits)
        thread_fault(thread, insn, "a wait at the barrier of the cluster without an arrival");
    thread->state = THREAD_AT_CLUSTER;
    thread->waits = insn;
}

/* As often as every thread that has not ended has arrived at least. */
static uint32_t fewest_arrivals(const struct block *block)
{
    uint32_t fewest = UINT32_MAX;
    for (uint64_t rank = 0; rank < reference_cluster_blocks(block->state->launch); rank++)
        for (uint32_t i = 0; i < block->cluster[rank].thread_count; i++) {
            const struct thread *thread = &block->cluster[rank].threads[i];
            if (thread->state != THREAD_DONE && thread->cluster_arrivals < fewest)
                fewest = thread->cluster_arrivals;
        }
    return fewest;
}

bool block_release_cluster(struct block *block)
{
    uint32_t fewest = fewest_arrivals(block);
    bool released = false;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        struct thread *thread = &block->threads[i];
        if (thread->state != THREAD_AT_CLUSTER || thread->cluster_arrivals > fewest) continue;
        thread->state = THREAD_RUNS;
        thread->cluster_waits++;
        released = true;
    }
    return released;
}
