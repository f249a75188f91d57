// SPDX-License-Identifier: Apache-2.0
/* Which of a few dozen items have something in common: what was found is in lists by a hash of it, so that each item looks
 * at few of those before it.
 *
 *     struct short_lists lists;
 *     short_lists_begin(&lists);
 *     unsigned at = short_list(&lists, hash);
 *     while (at != SHORT_LIST_END && found[at] != wanted) at = lists.next[at];
 *     if (at == SHORT_LIST_END) { found[count] = wanted; short_lists_add(&lists, hash, count++); } */
#ifndef BASE_SHORT_LISTS_H
#define BASE_SHORT_LISTS_H

#include <stdint.h>
#include <string.h>

enum { SHORT_LISTS = 64, SHORT_LIST_END = UINT8_MAX };

/* Of at most SHORT_LIST_END entries. */
struct short_lists {
    uint8_t first[SHORT_LISTS], next[SHORT_LIST_END];
};

static inline void short_lists_begin(struct short_lists *lists)
{
    memset(lists->first, SHORT_LIST_END, sizeof lists->first);
}

/* The last entry of a hash, or of another with the same list; lists->next is the one before it. */
static inline unsigned short_list(const struct short_lists *lists, uint64_t hash)
{
    return lists->first[hash % SHORT_LISTS];
}

static inline void short_lists_add(struct short_lists *lists, uint64_t hash, unsigned entry)
{
    uint8_t *first = &lists->first[hash % SHORT_LISTS];
    lists->next[entry] = *first;
    *first = (uint8_t)entry;
}

#endif
