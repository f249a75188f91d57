// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Initial-exec: a thread's first access to it allocates nothing. */
static _Thread_local struct mem_point *innermost __attribute__((tls_model("initial-exec")));

/* ---- pools ----------------------------------------------------------------------------------- */

static void pool_add(struct mem_pool *pool, struct mem_block *block)
{
    block->pool = pool;
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    block->next = pool->head.next;
    block->prev = &pool->head;
    block->next->prev = block->prev->next = block;
    pthread_mutex_unlock(&pool->lock);
}

static void pool_remove(struct mem_block *block)
{
    struct mem_pool *pool = block->pool;
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    block->next->prev = block->prev;
    block->prev->next = block->next;
    pthread_mutex_unlock(&pool->lock);
    block->next = block->prev = NULL;
    block->pool = NULL;
}

struct mem_pool *mem_pool(void)
{
    return innermost ? innermost->pool : NULL;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { HEAD_BYTES = sizeof(struct mem_block) };
_Static_assert(HEAD_BYTES % 16 == 0,
               "what follows a block's head is aligned as malloc's memory is");

static struct mem_block *block_of(void *memory)
{
    return (struct mem_block *)(void *)((unsigned char *)memory - HEAD_BYTES);
}

/* Sizes near the end of the address space must not wrap around with the head. */
static bool is_possible(size_t bytes)
{
    return bytes <= PTRDIFF_MAX - HEAD_BYTES;
}

static void *put_head(void *base, size_t head)
{
    if (!base) return NULL;
    void *memory = (unsigned char *)base + head;
    struct mem_block *block = block_of(memory);
    *block = (struct mem_block){.base = base};
    pool_add(mem_pool(), block);
    return memory;
}

void *mem_try_alloc(size_t bytes)
{
    return is_possible(bytes) ? put_head(malloc(HEAD_BYTES + bytes), HEAD_BYTES) : NULL;
}

void *mem_try_zalloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all) || !is_possible(all)) return NULL;
    return put_head(calloc(1, HEAD_BYTES + all), HEAD_BYTES);
}

void *mem_try_realloc(void *old, size_t bytes)
{
    if (!old) return mem_try_alloc(bytes);
    if (!is_possible(bytes)) return NULL;
    struct mem_block *block = block_of(old);
    assert(block->base == block);
    struct mem_pool *pool = block->pool;
    pool_remove(block);
    struct mem_block *larger = realloc(block, HEAD_BYTES + bytes);
    if (larger) larger->base = larger;
    pool_add(pool, larger ? larger : block);
    return larger ? larger + 1 : NULL;
}

static void *or_raise(void *memory, size_t bytes)
{
    if (!memory) mem_raise(bytes);
    return memory;
}

void *mem_alloc(size_t bytes)
{
    return or_raise(mem_try_alloc(bytes), bytes);
}

void *mem_zalloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX;
    return or_raise(mem_try_zalloc(1, all), all);
}

void *mem_zalloc_aligned(size_t alignment, size_t bytes)
{
    size_t head = alignment > HEAD_BYTES ? alignment : HEAD_BYTES;
    if (!is_possible(bytes) || bytes > PTRDIFF_MAX - 2 * head) mem_raise(bytes);
    size_t whole = (head + bytes + alignment - 1) & ~(alignment - 1);
    void *base = aligned_alloc(alignment, whole);
    if (!base) mem_raise(bytes);
    memset(base, 0, whole);
    return put_head(base, head);
}

void *mem_realloc(void *old, size_t bytes)
{
    return or_raise(mem_try_realloc(old, bytes), bytes);
}

char *mem_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(mem_alloc(bytes), text, bytes);
}

void mem_free(void *memory)
{
    if (!memory) return;
    struct mem_block *block = block_of(memory);
    pool_remove(block);
    free(block->base);
}

void mem_keep(void *memory)
{
    if (memory) pool_remove(block_of(memory));
}

bool mem_is_of_call(const void *memory)
{
    return block_of((void *)(uintptr_t)memory)->pool != NULL;
}

/* ---- guards and points ----------------------------------------------------------------------- */

void mem_guard_begin(struct mem_guard *guard, mem_release_fn *release, void *what)
{
    *guard = (struct mem_guard){NULL, release, what};
    if (!innermost) return;
    guard->next = innermost->guards;
    innermost->guards = guard;
}

void mem_guard_end(struct mem_guard *guard)
{
    if (!innermost) return;
    for (struct mem_guard **at = &innermost->guards; *at; at = &(*at)->next)
        if (*at == guard) {
            *at = guard->next;
            return;
        }
}

void mem_point_begin(struct mem_point *point)
{
    point->outer = innermost;
    point->guards = NULL;
    point->wanted = 0;
    point->pool = &point->own;
    point->own = (struct mem_pool){.lock = PTHREAD_MUTEX_INITIALIZER};
    point->own.head.next = point->own.head.prev = &point->own.head;
    innermost = point;
}

/* The blocks of a point that ends well belong to the pool around it, NULL: to no call any more. */
static void hand_over(struct mem_point *point, struct mem_pool *around)
{
    struct mem_block *head = &point->own.head;
    for (struct mem_block *next, *block = head->next; block != head; block = next) {
        next = block->next;
        block->next = block->prev = NULL;
        pool_add(around, block);
    }
}

void mem_point_end(struct mem_point *point)
{
    hand_over(point, NULL);
    innermost = point->outer;
}

static void release_all(struct mem_point *point)
{
    while (point->guards) {
        struct mem_guard *guard = point->guards;
        point->guards = guard->next;
        guard->release(guard->what);
    }
    struct mem_block *head = &point->own.head;
    for (struct mem_block *next, *block = head->next; block != head; block = next) {
        next = block->next;
        free(block->base);
    }
    head->next = head->prev = head;
}

_Noreturn void mem_raise(size_t wanted)
{
    struct mem_point *point = innermost;
    assert(point); /* a function of warpsage.h without API_CALL */
    if (!point) __builtin_trap();
    point->wanted = wanted;
    release_all(point);
    longjmp(point->jump, 1);
}

void mem_check_errno(void)
{
    if (errno == ENOMEM) mem_raise(0);
}

static bool attempt(struct mem_pool *shared, void (*work)(void *), void *argument, size_t *wanted)
{
    struct mem_point point;
    mem_point_begin(&point);
    if (shared) point.pool = shared;
    if (setjmp(point.jump)) {
        innermost = point.outer;
        *wanted = point.wanted;
        return false;
    }
    work(argument);
    hand_over(&point, point.outer ? point.outer->pool : NULL);
    innermost = point.outer;
    return true;
}

bool mem_attempt(void (*work)(void *), void *argument, size_t *wanted)
{
    return attempt(NULL, work, argument, wanted);
}

bool mem_attempt_in(struct mem_pool *pool, void (*work)(void *), void *argument, size_t *wanted)
{
    return attempt(pool, work, argument, wanted);
}
