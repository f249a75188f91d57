// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_caches.h"

#include <math.h>
#include <stdlib.h>

enum { LINE_SECTORS = TEG_LINE / TEG_SECTOR };

static teg_time later(teg_time a, teg_time b)
{
    return a > b ? a : b;
}

/* Bits of a line's four: from a table of 16 digits. */
static inline unsigned sectors_in(unsigned sectors)
{
    return (unsigned)(UINT64_C(0x4332322132212110) >> 4 * (sectors % 16)) % 16;
}

static teg_time *init_cache(struct cache *cache, const struct teg_level *level)
{
    cache_init(cache, level->bytes, TEG_LINE, level->ways);
    return mem_zalloc(cache->lines ? cache->sets * cache->ways : 1, sizeof(teg_time));
}

/* At the first access: many launches of kernels that have none are predicted. */
static __attribute__((noinline)) void init_caches(struct teg_memory *memory)
{
    unsigned sms = memory->sms;
    memory->l1 = mem_zalloc(sms, sizeof *memory->l1);
    memory->l1_arrives = mem_zalloc(sms, sizeof *memory->l1_arrives);
    for (unsigned i = 0; i < sms; i++)
        memory->l1_arrives[i] = init_cache(&memory->l1[i], &memory->machine->l1);
    memory->l2_arrives = init_cache(&memory->l2, &memory->machine->l2);
}

void teg_caches_clear(struct teg_memory *memory)
{
    for (unsigned i = 0; memory->l1 && i < memory->sms; i++) {
        cache_clear(&memory->l1[i]);
        mem_free(memory->l1_arrives[i]);
    }
    mem_free(memory->l1_arrives);
    mem_free(memory->l2_arrives);
    cache_clear(&memory->l2);
    mem_free(memory->l1);
}

static bool always_hits(const struct teg_machine *machine)
{
    return machine->effects_off >> EFFECT_CACHE_MISSES & 1;
}

static void count(struct teg_memory *memory, enum cache_count what, unsigned sectors)
{
    memory->counts.caches[what] += sectors;
}

/* ---- DRAM ------------------------------------------------------------------------------------ */

/* Do `sectors`, which move together, fall to this launch and SM? A share of TEG_DRAM_ALL does; the rest is carried
 * on. */
