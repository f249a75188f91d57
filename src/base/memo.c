// SPDX-License-Identifier: Apache-2.0
/* A tree that only grows at its leaves, by the bits of a hash: as many steps as the number of entries has digits. Who
 * reads it follows pointers that are set once. */
#include "base/memo.h"

#include <string.h>

#include "base/memory.h"

static uint64_t hash_of(const struct memo_key *key)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < MEMO_KEY_WORDS; i++) {
        hash = (hash ^ key->words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash * UINT64_C(0xbf58476d1ce4e5b9);
}

/* From `place` on, with the bits of the hash that count there: where the entry of a key is or belongs. */
struct search {
    struct memo_entry *const *place;
    struct memo_entry *found; /* NULL: none */
    uint64_t hash;
};

static void search(struct search *at, const struct memo_key *key)
{
    while ((at->found = __atomic_load_n(at->place, __ATOMIC_ACQUIRE)) &&
           memcmp(&at->found->key, key, sizeof *key)) {
        at->place = &at->found->below[at->hash / (UINT64_MAX / MEMO_BRANCHES + 1)];
        at->hash *= MEMO_BRANCHES;
    }
}

const struct memo_entry *memo_find(const struct memo *memo, const struct memo_key *key)
{
    struct search at = {.place = &memo->first, .hash = hash_of(key)};
    search(&at, key);
    return at.found;
}

static void free_entry(struct memo_entry *entry)
{
    if (entry->release) entry->release(entry);
    mem_free(entry);
}

const struct memo_entry *memo_add(struct memo *memo, struct memo_entry *made)
{
    struct search at = {.place = &memo->first, .hash = hash_of(&made->key)};
    /* Before others see it: if memory runs out in this call, an older memo keeps it. */
    if (!mem_is_of_call(memo)) mem_keep(made);
    for (;;) {
        struct memo_entry *none = NULL;
        search(&at, &made->key);
        if (at.found) break;
        if (__atomic_compare_exchange_n((struct memo_entry **)at.place, &none, made, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return made;
    }
    free_entry(made);
    return at.found;
}

void memo_take(struct memo *memo, size_t bytes)
{
    __atomic_fetch_add(&memo->taken, bytes, __ATOMIC_RELAXED);
}

size_t memo_taken(const struct memo *memo)
{
    return __atomic_load_n(&memo->taken, __ATOMIC_RELAXED);
}

static void free_below(struct memo_entry *entry)
{
    if (!entry) return;
    for (unsigned i = 0; i < MEMO_BRANCHES; i++)
        free_below(entry->below[i]);
    free_entry(entry);
}

void memo_clear(struct memo *memo)
{
    free_below(memo->first);
    *memo = (struct memo){0};
}
