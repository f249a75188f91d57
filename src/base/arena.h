// SPDX-License-Identifier: Apache-2.0
/* A bump allocator: everything that belongs to one handle, freed at once. Memory is zeroed.
 * Allocation never fails: out of memory aborts, as nothing useful could follow. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_chunk *chunks;
};

void arena_clear(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t bytes);
void *arena_alloc_aligned(struct arena *arena, size_t bytes, size_t alignment);
char *arena_copy(struct arena *arena, const char *text);
char *arena_copy_n(struct arena *arena, const char *text, size_t length);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* malloc, calloc and realloc that abort instead of returning NULL. */
void *mem_alloc(size_t bytes);
void *mem_zalloc(size_t count, size_t bytes);
void *mem_realloc(void *old, size_t bytes);

#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), (count) * sizeof(type)))

/* Grows a malloc'ed array: GROW(items, count, capacity) makes room for one more. */
#define GROW(items, count, capacity)                                                               \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            (capacity) = (capacity) ? (capacity)*2 : 16;                                           \
            (items) = mem_realloc((items), (size_t)(capacity) * sizeof *(items));                  \
        }                                                                                          \
    } while (0)

#endif
