// SPDX-License-Identifier: Apache-2.0
/* Accesses: each word's cell is compared with the lane and renewed. Whole warps on neighbouring words go through one
 * loop that finds nothing to look at, as a rule. */
#include <string.h>

#include "check/race.h"
#include "check/streams.h"
#include "isa/bulk.h"

/* An access of a warp while it is examined. */
struct look {
    struct race *race;
    struct race_block *block, *home; /* home: whose shared memory it is */
    const struct check_access *told;
    const struct race_warp *w;
    struct place *place;
    unsigned place_number, bytes;
    uint64_t segment;
    uint64_t oldest, first,
        span;         /* segments before `oldest`, and `span` from `first` on, are ordered */
    uint64_t stale;   /* those before are of other launches or blocks */
    uint32_t quiet;   /* lanes that write what memory holds */
    bool stores_data; /* they have it from memory */
    bool is_async;
    bool is_proxy; /* through the asynchronous proxy, which fences let see others' writes */
};

/* ---- entries --------------------------------------------------------------------------------- */

/* Ordered before the lane's access, as far as numbers tell. */
static inline bool is_old(const struct look *look, entry e)
{
    uint64_t segment = entry_segment(e);
    return !(e & (ENTRY_ASYNC | ENTRY_MORE)) &&
           (segment < look->oldest || segment - look->first < look->span);
}

static inline bool is_fine(const struct look *look, entry e, unsigned lane)
{
    if (is_old(look, e)) return true;
    uint64_t mask = ~UINT64_C(0) << ENTRY_SEGMENT_SHIFT | UINT64_C(31) << ENTRY_LANE_SHIFT;
    entry mine = look->segment << ENTRY_SEGMENT_SHIFT | (uint64_t)lane << ENTRY_LANE_SHIFT;
    return !((e ^ mine) & mask) && !(e & (ENTRY_ASYNC | ENTRY_MORE | ENTRY_MANY | ENTRY_RAMPS));
}

/* The lane that touched byte `byte` of the word. */
static unsigned lane_of(entry e, unsigned byte)
{
    unsigned lane = entry_lane(e);
    if (e & ENTRY_RAMP1) return lane + byte;
    if (e & ENTRY_RAMP2) return lane + byte / 2;
    return lane;
}

static entry *more_entries(struct race *race, const struct cell *cell, bool makes)
{
    uint64_t key = (uint64_t)(uintptr_t)cell + 1;
    struct hash_table *extras = &race->shadow.extras;
    struct extra *extra = makes ? hash_table_add(extras, key, sizeof *extra)
                                : hash_table_find(extras, key, sizeof *extra);
    if (makes) mem_keep(extras->entries);
    return extra ? extra->entries : NULL;
}

/* ---- conflicts ------------------------------------------------------------------------------- */

/* Did the same execution of the instruction write the word in an earlier lane, too? */
static bool is_same_instruction(const struct look *look, entry e, unsigned of, unsigned lane,
                                uint64_t word)
{
    const struct access *access = look->told->access;
    if (entry_segment(e) != look->segment || entry_place(e) != look->place_number) return false;
    if (of >= lane || !((access->mask >> of) & 1)) return false;
    uint64_t begin = access->addresses[of];
    return begin < word + 4 && word < begin + look->bytes;
}

/* Operations on mbarrier objects are atomic for the whole cluster. */
static bool is_covered(const struct race *race, const struct conflict *conflict)
{
    const struct place *mine = conflict->mine, *place = conflict->place;
    return (mine->is_mbarrier && place->is_mbarrier) ||
           (race_is_wide(race, mine->scope) && race_is_wide(race, place->scope));
}

