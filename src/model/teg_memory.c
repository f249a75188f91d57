// SPDX-License-Identifier: Apache-2.0
#include "model/teg_memory.h"

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

void teg_memory_init(struct teg_memory *memory, const struct teg_machine *machine, unsigned sms,
                     uint32_t dram_share)
{
    *memory = (struct teg_memory){.machine = machine, .dram_share = dram_share};
    if (machine->rule != RULE_IS_SECTOR) {
        memory->place_count = places_of(machine);
        memory->places = mem_zalloc(memory->place_count + 1, sizeof *memory->places);
        return;
    }
    memory->l1 = mem_zalloc(sms, sizeof *memory->l1);
    for (unsigned i = 0; i < sms; i++)
        cache_init(&memory->l1[i], machine->l1.bytes, TEG_LINE, machine->l1.ways);
    cache_init(&memory->l2, machine->l2.bytes, TEG_LINE, machine->l2.ways);
}

void teg_memory_clear(struct teg_memory *memory)
{
    for (unsigned i = 0; memory->l1 && i < memory->machine->cluster_sms; i++)
        cache_clear(&memory->l1[i]);
    cache_clear(&memory->l2);
    free(memory->l1);
    free(memory->places);
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

/* ---- cc 1.x ---------------------------------------------------------------------------------- */

/* How much a channel lags behind what its share of the bandwidth would have served. The clusters'
 * accesses are not in step: what is uneven for less than the latency evens out (guess). */
static teg_time channel_delay(struct teg_memory *memory, uint64_t address, teg_time start,
                              unsigned sectors)
{
    const struct teg_machine *machine = memory->machine;
    if (machine->channels < 2 || machine->channels > TEG_CHANNELS_MAX) return 0;
    unsigned channel = (unsigned)(address / machine->interleave % machine->channels);
    teg_time *free_at = &memory->channel_free[channel], begin = later(start, *free_at);
    *free_at = begin + machine->dram.sector * machine->channels * sectors;
    if (is_watched(memory)) watch(memory, TEG_SPAN_CHANNEL, channel, begin, *free_at, sectors);
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

/* Past the L1. Waits while more is under way to the DRAM than its latency hides. */
static teg_time through_l2(struct teg_memory *memory, uint64_t line, unsigned sectors,
                           teg_time *start)
{
    const struct teg_machine *machine = memory->machine;
    unsigned count = (unsigned)__builtin_popcount(sectors);
    *start = later(*start, later(memory->l2_free, memory->dram_free - machine->in_flight));
    memory->l2_free = *start + machine->l2.sector * count;
    if (is_watched(memory)) watch(memory, TEG_SPAN_L2, 0, *start, memory->l2_free, count);
    unsigned hits = machine->effects_off >> EFFECT_CACHE_MISSES & 1
                        ? sectors
                        : cache_access(&memory->l2, line, sectors, CACHE_ALLOCATE);
    unsigned misses = from_dram(memory, count - (unsigned)__builtin_popcount(hits));
    memory->counts.l2_hits += count - misses;
    memory->counts.dram += misses;
    if (!misses) return *start + machine->l2.latency;
    teg_time begin = later(*start, memory->dram_free);
    memory->dram_free = begin + machine->dram.sector * misses;
    if (is_watched(memory)) watch(memory, TEG_SPAN_DRAM, 0, begin, memory->dram_free, misses);
    return begin + machine->dram.latency;
}

static teg_time cached(struct teg_memory *memory, const struct teg_arrival *arrival,
                       const struct teg_piece *piece, teg_time *start)
{
    const struct teg_machine *machine = memory->machine;
    uint64_t line = (arrival->origin + (uint64_t)piece->delta) / TEG_LINE;
    unsigned count = (unsigned)__builtin_popcount(piece->sectors), hits = 0;
    memory->counts.sectors += count;
    bool is_load = arrival->operation == TRACE_LOAD;
    if (arrival->in_l1 && is_load && machine->l1.bytes)
        hits = machine->effects_off >> EFFECT_CACHE_MISSES & 1
                   ? piece->sectors
                   : cache_access(&memory->l1[arrival->sm], line, piece->sectors, CACHE_ALLOCATE);
    memory->counts.l1_hits += (unsigned)__builtin_popcount(hits);
    teg_time done = hits ? *start + machine->l1.latency : *start, occupied = *start;
    unsigned rest = piece->sectors & ~hits;
    if (rest) done = later(done, through_l2(memory, line, rest, start));
    occupied = later(*start, occupied) + machine->line;
    *start = later(occupied, *start + machine->l1.sector * count);
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
    teg_time start = arrival->now, done = arrival->now;
    const struct teg_memory_counts before = memory->counts;
    for (uint32_t i = 0; i < arrival->count; i++) {
        const struct teg_piece *piece = &arrival->pieces[i];
        teg_time one = machine->rule == RULE_IS_SECTOR ? cached(memory, arrival, piece, &start)
                                                       : uncached(memory, arrival, piece, &start);
        done = later(done, one);
    }
    memory->last = later(memory->last, done);
    if (is_watched(memory)) watch_access(memory, arrival, &before, done);
    /* As much again may wait as is in flight (guess); the unit itself takes its time for the request. */
    teg_time entered = later(start - machine->in_flight, arrival->now + machine->request);
    return (struct teg_answer){entered, done};
}
