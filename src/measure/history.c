// SPDX-License-Identifier: Apache-2.0
/* A history is kept as bytes: the results of open loads, whether a group is open, and by register how many
 * instructions ago it was written, up to DISTANCE_MAX; 0: never. */
#include "measure/history.h"

#include <string.h>

#include "base/memory.h"

enum { HISTORIES_MAX = 4096, HISTORIES_BYTES_MAX = 1 << 22, PASSAGES_MAX = 1 << 16 };
#define NO_NUMBER UINT32_MAX

static size_t load_bytes(const struct history_table *table)
{
    return table->loads->word_count * sizeof *table->scratch.load.results;
}

/* ---- to bytes and back ----------------------------------------------------------------------- */

/* Results count only while a group is open. */
static void pack(const struct history_table *table, const struct warp_history *warp,
                 unsigned char *out)
{
    size_t bytes = load_bytes(table);
    memset(out, 0, table->bytes);
    if (warp->load.open) memcpy(out, warp->load.results, bytes);
    out[bytes] = warp->load.open;
    for (uint32_t i = 0; i < table->dep->slot_count; i++) {
        uint32_t last = warp->dep.last[i], distance = warp->dep.now - last;
        if (last)
            out[bytes + 1 + i] = (unsigned char)(distance < DISTANCE_MAX ? distance : DISTANCE_MAX);
    }
}

static void unpack(const struct history_table *table, const unsigned char *from,
                   struct warp_history *warp)
{
    size_t bytes = load_bytes(table);
    memcpy(warp->load.results, from, bytes);
    warp->load.open = from[bytes];
    warp->dep.now = 2 * DISTANCE_MAX;
    for (uint32_t i = 0; i < table->dep->slot_count; i++) {
        uint32_t distance = from[bytes + 1 + i];
        warp->dep.last[i] = distance ? warp->dep.now - distance : 0;
    }
}

static const unsigned char *history_at(const struct history_table *table, uint32_t number)
{
    return table->histories + number * table->bytes;
}

/* ---- numbers --------------------------------------------------------------------------------- */

struct numbered {
    uint64_t key; /* a hash of the bytes */
    uint32_t number;
};

static uint64_t hash_bytes(const unsigned char *bytes, size_t count)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return hash | 1;
}

/* Of the history in `made`; NO_NUMBER: there are none left. */
static uint32_t find_number(struct history_table *table)
{
    uint64_t key = hash_bytes(table->made, table->bytes);
    const struct numbered *found;
    while ((found = hash_table_find(&table->numbers, key, sizeof *found))) {
        if (!memcmp(history_at(table, found->number), table->made, table->bytes))
            return found->number;
        key += 2; /* another history has this hash */
    }
    bool is_full =
        table->count == HISTORIES_MAX || table->count * table->bytes > HISTORIES_BYTES_MAX;
    if (is_full && table->count) return NO_NUMBER;
    if (table->count == table->room) {
        table->room = table->room ? 2 * table->room : 16;
        table->histories = mem_realloc(table->histories, table->room * table->bytes);
    }
    memcpy(table->histories + table->count * table->bytes, table->made, table->bytes);
    struct numbered *entry = hash_table_add(&table->numbers, key, sizeof *entry);
    entry->number = table->count;
    return table->count++;
}

void history_table_init(struct history_table *table, const struct dep_plan *dep,
                        const struct load_plan *loads)
{
    *table = (struct history_table){.dep = dep, .loads = loads};
    table->bytes = load_bytes(table) + 1 + dep->slot_count;
    table->made = mem_zalloc(1, table->bytes);
    table->scratch.dep.last = mem_zalloc(dep->slot_count + 1, sizeof *table->scratch.dep.last);
    table->scratch.load.results =
        mem_zalloc(loads->word_count + 1, sizeof *table->scratch.load.results);
    (void)find_number(table); /* 0: nothing was executed */
}

void history_table_clear(struct history_table *table)
{
    hash_table_clear(&table->passages);
    hash_table_clear(&table->numbers);
    mem_free(table->histories);
    mem_free(table->made);
    mem_free(table->scratch.dep.last);
    mem_free(table->scratch.load.results);
}

/* ---- passages -------------------------------------------------------------------------------- */

static void pass_route(const struct history_table *table, struct warp_history *warp,
                       const struct history_route *route, struct history_sums *sums)
{
    struct dep_sums dep = {0};
    for (uint32_t i = 0; i < route->count; i++) {
        uint32_t block = route->steps[i].code_block;
        dep_run(table->dep, &table->dep->blocks[block], &warp->dep, &dep);
        sums->groups += load_run(table->loads, &table->loads->blocks[block], &warp->load);
    }
    if (route->ends_loads) warp->load.open = false;
    sums->distance += dep.distance;
    sums->consumers += dep.consumers;
}

const struct history_passage *history_add(struct history_table *table, uint32_t history,
                                          const struct history_route *route)
{
    struct history_sums sums = {0};
    if (table->passages.used == PASSAGES_MAX) return NULL;
    unpack(table, history_at(table, history), &table->scratch);
    pass_route(table, &table->scratch, route, &sums);
    pack(table, &table->scratch, table->made);
    uint32_t to = find_number(table);
    if (to == NO_NUMBER) return NULL;
    uint64_t key = (uint64_t)(history + 1) << 32 | route->number;
    struct history_passage *passage = hash_table_add(&table->passages, key, sizeof *passage);
    *passage =
        (struct history_passage){key, to, (uint32_t)sums.groups, sums.distance, sums.consumers};
    return passage;
}

void history_pass_own(struct history_table *table, struct warp_history *warp,
                      const struct history_route *route, struct history_sums *sums)
{
    if (warp->number != HISTORY_OWN) unpack(table, history_at(table, warp->number), warp);
    warp->number = HISTORY_OWN;
    pass_route(table, warp, route, sums);
}

void history_copy_own(const struct history_table *table, struct warp_history *to,
                      const struct warp_history *from)
{
    memcpy(to->load.results, from->load.results, load_bytes(table));
    memcpy(to->dep.last, from->dep.last, table->dep->slot_count * sizeof *to->dep.last);
    to->load.open = from->load.open;
    to->dep.now = from->dep.now;
}
