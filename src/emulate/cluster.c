// SPDX-License-Identifier: Apache-2.0
/* Clusters: the blocks of one begin together and take turns on one host thread. Each lane arrives at the barrier in
 * some phase of it and waits until that phase has ended, which it does when all lanes that live have arrived. */
#include "emulate/cluster.h"

#include <string.h>

#include "emulate/check_sync.h"

/* ---- places ---------------------------------------------------------------------------------- */

static uint64_t block_index(const struct launch *launch, uint64_t number, uint32_t rank)
{
    const uint32_t *grid = launch->options->grid, *size = launch->cluster;
    uint64_t across = grid[0] / size[0], down = grid[1] / size[1];
    uint64_t x = number % across * size[0] + rank % size[0];
    uint64_t y = number / across % down * size[1] + rank / size[0] % size[1];
    uint64_t z = number / across / down * size[2] + rank / size[0] / size[1];
    return (z * grid[1] + y) * grid[0] + x;
}

void cluster_fill_specials(const struct launch *launch, const struct block *block, uint32_t *values)
{
    static const uint32_t alone[3] = {1, 1, 1};
    const uint32_t *size = launch->cluster_blocks ? launch->cluster : alone;
    for (unsigned k = 0; k < 3; k++) {
        uint32_t place = values[BLOCK_CTAID_X + k];
        values[BLOCK_CLUSTERID_X + k] = place / size[k];
        values[BLOCK_NCLUSTERID_X + k] = values[BLOCK_NCTAID_X + k] / size[k];
        values[BLOCK_CLUSTER_CTAID_X + k] = place % size[k];
        values[BLOCK_CLUSTER_NCTAID_X + k] = size[k];
    }
    values[BLOCK_CLUSTER_CTARANK] = block->rank;
    values[BLOCK_CLUSTER_NCTARANK] = size[0] * size[1] * size[2];
    values[BLOCK_IS_CLUSTER] = launch->cluster_blocks ? UINT32_MAX : 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct cluster *take(struct worker *worker)
{
    struct cluster *cluster = worker->free_cluster;
    if (!cluster) return mem_zalloc(1, sizeof *cluster);
    worker->free_cluster = cluster->next;
    *cluster = (struct cluster){0};
    return cluster;
}

struct block *cluster_start(struct worker *worker, uint64_t number)
{
    const struct launch *launch = worker->launch;
    struct cluster *cluster = take(worker);
    cluster->size = cluster->living = launch->cluster_blocks;
    cluster->threads_alive = cluster->size * launch->threads_per_block;
    for (uint32_t rank = 0; rank < cluster->size; rank++) {
        struct block *block = cluster->blocks[rank] = block_take(worker);
        block->cluster = cluster;
        block->rank = rank;
        block->order = number * cluster->size + rank;
        block_start(worker, block, block_index(launch, number, rank));
        if (rank) cluster->blocks[rank - 1]->next = block;
    }
    return cluster->blocks[0];
}

void cluster_start_alone(struct block *block, uint64_t index, uint32_t threads)
{
    block->alone = (struct cluster){.threads_alive = threads, .blocks = {block}};
    block->cluster = &block->alone;
    block->rank = 0;
    block->order = index;
}

/* Others may access its memory until the last one has ended. */
void cluster_leave(struct worker *worker, struct block *block)
{
    struct cluster *cluster = block->cluster;
    if (!cluster->size) {
        block_give(worker, block);
        return;
    }
    if (--cluster->living) return;
    for (uint32_t rank = 0; rank < cluster->size; rank++)
        block_give(worker, cluster->blocks[rank]);
    cluster->next = worker->free_cluster;
    worker->free_cluster = cluster;
}

void cluster_clear(struct worker *worker)
{
    for (struct cluster *next, *cluster = worker->free_cluster; cluster; cluster = next) {
        next = cluster->next;
        mem_free(cluster);
    }
}

/* ---- the barrier ----------------------------------------------------------------------------- */

/* Those that have arrived in the current phase. */
static uint32_t arrived_now(const struct cluster *cluster, const struct warp *warp)
{
    uint32_t same = cluster->phase ? warp->cluster_phases : ~warp->cluster_phases;
    return warp->cluster_arrived & same;
}

static void release_block(struct exec *x, struct block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        for (uint32_t i = 0; i < warp->split_count; i++) {
            struct split *split = &warp->splits[i];
            if (split->state != SPLIT_AT_CLUSTER) continue;
            split->state = SPLIT_READY;
            if (x->checks & CHECK_RACE) order_cluster_pass(x, warp, block, split->mask);
            split->block = x->launch->program->code[split->block].next;
            warp->cluster_arrived &= ~split->mask;
        }
    }
}

