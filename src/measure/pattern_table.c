// SPDX-License-Identifier: Apache-2.0
#include "measure/pattern_table.h"

#include <stdlib.h>
#include <string.h>

#include "measure/bits.h"

enum { REGULAR_BITS = 10, GENERAL_BITS = 12, SUMMARY_BITS = 8, COST_SLOTS = 4 * COSTS_MAX };
/* Patterns of random accesses never come again: after so many that were not known only every so many are looked up. Guesses. */
enum { UNKNOWN_MOST = 64, UNKNOWN_STEP = 16 };

/* The number of the cost of a summary (access_cost.h); 0: empty. */
struct cost_summary {
    uint64_t summary;
    uint32_t cost;
};

struct regular_pattern {
    struct regular_key key;
    uint32_t bytes_and_kind; /* + 1, so that 0 is an empty entry */
    uint32_t cost;
};

/* Addresses relative to the first active lane; 0 in the others. */
struct general_pattern {
    uint64_t
        head; /* mask | alignment << 32 | bytes << 44 | kind << 50; 0: empty, as no mask is 0 */
    int32_t relative[32];
    uint32_t cost;
};

/* 2^64 / golden ratio: Fibonacci hashing. */
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

void pattern_table_init(struct pattern_table *table, struct counting_rules rules,
                        const struct lane_math *math)
{
    *table = (struct pattern_table){.rules = rules, .math = math};
    table->costs = mem_zalloc(COSTS_MAX, sizeof *table->costs);
    table->cost_slots = mem_zalloc(COST_SLOTS, sizeof *table->cost_slots);
    table->summaries = mem_zalloc(1u << SUMMARY_BITS, sizeof *table->summaries);
    table->regular = mem_zalloc(1u << REGULAR_BITS, sizeof *table->regular);
}

void pattern_table_clear(struct pattern_table *table)
{
    mem_free(table->costs);
    mem_free(table->cost_slots);
    mem_free(table->summaries);
    mem_free(table->regular);
    mem_free(table->general);
}

void access_site_init(struct access_site *site, enum memory_operation operation, unsigned bytes,
                      const struct counting_rules *rules)
{
    memset(site, 0, sizeof *site); /* no real key has mask 0 */
    site->bytes = (uint8_t)bytes;
    for (int space = 0; space < SPACE_COUNT; space++) {
        enum memory_kind kind = memory_kind((enum mem_space)space, operation);
        site->kinds[space] = (uint8_t)kind;
        if (kind == MEMORY_KIND_NONE) continue;
        site->alignment[space] = (uint16_t)(access_alignment(kind, bytes, rules) - 1);
        /* One word, naturally aligned: only the in-order test of cc 1.0 asks where it lies. */
        bool global = kind <= KIND_GLOBAL_ATOMIC;
        site->uniform_alignment[space] =
            global && (rules->set & RULE_CC10) ? site->alignment[space] : 0;
    }
}

/* ---- costs ----------------------------------------------------------------------------------- */

static uint32_t number_cost(struct pattern_table *table, const struct cost *cost)
{
    uint64_t words[(sizeof *cost + 7) / 8] = {0};
    memcpy(words, cost, sizeof *cost);
    uint64_t hash = 0;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        hash = (hash ^ words[i]) * GOLDEN, hash ^= hash >> 29;
    uint32_t slot = (uint32_t)(hash * GOLDEN >> 40) % COST_SLOTS;
    for (; table->cost_slots[slot]; slot = (slot + 1) % COST_SLOTS) {
        uint32_t found = table->cost_slots[slot] - 1;
        if (!memcmp(&table->costs[found], cost, sizeof *cost)) return found;
    }
    if (table->cost_count == COSTS_MAX) {
        table->unlisted = *cost;
        return COST_UNLISTED;
    }
    table->costs[table->cost_count] = *cost;
    table->cost_slots[slot] = ++table->cost_count;
    return table->cost_count - 1;
}

static uint32_t exact_cost(struct pattern_table *table, const struct access_site *site,
                           unsigned space, uint32_t mask, const uint64_t *addresses)
{
    enum memory_kind kind = (enum memory_kind)site->kinds[space];
    const struct lane_access access = {site->bytes, mask, addresses};
    struct cost cost;
    uint64_t summary;
    struct cost_summary *known = NULL;
    if (access_summary(&summary, kind, &access, table->math, &table->rules)) {
        known = &table->summaries[summary * GOLDEN >> (64 - SUMMARY_BITS)];
        if (known->summary == summary) return known->cost;
    }
    access_cost(&cost, kind, &access, table->math, &table->rules);
    uint32_t number = number_cost(table, &cost);
    if (known && number != COST_UNLISTED) *known = (struct cost_summary){summary, number};
    return number;
}

