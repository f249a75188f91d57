// SPDX-License-Identifier: Apache-2.0
#include "emulate/print.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct print_log {
    pthread_mutex_t mutex;
    ws_write_fn *write;
    void *user;
    struct printed *items; /* of blocks that have ended */
    uint32_t count, room;
    uint64_t *running; /* blocks */
    uint32_t running_count, running_room;
    uint64_t bytes; /* held in items */
    uint64_t delivered, lost;
    uint64_t last; /* block to deliver: the least that failed */
    bool unwanted;
};

struct print_log *print_log_create(ws_write_fn *write, void *user)
{
    struct print_log *log = mem_zalloc(1, sizeof *log);
    log->write = write;
    log->user = user;
    log->last = UINT64_MAX;
    pthread_mutex_init(&log->mutex, NULL);
    return log;
}

void print_log_destroy(struct print_log *log)
{
    if (!log) return;
    for (uint32_t i = 0; i < log->count; i++)
        strbuf_clear(&log->items[i].text);
    mem_free(log->items);
    mem_free(log->running);
    pthread_mutex_destroy(&log->mutex);
    mem_free(log);
}

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static int by_block(const void *left, const void *right)
{
    const struct printed *a = left, *b = right;
    return (a->block > b->block) - (a->block < b->block);
}

static void sort_by_block(struct print_log *log)
{
    if (log->count) qsort(log->items, log->count, sizeof *log->items, by_block);
}

/* Lets go of text that cannot be delivered: blocks before it fill the limit already, and those still
 * to come can only push it further back. */
static void prune(struct print_log *log)
{
    uint64_t before = log->delivered;
    sort_by_block(log);
    for (uint32_t i = 0; i < log->count; i++) {
        struct printed *item = &log->items[i];
        uint64_t bytes = item->text.length;
        if (before >= PRINT_BYTES_MAX) {
            item->lost += bytes;
            log->bytes -= bytes;
            strbuf_clear(&item->text);
        }
        before += bytes;
    }
}

/* ---- delivery -------------------------------------------------------------------------------- */

static void deliver(struct print_log *log, struct printed *printed)
{
    uint64_t left = PRINT_BYTES_MAX - log->delivered, length = printed->text.length;
    uint64_t bytes = length < left ? length : left;
    if (bytes && !log->unwanted) log->unwanted = !log->write(log->user, printed->text.data, bytes);
    log->delivered += bytes;
    log->lost += printed->lost + length - bytes;
    strbuf_clear(&printed->text);
    printed->lost = 0;
}

/* All that is kept of blocks up to `most`. */
static void deliver_kept(struct print_log *log, uint64_t most)
{
    uint32_t at = 0;
    if (most > log->last) most = log->last;
    sort_by_block(log);
    for (; at < log->count && log->items[at].block <= most; at++) {
        log->bytes -= log->items[at].text.length;
        deliver(log, &log->items[at]);
    }
    log->count -= at;
    if (at && log->count) memmove(log->items, log->items + at, log->count * sizeof *log->items);
}

/* Every block before it has ended. */
static uint64_t least_running(const struct print_log *log)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < log->running_count; i++)
        if (log->running[i] < least) least = log->running[i];
    return least;
}

/* ---- what launches call ------------------------------------------------------------------------ */

/* Under the lock, so that no thread takes a later block for the least before this one is known. */
uint64_t print_log_begin(struct print_log *log, const struct launch_view *launch, uint64_t *next)
{
    struct mem_guard guard;
    pthread_mutex_lock(&log->mutex);
    mem_guard_begin(&guard, unlock, &log->mutex);
    uint64_t ordinal = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
    uint32_t size = launch->cluster_blocks ? launch->cluster_blocks : 1;
    for (uint32_t k = 0; k < size && ordinal * size < launch_executed_blocks(launch); k++) {
        GROW(log->running, log->running_count, log->running_room);
        log->running[log->running_count++] = launch_block_index(launch, ordinal * size + k);
    }
    mem_guard_end(&guard);
    pthread_mutex_unlock(&log->mutex);
    return ordinal;
}

void print_log_add(struct print_log *log, uint64_t block, struct printed *printed,
                   const char *bytes, size_t size)
{
    uint64_t before = printed->text.length, room = PRINT_BYTES_MAX - before;
    uint64_t kept = size < room ? size : room;
    if (kept) strbuf_append(&printed->text, bytes, kept);
    printed->lost += size - kept;
    if (before / PRINT_FLUSH_BYTES == printed->text.length / PRINT_FLUSH_BYTES) return;
    pthread_mutex_lock(&log->mutex);
    if (block == least_running(log) && block <= log->last) {
        if (block) deliver_kept(log, block - 1);
        deliver(log, printed);
    }
    pthread_mutex_unlock(&log->mutex);
}

void print_log_end(struct print_log *log, uint64_t block, struct printed *printed, bool failed)
{
    struct mem_guard guard;
    pthread_mutex_lock(&log->mutex);
    mem_guard_begin(&guard, unlock, &log->mutex);
    for (uint32_t i = 0; i < log->running_count; i++)
        if (log->running[i] == block) log->running[i] = log->running[--log->running_count];
    if (failed && block < log->last) log->last = block;
    if (printed->text.length || printed->lost) {
        GROW(log->items, log->count, log->room);
        printed->block = block;
        log->items[log->count++] = *printed;
        log->bytes += printed->text.length;
        *printed = (struct printed){0};
    }
    uint64_t least = least_running(log);
    if (log->bytes >= PRINT_FLUSH_BYTES && least) deliver_kept(log, least - 1);
    if (log->bytes > 2 * PRINT_BYTES_MAX) prune(log);
    mem_guard_end(&guard);
    pthread_mutex_unlock(&log->mutex);
}

void print_log_deliver(struct print_log *log, uint64_t last)
{
    deliver_kept(log, last);
    if (!log->lost || log->unwanted) return;
    struct strbuf warning = {0};
    strbuf_printf(&warning,
                  "\nwarpsage: the kernel printed more than %llu MiB: %llu bytes were lost\n",
                  (unsigned long long)(PRINT_BYTES_MAX >> 20), (unsigned long long)log->lost);
    log->write(log->user, warning.data, warning.length);
    strbuf_clear(&warning);
}
