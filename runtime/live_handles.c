// SPDX-License-Identifier: Apache-2.0
#include "live_handles.h"

#include <stdint.h>
#include <stdlib.h>

#include "runtime.h"

/* Open addressing; a place that was given up stays marked, so that others behind it are found. */
struct place {
    const void *handle;    /* NULL: never used */
    enum handle_kind kind; /* 0: given up */
};
static struct {
    struct place *places;
    size_t room, used; /* used: with those given up */
} set;

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

static void put(const void *handle, enum handle_kind kind)
{
    size_t at = start_of(handle);
    while (set.places[at].handle)
        at = (at + 1) & (set.room - 1);
    set.places[at] = (struct place){handle, kind};
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
        if (before[i].kind) put(before[i].handle, before[i].kind);
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
    if (made) put(made, kind);
    pthread_mutex_unlock(&runtime.lock);
    return made;
}

bool handle_is(enum handle_kind kind, const void *handle)
{
    api_lock();
    const struct place *place = find(handle);
    bool is = place && place->kind == kind;
    pthread_mutex_unlock(&runtime.lock);
    return is;
}

void handle_destroy(enum handle_kind kind, void *handle)
{
    enum { KEPT = 1024 }; /* a guess */
    static void *kept[KEPT];
    static unsigned next;
    api_lock();
    struct place *place = find(handle);
    if (place && place->kind == kind) {
        place->kind = 0;
        free(kept[next]);
        kept[next] = handle;
        next = (next + 1) % KEPT;
    }
    pthread_mutex_unlock(&runtime.lock);
}