/* Volatile accesses of one warp to shared memory: no race, but code that counts on lanes running together. */
static bool is_warp_code(const struct look *look, const struct segment *segment,
                         const struct conflict *conflict)
{
    return look->told->access->space == SPACE_SHARED && segment->owner == look->block->owner &&
           segment->warp == look->told->warp && !conflict->is_same_instruction &&
           conflict->mine->insn->semantics == MEM_VOLATILE &&
           conflict->place->insn->semantics == MEM_VOLATILE;
}

static void examine(const struct look *look, entry e, bool is_write, unsigned lane, uint64_t word,
                    unsigned bytes, bool is_quiet)
{
    unsigned both = entry_bytes(e) & bytes;
    if (!both || entry_segment(e) < look->stale) return;
    const struct segment *segment = segment_at(look->race, entry_segment(e));
    unsigned of = lane_of(e, (unsigned)__builtin_ctz(both));
    struct conflict conflict = {
        .block = look->block,
        .lane = lane,
        .mine = look->place,
        .place = &look->race->places[entry_place(e)],
        .address = word,
        .bytes = both,
        .entry = e,
        .is_write = is_write,
        .is_quiet = is_quiet,
        .is_by_chance = !is_quiet && (look->quiet >> lane) & look->stores_data,
    };
    conflict.is_same_instruction =
        is_write && look->told->writes && is_same_instruction(look, e, of, lane, word);
    bool both_strong = conflict.mine->is_strong && conflict.place->is_strong;
    bool in_block = segment->owner == look->block->owner;
    bool is_atomic = in_block || is_covered(look->race, &conflict);
    if (both_strong && is_atomic && !is_warp_code(look, segment, &conflict)) return;
    conflict.relation = conflict.is_same_instruction
                            ? UNORDERED
                            : order_between(look->race, look->block, look->told->warp, lane,
                                            segment, of, e & ENTRY_MANY, is_write);
    bool is_seen = !look->is_proxy || !is_write || segment->is_proxy ||
                   segment->launch != look->race->launches ||
                   order_is_fenced(look->race, look->block, look->told->warp, lane, segment);
    if (conflict.relation == ORDERED && !is_seen) conflict.relation = UNFENCED;
    if (conflict.relation != ORDERED) race_report(look->race, &conflict);
}

/* Operations on an mbarrier object are compared with its begin elsewhere. */
static void compare(const struct look *look, entry e, bool is_write, unsigned lane, uint64_t word,
                    unsigned bytes, bool is_quiet)
{
    const struct place *place = &look->race->places[entry_place(e)];
    if (place->insn && place->insn->op == OP_MBARRIER_INIT && look->place->is_mbarrier) return;
    examine(look, e, is_write, lane, word, bytes, is_quiet);
}

/* ---- renewing a cell ------------------------------------------------------------------------- */

static bool is_ordered(const struct look *look, entry e, unsigned lane)
{
    if (is_fine(look, e, lane)) return true;
    if (entry_segment(e) < look->stale) return true;
    const struct segment *segment = segment_at(look->race, entry_segment(e));
    return order_between(look->race, look->block, look->told->warp, lane, segment, entry_lane(e),
                         e & (ENTRY_MANY | ENTRY_RAMPS), true) == ORDERED;
}

/* Halves or bytes that lanes side by side touch become one entry; 0: they do not fit. */
static entry ramp(entry e, entry mine, unsigned width)
{
    unsigned shift = width == 1 ? 0 : 1;
    entry kind = width == 1 ? ENTRY_RAMP1 : ENTRY_RAMP2;
    unsigned first = (unsigned)__builtin_ctz(entry_bytes(e) | 16);
    unsigned mine_first = (unsigned)__builtin_ctz(entry_bytes(mine) | 16);
    uint64_t same = ~UINT64_C(0) << ENTRY_PLACE_SHIFT;
    if (width > 2 || (e ^ mine) & same || (e & ENTRY_RAMPS & ~kind)) return 0;
    unsigned base = e & ENTRY_RAMPS ? entry_lane(e) : entry_lane(e) - (first >> shift);
    if (base > 31 || base != entry_lane(mine) - (mine_first >> shift)) return 0;
    entry quiet = e & mine & ENTRY_QUIET;
    return entry_make(entry_segment(e), entry_place(e), base, entry_bytes(e) | entry_bytes(mine)) |
           kind | quiet | (e & (ENTRY_ASYNC | ENTRY_MORE));
}

