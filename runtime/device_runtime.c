// SPDX-License-Identifier: Apache-2.0
#include "device_runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_memory.h"
#include "device_questions.h"
#include "event_log.h"
#include "graph_condition.h"
#include "stream_order.h"
#include "virtual_time.h"
#include "work.h"

/* Streams of the device that have no handle of their own. */
enum { STREAM_NULL = 0, STREAM_PER_THREAD = 2, STREAM_TAIL = 3, STREAM_FIRE = 4 };
/* Handles of the others, and of events: in their lists, from here on. */
enum { HANDLE_FIRST = 256, HANDLE_STEP = 16 };
enum { LIMIT_PENDING = 4 }; /* cudaLimitDevRuntimePendingLaunchCount */

/* What comes one after the other: a stream, or what an event stands for. */
struct sequence {
    double done;
    bool is_gone;
};
struct sequences {
    struct sequence *items;
    size_t count, capacity;
};

enum operation_kind { OPERATION_WORK, OPERATION_RECORD, OPERATION_WAIT };
struct operation {
    enum operation_kind kind;
    struct work work;
    bool is_tail, is_free; /* fire and forget: in no stream */
    size_t stream, event;  /* in their lists */
    uint64_t block;        /* that asked for it */
    uint32_t thread;
};

/* The stream that a block has by itself, or an error that a thread has not asked for, by what it belongs to. */
struct table {
    uint64_t *keys, *values; /* keys from 1 on; 0: free */
    size_t count, room;      /* a power of two */
};

/* A grid whose blocks run or have ended, with what it asked for. */
struct grid {
    struct grid *below; /* that launched it */
    const struct kernel *kernel;
    uint32_t sizes[3];
    struct operation *operations;
    size_t count, capacity, next;
    struct sequences streams, events;
    struct table own_streams, errors;
    double begin, end; /* of what it asked for, in virtual time; as far as it is known */
};

static struct {
    struct grid *open; /* its blocks run */
    struct grid *top;  /* what it asked for is done */
    bool runs;
} all;

/* ---- tables and lists ------------------------------------------------------------------------ */

static size_t place_of(const struct table *table, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (table->room - 1);
    while (table->keys[at] && table->keys[at] != key)
        at = (at + 1) & (table->room - 1);
    return at;
}

/* NULL: there is none. */
static uint64_t *table_find(const struct table *table, uint64_t key)
{
    if (!table->room) return NULL;
    size_t at = place_of(table, key);
    return table->keys[at] ? &table->values[at] : NULL;
}

static void *zeros(size_t count, size_t bytes)
{
    void *made = calloc(count, bytes);
    if (!made) out_of_memory(count * bytes);
    return made;
}

static void table_grow(struct table *table)
{
    struct table old = *table;
    table->room = old.room ? 2 * old.room : 64;
    table->keys = zeros(table->room, sizeof *table->keys);
    table->values = zeros(table->room, sizeof *table->values);
    for (size_t i = 0; i < old.room; i++) {
        if (!old.keys[i]) continue;
        size_t at = place_of(table, old.keys[i]);
        table->keys[at] = old.keys[i];
        table->values[at] = old.values[i];
    }
    free(old.keys);
    free(old.values);
}

static void table_set(struct table *table, uint64_t key, uint64_t value)
{
    if (2 * table->count >= table->room) table_grow(table);
    size_t at = place_of(table, key);
    table->count += !table->keys[at];
    table->keys[at] = key;
    table->values[at] = value;
}

static void *grown(void *items, size_t *capacity, size_t bytes)
{
    *capacity = *capacity ? 2 * *capacity : 16;
    void *made = realloc(items, *capacity * bytes);
    if (!made) out_of_memory(*capacity * bytes);
    return made;
}

static size_t sequence_add(struct sequences *list)
{
    if (list->count == list->capacity)
        list->items = grown(list->items, &list->capacity, sizeof *list->items);
    list->items[list->count] = (struct sequence){0};
    return list->count++;
}

static uint64_t handle_of(size_t index)
{
    return HANDLE_FIRST + (uint64_t)index * HANDLE_STEP;
}

