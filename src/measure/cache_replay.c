// SPDX-License-Identifier: Apache-2.0
#include "measure/cache_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/bits.h"
#include "measure/cache.h"
#include "measure/footprint.h"
#include "measure/trace.h"

const struct cache_count_info cache_count_infos[CACHE_COUNT_COUNT] = {
#define FIELD(name, id, text) {id, "Sectors " text "."},
    CACHE_COUNTS(FIELD)
#undef FIELD
};

const struct cache_geometry_number cache_geometry_numbers[CACHE_GEOMETRY_COUNT] = {
#define NUMBER(name, least, most) {#name, least, most},
    CACHE_GEOMETRY(NUMBER)
#undef NUMBER
};

uint64_t cache_geometry_get(const struct cache_geometry *geometry, unsigned number)
{
    uint64_t values[CACHE_GEOMETRY_COUNT];
    memcpy(values, geometry, sizeof values);
    return values[number];
}

void cache_geometry_set(struct cache_geometry *geometry, unsigned number, uint64_t value)
{
    uint64_t values[CACHE_GEOMETRY_COUNT];
    memcpy(values, geometry, sizeof values);
    values[number] = value;
    memcpy(geometry, values, sizeof values);
}

/* Accesses of warps to global and local memory after which a replay ends: a few tenths of a second. */
enum { ACCESSES_MAX = 1 << 20 };
/* A guess, where a machine file is silent: GPGPU-Sim's configurations have 4 to 256, and 8 to 24. */
enum { L1_WAYS = 4, L2_WAYS = 16, LINE_BYTES = 128 };
/* Local memory of the threads lies here, apart from every buffer. */
#define LOCAL_WINDOW (UINT64_C(1) << 48)

/* ---- geometry -------------------------------------------------------------------------------- */

/* From cc 7.0 on shared memory is part of the L1 (CUDA C++ programming guide, section 20). */
static uint64_t l1_left(const struct machine *machine, const struct profile *profile,
                        unsigned blocks_per_sm)
{
    uint64_t bytes = (uint64_t)machine_get(machine, MACHINE_L1_SIZE, 0);
    if (machine->cc_major < 7) return bytes;
    uint64_t reserved = (uint64_t)machine_get(machine, MACHINE_SHARED_RESERVED, 0);
    uint64_t of_block = profile_shared_bytes(profile);
    uint64_t taken = of_block ? (of_block + reserved) * blocks_per_sm : 0;
    return bytes > taken ? bytes - taken : 0;
}

bool cache_geometry_read(const struct machine *machine, const struct profile *profile,
                         unsigned blocks_per_sm, struct cache_geometry *out)
{
    unsigned target = machine->cc_major * 10 + machine->cc_minor;
    uint64_t line = (uint64_t)machine_get(machine, MACHINE_L1_LINE, LINE_BYTES);
    *out = (struct cache_geometry){
        .l1_bytes = l1_left(machine, profile, blocks_per_sm),
        .l2_bytes = (uint64_t)machine_get(machine, MACHINE_L2_SIZE, 0),
        .line_bytes = line >= CACHE_SECTOR_BYTES && line <= 1024 ? line : LINE_BYTES,
        .l1_ways = (uint64_t)machine_get(machine, MACHINE_L1_WAYS, L1_WAYS),
        .l2_ways = (uint64_t)machine_get(machine, MACHINE_L2_WAYS, L2_WAYS),
        .fill_bytes =
            (uint64_t)machine_get(machine, MACHINE_GLOBAL_CACHED_LOAD, CACHE_SECTOR_BYTES),
        /* Kepler and the first Maxwell keep plain global loads out of the L1 (CUDA programming
         * guides of these). */
        .l1_loads = target < 30 || target >= 60,
        .blocks_per_sm = blocks_per_sm ? blocks_per_sm : 1,
        .sm_count = (uint64_t)machine_get(machine, MACHINE_SM_COUNT, 1),
    };
    return machine_has(machine, MACHINE_L2_SIZE) && out->l2_bytes && out->sm_count;
}

