// SPDX-License-Identifier: Apache-2.0
#include "base/hash_table.h"

#include <string.h>

#include "base/memory.h"

enum { LEAST_BITS = 6 };

void hash_table_grow(struct hash_table *table, size_t entry_bytes)
{
    struct hash_table old = *table;
    table->shift = old.size ? old.shift - 1 : 64 - LEAST_BITS;
    table->size = (size_t)1 << (64 - table->shift);
    table->entries = mem_zalloc(table->size, entry_bytes);
    for (const void *entry = NULL; (entry = hash_table_next(&old, entry, entry_bytes));)
        memcpy(hash_table_place(table, hash_table_key(entry), entry_bytes), entry, entry_bytes);
    mem_free(old.entries);
}

void hash_table_reset(struct hash_table *table, size_t entry_bytes)
{
    enum { SMALL = 1024, SPARSE = 16 };
    if (table->size > SMALL && table->size / SPARSE > table->used) {
        hash_table_clear(table);
        return;
    }
    if (table->used) memset(table->entries, 0, table->size * entry_bytes);
    table->used = 0;
}

void hash_table_clear(struct hash_table *table)
{
    mem_free(table->entries);
    *table = (struct hash_table){0};
}