/* ---- regular accesses ------------------------------------------------------------------------ */

static void expand_addresses(const struct access *access, uint64_t *out)
{
    uint64_t stride = access->shape == ACCESS_UNIFORM ? 0 : (uint64_t)access->stride;
    for (uint64_t lane = 0; lane < 32; lane++) {
        bool second = access->shape == ACCESS_HALVES && lane >= 16;
        out[lane] = second ? access->base2 + (lane - 16) * stride : access->base + lane * stride;
    }
}

static uint32_t hashed_regular(struct pattern_table *table, const struct access_site *site,
                               const struct regular_key *key, const struct access *access)
{
    uint32_t tag = (site->bytes | (uint32_t)site->kinds[access->space] << 8) + 1;
    uint64_t hash = ((key->head ^ tag) * GOLDEN ^ key->stride) * GOLDEN ^ key->delta;
    struct regular_pattern *entry = &table->regular[hash * GOLDEN >> (64 - REGULAR_BITS)];
    if (entry->bytes_and_kind == tag && regular_key_equal(&entry->key, key)) return entry->cost;
    uint64_t addresses[32];
    expand_addresses(access, addresses);
    uint32_t cost = exact_cost(table, site, access->space, access->mask, addresses);
    if (cost != COST_UNLISTED) *entry = (struct regular_pattern){*key, tag, cost};
    return cost;
}

uint32_t pattern_cost_regular(struct pattern_table *table, struct access_site *site,
                              const struct regular_key *key, const struct access *access)
{
    for (uint8_t i = 0; i < site->used; i++) {
        if (!regular_key_equal(&site->keys[i], key)) continue;
        site->last = i;
        return site->costs[i];
    }
    uint32_t cost = hashed_regular(table, site, key, access);
    if (cost == COST_UNLISTED) return cost;
    uint8_t at = site->next;
    site->keys[at] = *key;
    site->costs[at] = (uint16_t)cost;
    site->last = at;
    site->next = (uint8_t)((at + 1) % SITE_PATTERNS);
    if (site->used < SITE_PATTERNS) site->used++;
    return cost;
}

/* ---- general accesses ------------------------------------------------------------------------ */

/* Is the next general access of the instruction worth looking up? */
static bool may_be_known(struct access_site *site)
{
    if (site->unknown < UNKNOWN_MOST) return true;
    if (++site->unknown < UNKNOWN_MOST + UNKNOWN_STEP) return false;
    site->unknown = UNKNOWN_MOST;
    return true;
}

uint32_t pattern_cost_general(struct pattern_table *table, struct access_site *site,
                              const struct access *access)
{
    int32_t relative[32] __attribute__((aligned(64)));
    unsigned space = access->space;
    uint64_t first = access->addresses[bits_lowest(access->mask)], hash;
    if (!may_be_known(site) ||
        !table->math->relative(access->addresses, access->mask, relative, &hash))
        return exact_cost(table, site, space, access->mask, access->addresses);
    uint64_t head = access->mask | (first & site->alignment[space]) << 32 |
                    (uint64_t)site->bytes << 44 | (uint64_t)site->kinds[space] << 50;
    if (!table->general) table->general = mem_zalloc(1u << GENERAL_BITS, sizeof *table->general);
    hash ^= hash >> 31;
    uint64_t at = (hash ^ head) * GOLDEN >> (64 - GENERAL_BITS);
    struct general_pattern *entry = &table->general[at];
    for (int way = 0; way < 2; way++, entry = &table->general[at ^ 1]) {
        if (entry->head != head || memcmp(entry->relative, relative, sizeof relative)) continue;
        site->unknown = 0;
        return entry->cost;
    }
    if (site->unknown < UNKNOWN_MOST) site->unknown++;
    uint32_t cost = exact_cost(table, site, space, access->mask, access->addresses);
    if (cost == COST_UNLISTED) return cost;
    entry = &table->general[at];
    if (entry->head) table->general[at ^ 1] = *entry; /* the older one stays as the second way */
    entry->head = head;
    entry->cost = cost;
    memcpy(entry->relative, relative, sizeof relative);
    return cost;
}
