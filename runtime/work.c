// SPDX-License-Identifier: Apache-2.0
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "event_log.h"
#include "graph.h"
#include "graph_condition.h"
#include "host_check.h"
#include "stream.h"
#include "virtual_time.h"

struct work copy_of(void *to, const void *from, size_t bytes, int kind)
{
    struct copy_work copy = {
        {to, bytes, bytes}, {(void *)(uintptr_t)from, bytes, bytes}, bytes, 1, 1, kind};
    return (struct work){.kind = WORK_COPY, .copy = copy};
}

struct work fill_of(void *to, unsigned value, unsigned element_bytes, size_t bytes)
{
    struct fill_work fill = {{to, bytes, bytes}, value, element_bytes, bytes, 1, 1};
    return (struct work){.kind = WORK_FILL, .fill = fill};
}

/* ---- copies and fills ------------------------------------------------------------------------ */

static unsigned char *row_of(const struct rows *rows, size_t y, size_t z)
{
    return rows->begin + z * rows->slice + y * rows->pitch;
}

static const char *const directions[] = {"host to host", "host to device", "device to host",
                                         "device to device"};

/* Of `directions`; of cudaMemcpyDefault as the pointers say. */
static int direction(const struct copy_work *copy)
{
    ws_device_range range;
    if (copy->kind != cudaMemcpyDefault) return copy->kind;
    const void *ends[] = {copy->from.begin, copy->to.begin};
    int kind = 0;
    for (unsigned i = 0; i < 2; i++)
        if (ws_device_find(runtime.device, (uint64_t)(uintptr_t)ends[i], &range) && !range.is_host)
            kind |= i ? 1 : 2;
    return kind;
}

/* Functions without Async in their names wait, and so do copies from and to memory that is not pinned (runtime API, API
 * synchronization behavior). */
static bool host_waits(bool is_pinned)
{
    return !strstr(api_current(), "Async") || !is_pinned;
}

/* Does the device know both ends? Memory of the host that it does not know is pageable. */
static bool is_pinned(const struct copy_work *copy)
{
    ws_device_range range;
    return ws_device_find(runtime.device, (uint64_t)(uintptr_t)copy->to.begin, &range) &&
           ws_device_find(runtime.device, (uint64_t)(uintptr_t)copy->from.begin, &range);
}

static cudaError_t run_copy(const struct copy_work *copy)
{
    check_enter_work();
    check_copy(copy);
    if (copy->kind < cudaMemcpyHostToHost || copy->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!copy->width || !copy->height || !copy->depth) return cudaSuccess;
    if (copy->height > 1 && (copy->width > copy->to.pitch || copy->width > copy->from.pitch))
        return cudaErrorInvalidPitchValue;
    order_operation("a copy");
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++) {
            order_bytes(row_of(&copy->from, y, z), copy->width, false);
            order_bytes(row_of(&copy->to, y, z), copy->width, true);
            cudaError_t error = copy_bytes(row_of(&copy->to, y, z), row_of(&copy->from, y, z),
                                           copy->width, copy->kind);
            if (error) return error;
        }
    size_t bytes = copy->width * copy->height * copy->depth;
    int kind = direction(copy);
    double begin = spend_copy(kind, (double)bytes, is_pinned(copy));
    event_log_work(EVENT_COPY, directions[kind], begin, bytes);
    if (host_waits(is_pinned(copy))) order_host_waits();
    return cudaSuccess;
}

static cudaError_t run_fill(const struct fill_work *fill)
{
    unsigned unit = fill->element_bytes;
    check_enter_work();
    check_fill(fill);
    bool fits = (unit == 1 || unit == 2 || unit == 4) && fill->width % unit == 0 &&
                (uintptr_t)fill->to.begin % unit == 0;
    if (!fits) return cudaErrorInvalidValue;
    order_operation("a fill");
    for (size_t z = 0; z < fill->depth; z++)
        for (size_t y = 0; y < fill->height; y++) {
            order_bytes(row_of(&fill->to, y, z), fill->width, true);
            cudaError_t error = fill_bytes(row_of(&fill->to, y, z), fill->value, unit, fill->width);
            if (error) return error;
        }
    size_t bytes = fill->width * fill->height * fill->depth;
    event_log_work(EVENT_FILL, "memset", spend_fill((double)bytes), bytes);
    return cudaSuccess;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static cudaError_t call_host(const struct host_work *host)
{
    struct order_place place;
    order_pause(&place);
    api_unlock();
    host->function(host->user);
    api_lock();
    order_resume(&place);
    return cudaSuccess;
}

cudaError_t work_run(const struct work *work)
{
    switch (work->kind) {
    case WORK_KERNEL:
        return launch_run(&work->kernel);
    case WORK_COPY:
        return run_copy(&work->copy);
    case WORK_FILL:
        return run_fill(&work->fill);
    case WORK_HOST:
        return call_host(&work->host);
    case WORK_GRAPH:
        return graph_run(work->graph);
    case WORK_CONDITION:
        return condition_run(&work->condition);
    case WORK_RECORD:
        if (!handle_is(HANDLE_EVENT, work->event)) return cudaErrorInvalidResourceHandle;
        event_record(work->event);
        order_record(work->event);
        return cudaSuccess;
    case WORK_WAIT:
        if (handle_is(HANDLE_EVENT, work->event)) order_node_waits(work->event);
        return cudaSuccess;
    case WORK_EMPTY:
    case WORK_ALLOC:
    case WORK_FREE:
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t work_copy(struct work *out, const struct work *work)
{
    *out = *work;
    if (work->kind == WORK_GRAPH) return graph_copy_part(work->graph, &out->graph);
    if (work->kind == WORK_CONDITION) return condition_copy(&out->condition, &work->condition);
    if (work->kind != WORK_KERNEL) return cudaSuccess;
    size_t bytes = work->kernel.kernel->parameter_bytes;
    out->kernel.parameters = malloc(bytes + 1);
    if (!out->kernel.parameters) return cudaErrorMemoryAllocation;
    memcpy(out->kernel.parameters, work->kernel.parameters, bytes);
    return cudaSuccess;
}

void work_clear(struct work *work)
{
    if (work->kind == WORK_KERNEL) free(work->kernel.parameters);
    if (work->kind == WORK_GRAPH) graph_destroy(work->graph);
    if (work->kind == WORK_CONDITION) condition_clear(&work->condition);
    *work = (struct work){.kind = WORK_EMPTY};
}

cudaError_t stream_do(cudaStream_t stream, struct work *work)
{
    cudaError_t error = stream_check(stream);
    if (!error && stream_capture(stream)) return capture_add(stream, work);
    const struct stream *made = error ? NULL : stream_of(stream);
    unsigned long long before = event_log_stream(made && made->id ? made->id : 0);
    if (!error) {
        order_enter(stream);
        error = work_run(work);
        order_leave(stream);
    }
    event_log_stream(before);
    work_clear(work);
    return error;
}