/* An entry that leaves the cell but is not covered by the new one. */
static void keep_extra(const struct look *look, struct cell *cell, entry e, bool is_write)
{
    entry *more = more_entries(look->race, cell, true);
    unsigned k = 0;
    while (k < EXTRAS && more[k] && entry_segment(more[k]) >= look->stale)
        k++;
    if (k == EXTRAS) k = (unsigned)(entry_segment(e) % EXTRAS);
    more[k] = (e & ~ENTRY_MORE) | (is_write ? ENTRY_WRITE : 0);
    cell->write |= ENTRY_MORE;
}

/* Who learns that what the entry is of has ended learns it of this access, too, as of one wgmma by four warps. */
static bool ends_with(const struct look *look, entry e)
{
    const struct segment *mine = segment_at(look->race, look->segment),
                         *other = segment_at(look->race, entry_segment(e));
    return mine->tied && other->tied && mine->tied_key == other->tied_key &&
           mine->tied_slot == other->tied_slot && mine->tied_at == other->tied_at;
}

static void renew_read(const struct look *look, struct cell *cell, unsigned lane, entry mine)
{
    entry e = cell->read;
    bool same_segment = entry_segment(e) == look->segment;
    if (!e || is_old(look, e)) {
        cell->read = mine;
        return;
    }
    entry ramped = ramp(e, mine, look->bytes);
    if (ramped && !(entry_bytes(e) & entry_bytes(mine))) {
        cell->read = ramped;
    } else if (same_segment) {
        entry many = entry_lane(e) != lane || e & ENTRY_RAMPS ? ENTRY_MANY : 0;
        cell->read = (e & ~ENTRY_RAMPS) | many | (uint64_t)entry_bytes(mine) << ENTRY_BYTES_SHIFT;
    } else if (is_ordered(look, e, lane)) {
        cell->read = mine;
    } else if (look->is_async && !ends_with(look, e)) {
        keep_extra(look, cell, mine, false);
    }
}

/* A write of what memory holds must not hide one that changed it, and was not ordered before by a barrier. */
static bool hides(const struct look *look, entry e, entry mine)
{
    if (!(mine & ENTRY_QUIET) || e & ENTRY_QUIET || is_old(look, e)) return false;
    const struct segment *segment = segment_at(look->race, entry_segment(e));
    return segment->owner != look->block->owner || segment->time >= look->block->barrier_time;
}

/* An atomic whose old value is not read hides those of others that it covers from its own thread's plain accesses: one
 * of another thread is kept beside it. */
static bool hides_others(const struct look *look, const struct cell *cell, entry e, unsigned lane)
{
    const entry *more = e & ENTRY_MORE ? more_entries(look->race, cell, false) : NULL;
    if (look->place->returns || is_fine(look, e & ~ENTRY_MORE, lane)) return false;
    for (unsigned k = 0; more && k < EXTRAS; k++)
        if (more[k] & ENTRY_WRITE && !is_fine(look, more[k], lane)) return false;
    return true;
}