static bool find_handle(const struct sequences *list, uint64_t handle, size_t *out)
{
    *out = (size_t)((handle - HANDLE_FIRST) / HANDLE_STEP);
    return handle >= HANDLE_FIRST && handle % HANDLE_STEP == 0 && *out < list->count &&
           !list->items[*out].is_gone;
}

/* ---- errors of threads ----------------------------------------------------------------------- */

static uint64_t thread_key(const ws_device_call *call)
{
    enum { BLOCK_THREADS_MOST = 1024 };
    return call->block * BLOCK_THREADS_MOST + call->thread + 1;
}

/* The thread may ask for it later. */
static cudaError_t remember(const ws_device_call *call, cudaError_t error)
{
    if (error) table_set(&all.open->errors, thread_key(call), (uint64_t)error);
    return error;
}

static cudaError_t last_error(const ws_device_call *call, bool is_forgotten)
{
    uint64_t *found = table_find(&all.open->errors, thread_key(call));
    cudaError_t error = found ? (cudaError_t)*found : cudaSuccess;
    if (found && is_forgotten) *found = cudaSuccess;
    return error;
}

/* ---- streams and events ---------------------------------------------------------------------- */

/* All threads of a block share the one without a handle. */
static size_t own_stream(const ws_device_call *call)
{
    struct table *table = &all.open->own_streams;
    uint64_t *found = table_find(table, call->block + 1);
    if (found) return *found;
    size_t made = sequence_add(&all.open->streams);
    table_set(table, call->block + 1, made);
    return made;
}

/* Where an operation goes that is asked for in this stream. */
static cudaError_t choose_stream(const ws_device_call *call, uint64_t handle, struct operation *out)
{
    out->is_tail = handle == STREAM_TAIL;
    out->is_free = handle == STREAM_FIRE;
    if (out->is_tail || out->is_free) return cudaSuccess;
    if (handle <= STREAM_PER_THREAD) {
        out->stream = own_stream(call);
        return cudaSuccess;
    }
    return find_handle(&all.open->streams, handle, &out->stream) ? cudaSuccess
                                                                 : cudaErrorInvalidResourceHandle;
}

static cudaError_t create(const ws_device_call *call, struct sequences *list)
{
    uint64_t handle = handle_of(sequence_add(list));
    ws_device_call_write(call, call->arguments[0], &handle, sizeof handle);
    return cudaSuccess;
}

/* Streams of the device do not wait for the one without a handle (guide). */
static cudaError_t create_stream(const ws_device_call *call)
{
    enum { NON_BLOCKING = 1 };
    if (call->arguments[1] != NON_BLOCKING) return cudaErrorInvalidValue;
    return create(call, &all.open->streams);
}

/* Events of the device order streams and have no times (guide). */
static cudaError_t create_event(const ws_device_call *call)
{
    enum { DISABLE_TIMING = 2 };
    if (call->arguments[1] != DISABLE_TIMING) return cudaErrorInvalidValue;
    return create(call, &all.open->events);
}

