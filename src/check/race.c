// SPDX-License-Identifier: Apache-2.0
/* The tool race: launches and blocks. */
#include "check/race.h"
#include "check/streams.h"

#include <string.h>

/* ---- blocks ---------------------------------------------------------------------------------- */

static struct race_block *take_block(struct race *race, uint64_t shared_bytes)
{
    struct race_block *block = race->free_blocks;
    if (block)
        race->free_blocks = block->next;
    else
        block = mem_zalloc(1, sizeof *block);
    mem_keep(block);
    if (block->shared_bytes < shared_bytes) {
        mem_free(block->shared);
        block->shared = NULL;
        block->shared_bytes = 0;
        block->shared = mem_zalloc(shared_bytes / 4 + LANES, sizeof *block->shared);
        mem_keep(block->shared);
        block->shared_bytes = shared_bytes;
    }
    return block;
}

enum { BEGAN = 1 }; /* the time that nobody has accessed memory at */

static void *block_begin(void *self, uint64_t index, uint32_t threads, uint64_t shared_bytes,
                         void *leader, uint32_t rank)
{
    struct race *race = self;
    struct race_block *block = take_block(race, shared_bytes);
    block->index = index;
    block->owner = race->owners++;
    block->ordinal = block->owner - race->launch_owners;
    block->leader = leader ? leader : block;
    block->rank = rank;
    block->has_visits = block->has_left = false;
    block->mbarrier_count = 0;
    block->now = 1 + BEGAN;
    block->barrier_time = 0;
    block->first_segment = block->barrier_segment = block->alone_segment = race->next_segment;
    block->warp_count = (threads + LANES - 1) / LANES;
    block->has_clocks = false;
    for (unsigned k = 0; k < block->warp_count; k++) {
        struct race_warp *w = &block->warps[k];
        uint32_t left = threads - k * LANES;
        w->threads = left >= LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
        w->lanes = 0;
        w->time = block->now;
        w->segment = 0;
        w->strict_all = 0;
        w->is_apart = w->is_uneven = false;
        w->is_uniform = true;
        w->copy_count = 0;
        w->product_segment = 0;
        w->product_groups = 0;
        memset(w->clocks, 0, sizeof w->clocks);
    }
    memset(block->barriers, 0, sizeof block->barriers);
    block->next = race->blocks;
    race->blocks = block;
    return block;
}

static void drop_block_clocks(struct race *race, struct race_block *block)
{
    for (unsigned k = 0; k < block->warp_count; k++)
        for (unsigned lane = 0; lane < (block->warps[k].is_uniform ? 1 : LANES); lane++)
            order_drop_clocks(race, &block->warps[k].clocks[lane]);
    for (unsigned id = 0; id < BLOCK_BARRIERS; id++)
        order_drop_clocks(race, &block->barriers[id].joint);
    phases_clear(race, &block->cluster_barrier);
    phases_clear(race, &block->cluster_reads);
    objects_clear(race, &block->objects);
    mbarriers_clear(race, &block->mbarriers);
}

static void block_end(void *self, void *block_)
{
    struct race *race = self;
    struct race_block *block = block_, **at = &race->blocks;
    while (*at != block)
        at = &(*at)->next;
    *at = block->next;
    drop_block_clocks(race, block);
    if (race->current == block) race->current = NULL;
    block->next = race->free_blocks;
    race->free_blocks = block;
}

static void destroy_blocks(struct race_block *block)
{
    for (struct race_block *next; block; block = next) {
        next = block->next;
        for (unsigned k = 0; k < BLOCK_WARPS; k++) {
            mem_free(block->warps[k].known);
            mem_free(block->warps[k].strict);
        }
        hash_table_clear(&block->objects);
        hash_table_clear(&block->mbarriers);
        mem_free(block->visits);
        mem_free(block->shared);
        mem_free(block);
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

enum { LOCKSTEP_BELOW = 70, PLACES_LEAST = 64 };

void race_launch_begin(struct race *race, const struct launch_view *view)
{
    race->view = view;
    race->launches++;
    race->launch_owners = race->owners;
    race->oldest_segment = race->next_segment;
    race->is_lockstep = view->module->target < LOCKSTEP_BELOW;
    race->place_of = mem_zalloc(view->insn_count + 1, sizeof *race->place_of);
    mem_keep(race->place_of);
    /* Nothing of earlier launches is compared: their places and extra entries are free again. */
    race->place_count = 1;
    hash_table_clear(&race->shadow.extras);
    hash_table_clear(&race->told);
    clocks_begin(&race->clocks, view->block_count, async_is_used(view));
    race->current = NULL;
}

void race_launch_end(struct race *race)
{
    while (race->blocks)
        block_end(race, race->blocks);
    objects_clear(race, &race->objects);
    clock_drop(&race->clocks, race->overflow);
    race->overflow = NULL;
    clocks_clear(&race->clocks);
    mem_free(race->place_of);
    race->place_of = NULL;
    mem_free(race->data);
    race->data = NULL;
    race->view = NULL;
}

static void cleared(void *self, uint64_t address, uint64_t bytes)
{
    struct race *race = self;
    cells_forget(&race->shadow, address, bytes);
    streams_forget(race->findings->streams, address, bytes);
}

const struct order_ops race_ops = {
    .block_begin = block_begin,
    .block_leaves = race_block_leaves,
    .block_end = block_end,
    .access = race_access,
    .runs = race_runs,
    .meets = race_meets,
    .arrive = race_arrive,
    .barrier_done = race_barrier_done,
    .fence = race_fence,
    .fence_proxy = race_fence_proxy,
    .commit = race_commit,
    .wait = race_wait,
    .bulk = race_bulk,
    .cluster_arrive = race_cluster_arrive,
    .cluster_done = race_cluster_done,
    .cluster_pass = race_cluster_pass,
    .mbarrier = race_mbarrier,
    .cleared = cleared,
};

struct race *race_create(struct findings *findings)
{
    struct race *race = mem_zalloc(1, sizeof *race);
    race->findings = findings;
    race->next_segment = race->oldest_segment = 1;
    race->place_count = 1; /* 0 is none */
    race->place_room = PLACES_LEAST;
    race->places = mem_zalloc(PLACES_LEAST, sizeof *race->places);
    return race;
}

void race_destroy(struct race *race)
{
    if (!race) return;
    if (race->view) race_launch_end(race);
    cells_clear(&race->shadow);
    destroy_blocks(race->free_blocks);
    hash_table_clear(&race->told);
    mem_free(race->segments);
    mem_free(race->places);
    mem_free(race);
}