static void renew_write(const struct look *look, struct cell *cell, entry mine)
{
    entry e = cell->write, more = e & ENTRY_MORE;
    const struct place *old = &look->race->places[entry_place(e)];
    unsigned bytes = entry_bytes(mine), left = entry_bytes(e) & ~bytes;
    /* Nobody has to be ordered with it any more. */
    bool is_gone = entry_segment(e) < look->stale ||
                   (look->told->access->space == SPACE_SHARED && is_old(look, e & ~ENTRY_MORE));
    /* A read before an atomic may be beside those of others. */
    if (!look->place->is_strong && !(entry_bytes(cell->read) & ~bytes)) cell->read = 0;
    if (!e || is_gone || !left) {
        if (e && !is_gone && hides(look, e, mine)) return;
        cell->write = mine | more;
        /* Atomics of others do not race with an atomic, but with the plain write that it covers. */
        if (e && !is_gone && look->place->is_strong &&
            (!old->is_strong || hides_others(look, cell, e, entry_lane(mine))))
            keep_extra(look, cell, e, true);
        return;
    }
    entry ramped = ramp(e, mine, look->bytes);
    if (ramped) {
        cell->write = ramped;
        return;
    }
    if (entry_segment(e) == look->segment && entry_lane(e) == entry_lane(mine) &&
        !(e & ENTRY_RAMPS)) {
        cell->write = mine | more | (uint64_t)left << ENTRY_BYTES_SHIFT;
        if (!(e & ENTRY_QUIET)) cell->write &= ~ENTRY_QUIET;
        return;
    }
    cell->write = mine | more;
    keep_extra(look, cell, e, true);
}

static void look_at_extras(const struct look *look, struct cell *cell, unsigned lane, uint64_t word,
                           unsigned bytes, bool is_quiet)
{
    entry *more = more_entries(look->race, cell, false);
    bool any = false, writes = look->told->writes;
    for (unsigned k = 0; more && k < EXTRAS; k++) {
        entry e = more[k];
        if (!e || entry_segment(e) < look->stale) {
            more[k] = 0;
            continue;
        }
        if (writes || e & ENTRY_WRITE)
            compare(look, e, e & ENTRY_WRITE, lane, word, bytes, is_quiet);
        bool is_seen = look->race->places[entry_place(e)].is_strong && look->place->returns;
        bool is_covered =
            writes && !(entry_bytes(e) & ~bytes) && (!look->place->is_strong || is_seen);
        if (is_covered) more[k] = 0;
        any = any || more[k];
    }
    if (!any) cell->write &= ~ENTRY_MORE;
}

/* Does the lane write what the word holds, and not only by chance? What shared memory holds at the beginning is not
 * defined. Data are equal by chance, but not where several lanes, which nothing orders, write the same. */
static bool is_quiet_at(const struct look *look, const struct cell *cell, unsigned lane,
                        unsigned bytes)
{
    entry write = cell->write & ~ENTRY_MORE;
    if (!((look->quiet >> lane) & 1)) return false;
    if (look->stores_data) return !is_ordered(look, write, lane);
    return look->told->access->space != SPACE_SHARED ||
           (entry_segment(write) >= look->stale && !(bytes & ~entry_bytes(write)));
}

static void look_at_cell(const struct look *look, struct cell *cell, unsigned lane, uint64_t word,
                         unsigned bytes, entry flags)
{
    bool writes = look->told->writes;
    entry mine = entry_make(look->segment, look->place_number, lane, bytes) | flags;
    if (look->is_async) mine |= ENTRY_ASYNC;
    entry write = cell->write & ~ENTRY_MORE;
    bool is_quiet = is_quiet_at(look, cell, lane, bytes);
    if (is_quiet) mine |= ENTRY_QUIET;
    if (write && !is_fine(look, write, lane))
        compare(look, write, true, lane, word, bytes, is_quiet);
    if (writes && cell->read && !is_fine(look, cell->read, lane))
        compare(look, cell->read, false, lane, word, bytes, is_quiet);
    if (cell->write & ENTRY_MORE) look_at_extras(look, cell, lane, word, bytes, is_quiet);
    if (writes)
        renew_write(look, cell, mine);
    else
        renew_read(look, cell, lane, mine);
}

/* ---- whole accesses -------------------------------------------------------------------------- */

static struct cell *cells_of(const struct look *look, uint64_t address)
{
    if (look->told->access->space == SPACE_SHARED)
        return look->home->shared + (address >> CELL_SHIFT);
    return cells_at(&look->race->shadow, address);
}

