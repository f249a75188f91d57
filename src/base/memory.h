// SPDX-License-Identifier: Apache-2.0
/* The one place where the library gets memory, and what happens when there is none.
 *
 * mem_alloc and its like never return NULL. If memory runs out, they leave by longjmp to the recovery
 * point of the call, which every function of warpsage.h has (api/handles.h: API_CALL) and which makes
 * WS_ERR_MEMORY of it. On the way, what the call had in hand is given back:
 *
 *     blocks   All that was allocated since the call began. A block belongs to the call until it ends
 *              well; then it belongs to whoever points to it.
 *     guards   Files, processes, what other libraries gave: mem_guard_begin names the function that
 *              closes it, mem_guard_end is told once it is closed, or handed over.
 *
 * Two rules follow. A block that something older than the call points to (a handle, a list in it) is
 * given to it with mem_keep, unless nothing in the call can fail any more; one that grows by
 * mem_realloc stays whose it was. And a frame of another library must not lie between an allocation and
 * the point: callbacks use the mem_try_ functions, which return NULL.
 *
 * Other threads that work for the call begin with mem_attempt_in and the call's pool; who waits for
 * them then raises the failure anew (mem_raise). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- blocks ---------------------------------------------------------------------------------- */

void *mem_alloc(size_t bytes);
void *mem_zalloc(size_t count, size_t bytes);
/* Zeros at a multiple of `alignment`, a power of two; mem_realloc does not take them. */
void *mem_zalloc_aligned(size_t alignment, size_t bytes);
/* Whose the block was, it stays. */
void *mem_realloc(void *old, size_t bytes);
char *mem_copy(const char *text);
/* NULL where the others raise. */
void *mem_try_alloc(size_t bytes);
void *mem_try_zalloc(size_t count, size_t bytes);
void *mem_try_realloc(void *old, size_t bytes);
void mem_free(void *memory);
/* It outlives the call, come what may. */
void mem_keep(void *memory);
/* Is it freed if memory runs out in the call that goes on? */
bool mem_is_of_call(const void *memory);

/* Grows an array: GROW(items, count, capacity) makes room for one more. */
#define GROW(items, count, capacity)                                                               \
    do {                                                                                           \
        if ((count) == (capacity)) {                                                               \
            size_t grow_room_ = (capacity) ? (size_t)(capacity)*2 : 16;                            \
            (items) = mem_realloc((items), grow_room_ * sizeof *(items));                          \
            (capacity) = (__typeof__(capacity))grow_room_;                                         \
        }                                                                                          \
    } while (0)

/* ---- guards ---------------------------------------------------------------------------------- */

typedef void mem_release_fn(void *what);
struct mem_guard {
    struct mem_guard *next;
    mem_release_fn *release;
    void *what;
};
/* Until mem_guard_end, running out of memory calls release(what). The guard and *what must stay where
 * they are that long. */
void mem_guard_begin(struct mem_guard *guard, mem_release_fn *release, void *what);
void mem_guard_end(struct mem_guard *guard);

/* ---- recovery points ------------------------------------------------------------------------- */

struct mem_block {
    struct mem_block *next, *prev; /* in the pool */
    struct mem_pool *pool;         /* NULL: belongs to no call */
    void *base;                    /* what malloc returned */
};
/* The blocks of a call; several threads may work for it. */
struct mem_pool {
    pthread_mutex_t lock;
    struct mem_block head;
};
struct mem_point {
    jmp_buf jump;
    struct mem_point *outer;
    struct mem_pool *pool, own; /* its own, or that of the call for which the thread works */
    struct mem_guard *guards;
    size_t wanted; /* bytes of the failed allocation; 0: unknown */
};

/* `if (setjmp(point->jump)) return ...; ` must follow at once, in the same function. */
void mem_point_begin(struct mem_point *point);
/* The call has ended: its blocks belong to their owners, or are gone. */
void mem_point_end(struct mem_point *point);

/* Runs work(argument) behind a recovery point of its own. False: memory ran out, *wanted bytes were asked
 * for, and what it allocated is freed. Else that belongs to the call around it. */
bool mem_attempt(void (*work)(void *), void *argument, size_t *wanted);
/* The same for another thread that works for the call: what it allocates belongs to the call's pool from
 * the start, and is freed with it. NULL: no call. */
bool mem_attempt_in(struct mem_pool *pool, void (*work)(void *), void *argument, size_t *wanted);
/* Of the call that this thread works for; NULL: none. */
struct mem_pool *mem_pool(void);
/* Raises if errno says that there was no memory: what the C library gave up for. */
void mem_check_errno(void);
/* Memory has run out; wanted 0: who needed it does not say how much. */
_Noreturn void mem_raise(size_t wanted);

#endif
