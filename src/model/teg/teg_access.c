// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_access.h"

#include <stdlib.h>
#include <string.h>

#include "base/short_lists.h"
#include "measure/memory_rules.h"

enum { REQUESTS_MAX = 1 << 18, LANES = 32 };

void teg_access_init(struct teg_access_table *table, const struct trace *trace,
                     const struct teg_machine *machine)
{
    *table = (struct teg_access_table){.trace = trace, .machine = machine};
}

void teg_access_clear(struct teg_access_table *table)
{
    hash_table_clear(&table->requests);
    mem_free(table->pieces);
    *table = (struct teg_access_table){0};
}

/* ---- shared memory --------------------------------------------------------------------------- */

static uint32_t lanes_from(uint32_t first, uint32_t count)
{
    uint32_t mask = count == LANES ? UINT32_MAX : (UINT32_C(1) << count) - 1;
    return mask << first;
}

/* Half-warps in steps, or phases of a warp, a half or a quarter of it
 * (doc/definitions.md#shared-memory). */
static void count_passes(const struct teg_machine *machine, const uint64_t *addresses,
                         uint32_t mask, unsigned bytes, struct teg_request *out)
{
    unsigned words = bytes > 4 ? bytes / 4 : 1;
    unsigned group = machine->half_warps ? LANES / 2 : LANES / words;
    if (machine->joins_phases && bank_joins(addresses, mask, bytes)) group *= 2;
    for (unsigned first = 0; first < LANES; first += group) {
        uint32_t lanes = mask & lanes_from(first, group);
        if (!lanes) continue;
        out->passes += machine->half_warps
                           ? bank_steps(addresses, lanes, bytes, machine->banks)
                           : bank_wavefronts(addresses, lanes, bytes, machine->banks);
        out->least_passes += machine->half_warps ? words : 1;
    }
}

/* Lanes on one word take turns. */
static unsigned most_on_one_word(const uint64_t *addresses, uint32_t mask)
{
    unsigned most = 0;
    for (uint32_t rest = mask; rest;) {
        unsigned count = 0, lane = (unsigned)__builtin_ctz(rest);
        for (uint32_t other = rest; other; other &= other - 1) {
            unsigned k = (unsigned)__builtin_ctz(other);
            if (addresses[k] / 4 != addresses[lane] / 4) continue;
            rest &= ~(UINT32_C(1) << k);
            count++;
        }
        if (count > most) most = count;
    }
    return most;
}

/* ---- global memory --------------------------------------------------------------------------- */

static void add_piece(struct teg_access_table *table, struct teg_request *out,
                      struct teg_piece piece)
{
    GROW(table->pieces, table->piece_count, table->piece_capacity);
    table->pieces[table->piece_count++] = piece;
    out->count++;
}

/* The fewest transactions that hold as many bytes: effect `uncoalesced` switched off. */
static void add_packed(struct teg_access_table *table, struct teg_request *out, int64_t start,
                       unsigned bytes)
{
    for (unsigned done = 0; done < bytes; done += TEG_LINE) {
        unsigned rest = bytes - done < TEG_LINE ? bytes - done : TEG_LINE;
        unsigned sectors = (rest + TEG_SECTOR - 1) / TEG_SECTOR;
        add_piece(table, out,
                  (struct teg_piece){.delta = start + done,
                                     .bytes = (uint16_t)(sectors * TEG_SECTOR),
                                     .sectors = (uint8_t)((1u << sectors) - 1),
                                     .words = UINT32_MAX,
                                     .is_moved = true});
    }
}

static void add_segments(struct teg_access_table *table, struct teg_request *out,
                         const uint64_t *addresses, uint32_t mask, unsigned bytes, uint64_t origin)
{
    const struct teg_machine *machine = table->machine;
    struct segment segments[LANES];
    unsigned by_width = coalesce_cc12_initial_segment(bytes);
    unsigned initial = machine->initial_segment < by_width ? machine->initial_segment : by_width;
    for (unsigned first = 0; first < LANES; first += LANES / 2) {
        uint32_t lanes = mask & lanes_from(first, LANES / 2);
        unsigned count = 0;
        struct transactions old = {0, 0};
        if (machine->rule == RULE_IS_CC10)
            old = coalesce_cc10(addresses + first, lanes >> first, bytes);
        if (machine->rule == RULE_IS_CC12)
            count = coalesce_cc12_segments(addresses, lanes, bytes, initial, machine->min_segment,
                                           segments);
        for (unsigned i = 0; i < old.count && lanes; i++) {
            unsigned lane = (unsigned)__builtin_ctz(lanes), size = old.bytes / old.count;
            uint64_t start = (addresses[lane] & ~(uint64_t)(size - 1));
            segments[count++] = (struct segment){start, size};
            lanes &= lanes - 1;
        }
        for (unsigned i = 0; i < count; i++)
            add_piece(table, out,
                      (struct teg_piece){.delta = (int64_t)(segments[i].start - origin),
                                         .bytes = (uint16_t)segments[i].bytes});
    }
}

/* Words of the line at `line` of which bytes from `first` up to `end` cover at least a part: narrower stores of
 * neighbours are taken to complete each other. */
static uint32_t covered_words(uint64_t line, uint64_t first, uint64_t end)
{
    unsigned from = first > line ? (unsigned)(first - line) / TEG_WORD : 0;
    unsigned to = end < line + TEG_LINE ? (unsigned)(end - line + TEG_WORD - 1) / TEG_WORD
                                        : TEG_LINE / TEG_WORD;
    return (uint32_t)((UINT64_C(1) << to) - (UINT64_C(1) << from));
}