static const unsigned char *memory_at(const struct check_access *told, uint64_t address)
{
    return (const unsigned char *)((uintptr_t)told->memory + (uintptr_t)address);
}

/* Lanes that store what memory holds. */
static uint32_t find_quiet(const struct check_access *told)
{
    const struct access *access = told->access;
    uint32_t quiet = 0;
    if (!told->writes || told->reads) return 0;
    bool is_dense = told->stored && access->mask == UINT32_MAX && access->shape == ACCESS_STRIDED &&
                    access->stride == access->bytes;
    if (is_dense &&
        !memcmp(memory_at(told, access->base), told->stored, (size_t)access->bytes * LANES))
        return UINT32_MAX;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        unsigned char value[32];
        const unsigned char *stores = value;
        if (told->stored)
            stores = told->stored + (size_t)lane * access->bytes;
        else if (!told->value_of(told, lane, value))
            return 0;
        if (!memcmp(memory_at(told, access->addresses[lane]), stores, access->bytes))
            quiet |= 1u << lane;
    }
    return quiet;
}

/* A read of a whole word that was written long ago: true if that is all. Who read first stays. */
static inline bool pass_read(const struct look *look, struct cell *cell, unsigned lane, entry flags)
{
    entry has = cell->read;
    if (cell->write && !is_old(look, cell->write)) return false;
    if (entry_segment(has) == look->segment) {
        if (has & ENTRY_RAMPS || entry_bytes(has) != 15) return false;
        if (entry_lane(has) != lane || flags) cell->read = has | ENTRY_MANY;
    } else if (is_old(look, has)) {
        cell->read = entry_make(look->segment, look->place_number, lane, 15) | flags;
    } else if (look->block->has_clocks) {
        return false; /* it may be ordered before this one */
    }
    return true;
}

/* Of whole words, by these lanes. */
static void look_at_reads(const struct look *look, uint32_t lanes, entry flags)
{
    const struct access *access = look->told->access;
    bool is_shared = access->space == SPACE_SHARED;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = access->addresses[lane];
        for (unsigned at = 0; at < look->bytes; at += 4) {
            struct cell *cell = is_shared ? look->home->shared + ((address + at) >> CELL_SHIFT)
                                          : cells_at(&look->race->shadow, address + at);
            if (!pass_read(look, cell, lane, flags))
                look_at_cell(look, cell, lane, address + at, 15, flags);
        }
    }
}

static void look_at_lane(const struct look *look, unsigned lane, entry flags)
{
    uint64_t address = look->told->access->addresses[lane], end = address + look->bytes;
    for (uint64_t word = address & ~UINT64_C(3); word < end; word += 4) {
        unsigned bytes = 15;
        if (word < address) bytes &= 15u << (address - word);
        if (word + 4 > end) bytes &= 15u >> (word + 4 - end);
        look_at_cell(look, cells_of(look, word), lane, word, bytes, flags);
    }
}

/* Whole words of neighbouring lanes, of one page: true if there was nothing to look at. */
static bool pass_words(const struct look *look, struct cell *cells, unsigned count, unsigned first,
                       unsigned shift)
{
    bool writes = look->told->writes;
    unsigned bad = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned lane = (first + i) >> shift;
        bad |= !is_fine(look, cells[i].write, lane);
        bad |= writes && !is_fine(look, cells[i].read, lane);
    }
    if (bad) return false;
    entry mine = entry_make(look->segment, look->place_number, 0, 15);
    for (unsigned i = 0; i < count; i++) {
        unsigned lane = (first + i) >> shift;
        entry e = mine | (uint64_t)lane << ENTRY_LANE_SHIFT;
        if (!writes) {
            entry has = cells[i].read; /* who read first stays, if nothing orders it */
            if (is_fine(look, has, lane))
                cells[i].read = e;
            else if (entry_segment(has) == look->segment)
                cells[i].read = has | ENTRY_MANY;
        } else {
            bool is_quiet = look->quiet && is_quiet_at(look, &cells[i], lane, 15);
            cells[i] = (struct cell){.write = e | (is_quiet ? ENTRY_QUIET : 0)};
        }
    }
    return true;
}

