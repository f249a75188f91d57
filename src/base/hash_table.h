// SPDX-License-Identifier: Apache-2.0
/* Entries by a key of 64 bits, in one array: open addressing with linear probing, at most half full.
 *
 * An entry is a struct of the user's that begins with its key, a uint64_t that is never 0: 0 marks a
 * free place, so an address is kept as address + 1. Every call is told the size of an entry, so that
 * the compiler knows it where it inlines:
 *
 *     struct line { uint64_t key; uint32_t hits; };
 *     struct hash_table table = {0};
 *     struct line *line = hash_table_add(&table, address + 1, sizeof *line);
 *     line->hits++;
 *     for (line = NULL; (line = hash_table_next(&table, line, sizeof *line));)
 *         use(line);
 *     hash_table_clear(&table);
 *
 * Entries move when one is added. Their order depends on the keys and on nothing else. */
#ifndef BASE_HASH_TABLE_H
#define BASE_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hash_table {
    unsigned char *entries; /* [size]; NULL: none yet */
    size_t size, used;
    unsigned shift; /* of a hash, to the bits that are an index */
};

/* Makes it twice as large; for hash_table_add. */
void hash_table_grow(struct hash_table *table, size_t entry_bytes);
/* Removes all entries, at a cost in proportion to how many there were at most. */
void hash_table_reset(struct hash_table *table, size_t entry_bytes);
/* Frees what it has. */
void hash_table_clear(struct hash_table *table);

/* 2^64 / golden ratio: Fibonacci hashing; the high bits of the product depend on all of the key. */
static inline size_t hash_table_index(const struct hash_table *table, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> table->shift);
}

static inline uint64_t hash_table_key(const void *entry)
{
    return *(const uint64_t *)entry;
}

/* Where the entry of a key is or belongs; of a table with room. */
static inline void *hash_table_place(const struct hash_table *table, uint64_t key,
                                     size_t entry_bytes)
{
    size_t at = hash_table_index(table, key);
    for (;; at = (at + 1) & (table->size - 1)) {
        unsigned char *entry = table->entries + at * entry_bytes;
        uint64_t has = hash_table_key(entry);
        if (has == key || !has) return entry;
    }
}

/* The entry of a key, which stays where it is until one is added; NULL: none. */
static inline void *hash_table_find(const struct hash_table *table, uint64_t key,
                                    size_t entry_bytes)
{
    if (!table->entries) return NULL;
    for (size_t at = hash_table_index(table, key);; at = (at + 1) & (table->size - 1)) {
        unsigned char *entry = table->entries + at * entry_bytes;
        uint64_t has = hash_table_key(entry);
        if (has == key) return entry;
        if (!has) return NULL;
    }
}

/* The entry of a key; if it is new, all but the key is 0. */
static inline void *hash_table_add(struct hash_table *table, uint64_t key, size_t entry_bytes)
{
    if (2 * table->used >= table->size) hash_table_grow(table, entry_bytes);
    uint64_t *entry = hash_table_place(table, key, entry_bytes);
    table->used += !*entry;
    *entry = key;
    return entry;
}

/* The entry behind another one, NULL: the first. NULL is the end. */
static inline void *hash_table_next(const struct hash_table *table, const void *after,
                                    size_t entry_bytes)
{
    const unsigned char *before = after;
    size_t at = before ? (size_t)(before - table->entries) / entry_bytes + 1 : 0;
    for (; at < table->size; at++) {
        void *entry = table->entries + at * entry_bytes;
        if (hash_table_key(entry)) return entry;
    }
    return NULL;
}

#endif
