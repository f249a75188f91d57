// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_memory.h"

#include <stdlib.h>

#include "model/teg/teg_caches.h"

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
                     uint32_t dram_share, uint32_t written_share)
{
    *memory = (struct teg_memory){
        .machine = machine, .sms = sms, .dram_share = dram_share, .written_share = written_share};
    memory->l2_sector = machine->l2.sector;
    memory->dram_sector = machine->dram.sector;
    teg_dram_init(&memory->dram, machine);
    if (machine->rule != RULE_IS_SECTOR) {
        memory->place_count = places_of(machine);
        memory->places = mem_zalloc(memory->place_count + 1, sizeof *memory->places);
    }
}

void teg_memory_clear(struct teg_memory *memory)
{
    teg_caches_clear(memory);
    mem_free(memory->places);
    teg_dram_clear(&memory->dram);
    *memory = (struct teg_memory){0};
}

static bool is_watched(const struct teg_memory *memory)
{
    return memory->observer && memory->observer->span;
}

void teg_memory_watch(const struct teg_memory *memory, enum teg_span_kind kind, unsigned number,
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
    teg_time end = later(later(memory->dram_free, memory->l2_free), memory->way_free);
    bool is_queue = memory->machine->rule == RULE_IS_SECTOR && memory->dram.free;
    return is_queue ? later(end, memory->dram.free[0]) : end;
}

/* ---- cc 1.x ---------------------------------------------------------------------------------- */

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
        if (is_watched(memory))
            teg_memory_watch(memory, TEG_SPAN_CHANNEL, channel, turn, *free_at, sectors);
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
    if (is_watched(memory))
        teg_memory_watch(memory, TEG_SPAN_DRAM, 0, *start, memory->dram_free, sectors);
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

/* A turn looks up as many lines as there are tags and reads each bank once, so that lanes whose words lie in different
 * banks of different lines need one. */
static inline void set_turns(const struct teg_machine *machine, const struct teg_arrival *arrival,
                             struct teg_pipe *pipe)
{
    uint32_t lookups = (arrival->count + machine->tags - 1) / machine->tags;
    pipe->turns = lookups > arrival->passes ? lookups : arrival->passes;
    pipe->turn = later(machine->line, machine->l1.sector * (TEG_LINE / TEG_SECTOR));
}

static inline struct teg_answer serve(struct teg_memory *memory, const struct teg_arrival *arrival)
{
    const struct teg_machine *machine = memory->machine;
    struct teg_pipe pipe = {.begin = arrival->now, .below = arrival->now};
    if (machine->tags && arrival->operation == TRACE_LOAD) set_turns(machine, arrival, &pipe);
    teg_time done = arrival->now;
    for (uint32_t i = 0; i < arrival->count; i++) {
        const struct teg_piece *piece = &arrival->pieces[i];
        teg_time one = machine->rule == RULE_IS_SECTOR
                           ? teg_caches_access(memory, arrival, piece, &pipe)
                           : uncached(memory, arrival, piece, &pipe.below);
        done = later(done, one);
    }
    /* As much again may wait as is in flight (guess); the unit itself takes its time for the request. */
    teg_time entered = later(pipe.begin, arrival->now + machine->request);
    entered = later(entered, pipe.below - machine->in_flight);
    return (struct teg_answer){entered, done};
}

struct teg_answer teg_memory_access(struct teg_memory *memory, const struct teg_arrival *arrival)
{
    if (!is_watched(memory)) return serve(memory, arrival);
    const struct teg_memory_counts before = memory->counts;
    struct teg_answer answer = serve(memory, arrival);
    watch_access(memory, arrival, &before, answer.done);
    return answer;
}