/* Part by part, as far as cells lie side by side; parts with something to look at go lane by lane. */
static void look_at_words(const struct look *look)
{
    unsigned shift = look->bytes == 4 ? 0 : look->bytes == 8 ? 1 : 2;
    uint64_t address = look->told->access->base;
    unsigned words = (unsigned)LANES << shift;
    for (unsigned first = 0; first < words;) {
        uint64_t at = address + UINT64_C(4) * first;
        unsigned room = PAGE_CELLS - (unsigned)(at >> CELL_SHIFT) % PAGE_CELLS;
        unsigned count = words - first < room ? words - first : room;
        if (look->told->access->space == SPACE_SHARED) count = words - first;
        struct cell *cells = cells_of(look, at);
        if (!pass_words(look, cells, count, first, shift))
            for (unsigned i = 0; i < count; i++)
                look_at_cell(look, &cells[i], (first + i) >> shift, at + UINT64_C(4) * i, 15, 0);
        first += count;
    }
}

/* Were the words at the address last written before anything that this warp has to be ordered with? */
static bool is_settled(const struct look *look, uint64_t address)
{
    for (uint64_t word = address & ~UINT64_C(3); word < address + look->bytes; word += 4) {
        entry write = cells_of(look, word)->write;
        if (write && !is_old(look, write)) return false;
    }
    return true;
}

static void look_at_all(const struct look *look)
{
    const struct check_access *told = look->told;
    const struct access *access = told->access;
    bool is_plain = !look->place->is_strong && !look->is_async, reads = is_plain && !told->writes;
    bool has_words = look->bytes == 4 || look->bytes == 8 || look->bytes == 16;
    bool is_dense = access->mask == UINT32_MAX && access->shape == ACCESS_STRIDED &&
                    access->stride == access->bytes && has_words && access->base % 4 == 0;
    if (is_dense && is_plain) {
        look_at_words(look);
        return;
    }
    if (access->shape == ACCESS_UNIFORM && reads && is_settled(look, access->base)) {
        bool is_one = !(access->mask & (access->mask - 1));
        look_at_lane(look, (unsigned)__builtin_ctz(access->mask), is_one ? 0 : ENTRY_MANY);
        return;
    }
    bool is_halves =
        access->shape == ACCESS_HALVES && !access->stride && access->mask == UINT32_MAX;
    if (is_halves && reads && is_settled(look, access->base) && is_settled(look, access->base2)) {
        const uint32_t first_lanes = 1 | 1u << (LANES / 2);
        if (look->bytes % 4 == 0) {
            look_at_reads(look, first_lanes, ENTRY_MANY);
        } else {
            look_at_lane(look, 0, ENTRY_MANY);
            look_at_lane(look, LANES / 2, ENTRY_MANY);
        }
        return;
    }
    if (reads && look->bytes % 4 == 0) {
        look_at_reads(look, access->mask, 0);
        return;
    }
    for (uint32_t left = access->mask; left; left &= left - 1)
        look_at_lane(look, (unsigned)__builtin_ctz(left), 0);
}

/* Strong accesses, lane by lane: a lane may learn what the one before it has published. */
static void look_at_strong(struct look *look)
{
    const struct check_access *told = look->told;
    const struct access *access = told->access;
    bool is_flag = told->insn->op == OP_ST && access->space == SPACE_GLOBAL;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = access->addresses[lane];
        bool learns = told->reads && told->insn->op != OP_RED;
        if (learns)
            objects_acquire(look->race, look->block, told->warp, lane, look->place, access->space,
                            address, look->bytes);
        look_at_lane(look, lane, 0);
        if (told->writes)
            objects_publish(look->race, look->block, told->warp, lane, look->place, access->space,
                            address, look->bytes);
        if (is_flag)
            objects_publish_seen(look->race, look->block, told->warp, lane, address, look->bytes);
    }
    if ((look->place->releases && told->writes) || is_flag) order_advance(look->block, told->warp);
}

