// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    _Alignas(64) unsigned char data[];
};

void *mem_alloc(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) abort();
    return memory;
}

void *mem_zalloc(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes ? bytes : 1);
    if (!memory) abort();
    return memory;
}

void *mem_realloc(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes ? bytes : 1);
    if (!memory) abort();
    return memory;
}

void arena_clear(struct arena *arena)
{
    while (arena->chunks) {
        struct arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}

void *arena_alloc_aligned(struct arena *arena, size_t bytes, size_t alignment)
{
    struct arena_chunk *chunk = arena->chunks;
    size_t at = chunk ? (chunk->used + alignment - 1) & ~(alignment - 1) : 0;
    if (!chunk || at + bytes > chunk->size) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        size_t whole = (sizeof *chunk + size + 63) & ~(size_t)63;
        chunk = aligned_alloc(64, whole);
        if (!chunk) abort();
        memset(chunk, 0, whole);
        chunk->size = size;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        at = 0;
    }
    chunk->used = at + bytes;
    return chunk->data + at;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    return arena_alloc_aligned(arena, bytes, 16);
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

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = arena_alloc_aligned(arena, (size_t)length + 1, 1);
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}
