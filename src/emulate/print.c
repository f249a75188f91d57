// SPDX-License-Identifier: Apache-2.0
#include "emulate/print.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"

struct print_log {
    pthread_mutex_t mutex;
    struct printed *items;
    uint32_t count, room;
    uint64_t bytes; /* held in items */
};

void print_add(struct printed *printed, const char *bytes, size_t size)
{
    uint64_t room = PRINT_BYTES_MAX - printed->text.length, kept = size < room ? size : room;
    if (kept) strbuf_append(&printed->text, bytes, kept);
    printed->lost += size - kept;
}

struct print_log *print_log_create(void)
{
    struct print_log *log = mem_zalloc(1, sizeof *log);
    pthread_mutex_init(&log->mutex, NULL);
    return log;
}

void print_log_destroy(struct print_log *log)
{
    if (!log) return;
    for (uint32_t i = 0; i < log->count; i++)
        strbuf_clear(&log->items[i].text);
    mem_free(log->items);
    pthread_mutex_destroy(&log->mutex);
    mem_free(log);
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
    uint64_t before = 0;
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

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

void print_log_keep(struct print_log *log, uint64_t block, struct printed *printed)
{
    if (!printed->text.length && !printed->lost) return;
    struct mem_guard guard;
    pthread_mutex_lock(&log->mutex);
    mem_guard_begin(&guard, unlock, &log->mutex);
    GROW(log->items, log->count, log->room);
    printed->block = block;
    log->items[log->count++] = *printed;
    log->bytes += printed->text.length;
    *printed = (struct printed){0};
    if (log->bytes > 2 * PRINT_BYTES_MAX) prune(log);
    mem_guard_end(&guard);
    pthread_mutex_unlock(&log->mutex);
}

void print_log_deliver(struct print_log *log, uint64_t last, ws_write_fn *write, void *user)
{
    uint64_t left = PRINT_BYTES_MAX, lost = 0;
    bool wanted = true;
    sort_by_block(log);
    for (uint32_t i = 0; i < log->count && log->items[i].block <= last; i++) {
        const struct printed *item = &log->items[i];
        uint64_t bytes = item->text.length < left ? item->text.length : left;
        if (bytes && wanted) wanted = write(user, item->text.data, bytes);
        left -= bytes;
        lost += item->lost + item->text.length - bytes;
    }
    if (!lost || !wanted) return;
    struct strbuf warning = {0};
    strbuf_printf(&warning,
                  "\nwarpsage: the kernel printed more than %llu MiB: %llu bytes were lost\n",
                  (unsigned long long)(PRINT_BYTES_MAX >> 20), (unsigned long long)lost);
    write(user, warning.data, warning.length);
    strbuf_clear(&warning);
}