/* Arrivals hide in the cell that the object was initialised: each must be ordered behind that, not only the first. */
static void look_at_objects(const struct look *look)
{
    const struct access *access = look->told->access;
    unsigned op = look->told->insn->op;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = access->addresses[lane];
        entry *begin = mbarrier_begin(look->home, address);
        if (*begin && op != OP_MBARRIER_INIT && !is_fine(look, *begin, lane))
            examine(look, *begin, true, lane, address, 15, false);
        if (op == OP_MBARRIER_INIT)
            *begin = entry_make(look->segment, look->place_number, lane, 15);
        if (op == OP_MBARRIER_INVAL) *begin = 0;
    }
}

static void enter_block(struct race *race, struct race_block *block)
{
    race->current = block;
    block->alone_segment = race->next_segment;
    for (unsigned k = 0; k < block->warp_count; k++)
        block->warps[k].segment = 0;
}

/* Of the access, and which ones are ordered before by their numbers. */
static void find_segments(struct look *look)
{
    struct race *race = look->race;
    struct race_block *block = look->block;
    const struct check_access *told = look->told;
    bool is_shared = told->access->space == SPACE_SHARED;
    bool is_copy = told->insn->flags & INSN_ASYNC && told->writes;
    bool is_product = told->insn->op == OP_WGMMA;
    look->is_async = is_copy || is_product || told->is_bulk;
    look->is_proxy = is_product || (told->is_bulk && race->bulk.insn->bulk->from != BULK_REGISTERS);
    look->segment =
        told->is_bulk ? async_bulk_segment(race, told->writes)
        : is_product  ? async_product_segment(race, block, told->warp)
        : is_copy     ? order_copy_segment(race, block, told->warp, told->access->mask, COPY_PLAIN)
                      : order_segment(race, block, told->warp);
    look->stale = is_shared && look->home->first_segment > race->oldest_segment
                      ? look->home->first_segment
                      : race->oldest_segment;
    /* Barriers of the block order nothing of others' in its memory. */
    bool is_own = is_shared && !race->view->cluster_blocks && !look->is_proxy;
    look->oldest = is_own ? block->barrier_segment : look->stale;
    look->first = block->alone_segment;
    look->span = block->barrier_segment > look->first && !look->is_proxy
                     ? block->barrier_segment - look->first
                     : 0;
}

void race_access(void *self, const struct check_access *told)
{
    struct race *race = self;
    struct race_block *block = told->block;
    if (race->current != block) enter_block(race, block);
    struct look look = {.race = race,
                        .block = block,
                        .home = told->home,
                        .told = told,
                        .w = &block->warps[told->warp],
                        .bytes = told->access->bytes};
    race->access = told;
    look.place_number = place_of(race, told);
    look.place = &race->places[look.place_number];
    find_segments(&look);
    look.quiet = find_quiet(told);
    look.stores_data = look.quiet && place_moves_data(race, look.place);
    bool is_shared = told->access->space == SPACE_SHARED;
    if (!is_shared && !look.place->is_strong && streams_is_on(race->findings->streams))
        streams_kernel_access(race->findings->streams, told, block->index, look.quiet);
    if (is_shared && (look.home != block || told->is_bulk))
        cluster_visit(race, told, look.segment, look.place);
    if (look.place->is_mbarrier) look_at_objects(&look);
    if (look.place->is_strong && !look.place->is_mbarrier && !look.is_async)
        look_at_strong(&look);
    else
        look_at_all(&look);
    race->access = NULL;
}
