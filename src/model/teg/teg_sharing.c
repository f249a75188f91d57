// SPDX-License-Identifier: Apache-2.0
/* Which of the sectors that an SM fetches for the first time another SM has fetched before. Some blocks of an SM
 * together read a number of distinct sectors; if all groups of as many blocks read their own, the launch would
 * read as many times more. It reads fewer where they share. */
#include "model/teg/teg_sharing.h"

#include <stdlib.h>

#include "base/hash_table.h"
#include "model/teg/teg_memo.h"

struct line {
    uint64_t key; /* number of the line + 1 */
    uint8_t sectors;
};

struct sector_set {
    struct hash_table lines;
    size_t count; /* of sectors */
};

static void add(struct sector_set *set, uint64_t number, uint8_t sectors)
{
    struct line *line = hash_table_add(&set->lines, number + 1, sizeof *line);
    set->count += (size_t)__builtin_popcount(sectors & ~(unsigned)line->sectors);
    line->sectors |= sectors;
}

static void add_warp(struct sector_set *set, struct teg_access_table *table,
                     struct trace_cursor *cursor)
{
    struct trace_step step;
    while (trace_cursor_next(cursor, &step)) {
        if (table->trace->insns[step.insn].operation == TRACE_STORE) continue;
        for (uint32_t i = 0; i < step.access_count; i++) {
            const struct trace_access *access = &step.accesses[i];
            if (table->trace->patterns[access->pattern].space != SPACE_GLOBAL) continue;
            const struct teg_request *request = teg_access_find(table, access);
            uint64_t origin = access->base & ~UINT64_C(255);
            for (uint32_t k = 0; k < request->count; k++) {
                const struct teg_piece *piece = &table->pieces[request->first + k];
                add(set, (origin + (uint64_t)piece->delta) / TEG_LINE, piece->sectors);
            }
        }
    }
}

/* Of so many of the SM's blocks; one that is dealt again brings nothing new. */
static double distinct_sectors(const struct teg_deal *of, const struct teg_machine *machine,
                               uint32_t blocks)
{
    struct sector_set set = {0};
    struct teg_access_table table;
    struct trace_cursor cursor = {0};
    struct teg_deal deal = *of;
    uint32_t before;
    teg_access_init(&table, deal.trace, machine);
    teg_deal_begin(&deal);
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t number = deal.block_count / blocks * b + deal.block_count % blocks * b / blocks;
        const struct trace_block *block =
            &deal.trace->blocks[teg_deal_next(&deal, number, &before)];
        for (uint32_t w = 0; w < deal.trace->head.warps_per_block && !before; w++) {
            if (!block->warps[w].step_count) continue;
            trace_cursor_begin(&cursor, deal.trace, block, w);
            add_warp(&set, &table, &cursor);
        }
    }
    teg_deal_end(&deal);
    trace_cursor_clear(&cursor);
    teg_access_clear(&table);
    hash_table_clear(&set.lines);
    return (double)set.count;
}

struct read_sectors {
    struct memo_entry entry;
    double count;
};

/* The same, once a trace: requests for global memory depend on no more of the machine. */
static double read_sectors(const struct teg_deal *deal, const struct teg_machine *machine,
                           uint32_t blocks)
{
    uint64_t rules = machine->rule << 2 | (machine->effects_off >> EFFECT_UNCOALESCED & 1) << 1 |
                     deal->are_apart;
    const struct memo_key key = {{TEG_MEMO_SECTORS | rules << 8, deal->block_count,
                                  deal->grid_blocks, deal->parts << 32 | deal->part}};
    const struct memo_entry *known = memo_find(deal->trace->memo, &key);
    if (!known) {
        struct read_sectors *made = mem_zalloc(1, sizeof *made);
        made->entry.key = key;
        made->count = distinct_sectors(deal, machine, blocks);
        known = memo_add(deal->trace->memo, &made->entry);
    }
    return ((const struct read_sectors *)(const void *)known)->count;
}

double teg_sharing(const struct teg_deal *deal, const struct teg_machine *machine,
                   double launch_sectors)
{
    uint32_t blocks = deal->trace->block_count;
    if (deal->block_count < blocks) blocks = (uint32_t)deal->block_count;
    if (!(launch_sectors > 0) || !blocks) return 1;
    double sectors = read_sectors(deal, machine, blocks) * (double)deal->grid_blocks / blocks;
    return sectors > launch_sectors ? sectors / launch_sectors : 1;
}
