// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_memory.h"

#include <stdlib.h>

static teg_time later(teg_time a, teg_time b)
{
    return a > b ? a : b;
}

/* Bytes in flight are bandwidth times latency: Cmem (001, section 3.2.4) counts them in accesses of 32
 * elements, here they are counted in sectors. One access more, of doubles, so that whole accesses fit
 * at the full bandwidth. */
enum { ACCESS_SECTORS = 8 };

static uint64_t places_of(const struct teg_machine *machine)
{
    if (!machine->dram.sector) return 0;
    teg_time sector = machine->dram.sector;
    return (uint64_t)((machine->in_flight + sector - 1) / sector) + ACCESS_SECTORS;
}

static teg_time *init_cache(struct cache *cache, const struct teg_level *level)
{
    cache_init(cache, level->bytes, TEG_LINE, level->ways);
    return mem_zalloc(cache->lines ? cache->sets * cache->ways : 1, sizeof(teg_time));
}

void teg_memory_init(struct teg_memory *memory, const struct teg_machine *machine, unsigned sms,
                     uint32_t dram_share)
{
    *memory = (struct teg_memory){.machine = machine, .dram_share = dram_share};
    memory->l2_sector = machine->l2.sector;
    memory->dram_sector = machine->dram.sector;
    teg_dram_init(&memory->dram, machine);
    if (machine->rule != RULE_IS_SECTOR) {
        memory->place_count = places_of(machine);
        memory->places = mem_zalloc(memory->place_count + 1, sizeof *memory->places);
        return;
    }
    memory->l1 = mem_zalloc(sms, sizeof *memory->l1);
    memory->l1_arrives = mem_zalloc(sms, sizeof *memory->l1_arrives);
    for (unsigned i = 0; i < sms; i++)
        memory->l1_arrives[i] = init_cache(&memory->l1[i], &machine->l1);
    memory->l2_arrives = init_cache(&memory->l2, &machine->l2);
}

void teg_memory_clear(struct teg_memory *memory)
{
    for (unsigned i = 0; memory->l1 && i < memory->machine->cluster_sms; i++) {
        cache_clear(&memory->l1[i]);
        mem_free(memory->l1_arrives[i]);
    }
    mem_free(memory->l1_arrives);
    mem_free(memory->l2_arrives);
    cache_clear(&memory->l2);
    mem_free(memory->l1);
    mem_free(memory->places);
    teg_dram_clear(&memory->dram);
    *memory = (struct teg_memory){0};
}

static bool is_watched(const struct teg_memory *memory)
{
    return memory->observer && memory->observer->span;
}

static void watch(const struct teg_memory *memory, enum teg_span_kind kind, unsigned number,
                  teg_time begin, teg_time end, unsigned sectors)
{
    struct teg_span span = {
        .kind = (uint8_t)kind, .number = number, .begin = begin, .end = end, .sectors = sectors};
    memory->observer->span(memory->observer->self, &span);
}

void teg_memory_share(struct teg_memory *memory, uint64_t own, uint64_t all)
{
    const struct teg_machine *machine = memory->machine;
    if (machine->rule != RULE_IS_SECTOR) return; /* a cluster has its share whoever works */
    memory->l2_sector = teg_sector_ticks(machine, &machine->l2, all, own);
    memory->dram_sector = teg_sector_ticks(machine, &machine->dram, all, own);
    teg_dram_share(&memory->dram, own, all);
}

teg_time teg_memory_end(const struct teg_memory *memory)
{
    teg_time end = later(memory->dram_free, memory->l2_free);
    bool is_queue = memory->machine->rule == RULE_IS_SECTOR && memory->dram.free;
    return is_queue ? later(end, memory->dram.free[0]) : end;
}

/* ---- cc 1.x ---------------------------------------------------------------------------------- */

/* One access on its way: when its next piece passes the load/store unit and the L1, and when the last
 * one was taken from there. */
struct pipe {
    teg_time begin, below;
};

/* How much a channel, or a bank of it that has rows to open, lags behind what its share of the
 * bandwidth would have served. The clusters' accesses are not in step: what is uneven for less than the
 * latency evens out (guess). */