static void look(struct exec *x, struct cluster *cluster)
{
    if (!cluster->arrived || cluster->arrived < cluster->threads_alive) return;
    cluster->arrived = 0;
    cluster->phase = !cluster->phase;
    x->releases++;
    if (x->checks & CHECK_RACE) order_cluster_done(x, cluster);
    if (x->checks & CHECK_SYNC) sync_cluster_done(cluster);
    for (uint32_t rank = 0; rank < (cluster->size ? cluster->size : 1); rank++)
        release_block(x, cluster->blocks[rank]);
}

void cluster_arrive(struct exec *x, const struct insn *insn, uint32_t lanes)
{
    struct cluster *cluster = x->cluster;
    struct warp *warp = x->warp;
    uint32_t fresh = lanes & ~arrived_now(cluster, warp);
    if (x->checks & CHECK_RACE) order_cluster_arrive(x, lanes, insn);
    warp->cluster_arrived |= lanes;
    warp->cluster_phases = (warp->cluster_phases & ~lanes) | (cluster->phase ? lanes : 0);
    cluster->arrived += (uint32_t)__builtin_popcount(fresh);
    x->changes++;
    look(x, cluster);
}

bool cluster_wait(struct exec *x, struct warp *warp, struct split *split, const struct code *code)
{
    uint32_t lanes = guard_lanes(x, code, split->mask);
    observe_guard(x, warp, code, split->mask, lanes);
    if (lanes && x->observe)
        x->observe->barrier(x->observer_worker, &warp->ref, code->last_index, true);
    uint32_t ended = warp->cluster_arrived & ~arrived_now(x->cluster, warp);
    if (lanes & ~ended) {
        split->state = SPLIT_AT_CLUSTER;
        return false;
    }
    warp->cluster_arrived &= ~lanes;
    if (x->checks & CHECK_RACE) order_cluster_pass(x, warp, x->block, lanes);
    split->block = code->next;
    return true;
}

void cluster_drop(struct exec *x, struct warp *warp, uint32_t lanes)
{
    struct cluster *cluster = x->cluster;
    cluster->arrived -= lanes_count(arrived_now(cluster, warp) & lanes);
    cluster->threads_alive -= lanes_count(lanes);
    warp->cluster_arrived &= ~lanes;
    look(x, cluster);
}

/* ---- shared memory --------------------------------------------------------------------------- */

struct block *cluster_block(const struct exec *x, uint64_t *address)
{
    uint64_t window = (uint32_t)*address / SHARED_WINDOW_BYTES;
    *address &= SHARED_WINDOW_BYTES - 1;
    if (!window) return x->block;
    return window <= x->cluster->size ? x->cluster->blocks[window - 1] : NULL;
}

struct block *cluster_home(const struct exec *x, uint64_t *distance)
{
    uintptr_t at = (uintptr_t)x->shared + (uintptr_t)*distance;
    for (uint32_t rank = 0; rank < x->cluster->size; rank++) {
        struct block *block = x->cluster->blocks[rank];
        uintptr_t from = at - (uintptr_t)block->shared;
        if (from >= x->launch->shared_end) continue;
        *distance = from;
        return block;
    }
    return x->block;
}

unsigned char *cluster_memory(struct exec *x, const struct uop *u, uint32_t lane, uint64_t address,
                              uint64_t bytes)
{
    uint64_t at = address;
    const struct block *block = cluster_block(x, &at);
    bool is_inside = block && bytes <= x->launch->shared_end && at <= x->launch->shared_end - bytes;
    if (is_inside) return block->shared + at;
    fault_memory(x, u, block ? FAULT_OUT_OF_BOUNDS : FAULT_NO_BLOCK, lane, address);
    x->fault.space = SPACE_SHARED;
    return NULL;
}
