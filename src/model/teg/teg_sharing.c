// SPDX-License-Identifier: Apache-2.0
/* Which of the sectors that an SM fetches for the first time another SM has fetched before. Some blocks of an SM
 * together read a number of distinct sectors; if all groups of as many blocks read their own, the launch would
 * read as many times more. It reads fewer where they share. */
#include "model/teg/teg_sharing.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "model/teg/teg_caches.h"
#include "model/teg/teg_memo.h"

struct line {
    uint64_t key; /* number of the line + 1 */
    uint8_t sectors;
};

/* Distinct sectors, and those that come with them. */
struct fetches {
    double read, fetched;
};

struct sector_set {
    struct hash_table lines;
    struct fetches count;
};

/* Walks through traced blocks. */
struct walker {
    const struct teg_machine *machine;
    struct sector_set set;
    struct teg_access_table table;
    struct trace_cursor cursor;
    uint64_t *shifts;
};

static double fetched(const struct teg_machine *machine, unsigned sectors)
{
    return __builtin_popcount(teg_fetched_with(machine, sectors));
}

static void add(struct walker *walker, uint64_t number, uint8_t sectors)
{
    struct sector_set *set = &walker->set;
    struct line *line = hash_table_add(&set->lines, number + 1, sizeof *line);
    unsigned before = line->sectors, after = before | sectors;
    if (after == before) return;
    set->count.read += __builtin_popcount(after) - __builtin_popcount(before);
    set->count.fetched += fetched(walker->machine, after) - fetched(walker->machine, before);
    line->sectors = (uint8_t)after;
}

static void clear(struct sector_set *set)
{
    hash_table_reset(&set->lines, sizeof(struct line));
    set->count = (struct fetches){0};
}

static void add_warp(struct walker *walker)
{
    struct teg_access_table *table = &walker->table;
    struct trace_step step;
    while (trace_cursor_next(&walker->cursor, &step)) {
        const struct trace_insn *insn = &table->trace->insns[step.insn];
        if (insn->operation == TRACE_STORE) continue;
        for (uint32_t i = 0; i < step.access_count; i++) {
            struct trace_access access = step.accesses[i];
            if (table->trace->patterns[access.pattern].space != SPACE_GLOBAL) continue;
            access.base += teg_deal_shift(table->trace, insn, walker->shifts);
            const struct teg_request *request = teg_access_find(table, &access);
            uint64_t origin = access.base & ~UINT64_C(255);
            for (uint32_t k = 0; k < request->count; k++) {
                const struct teg_piece *piece = &table->pieces[request->first + k];
                add(walker, (origin + (uint64_t)piece->delta) / TEG_LINE, piece->sectors);
            }
        }
    }
}

static void add_block(struct walker *walker, const struct trace_block *block)
{
    const struct trace *trace = walker->table.trace;
    for (uint32_t w = 0; w < trace->head.warps_per_block; w++) {
        if (!block->warps[w].step_count) continue;
        trace_cursor_begin(&walker->cursor, trace, block, w);
        add_warp(walker);
    }
}

/* `count` of the SM's blocks. */
static struct fetches of_sm(struct walker *walker, const struct teg_deal *of, uint64_t count)
{
    struct teg_deal deal = *of;
    teg_deal_begin(&deal);
    for (uint64_t i = 0; i < count; i++) {
        struct teg_dealt dealt = teg_deal_next(&deal, i);
        teg_deal_shifts(&deal, &dealt, walker->machine->interleave, walker->shifts);
        add_block(walker, dealt.traced);
    }
    teg_deal_end(&deal);
    struct fetches out = walker->set.count;
    clear(&walker->set);
    return out;
}

/* What the launch fetches of a sector that it reads: as its blocks do of those that their neighbours before them do
 * not read. */
static double fetched_of_one(struct walker *walker)
{
    const struct trace *trace = walker->table.trace;
    struct fetches all = {0};
    memset(walker->shifts, 0, (trace->stride_count + 1) * sizeof *walker->shifts);
    for (uint32_t i = 0; i < trace->block_count; i++) {
        struct fetches before = walker->set.count;
        add_block(walker, &trace->blocks[i]);
        if (before.read > 0) {
            all.read += walker->set.count.read - before.read;
            all.fetched += walker->set.count.fetched - before.fetched;
        }
        bool goes_on =
            i + 1 < trace->block_count && trace->blocks[i + 1].index == trace->blocks[i].index + 1;
        if (!goes_on) clear(&walker->set);
    }
    return all.read > 0 ? all.fetched / all.read : 0;
}

/* What blocks of an SM read, and what the launch fetches of a sector that it reads; 0: neighbours tell nothing. */
struct memo_sectors {
    struct memo_entry entry;
    struct fetches own;
    double of_one;
};

static struct memo_sectors *walk(const struct teg_deal *deal, const struct teg_machine *machine,
                                 uint64_t count)
{
    struct walker walker = {.machine = machine};
    struct memo_sectors *out = mem_zalloc(1, sizeof *out);
    walker.shifts = mem_zalloc(deal->trace->stride_count + 1, sizeof *walker.shifts);
    teg_access_init(&walker.table, deal->trace, machine);
    out->own = of_sm(&walker, deal, count);
    out->of_one = fetched_of_one(&walker);
    trace_cursor_clear(&walker.cursor);
    teg_access_clear(&walker.table);
    hash_table_clear(&walker.set.lines);
    mem_free(walker.shifts);
    return out;
}

static uint64_t hash_blocks(const struct teg_deal *deal, uint64_t count)
{
    uint64_t hash = 0;
    for (uint64_t i = 0; i < count && deal->blocks; i++) {
        hash = (hash ^ deal->blocks[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* The same, once a trace: requests for global memory depend on no more of the machine. */
static const struct memo_sectors *find_sectors(const struct teg_deal *deal,
                                               const struct teg_machine *machine, uint64_t count)
{
    uint64_t rules = (uint64_t)machine->interleave << 32 | machine->fetch_sectors << 16 |
                     machine->rule << 2 | (machine->effects_off >> EFFECT_UNCOALESCED & 1) << 1 |
                     deal->stays_at_place;
    const struct memo_key key = {{TEG_MEMO_SECTORS, rules, count, hash_blocks(deal, count)}};
    const struct memo_entry *known = memo_find(deal->trace->memo, &key);
    if (!known) {
        struct memo_sectors *made = walk(deal, machine, count);
        made->entry.key = key;
        known = memo_add(deal->trace->memo, &made->entry);
    }
    return (const struct memo_sectors *)(const void *)known;
}

double teg_sharing(const struct teg_deal *deal, const struct teg_machine *machine, uint64_t count,
                   double grid_blocks, double launch_sectors)
{
    if (!(launch_sectors > 0) || !count) return 1;
    const struct memo_sectors *found = find_sectors(deal, machine, count);
    double each = found->of_one;
    if (!(each > 0)) each = found->own.read > 0 ? found->own.fetched / found->own.read : 1;
    double sectors = found->own.fetched * grid_blocks / (double)count;
    return sectors > launch_sectors * each ? sectors / (launch_sectors * each) : 1;
}
