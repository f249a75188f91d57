// SPDX-License-Identifier: Apache-2.0
/* Global and local memory as the simulated SMs of one cluster see it. Every part serves in the order
 * of arrival, and accesses arrive in the order of time: an access is timed when it is issued.
 *
 *   cc 1.x:   load/store unit of the SM -> pipeline of the cluster (its share of the bandwidth, Cmem
 *             transactions in flight) -> channels
 *   later:    load/store unit, L1 of the SM -> way to the L2 (share of the cluster's) -> L2 (share)
 *             -> DRAM (share), in teg_caches.c
 *             A line that is under way is there for later accesses when it arrives. */
#ifndef MODEL_TEG_MEMORY_H
#define MODEL_TEG_MEMORY_H

#include "measure/cache.h"
#include "measure/cache_section.h"
#include "model/teg/teg_access.h"
#include "model/teg/teg_dram.h"
#include "model/teg/teg_observer.h"

enum { TEG_CHANNELS_MAX = 64, TEG_DRAM_ALL = 1 << 16 };

struct teg_memory_counts {
    uint64_t sectors, l1_hits, l2_hits, dram; /* of 32 bytes; loads and stores */
    uint64_t skewed; /* transactions that waited for their channel or row alone */
    uint64_t caches[CACHE_COUNT_COUNT];     /* the same in detail, behind caches */
    teg_time way_busy;                      /* to the L2 */
    teg_time l2_busy, dram_busy, rows_busy; /* rows_busy: of all banks, behind caches */
};

struct teg_memory {
    const struct teg_machine *machine;
    unsigned sms;
    struct cache *l1, l2;               /* by SM; NULL until there is an access */
    teg_time **l1_arrives, *l2_arrives; /* by line of the cache, as it lies there */
    teg_time l2_sector, dram_sector;    /* ticks for 32 bytes: this SM's share at the time */
    teg_time way_free, l2_free, dram_free, channel_free[TEG_CHANNELS_MAX];
    struct teg_dram dram;
    /* cc 1.x: when each of the places in flight, of 32 bytes, is free again. */
    teg_time *places;
    uint64_t place_count, next_place;
    /* Of the sectors that an SM fetches for the first time, those that no other SM has fetched before:
     * TEG_DRAM_ALL stands for all. */
    uint32_t dram_share, dram_rest;
    /* Of the sectors that are changed, those that are written back before the launch ends. */
    uint32_t written_share, written_rest;
    struct teg_memory_counts counts;
    const struct teg_observer *observer; /* NULL: none; to be set after teg_memory_init */
};

/* One warp access, once its pieces are known. */
struct teg_arrival {
    unsigned sm;
    teg_time now;
    uint64_t origin; /* what the pieces' deltas are relative to */
    const struct teg_piece *pieces;
    uint32_t count;
    uint32_t passes;   /* through the banks of the L1 */
    uint8_t operation; /* enum trace_operation */
    bool in_l1;        /* may hit and stay there */
};
struct teg_answer {
    teg_time entered; /* the load/store unit is free again */
    teg_time done;    /* data are back, or (store) gone */
};

void teg_memory_init(struct teg_memory *memory, const struct teg_machine *machine, unsigned sms,
                     uint32_t dram_share, uint32_t written_share);
void teg_memory_clear(struct teg_memory *memory);
/* When all that was asked for has been served. */
teg_time teg_memory_end(const struct teg_memory *memory);
/* From now on this SM has `own` parts in `all` of the bandwidth of L2 and DRAM. */
void teg_memory_share(struct teg_memory *memory, uint64_t own, uint64_t all);
/* Tells the observer, which there is, of a span. */
void teg_memory_watch(const struct teg_memory *memory, enum teg_span_kind kind, unsigned number,
                      teg_time begin, teg_time end, unsigned sectors);
struct teg_answer teg_memory_access(struct teg_memory *memory, const struct teg_arrival *arrival);

#endif