static cudaError_t destroy(struct sequences *list, uint64_t handle)
{
    size_t at;
    if (!find_handle(list, handle, &at)) return cudaErrorInvalidResourceHandle;
    list->items[at].is_gone = true; /* what was asked for in it is done */
    return cudaSuccess;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* A guess at what programs do not expect: with more than the GPU keeps, launches fail there. */
static void note_pending(const struct grid *grid)
{
    size_t most;
    if (device_limit(LIMIT_PENDING, &most) || grid->count != most) return;
    note("A grid of %s launched more than %zu kernels. On a GPU launches fail if so many wait at "
         "once "
         "(cudaLimitDevRuntimePendingLaunchCount); here none does.",
         ws_module_kernel_display_name(grid->kernel->binary->module, grid->kernel->index), most);
}

static cudaError_t ask(const ws_device_call *call, struct operation *operation, uint64_t stream)
{
    struct grid *grid = all.open;
    cudaError_t error = choose_stream(call, stream, operation);
    if (error) return error;
    operation->block = call->block;
    operation->thread = call->thread;
    note_pending(grid);
    if (grid->count == grid->capacity)
        grid->operations = grown(grid->operations, &grid->capacity, sizeof *grid->operations);
    grid->operations[grid->count++] = *operation;
    return cudaSuccess;
}

static cudaError_t ask_event(const ws_device_call *call, enum operation_kind kind, uint64_t stream,
                             uint64_t event)
{
    struct operation operation = {.kind = kind};
    if (stream == STREAM_TAIL || stream == STREAM_FIRE ||
        !find_handle(&all.open->events, event, &operation.event))
        return cudaErrorInvalidResourceHandle;
    return ask(call, &operation, stream);
}

struct kernel *device_runtime_kernel(uint64_t index)
{
    return index == UINT64_MAX ? NULL : kernel_in(all.open->kernel->binary, (size_t)index);
}

static dim3 dim3_of(const uint64_t *arguments)
{
    return (dim3){(unsigned)arguments[0], (unsigned)arguments[1], (unsigned)arguments[2]};
}

/* From argument `at` on: grid, block, shared memory. */
static cudaError_t describe(const ws_device_call *call, unsigned at, struct kernel_work *out)
{
    *out = (struct kernel_work){.kernel = device_runtime_kernel(call->arguments[0]),
                                .grid = dim3_of(call->arguments + at),
                                .block = dim3_of(call->arguments + at + 3),
                                .shared = call->arguments[at + 6]};
    return out->kernel ? launch_check(out) : cudaErrorInvalidDeviceFunction;
}

/* Its address; 0: none, and the thread's error says why. */
static uint64_t take_buffer(const ws_device_call *call, uint64_t bytes,
                            const struct kernel_work *launch)
{
    uint64_t address = device_memory_take(bytes, launch);
    if (address && bytes) ws_device_call_renew(call, address, bytes);
    if (!address) remember(call, cudaErrorLaunchOutOfResources);
    return address;
}

static uint64_t buffer_for(const ws_device_call *call)
{
    struct kernel_work launch;
    cudaError_t error = remember(call, describe(call, 1, &launch));
    return error ? 0 : take_buffer(call, launch.kernel->parameter_bytes, &launch);
}

static cudaError_t ask_launch(const ws_device_call *call, const struct kernel_work *launch,
                              uint64_t buffer, uint64_t stream)
{
    size_t bytes = launch->kernel->parameter_bytes;
    struct operation operation = {.work = {.kind = WORK_KERNEL, .kernel = *launch}};
    unsigned char *parameters = zeros(1, bytes + 8);
    operation.work.kernel.parameters = parameters;
    cudaError_t error = bytes && !device_memory_read(buffer, parameters, bytes)
                            ? cudaErrorInvalidValue
                            : ask(call, &operation, stream);
    if (error) free(parameters);
    device_memory_give(buffer);
    return error;
}

static cudaError_t launch_described(const ws_device_call *call)
{
    struct kernel_work launch;
    cudaError_t error = describe(call, 2, &launch);
    return error ? error : ask_launch(call, &launch, call->arguments[1], call->arguments[9]);
}

static cudaError_t launch_buffer(const ws_device_call *call)
{
    const struct kernel_work *launch = device_memory_launch(call->arguments[0]);
    return launch ? ask_launch(call, launch, call->arguments[0], call->arguments[1])
                  : cudaErrorInvalidValue;
}

/* ---- copies and fills ------------------------------------------------------------------------ */

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static cudaError_t ask_copy(const ws_device_call *call, struct copy_work copy, uint64_t stream)
{
    if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    struct operation operation = {.work = {.kind = WORK_COPY, .copy = copy}};
    return ask(call, &operation, stream);
}

static cudaError_t copy_row(const ws_device_call *call)
{
    const uint64_t *a = call->arguments;
    struct work made = copy_of(pointer(a[0]), pointer(a[1]), a[2], (int)a[3]);
    return ask_copy(call, made.copy, a[4]);
}

static cudaError_t copy_rows(const ws_device_call *call)
{
    const uint64_t *a = call->arguments;
    struct copy_work copy = {{pointer(a[0]), a[1], a[1] * a[5]},
                             {pointer(a[2]), a[3], a[3] * a[5]},
                             a[4],
                             a[5],
                             1,
                             (int)a[6]};
    if (a[5] > 1 && (a[4] > a[1] || a[4] > a[3])) return cudaErrorInvalidPitchValue;
    return ask_copy(call, copy, a[7]);
}

static cudaError_t fill_row(const ws_device_call *call)
{
    const uint64_t *a = call->arguments;
    struct operation operation = {.work = fill_of(pointer(a[0]), (uint8_t)a[1], 1, a[2])};
    return ask(call, &operation, a[3]);
}

static cudaError_t fill_rows(const ws_device_call *call)
{
    const uint64_t *a = call->arguments;
    struct fill_work fill = {{pointer(a[0]), a[1], a[1] * a[4]}, (uint8_t)a[2], 1, a[3], a[4], 1};
    struct operation operation = {.work = {.kind = WORK_FILL, .fill = fill}};
    return a[4] > 1 && a[3] > a[1] ? cudaErrorInvalidPitchValue : ask(call, &operation, a[5]);
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef cudaError_t call_fn(const ws_device_call *call);

static cudaError_t destroy_stream(const ws_device_call *call)
{
    return destroy(&all.open->streams, call->arguments[0]);
}
static cudaError_t destroy_event(const ws_device_call *call)
{
    return destroy(&all.open->events, call->arguments[0]);
}
static cudaError_t wait_event(const ws_device_call *call)
{
    return ask_event(call, OPERATION_WAIT, call->arguments[0], call->arguments[1]);
}
static cudaError_t record_event(const ws_device_call *call)
{
    return ask_event(call, OPERATION_RECORD, call->arguments[1], call->arguments[0]);
}
/* Functions that return an error, which the thread may ask for again. */
static const struct {
    const char *name;
    call_fn *call;
} calls[] = {
    {"LaunchDevice", launch_described},
    {"LaunchDeviceV2", launch_buffer},
    {"StreamCreateWithFlags", create_stream},
    {"StreamDestroy", destroy_stream},
    {"StreamWaitEvent", wait_event},
    {"EventCreateWithFlags", create_event},
    {"EventRecord", record_event},
    {"EventRecordWithFlags", record_event},
    {"EventDestroy", destroy_event},
    {"MemcpyAsync", copy_row},
    {"Memcpy2DAsync", copy_rows},
    {"MemsetAsync", fill_row},
    {"Memset2DAsync", fill_rows},
};

static uint64_t set_condition(const ws_device_call *call)
{
    bool is_known = condition_set(call->arguments[0], (unsigned)call->arguments[1]);
    return is_known ? cudaSuccess : remember(call, cudaErrorInvalidValue);
}

uint64_t device_runtime_call(void *user, const ws_device_call *call)
{
    (void)user;
    const uint64_t *a = call->arguments;
    if (!strcmp(call->function, "GetParameterBufferV2")) return buffer_for(call);
    if (!strcmp(call->function, "GetParameterBuffer")) return take_buffer(call, a[1], NULL);
    if (!strcmp(call->function, "GetLastError")) return last_error(call, true);
    if (!strcmp(call->function, "PeekAtLastError")) return last_error(call, false);
    if (!strcmp(call->function, "GetErrorString"))
        return device_memory_text((cudaError_t)a[0], false);
    if (!strcmp(call->function, "GraphSetConditional")) return set_condition(call);
    if (!strcmp(call->function, "GetErrorName")) return device_memory_text((cudaError_t)a[0], true);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(call->function, calls[i].name)) return remember(call, calls[i].call(call));
    return remember(call, device_question(call));
}

/* ---- grids ----------------------------------------------------------------------------------- */

static void grid_destroy(struct grid *grid)
{
    for (size_t i = grid->next; i < grid->count; i++)
        work_clear(&grid->operations[i].work);
    free(grid->operations);
    free(grid->streams.items);
    free(grid->events.items);
    free(grid->own_streams.keys);
    free(grid->own_streams.values);
    free(grid->errors.keys);
    free(grid->errors.values);
    free(grid);
}

/* Tail launches last, each kind in the order in which it was asked for. */
static void put_tails_last(struct grid *grid)
{
    struct operation *sorted = zeros(grid->count + 1, sizeof *sorted);
    size_t count = 0;
    for (unsigned tails = 0; tails < 2; tails++)
        for (size_t i = 0; i < grid->count; i++)
            if (grid->operations[i].is_tail == tails) sorted[count++] = grid->operations[i];
    free(grid->operations);
    grid->operations = sorted;
}

cudaError_t device_runtime_begin(struct kernel *kernel)
{
    if (!kernel->info.calls_device_runtime) return cudaSuccess;
    cudaError_t error = device_memory_place();
    if (error) return error;
    device_memory_clear();
    all.open = zeros(1, sizeof *all.open);
    all.open->kernel = kernel;
    kernel_in(kernel->binary,
              kernel->index); /* all kernels that it may launch are known from here on */
    return cudaSuccess;
}

void device_runtime_end(const ws_launch *launch, bool is_good)
{
    struct grid *grid = all.open;
    if (!grid) return;
    all.open = NULL;
    if (!is_good || !grid->count) {
        grid_destroy(grid);
        return;
    }
    memcpy(grid->sizes, launch->grid, sizeof grid->sizes);
    put_tails_last(grid);
    grid->begin = grid->end = order_ready();
    grid->below = all.top;
    all.top = grid;
}

const struct kernel *device_runtime_parent(void)
{
    return all.top && all.top->next ? all.top->kernel : NULL;
}

/* ---- doing it -------------------------------------------------------------------------------- */

static double ready_of(const struct grid *grid, const struct operation *operation)
{
    if (operation->is_tail) return grid->end;
    if (operation->is_free) return grid->begin;
    return fmax(grid->begin, grid->streams.items[operation->stream].done);
}

static void complete(struct grid *grid, const struct operation *operation, double done)
{
    grid->end = fmax(grid->end, done);
    if (!operation->is_tail && !operation->is_free)
        grid->streams.items[operation->stream].done = done;
}

static void tell_place(const struct grid *grid, const struct operation *operation)
{
    const uint32_t *n = grid->sizes;
    uint64_t block = operation->block;
    tell("  asked for by kernel %s, block (%llu,%llu,%llu), thread %u",
         ws_module_kernel_display_name(grid->kernel->binary->module, grid->kernel->index),
         (unsigned long long)(block % n[0]), (unsigned long long)(block / n[0] % n[1]),
         (unsigned long long)(block / n[0] / n[1]), operation->thread);
}

static void do_work(struct grid *grid, struct operation *operation)
{
    cudaError_t error = work_run(&operation->work);
    work_clear(&operation->work);
    if (error && !runtime.pending) runtime.pending = error;
    if (runtime.pending) tell_place(grid, operation);
    /* What launches anything itself is done when that is. */
    if (all.top == grid) complete(grid, operation, order_ready());
}

static void step(struct grid *grid, struct operation *operation)
{
    double ready = ready_of(grid, operation);
    order_set_ready(ready);
    switch (operation->kind) {
    case OPERATION_WORK:
        do_work(grid, operation);
        return;
    case OPERATION_RECORD:
        grid->events.items[operation->event].done = ready;
        return;
    case OPERATION_WAIT:
        complete(grid, operation, fmax(ready, grid->events.items[operation->event].done));
        return;
    }
}

static void finish(struct grid *grid)
{
    struct grid *below = all.top = grid->below;
    order_set_ready(grid->end);
    if (below) complete(below, &below->operations[below->next - 1], grid->end);
    grid_destroy(grid);
}

void device_runtime_run(void)
{
    if (all.runs || !all.top) return;
    bool was_on_device = order_on_device(true);
    all.runs = true;
    while (all.top) {
        struct grid *grid = all.top;
        if (grid->next == grid->count || runtime.pending)
            finish(grid);
        else
            step(grid, &grid->operations[grid->next++]);
    }
    all.runs = false;
    order_on_device(was_on_device);
}