static double rate(uint64_t hits, uint64_t lookups)
{
    return lookups ? (double)hits / (double)lookups : -1;
}

double cache_l1_hit_rate(const struct cache_section *section)
{
    return rate(section->counts[CACHE_COUNT_L1_HITS], section->counts[CACHE_COUNT_LOADS]);
}

double cache_l2_hit_rate(const struct cache_section *section)
{
    const uint64_t *c = section->counts;
    return rate(c[CACHE_COUNT_L2_LOAD_HITS] + c[CACHE_COUNT_L2_STORE_HITS] +
                    c[CACHE_COUNT_L2_ATOMIC_HITS],
                c[CACHE_COUNT_L2_LOADS] + c[CACHE_COUNT_STORES] + c[CACHE_COUNT_ATOMICS]);
}

double cache_dram_read_least(const struct cache_section *section, const struct profile *profile)
{
    const uint64_t *c = section->counts;
    double scale = (double)profile_blocks(profile) / section->blocks;
    double first = scale * (double)c[CACHE_COUNT_DRAM_FIRST];
    if (profile_has(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT))
        first = fmin(first, profile_get(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT));
    return first + scale * (double)(c[CACHE_COUNT_DRAM_READ] - c[CACHE_COUNT_DRAM_FIRST]);
}

/* ---- the lines of an access ------------------------------------------------------------------ */

/* An access as the lines that it touches. */
struct line_use {
    uint64_t line;
    uint32_t sectors;
};
enum { LINES_MAX = 32 * 17 }; /* a lane's 16 bytes lie in two lines, or in four words apart */

struct line_list {
    struct line_use uses[LINES_MAX];
    unsigned count;
};

static void add_bytes(struct line_list *list, unsigned line_bytes, uint64_t address, unsigned bytes)
{
    for (uint64_t at = address & ~(uint64_t)(CACHE_SECTOR_BYTES - 1); at < address + bytes;
         at += CACHE_SECTOR_BYTES) {
        uint64_t line = at / line_bytes;
        uint32_t bit = UINT32_C(1) << at % line_bytes / CACHE_SECTOR_BYTES;
        unsigned i = list->count;
        while (i && list->uses[i - 1].line != line) /* lanes mostly follow each other */
            i--;
        if (i)
            list->uses[i - 1].sectors |= bit;
        else if (list->count < LINES_MAX)
            list->uses[list->count++] = (struct line_use){line, bit};
    }
}

/* ---- the replay ------------------------------------------------------------------------------ */

struct player {
    struct trace_cursor cursor;
    uint32_t sm, block; /* of the trace */
    uint64_t local;     /* where the local memory of its lanes begins */
    bool waits, done;
};

struct replay {
    const struct trace *trace;
    const struct cache_geometry *geometry;
    struct cache *l1; /* by SM */
    struct cache l2;
    struct player *players;
    uint32_t player_count, alive;
    uint64_t accesses;
    struct footprint fetched; /* sectors of global memory that came from DRAM */
    struct cache_section *out;
};

static void count(struct replay *r, enum cache_count what, unsigned sectors)
{
    r->out->counts[what] += bits_count(sectors);
}

/* Does a load look into the L1? */
static bool looks_into_l1(const struct replay *r, const struct trace_insn *insn, unsigned space)
{
    if (!r->geometry->l1_bytes) return false;
    if (insn->cache_op == CACHE_CG || insn->cache_op == CACHE_CV) return false;
    if (insn->semantics != MEM_WEAK) return false; /* L1 caches are not coherent */
    return space == SPACE_LOCAL || r->geometry->l1_loads || (insn->flags & TRACE_READ_ONLY);
}

/* `sectors` of a line come from DRAM. */
static void fetch(struct replay *r, uint64_t line, uint32_t sectors)
{
    uint64_t addresses[32];
    count(r, CACHE_COUNT_DRAM_READ, sectors);
    if (!sectors || line * r->geometry->line_bytes >= LOCAL_WINDOW) return;
    for (unsigned i = 0; i < 32; i++)
        addresses[i] = line * r->geometry->line_bytes + i * CACHE_SECTOR_BYTES;
    const struct access access = {.space = SPACE_GLOBAL,
                                  .shape = ACCESS_GENERAL,
                                  .bytes = 1,
                                  .mask = sectors,
                                  .addresses = addresses};
    footprint_add(&r->fetched, &access);
}

