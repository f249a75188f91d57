// SPDX-License-Identifier: Apache-2.0
/* Lists that only grow at their head: who reads one follows pointers that never change. */
#include "base/memo.h"

#include <string.h>

#include "base/memory.h"

static unsigned list_of(const struct memo_key *key)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < MEMO_KEY_WORDS; i++) {
        hash = (hash ^ key->words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (unsigned)(hash % MEMO_LISTS);
}

/* In a list from `entry` on, up to `end`. */
static const struct memo_entry *find_in(const struct memo_entry *entry,
                                        const struct memo_entry *end, const struct memo_key *key)
{
    for (; entry != end; entry = entry->next)
        if (!memcmp(&entry->key, key, sizeof *key)) return entry;
    return NULL;
}

const struct memo_entry *memo_find(const struct memo *memo, const struct memo_key *key)
{
    return find_in(__atomic_load_n(&memo->lists[list_of(key)], __ATOMIC_ACQUIRE), NULL, key);
}

const struct memo_entry *memo_add(struct memo *memo, struct memo_entry *made)
{
    struct memo_entry **list = &memo->lists[list_of(&made->key)];
    struct memo_entry *first = __atomic_load_n(list, __ATOMIC_ACQUIRE);
    const struct memo_entry *known = find_in(first, NULL, &made->key);
    /* Before others see it: if memory runs out in this call, an older memo keeps it. */
    if (!known && !mem_is_of_call(memo)) mem_keep(made);
    while (!known) {
        const struct memo_entry *seen = first;
        made->next = first;
        if (__atomic_compare_exchange_n(list, &first, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return made;
        known = find_in(first, seen, &made->key);
    }
    mem_free(made);
    return known;
}

void memo_clear(struct memo *memo)
{
    for (unsigned i = 0; i < MEMO_LISTS; i++) {
        for (struct memo_entry *next, *entry = memo->lists[i]; entry; entry = next) {
            next = entry->next;
            mem_free(entry);
        }
        memo->lists[i] = NULL;
    }
}
