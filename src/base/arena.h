// SPDX-License-Identifier: Apache-2.0
/* A bump allocator: everything that belongs to one handle, freed at once. Memory is zeroed. Running out
 * of it ends the call (base/memory.h). */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/memory.h"

struct arena {
    struct arena_chunk *chunks;
};

void arena_clear(struct arena *arena);
/* As after arena_clear, but a chunk is kept for what comes next. */
void arena_restart(struct arena *arena);
/* What the arena has from this call outlives it (mem_keep). */
void arena_keep(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t bytes);
void *arena_zalloc(struct arena *arena, size_t count, size_t bytes);
void *arena_alloc_aligned(struct arena *arena, size_t bytes, size_t alignment);
char *arena_copy(struct arena *arena, const char *text);
char *arena_copy_n(struct arena *arena, const char *text, size_t length);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define ARENA_ARRAY(arena, type, count) ((type *)arena_zalloc((arena), (count), sizeof(type)))

#endif