/* lines: of the pieces so far. */
static void add_sectors(struct teg_access_table *table, struct teg_request *out,
                        struct short_lists *lines, uint64_t address, unsigned bytes,
                        uint64_t origin)
{
    for (uint64_t at = address & ~(uint64_t)(TEG_SECTOR - 1); at < address + bytes;
         at += TEG_SECTOR) {
        uint64_t line = at & ~(uint64_t)(TEG_LINE - 1);
        int64_t delta = (int64_t)(line - origin);
        uint8_t bit = (uint8_t)(1u << (at / TEG_SECTOR % 4));
        unsigned i = short_list(lines, line / TEG_LINE);
        while (i != SHORT_LIST_END && table->pieces[out->first + i].delta != delta)
            i = lines->next[i];
        if (i == SHORT_LIST_END) {
            i = out->count;
            add_piece(table, out, (struct teg_piece){.delta = delta});
            short_lists_add(lines, line / TEG_LINE, i);
        }
        struct teg_piece *piece = &table->pieces[out->first + i];
        piece->sectors |= bit;
        piece->words |= covered_words(line, address, address + bytes);
    }
}

static void add_global(struct teg_access_table *table, struct teg_request *out,
                       struct short_lists *lines, const uint64_t *addresses,
                       const struct trace_pattern *pattern, uint64_t origin)
{
    const struct teg_machine *machine = table->machine;
    if (machine->rule != RULE_IS_SECTOR) {
        add_segments(table, out, addresses, pattern->mask, pattern->bytes, origin);
        return;
    }
    for (uint32_t rest = pattern->mask; rest; rest &= rest - 1)
        add_sectors(table, out, lines, addresses[__builtin_ctz(rest)], pattern->bytes, origin);
    for (uint32_t i = 0; i < out->count; i++) {
        struct teg_piece *piece = &table->pieces[out->first + i];
        piece->bytes = (uint16_t)(TEG_SECTOR * (unsigned)__builtin_popcount(piece->sectors));
    }
}

/* The fewest bytes that hold what the lanes ask for; with the effect `uncoalesced` switched off these
 * are moved. */
static void pack(struct teg_access_table *table, struct teg_request *out,
                 const struct trace_pattern *pattern)
{
    unsigned lanes = (unsigned)__builtin_popcount(pattern->mask), bytes = 0;
    if (pattern->shape == ACCESS_UNIFORM) lanes = 1;
    for (uint32_t i = 0; i < out->count; i++)
        bytes += table->pieces[out->first + i].bytes;
    unsigned least = (lanes * pattern->bytes + TEG_SECTOR - 1) / TEG_SECTOR * TEG_SECTOR;
    out->is_scattered = bytes > least;
    if (!out->is_scattered || !(table->machine->effects_off >> EFFECT_UNCOALESCED & 1)) return;
    int64_t start = table->pieces[out->first].delta / TEG_LINE * TEG_LINE;
    table->piece_count = out->first;
    out->passes = (least + TEG_LINE - 1) / TEG_LINE;
    out->count = 0;
    add_packed(table, out, start, least);
}

/* Word w of a lane lies at w * 128 + lane * 4 (doc/definitions.md#global-and-local-memory). */
static void interleave(uint64_t addresses[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++)
        addresses[lane] = addresses[lane] / 4 * 128 + lane * 4 + addresses[lane] % 4;
}

static void derive(struct teg_access_table *table, const struct trace_access *access,
                   struct teg_request *out)
{
    const struct trace_pattern *pattern = &table->trace->patterns[access->pattern];
    uint64_t addresses[LANES] = {0}, origin = access->base & ~(uint64_t)(TEG_ALIGNMENT - 1);
    *out = (struct teg_request){.first = table->piece_count};
    trace_lanes(table->trace, access, addresses);
    if (pattern->space == SPACE_SHARED) {
        count_passes(table->machine, addresses, pattern->mask, pattern->bytes, out);
        out->same_word = most_on_one_word(addresses, pattern->mask);
        return;
    }
    struct short_lists lines;
    short_lists_begin(&lines);
    if (pattern->space == SPACE_LOCAL) {
        struct trace_pattern words = *pattern;
        unsigned count = pattern->bytes > 4 ? pattern->bytes / 4 : 1;
        origin = origin / 4 * 128;
        if (words.bytes > 4) words.bytes = 4;
        out->passes = count;
        interleave(addresses);
        for (unsigned k = 0; k < count; k++) {
            add_global(table, out, &lines, addresses, &words, origin);
            for (unsigned lane = 0; lane < LANES; lane++)
                addresses[lane] += 128;
        }
        return;
    }
    add_global(table, out, &lines, addresses, pattern, origin);
    if (table->machine->tags &&
        pattern->bytes <= TRACE_LANE_BYTES) /* a copy in bulk goes past the tags */
        count_passes(table->machine, addresses, pattern->mask, pattern->bytes, out);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct teg_request *teg_access_add(struct teg_access_table *table,
                                         const struct trace_access *access, uint64_t key)
{
    if (table->requests.used == REQUESTS_MAX) { /* begin again: memory stays bounded */
        hash_table_reset(&table->requests, sizeof(struct teg_access_entry));
        table->piece_count = 0;
    }
    struct teg_access_entry *entry = hash_table_add(&table->requests, key, sizeof *entry);
    struct teg_request *request = &entry->request;
    derive(table, access, request);
    const struct trace_pattern *pattern = &table->trace->patterns[access->pattern];
    uint32_t off = table->machine->effects_off;
    if (pattern->space == SPACE_SHARED && off >> EFFECT_BANK_CONFLICTS & 1)
        request->passes = request->least_passes;
    if (pattern->space != SPACE_SHARED) pack(table, request, pattern);
    return request;
}
