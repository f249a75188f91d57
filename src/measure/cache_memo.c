// SPDX-License-Identifier: Apache-2.0
/* The memo of a profile: a list that only grows, so that what was found stays where it is. */
#include <pthread.h>
#include <string.h>

#include "measure/cache_section.h"

struct memo_node {
    struct cache_section section; /* first: a section is its node */
    struct memo_node *next;
};

struct cache_memo {
    pthread_mutex_t lock;
    struct memo_node *first, **end;
};

struct cache_memo *cache_memo_create(void)
{
    struct cache_memo *memo = mem_zalloc(1, sizeof *memo);
    pthread_mutex_init(&memo->lock, NULL);
    memo->end = &memo->first;
    return memo;
}

void cache_memo_destroy(struct cache_memo *memo)
{
    if (!memo) return;
    for (struct memo_node *node = memo->first; node;) {
        struct memo_node *next = node->next;
        mem_free(node);
        node = next;
    }
    pthread_mutex_destroy(&memo->lock);
    mem_free(memo);
}

static bool same_geometry(const struct cache_geometry *a, const struct cache_geometry *b)
{
    return !memcmp(a, b, sizeof *a); /* numbers without gaps */
}

static bool near_geometry(const struct cache_geometry *a, const struct cache_geometry *b)
{
    struct cache_geometry known = *a;
    known.l1_bytes = b->l1_bytes; /* what shared memory of the blocks leaves */
    known.blocks_per_sm = b->blocks_per_sm;
    return same_geometry(&known, b);
}

typedef bool matches_fn(const struct cache_geometry *known, const struct cache_geometry *wanted);

/* Of a locked memo. */
static struct memo_node *find_node(struct cache_memo *memo, const struct cache_geometry *wanted,
                                   matches_fn *matches)
{
    struct memo_node *node = memo->first;
    while (node && !matches(&node->section.geometry, wanted))
        node = node->next;
    return node;
}

static const struct cache_section *find(struct cache_memo *memo,
                                        const struct cache_geometry *wanted, matches_fn *matches)
{
    pthread_mutex_lock(&memo->lock);
    const struct memo_node *node = find_node(memo, wanted, matches);
    pthread_mutex_unlock(&memo->lock);
    return node ? &node->section : NULL;
}

const struct cache_section *profile_find_caches(const struct profile *profile,
                                                const struct cache_geometry *geometry)
{
    return find(profile->caches, geometry, same_geometry);
}

const struct cache_section *profile_near_caches(const struct profile *profile,
                                                const struct cache_geometry *geometry)
{
    return find(profile->caches, geometry, near_geometry);
}

const struct cache_section *profile_next_caches(const struct profile *profile,
                                                const struct cache_section *after)
{
    struct cache_memo *memo = profile->caches;
    pthread_mutex_lock(&memo->lock);
    const struct memo_node *node =
        after ? ((const struct memo_node *)(const void *)after)->next : memo->first;
    pthread_mutex_unlock(&memo->lock);
    return node ? &node->section : NULL;
}

void profile_add_caches(const struct profile *profile, const struct cache_section *section)
{
    struct cache_memo *memo = profile->caches;
    if (profile_find_caches(profile, &section->geometry)) return;
    struct memo_node *node = mem_zalloc(1, sizeof *node); /* may raise: before the lock */
    node->section = *section;
    pthread_mutex_lock(&memo->lock);
    if (!find_node(memo, &section->geometry, same_geometry)) {
        *memo->end = node;
        memo->end = &node->next;
        if (!mem_is_of_call(memo)) mem_keep(node); /* it lives as long as the profile */
        node = NULL;
    }
    pthread_mutex_unlock(&memo->lock);
    mem_free(node);
}