static void load_line(struct replay *r, const struct player *player, const struct line_use *use,
                      bool in_l1)
{
    uint32_t missing = use->sectors;
    count(r, CACHE_COUNT_LOADS, use->sectors);
    if (in_l1) {
        struct cache *l1 = &r->l1[player->sm];
        unsigned line_sectors = (unsigned)r->geometry->line_bytes / CACHE_SECTOR_BYTES;
        uint32_t whole = line_sectors < 32 ? (UINT32_C(1) << line_sectors) - 1 : UINT32_MAX;
        uint32_t hits = cache_access(l1, use->line, use->sectors, CACHE_ALLOCATE);
        count(r, CACHE_COUNT_L1_LOOKUPS, use->sectors);
        count(r, CACHE_COUNT_L1_HITS, hits);
        missing &= ~hits;
        if (missing && r->geometry->fill_bytes >= r->geometry->line_bytes) {
            missing |= whole & ~use->sectors & ~cache_access(l1, use->line, whole, CACHE_ALLOCATE);
        }
    }
    if (!missing) return;
    uint32_t hits = cache_access(&r->l2, use->line, missing, CACHE_ALLOCATE);
    count(r, CACHE_COUNT_L2_LOADS, missing);
    count(r, CACHE_COUNT_L2_LOAD_HITS, hits);
    fetch(r, use->line, missing & ~hits);
}

/* Stores go through to the L2, which writes back; a line of the L1 stays (doc/caches.md). */
static void change_line(struct replay *r, const struct line_use *use, bool is_atomic)
{
    uint32_t hits = cache_access(&r->l2, use->line, use->sectors, CACHE_CHANGE);
    count(r, is_atomic ? CACHE_COUNT_ATOMICS : CACHE_COUNT_STORES, use->sectors);
    count(r, is_atomic ? CACHE_COUNT_L2_ATOMIC_HITS : CACHE_COUNT_L2_STORE_HITS, hits);
    if (is_atomic) fetch(r, use->line, use->sectors & ~hits);
}

/* Word w of lane l lies at w * 128 + l * 4 of the warp's local memory. */
static void add_local(struct line_list *list, unsigned line_bytes, uint64_t origin,
                      uint64_t address, unsigned bytes, unsigned lane)
{
    for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; word++)
        add_bytes(list, line_bytes, origin + word * 128 + lane * 4, 4);
}

static void play_access(struct replay *r, const struct player *player,
                        const struct trace_insn *insn, const struct trace_access *access)
{
    const struct trace_pattern *pattern = &r->trace->patterns[access->pattern];
    unsigned line = (unsigned)r->geometry->line_bytes;
    struct line_list list;
    uint64_t addresses[32];
    list.count = 0;
    trace_lanes(r->trace, access, addresses);
    for (uint32_t left = pattern->mask; left; left &= left - 1) {
        unsigned lane = bits_lowest(left);
        if (pattern->space == SPACE_LOCAL)
            add_local(&list, line, player->local, addresses[lane], pattern->bytes, lane);
        else
            add_bytes(&list, line, addresses[lane], pattern->bytes);
    }
    bool in_l1 = looks_into_l1(r, insn, pattern->space);
    for (unsigned i = 0; i < list.count; i++) {
        if (insn->operation == TRACE_LOAD)
            load_line(r, player, &list.uses[i], in_l1);
        else
            change_line(r, &list.uses[i], insn->operation == TRACE_ATOMIC);
    }
}

/* The warps of a block go on when all that are left wait. */
static void release(struct replay *r, uint32_t block)
{
    uint32_t warps = r->trace->head.warps_per_block;
    struct player *first = &r->players[(size_t)block * warps];
    for (uint32_t i = 0; i < warps; i++)
        if (!first[i].done && !first[i].waits) return;
    for (uint32_t i = 0; i < warps; i++)
        first[i].waits = false;
}

