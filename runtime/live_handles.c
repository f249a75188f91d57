// SPDX-License-Identifier: Apache-2.0
#include "live_handles.h"

#include <stdint.h>
#include <stdlib.h>

#include "host_stack.h"
#include "runtime.h"

/* Open addressing; a place that was given up stays marked, so that others behind it are found. */
struct place {
    const void *handle;    /* NULL: never used */
    enum handle_kind kind; /* 0: given up */
    bool is_kept;          /* by the runtime */
    uint32_t made;         /* host_stack.h; 0: no checks */
};
static struct {
    struct place *places;
    size_t room, used; /* used: with those given up */
} set;

/* The last that were destroyed. */
enum { GONE_MOST = 1024 }; /* a guess */
static struct gone {
    void *handle;
    enum handle_kind kind;
    uint32_t made, gone;
} gone[GONE_MOST];
static unsigned gone_next;

static _Thread_local struct handle_miss last_miss;

static size_t start_of(const void *handle)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(bits >> 32) & (set.room - 1);
}

static struct place *find(const void *handle)
{
    if (!set.room || !handle) return NULL;
    size_t at = start_of(handle);
    while (set.places[at].handle && (set.places[at].handle != handle || !set.places[at].kind))
        at = (at + 1) & (set.room - 1);
    return set.places[at].handle ? &set.places[at] : NULL;
}

static void put(const struct place *place)
{
    size_t at = start_of(place->handle);
    while (set.places[at].handle)
        at = (at + 1) & (set.room - 1);
    set.places[at] = *place;
    set.used++;
}

/* At most half full, without those given up. */
static bool make_room(void)
{
    enum { LEAST = 256 };
    if (2 * set.used < set.room) return true;
    struct place *before = set.places;
    size_t count = set.room, live = 0;
    for (size_t i = 0; i < count; i++)
        live += before[i].kind != 0;
    size_t room = LEAST;
    while (room < 4 * live)
        room *= 2;
    struct place *places = calloc(room, sizeof *places);
    if (!places) return false;
    set.places = places;
    set.room = room;
    set.used = 0;
    for (size_t i = 0; i < count; i++)
        if (before[i].kind) put(&before[i]);
    free(before);
    return true;
}

void *handle_create(enum handle_kind kind, size_t bytes)
{
    void *made = calloc(1, bytes);
    api_lock();
    if (made && !make_room()) {
        free(made);
        made = NULL;
    }
    if (made) put(&(struct place){made, kind, false, runtime.check ? host_stack_take() : 0});
    api_unlock();
    return made;
}

bool handle_is(enum handle_kind kind, const void *handle)
{
    api_lock();
    const struct place *place = find(handle);
    bool is = place && place->kind == kind;
    if (runtime.check && !is) last_miss = (struct handle_miss){.handle = handle, .kind = kind};
    if (is && last_miss.handle == handle) last_miss.handle = NULL;
    api_unlock();
    return is;
}

void handle_destroy(enum handle_kind kind, void *handle)
{
    api_lock();
    struct place *place = find(handle);
    if (place && place->kind == kind) {
        place->kind = 0;
        free(gone[gone_next].handle);
        gone[gone_next] =
            (struct gone){handle, kind, place->made, runtime.check ? host_stack_take() : 0};
        gone_next = (gone_next + 1) % GONE_MOST;
    }
    api_unlock();
}

void handle_keep(const void *handle)
{
    api_lock();
    struct place *place = find(handle);
    if (place) place->is_kept = true;
    api_unlock();
}

void handle_keep_all(void)
{
    for (size_t i = 0; i < set.room; i++)
        set.places[i].is_kept = true;
}

const char *handle_kind_name(enum handle_kind kind)
{
    static const char *const names[] = {
        [HANDLE_STREAM] = "stream", [HANDLE_EVENT] = "event",   [HANDLE_GRAPH] = "graph",
        [HANDLE_NODE] = "node",     [HANDLE_ARRAY] = "array",   [HANDLE_POOL] = "memory pool",
        [HANDLE_MODULE] = "module", [HANDLE_LINKER] = "linker",
    };
    return names[kind];
}

void handle_each(handle_fn *visit, void *user)
{
    for (size_t i = 0; i < set.room; i++) {
        const struct place *one = &set.places[i];
        if (one->kind && !one->is_kept) visit(user, one->kind, one->handle, one->made);
    }
}

bool handle_has_miss(void)
{
    return last_miss.handle != NULL;
}

bool handle_take_miss(struct handle_miss *out)
{
    *out = last_miss;
    last_miss.handle = NULL;
    for (unsigned i = 0; out->handle && i < GONE_MOST; i++)
        if (gone[i].handle == out->handle && gone[i].kind == out->kind) {
            out->was_live = true;
            out->made = gone[i].made;
            out->gone = gone[i].gone;
        }
    return out->handle != NULL;
}
