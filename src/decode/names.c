// SPDX-License-Identifier: Apache-2.0
#include "decode/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static uint32_t mix(uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(key >> 32);
}

/* ---- map ------------------------------------------------------------------------------------- */

struct map_entry {
    uint64_t key;
    uint32_t value;
};

bool map_get(const struct map *map, uint64_t key, uint32_t *out)
{
    const struct map_entry *entry = hash_table_find(&map->table, key, sizeof *entry);
    if (entry) *out = entry->value;
    return entry != NULL;
}

void map_set(struct map *map, uint64_t key, uint32_t value)
{
    struct map_entry *entry = hash_table_add(&map->table, key, sizeof *entry);
    entry->value = value;
}

void map_reset(struct map *map)
{
    hash_table_reset(&map->table, sizeof(struct map_entry));
}

void map_clear(struct map *map)
{
    hash_table_clear(&map->table);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Eight bytes at a time: names and mnemonics are most of the text. */
static uint32_t hash_text(const char *text, uint32_t length)
{
    uint64_t hash = length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        text += 8;
        length -= 8;
    }
    uint64_t word = 0;
    memcpy(&word, text, length);
    return mix((hash ^ word) * UINT64_C(0xbf58476d1ce4e5b9));
}

static uint32_t *find_bucket(const struct names *names, const char *text, uint32_t length,
                             uint32_t hash)
{
    uint32_t at = hash & (names->bucket_count - 1);
    for (;; at = (at + 1) & (names->bucket_count - 1)) {
        uint32_t *bucket = &names->buckets[at];
        if (!*bucket) return bucket;
        const struct name *name = &names->items[*bucket - 1];
        if (name->hash == hash && name->length == length && !memcmp(name->text, text, length))
            return bucket;
    }
}

static void grow_buckets(struct names *names)
{
    mem_free(names->buckets);
    names->bucket_count = names->bucket_count ? names->bucket_count * 2 : 1024;
    names->buckets = mem_zalloc(names->bucket_count, sizeof *names->buckets);
    for (uint32_t i = 0; i < names->count; i++) {
        const struct name *name = &names->items[i];
        *find_bucket(names, name->text, name->length, name->hash) = i + 1;
    }
}

uint32_t names_intern(struct names *names, const char *text, uint32_t length)
{
    if (names->count * 2 >= names->bucket_count) grow_buckets(names);
    uint32_t hash = hash_text(text, length);
    uint32_t *bucket = find_bucket(names, text, length, hash);
    if (*bucket) return *bucket - 1;
    GROW(names->items, names->count, names->capacity);
    names->items[names->count] =
        (struct name){.text = text, .length = length, .hash = hash, .symbol = -1, .mnemonic = -1};
    *bucket = ++names->count;
    return names->count - 1;
}

void names_declare(struct names *names, uint32_t name, enum symbol_kind kind, uint32_t value)
{
    GROW(names->symbols, names->symbol_count, names->symbol_capacity);
    names->symbols[names->symbol_count] = (struct symbol){
        .kind = (uint8_t)kind, .value = value, .name = name, .shadowed = names->items[name].symbol};
    names->items[name].symbol = (int32_t)names->symbol_count++;
}

void names_close(struct names *names, uint32_t mark)
{
    while (names->symbol_count > mark) {
        const struct symbol *symbol = &names->symbols[--names->symbol_count];
        names->items[symbol->name].symbol = symbol->shadowed;
    }
}

void names_close_part(struct names *names, uint32_t mark)
{
    uint32_t count = names->symbol_count;
    names->symbol_count = mark;
    for (uint32_t i = mark; i < count; i++) {
        struct symbol symbol = names->symbols[i];
        names->items[symbol.name].symbol = symbol.shadowed;
        if (!symbol.is_linked) continue;
        names->items[symbol.name].symbol = (int32_t)names->symbol_count;
        names->symbols[names->symbol_count++] = symbol;
    }
}

void names_link(struct names *names, uint32_t name)
{
    names->symbols[names->items[name].symbol].is_linked = true;
}

const struct symbol *names_find(const struct names *names, const char *text, uint32_t length)
{
    if (!names->bucket_count) return NULL;
    uint32_t bucket = *find_bucket(names, text, length, hash_text(text, length));
    if (!bucket) return NULL;
    int32_t symbol = names->items[bucket - 1].symbol;
    return symbol < 0 ? NULL : &names->symbols[symbol];
}

void names_clear(struct names *names)
{
    mem_free(names->items);
    mem_free(names->buckets);
    mem_free(names->symbols);
    *names = (struct names){0};
}
