// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The first chunk and the greatest, unless more is asked for: many arenas stay small, and chunks are zeroed. */
enum { CHUNK_LEAST = 4 * 1024, CHUNK_MOST = 64 * 1024 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    _Alignas(64) unsigned char data[];
};

void arena_clear(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;
        mem_free(arena->chunks);
        arena->chunks = next;
    }
}

void arena_restart(struct arena *arena)
{
    struct arena_chunk *kept = arena->chunks;
    if (!kept) return;
    struct arena others = {kept->next};
    arena_clear(&others);
    kept->next = NULL;
    memset(kept->data, 0, kept->used);
    kept->used = 0;
}

void arena_keep(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks; chunk; chunk = chunk->next)
        mem_keep(chunk);
}

static struct arena_chunk *add_chunk(struct arena *arena, size_t bytes)
{
    size_t size = arena->chunks ? 2 * arena->chunks->size : CHUNK_LEAST;
    if (size > CHUNK_MOST) size = CHUNK_MOST;
    if (size < bytes) size = bytes;
    size_t whole = size <= SIZE_MAX - sizeof(struct arena_chunk) ? sizeof(struct arena_chunk) + size
                                                                 : SIZE_MAX;
    struct arena_chunk *chunk = mem_zalloc_aligned(64, whole);
    /* A chunk belongs to whom the others do: to this call, or to what is older than it. */
    if (arena->chunks && !mem_is_of_call(arena->chunks)) mem_keep(chunk);
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

void *arena_alloc_aligned(struct arena *arena, size_t bytes, size_t alignment)
{
    struct arena_chunk *chunk = arena->chunks;
    size_t at = chunk ? (chunk->used + alignment - 1) & ~(alignment - 1) : 0;
    if (!chunk || at > chunk->size || bytes > chunk->size - at) {
        chunk = add_chunk(arena, bytes);
        at = 0;
    }
    chunk->used = at + bytes;
    return chunk->data + at;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    return arena_alloc_aligned(arena, bytes, 16);
}

void *arena_zalloc(struct arena *arena, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) mem_raise(SIZE_MAX);
    return arena_alloc(arena, all);
}

char *arena_copy_n(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc_aligned(arena, length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_copy(struct arena *arena, const char *text)
{
    return arena_copy_n(arena, text, strlen(text));
}

/* Most texts fit what the chunk has left: they are written once. */
char *arena_format(struct arena *arena, const char *format, ...)
{
    struct arena_chunk *chunk = arena->chunks;
    size_t room = chunk ? chunk->size - chunk->used : 0;
    va_list list;
    va_start(list, format);
    int length = vsnprintf(room ? (char *)chunk->data + chunk->used : NULL, room, format, list);
    va_end(list);
    if (length < 0) mem_raise(0);
    if ((size_t)length < room) return arena_alloc_aligned(arena, (size_t)length + 1, 1);
    if (room) memset(chunk->data + chunk->used, 0, room);
    char *text = arena_alloc_aligned(arena, (size_t)length + 1, 1);
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}