static teg_time channel_delay(struct teg_memory *memory, uint64_t address, teg_time start,
                              unsigned sectors)
{
    const struct teg_machine *machine = memory->machine;
    teg_time begin = teg_dram_open(&memory->dram, address, start);
    if (machine->channels > 1 && machine->channels <= TEG_CHANNELS_MAX) {
        unsigned channel = (unsigned)(address / machine->interleave % machine->channels);
        teg_time *free_at = &memory->channel_free[channel], turn = later(start, *free_at);
        *free_at = turn + machine->dram.sector * machine->channels * sectors;
        if (is_watched(memory)) watch(memory, TEG_SPAN_CHANNEL, channel, turn, *free_at, sectors);
        begin = later(begin, turn);
    }
    teg_time lag = begin - start - machine->in_flight;
    if (lag <= 0) return 0;
    memory->counts.skewed++;
    return lag;
}

/* A place in flight for every 32 bytes; the transaction starts when the last of them is free. */
static teg_time take_places(struct teg_memory *memory, teg_time start, unsigned sectors,
                            uint64_t *out_first)
{
    *out_first = memory->next_place;
    for (unsigned i = 0; i < sectors && memory->place_count; i++) {
        start = later(start, memory->places[memory->next_place]);
        if (++memory->next_place == memory->place_count) memory->next_place = 0;
    }
    return start;
}

static teg_time uncached(struct teg_memory *memory, const struct teg_arrival *arrival,
                         const struct teg_piece *piece, teg_time *start)
{
    const struct teg_machine *machine = memory->machine;
    uint64_t address = arrival->origin + (uint64_t)piece->delta;
    unsigned sectors = ((unsigned)piece->bytes + TEG_SECTOR - 1) / TEG_SECTOR;
    uint64_t place;
    *start = later(*start, memory->dram_free);
    *start = take_places(memory, *start, sectors, &place);
    memory->dram_free = *start + machine->dram.sector * sectors;
    if (is_watched(memory)) watch(memory, TEG_SPAN_DRAM, 0, *start, memory->dram_free, sectors);
    teg_time done = *start + machine->dram.latency +
                    (piece->is_moved ? 0 : channel_delay(memory, address, *start, sectors));
    for (unsigned i = 0; i < sectors && memory->place_count; i++) {
        memory->places[place] = done;
        if (++place == memory->place_count) place = 0;
    }
    memory->counts.sectors += sectors;
    memory->counts.dram += sectors;
    memory->counts.dram_busy += machine->dram.sector * sectors;
    return done;
}

/* ---- with caches ----------------------------------------------------------------------------- */

/* Which of `sectors` fetched for the first time come from DRAM, others having been fetched by other
 * SMs before. */
static unsigned from_dram(struct teg_memory *memory, unsigned sectors)
{
    memory->dram_rest += memory->dram_share * sectors;
    unsigned count = memory->dram_rest / TEG_DRAM_ALL;
    memory->dram_rest %= TEG_DRAM_ALL;
    return count;
}

static bool always_hits(const struct teg_machine *machine)
{
    return machine->effects_off >> EFFECT_CACHE_MISSES & 1;
}

/* When the row of a line is open. */
static teg_time row_of(struct teg_memory *memory, uint64_t address, teg_time start)
{
    uint64_t before = memory->dram.opened;
    teg_time open = teg_dram_open(&memory->dram, address, start);
    memory->counts.rows_busy += memory->dram.cycle * (teg_time)(memory->dram.opened - before);
    memory->counts.skewed += open > start;
    return open;
}

/* Past the L1. Waits while more is under way to the DRAM than its latency hides. A store is done when
 * the L2 has it. */