static unsigned part_of(uint32_t share, uint32_t *rest, unsigned sectors)
{
    *rest += share * sectors;
    if (*rest < TEG_DRAM_ALL * sectors) return 0;
    *rest -= TEG_DRAM_ALL * sectors;
    return sectors;
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

/* Sectors of a line on the bus; returns when they begin. */
static teg_time take_dram(struct teg_memory *memory, uint64_t line, unsigned sectors, double cost,
                          teg_time start)
{
    teg_time begin = later(start, memory->dram_free), each = memory->dram_sector;
    if (cost > 1) each = (teg_time)llround(cost * (double)each);
    teg_time busy = each * sectors;
    memory->dram_free = begin + busy;
    if (memory->observer && memory->observer->span)
        teg_memory_watch(memory, TEG_SPAN_DRAM, 0, begin, memory->dram_free, sectors);
    memory->counts.dram += sectors;
    memory->counts.dram_busy += busy;
    return later(begin, row_of(memory, line * TEG_LINE, start));
}

/* ---- L2 -------------------------------------------------------------------------------------- */

unsigned teg_fetched_with(const struct teg_machine *machine, unsigned sectors)
{
    unsigned all = 0;
    for (unsigned i = 0; i < LINE_SECTORS; i += machine->fetch_sectors) {
        unsigned unit = ((1u << machine->fetch_sectors) - 1) << i;
        if (sectors & unit) all |= unit;
    }
    return all;
}

/* The part of its way that packets of this SM take: a header each, and what they carry. */
static void send(struct teg_memory *memory, unsigned sectors, teg_time *start)
{
    *start = later(*start, memory->way_free);
    memory->way_free = *start + memory->machine->packet * (1 + sectors);
    memory->counts.way_busy += memory->way_free - *start;
}

/* The L2 passes sectors at this SM's share of its bandwidth. Waits while more is under way to the DRAM than
 * its latency hides. */
static void pass_l2(struct teg_memory *memory, unsigned sectors, teg_time *start)
{
    const struct teg_machine *machine = memory->machine;
    teg_time full = later(memory->dram_free, memory->dram.free ? memory->dram.free[0] : 0);
    *start = later(*start, later(memory->l2_free, full - machine->in_flight));
    memory->l2_free = *start + memory->l2_sector * sectors;
    if (memory->observer && memory->observer->span)
        teg_memory_watch(memory, TEG_SPAN_L2, 0, *start, memory->l2_free, sectors);
    memory->counts.l2_busy += memory->l2_sector * sectors;
}

/* What `hits` did not have comes from DRAM, but for what other SMs have fetched before. Returns how many
 * sectors come. */
static unsigned misses(struct teg_memory *memory, uint64_t line, unsigned sectors, unsigned hits)
{
    const struct teg_machine *machine = memory->machine;
    unsigned fetched = sectors & ~hits;
    if (!fetched) return 0;
    unsigned beside = teg_fetched_with(machine, fetched) & ~fetched;
    if (beside) fetched |= beside & ~cache_access(&memory->l2, line, beside, CACHE_ALLOCATE);
    return part_of(memory->dram_share, &memory->dram_rest, sectors_in(fetched));
}

/* Sectors that are changed for the first time are written back later, but for those that are still in the L2
 * at the end of the launch. DRAM writes with a mask: what is written in part needs no fetch. */
static void write_back(struct teg_memory *memory, uint64_t line, unsigned clean, teg_time start)
{
    unsigned written = part_of(memory->written_share, &memory->written_rest, sectors_in(clean));
    if (!written) return;
    count(memory, CACHE_COUNT_DRAM_WRITTEN, written);
    take_dram(memory, line, written, memory->machine->write_cost, start);
}

/* Returns the sectors that were there. */
static unsigned change_in_l2(struct teg_memory *memory, uint64_t line,
                             const struct teg_piece *piece, teg_time start)
{
    unsigned clean;
    unsigned hits = cache_store(&memory->l2, line, piece->sectors, piece->words, &clean);
    if (!hits) memory->l2_arrives[memory->l2.touched] = 0;
    write_back(memory, line, clean, start);
    return hits;
}

static teg_time store_in_l2(struct teg_memory *memory, uint64_t line, const struct teg_piece *piece,
                            teg_time start)
{
    unsigned hits = piece->sectors;
    if (!always_hits(memory->machine)) hits = change_in_l2(memory, line, piece, start);
    count(memory, CACHE_COUNT_STORES, sectors_in(piece->sectors));
    count(memory, CACHE_COUNT_L2_STORE_HITS, sectors_in(hits));
    memory->counts.l2_hits += sectors_in(piece->sectors);
    return start + memory->machine->l2.latency;
}

static teg_time load_from_l2(struct teg_memory *memory, uint64_t line, unsigned sectors,
                             bool is_atomic, teg_time start)
{
    const struct teg_machine *machine = memory->machine;
    teg_time done = start + machine->l2.latency, *arrives = NULL;
    unsigned hits = sectors, missing = 0;
    if (!always_hits(machine)) {
        hits = cache_access(&memory->l2, line, sectors, CACHE_ALLOCATE);
        arrives = &memory->l2_arrives[memory->l2.touched];
        if (hits) done = later(done, *arrives);
        if (!hits) *arrives = 0; /* what lay there before is gone */
        missing = misses(memory, line, sectors, hits);
    }
    unsigned from_l2 = sectors_in(missing ? hits : sectors);
    count(memory, is_atomic ? CACHE_COUNT_ATOMICS : CACHE_COUNT_L2_LOADS, sectors_in(sectors));
    count(memory, is_atomic ? CACHE_COUNT_L2_ATOMIC_HITS : CACHE_COUNT_L2_LOAD_HITS, from_l2);
    count(memory, CACHE_COUNT_DRAM_READ, missing);
    memory->counts.l2_hits += from_l2;
    if (!missing) return done;
    done = later(done, take_dram(memory, line, missing, 1, start) + machine->dram.latency);
    *arrives = done;
    return done;
}

/* Past the L1. */
static teg_time through_l2(struct teg_memory *memory, const struct teg_arrival *arrival,
                           const struct teg_piece *piece, uint64_t line, unsigned sectors,
                           teg_time *start)
{
    unsigned moved = sectors_in(sectors);
    send(memory, arrival->operation == TRACE_LOAD ? 0 : moved, start);
    pass_l2(memory, moved, start);
    if (arrival->operation == TRACE_STORE) return store_in_l2(memory, line, piece, *start);
    bool is_atomic = arrival->operation == TRACE_ATOMIC;
    teg_time done = load_from_l2(memory, line, sectors, is_atomic, *start);
    if (is_atomic && !always_hits(memory->machine)) change_in_l2(memory, line, piece, *start);
    return done;
}

/* ---- L1 -------------------------------------------------------------------------------------- */

/* Stores go through, and from cc 7.0 on what they write whole stays for later loads; nothing is fetched. */
static void store_in_l1(struct teg_memory *memory, const struct teg_arrival *arrival, uint64_t line,
                        const struct teg_piece *piece)
{
    const struct teg_machine *machine = memory->machine;
    struct cache *l1 = &memory->l1[arrival->sm];
    unsigned hits, clean;
    if (!arrival->in_l1 || !machine->l1.bytes || always_hits(machine)) return;
    if (!machine->l1_keeps_stores)
        hits = cache_access(l1, line, piece->sectors, CACHE_LOOK);
    else if ((hits = cache_store(l1, line, piece->sectors, piece->words, &clean)) == 0)
        memory->l1_arrives[arrival->sm][l1->touched] = 0;
    count(memory, CACHE_COUNT_L1_STORE_HITS, sectors_in(hits));
}

/* Returns what is not there; on cc 2.x a miss asks for the whole line. */
static unsigned load_from_l1(struct teg_memory *memory, const struct teg_arrival *arrival,
                             uint64_t line, unsigned sectors, teg_time **out_arrives)
{
    const struct teg_machine *machine = memory->machine;
    const unsigned whole = (1u << LINE_SECTORS) - 1;
    unsigned hits = sectors;
    *out_arrives = NULL;
    count(memory, CACHE_COUNT_LOADS, sectors_in(sectors));
    if (!arrival->in_l1 || !machine->l1.bytes) return sectors;
    if (!always_hits(machine)) {
        hits = cache_access(&memory->l1[arrival->sm], line, sectors, CACHE_ALLOCATE);
        *out_arrives = &memory->l1_arrives[arrival->sm][memory->l1[arrival->sm].touched];
        if (!hits) **out_arrives = 0;
    }
    count(memory, CACHE_COUNT_L1_LOOKUPS, sectors_in(sectors));
    count(memory, CACHE_COUNT_L1_HITS, sectors_in(hits));
    memory->counts.l1_hits += sectors_in(hits);
    unsigned missing = sectors & ~hits;
    if (missing && machine->fills_lines)
        missing |=
            whole & ~sectors & ~cache_access(&memory->l1[arrival->sm], line, whole, CACHE_ALLOCATE);
    return missing;
}

/* What comes from the L2 comes in pieces as wide as the port, and each keeps the L1 from serving for as long as a
 * line does: its memory has one port (guess). */
static teg_time fill(const struct teg_machine *machine, unsigned sectors)
{
    enum { PORT_SECTORS = 2 };
    return machine->fill * ((sectors + PORT_SECTORS - 1) / PORT_SECTORS);
}

/* The L1 passes sectors at its bandwidth, whether they are there or not, and a line a cycle; from cc 7.0 on the
 * pieces of a load share its turns. */
static teg_time pass_l1(const struct teg_machine *machine, const struct teg_arrival *arrival,
                        unsigned sectors, struct teg_pipe *pipe)
{
    if (!pipe->turns) return later(machine->line, machine->l1.sector * sectors);
    uint64_t before = (uint64_t)pipe->passed * pipe->turns / arrival->count;
    uint64_t after = (uint64_t)++pipe->passed * pipe->turns / arrival->count;
    return (teg_time)(after - before) * pipe->turn;
}

teg_time teg_caches_access(struct teg_memory *memory, const struct teg_arrival *arrival,
                           const struct teg_piece *piece, struct teg_pipe *pipe)
{
    const struct teg_machine *machine = memory->machine;
    if (!memory->l1) init_caches(memory);
    uint64_t line = (arrival->origin + (uint64_t)piece->delta) / TEG_LINE;
    unsigned moved = sectors_in(piece->sectors), missing = piece->sectors;
    teg_time begin = pipe->begin, done = begin, *arrives = NULL;
    memory->counts.sectors += moved;
    if (arrival->operation == TRACE_LOAD)
        missing = load_from_l1(memory, arrival, line, piece->sectors, &arrives);
    else if (arrival->operation == TRACE_STORE)
        store_in_l1(memory, arrival, line, piece);
    if (piece->sectors & ~missing)
        done = later(begin + machine->l1.latency, arrives ? *arrives : 0);
    pipe->begin = begin + pass_l1(machine, arrival, moved, pipe);
    if (!missing) return done;
    if (arrives) pipe->begin += fill(machine, sectors_in(missing));
    pipe->below = later(pipe->below, begin);
    done = later(done, through_l2(memory, arrival, piece, line, missing, &pipe->below));
    if (arrives) *arrives = done;
    return done;
}
