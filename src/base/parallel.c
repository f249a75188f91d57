// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

struct batch {
    parallel_fn *work;
    void *argument;
    struct diag *diags; /* one each */
    size_t count;
    atomic_size_t next;
    struct mem_pool *pool;
    atomic_size_t wanted; /* bytes of a failed allocation */
    atomic_bool is_without_memory;
};

static void work_all(void *argument)
{
    struct batch *batch = argument;
    for (;;) {
        size_t i = atomic_fetch_add(&batch->next, 1);
        if (i >= batch->count) return;
        (void)batch->work(&batch->diags[i], batch->argument, i); /* the diag knows */
    }
}

static void *work_guarded(void *argument)
{
    struct batch *batch = argument;
    size_t wanted;
    if (!mem_attempt_in(batch->pool, work_all, batch, &wanted)) {
        atomic_store(&batch->next, batch->count);
        atomic_store(&batch->wanted, wanted);
        atomic_store(&batch->is_without_memory, true);
    }
    return NULL;
}

/* This thread, and as many others as can be had. */
static void run_threads(struct batch *batch)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t others = cores > 1 ? (size_t)cores - 1 : 0, started = 0;
    if (others >= batch->count) others = batch->count - 1;
    pthread_t *threads = mem_zalloc(others + 1, sizeof *threads);
    while (started < others && pthread_create(&threads[started], NULL, work_guarded, batch) == 0)
        started++;
    (void)work_guarded(batch);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    mem_free(threads);
    if (atomic_load(&batch->is_without_memory)) mem_raise(atomic_load(&batch->wanted));
}

ws_status parallel_each(struct diag *diag, size_t count, parallel_fn *work, void *argument)
{
    struct batch batch = {.work = work, .argument = argument, .count = count, .pool = mem_pool()};
    ws_status status = WS_OK;
    if (!count) return WS_OK;
    batch.diags = mem_zalloc(count, sizeof *batch.diags);
    run_threads(&batch);
    for (size_t i = 0; i < count; i++) {
        const struct diag *failed = &batch.diags[i];
        if (status == WS_OK && failed->status != WS_OK)
            status = diag_error(diag, failed->status, "%s", diag_text(failed));
        diag_clear(&batch.diags[i]);
    }
    mem_free(batch.diags);
    return status;
}