static teg_time through_l2(struct teg_memory *memory, uint64_t line, unsigned sectors,
                           bool is_store, teg_time *start)
{
    const struct teg_machine *machine = memory->machine;
    unsigned count = (unsigned)__builtin_popcount(sectors), hits = sectors;
    teg_time full = later(memory->dram_free, memory->dram.free ? memory->dram.free[0] : 0);
    *start = later(*start, later(memory->l2_free, full - machine->in_flight));
    memory->l2_free = *start + memory->l2_sector * count;
    if (is_watched(memory)) watch(memory, TEG_SPAN_L2, 0, *start, memory->l2_free, count);
    memory->counts.l2_busy += memory->l2_sector * count;
    teg_time done = *start + machine->l2.latency, *arrives = NULL;
    if (!always_hits(machine)) {
        hits = cache_access(&memory->l2, line, sectors, CACHE_ALLOCATE);
        arrives = &memory->l2_arrives[memory->l2.touched];
    }
    if (hits && arrives && !is_store) done = later(done, *arrives);
    if (arrives && !hits) *arrives = 0; /* what lay there before is gone */
    unsigned misses = from_dram(memory, count - (unsigned)__builtin_popcount(hits));
    memory->counts.l2_hits += count - misses;
    memory->counts.dram += misses;
    if (!misses) return done;
    teg_time begin = later(*start, memory->dram_free);
    memory->dram_free = begin + memory->dram_sector * misses;
    if (is_watched(memory)) watch(memory, TEG_SPAN_DRAM, 0, begin, memory->dram_free, misses);
    begin = later(begin, row_of(memory, line * TEG_LINE, *start));
    memory->counts.dram_busy += memory->dram_sector * misses;
    if (is_store) return done;
    done = later(done, begin + machine->dram.latency);
    if (arrives) *arrives = done;
    return done;
}

/* The L1 passes a line a cycle, and its sectors at its bandwidth, whether they are there or not. */
static teg_time cached(struct teg_memory *memory, const struct teg_arrival *arrival,
                       const struct teg_piece *piece, struct pipe *pipe)
{
    const struct teg_machine *machine = memory->machine;
    uint64_t line = (arrival->origin + (uint64_t)piece->delta) / TEG_LINE;
    unsigned count = (unsigned)__builtin_popcount(piece->sectors), hits = 0;
    bool is_store = arrival->operation == TRACE_STORE, looks = false;
    teg_time begin = pipe->begin, done = begin, *arrives = NULL;
    memory->counts.sectors += count;
    if (arrival->in_l1 && arrival->operation == TRACE_LOAD && machine->l1.bytes) {
        hits = piece->sectors;
        looks = !always_hits(machine);
    }
    if (looks) {
        hits = cache_access(&memory->l1[arrival->sm], line, piece->sectors, CACHE_ALLOCATE);
        arrives = &memory->l1_arrives[arrival->sm][memory->l1[arrival->sm].touched];
        if (!hits) *arrives = 0;
    }
    memory->counts.l1_hits += (unsigned)__builtin_popcount(hits);
    if (hits) done = later(begin + machine->l1.latency, arrives ? *arrives : 0);
    pipe->begin = begin + later(machine->line, machine->l1.sector * count);
    if (!(piece->sectors & ~hits)) return done;
    pipe->below = later(pipe->below, begin);
    done = later(done, through_l2(memory, line, piece->sectors & ~hits, is_store, &pipe->below));
    if (arrives) *arrives = done;
    return done;
}

static void watch_access(const struct teg_memory *memory, const struct teg_arrival *arrival,
                         const struct teg_memory_counts *before, teg_time done)
{
    const struct teg_memory_counts *after = &memory->counts;
    struct teg_span span = {
        .kind = TEG_SPAN_ACCESS,
        .sm = arrival->sm,
        .begin = arrival->now,
        .end = done,
        .sectors = (uint32_t)(after->sectors - before->sectors),
        .l1_hits = (uint32_t)(after->l1_hits - before->l1_hits),
        .l2_hits = (uint32_t)(after->l2_hits - before->l2_hits),
        .dram = (uint32_t)(after->dram - before->dram),
    };
    memory->observer->span(memory->observer->self, &span);
}

struct teg_answer teg_memory_access(struct teg_memory *memory, const struct teg_arrival *arrival)
{
    const struct teg_machine *machine = memory->machine;
    const struct teg_memory_counts before = memory->counts;
    struct pipe pipe = {arrival->now, arrival->now};
    teg_time done = arrival->now;
    for (uint32_t i = 0; i < arrival->count; i++) {
        const struct teg_piece *piece = &arrival->pieces[i];
        teg_time one = machine->rule == RULE_IS_SECTOR
                           ? cached(memory, arrival, piece, &pipe)
                           : uncached(memory, arrival, piece, &pipe.below);
        done = later(done, one);
    }
    if (is_watched(memory)) watch_access(memory, arrival, &before, done);
    /* As much again may wait as is in flight (guess); the unit itself takes its time for the request. */
    teg_time entered = later(pipe.begin, arrival->now + machine->request);
    entered = later(entered, pipe.below - machine->in_flight);
    return (struct teg_answer){entered, done};
}