/* One turn of a warp: up to its next access to memory, a barrier, or its end. */
static void play_turn(struct replay *r, struct player *player)
{
    struct trace_step step;
    while (trace_cursor_next(&player->cursor, &step)) {
        const struct trace_insn *insn = &r->trace->insns[step.insn];
        bool accessed = false;
        for (unsigned i = 0; i < step.access_count; i++) {
            unsigned space = r->trace->patterns[step.accesses[i].pattern].space;
            if (space != SPACE_GLOBAL && space != SPACE_LOCAL) continue;
            play_access(r, player, insn, &step.accesses[i]);
            accessed = true;
        }
        r->accesses += accessed;
        if (accessed) return;
        if (insn->barrier != TRACE_BARRIER_SYNC || !step.on) continue;
        player->waits = true;
        release(r, player->block);
        return;
    }
    player->done = true;
    r->alive--;
    release(r, player->block);
}

static void start_players(struct replay *r)
{
    const struct trace *trace = r->trace;
    uint32_t warps = trace->head.warps_per_block;
    for (uint32_t i = 0; i < r->player_count; i++) {
        struct player *player = &r->players[i];
        player->block = i / warps;
        player->sm = (uint32_t)(player->block / r->geometry->blocks_per_sm);
        player->local = LOCAL_WINDOW + (uint64_t)i * (UINT64_C(1) << 32);
        trace_cursor_init(&player->cursor, trace, &trace->blocks[player->block], i % warps);
    }
    r->alive = r->player_count;
}

/* The L2 serves the replayed SMs with their part of it: of all SMs that have blocks at a time. */
static uint64_t l2_share(const struct profile *profile, const struct cache_geometry *geometry,
                         uint32_t sms)
{
    uint64_t blocks = profile_blocks(profile);
    uint64_t busy = (blocks + geometry->blocks_per_sm - 1) / geometry->blocks_per_sm;
    if (busy > geometry->sm_count) busy = geometry->sm_count;
    if (busy <= sms) return geometry->l2_bytes;
    return geometry->l2_bytes / busy * sms;
}

void cache_replay(const struct profile *profile, const struct cache_geometry *geometry,
                  struct cache_section *out)
{
    const struct trace *trace = profile->trace;
    unsigned line = (unsigned)geometry->line_bytes;
    uint32_t sms =
        (uint32_t)((trace->block_count + geometry->blocks_per_sm - 1) / geometry->blocks_per_sm);
    struct replay r = {.trace = trace,
                       .geometry = geometry,
                       .player_count = trace->block_count * trace->head.warps_per_block,
                       .out = out};
    *out = (struct cache_section){.geometry = *geometry, .blocks = trace->block_count, .sms = sms};
    r.players = mem_zalloc(r.player_count + 1, sizeof *r.players);
    r.l1 = mem_zalloc(sms + 1, sizeof *r.l1);
    for (uint32_t i = 0; i < sms; i++)
        cache_init(&r.l1[i], geometry->l1_bytes, line, (unsigned)geometry->l1_ways);
    cache_init(&r.l2, l2_share(profile, geometry, sms), line, (unsigned)geometry->l2_ways);
    start_players(&r);
    while (r.alive && r.accesses < ACCESSES_MAX) {
        for (uint32_t i = 0; i < r.player_count; i++)
            if (!r.players[i].done && !r.players[i].waits) play_turn(&r, &r.players[i]);
    }
    out->is_cut = r.alive > 0;
    out->counts[CACHE_COUNT_DRAM_WRITTEN] = r.l2.written_back + cache_changed(&r.l2);
    out->counts[CACHE_COUNT_DRAM_FIRST] = footprint_sectors(&r.fetched);
    footprint_clear(&r.fetched);
    for (uint32_t i = 0; i < r.player_count; i++)
        trace_cursor_clear(&r.players[i].cursor);
    for (uint32_t i = 0; i < sms; i++)
        cache_clear(&r.l1[i]);
    cache_clear(&r.l2);
    mem_free(r.players);
    mem_free(r.l1);
}
