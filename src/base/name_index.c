// SPDX-License-Identifier: Apache-2.0
#include "base/name_index.h"

#include <assert.h>
#include <string.h>

static const char *name_of(const struct name_index *index, size_t row)
{
    const char *at = (const char *)index->first + row * index->row_bytes;
    return *(const char *const *)(const void *)at;
}

/* FNV-1a, 32 bits (draft-eastlake-fnv). */
static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 16;
}

/* The slot of a name, or the free one where it belongs. */
static size_t slot_of(const struct name_index *index, const char *name)
{
    size_t at = hash_name(name) % NAME_INDEX_SLOTS;
    while (index->slots[at] && strcmp(name_of(index, index->slots[at] - 1u), name) != 0)
        at = (at + 1) % NAME_INDEX_SLOTS;
    return at;
}

void name_index_fill(struct name_index *index, const char *const *first, size_t row_bytes,
                     size_t count)
{
    assert(count <= NAME_INDEX_MAX);
    index->first = first;
    index->row_bytes = row_bytes;
    for (size_t row = 0; row < count; row++) {
        uint16_t *slot = &index->slots[slot_of(index, name_of(index, row))];
        if (!*slot) *slot = (uint16_t)(row + 1);
    }
}

int name_index_find(const struct name_index *index, const char *name)
{
    return index->slots[slot_of(index, name)] - 1;
}
