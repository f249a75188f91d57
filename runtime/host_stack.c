// SPDX-License-Identifier: Apache-2.0
#include "host_stack.h"

#include <execinfo.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "host_lines.h"
#include "runtime.h"

enum { FRAMES_MAX = 48, STACKS_MAX = 1 << 16 };

struct stack {
    uint64_t hash;
    unsigned count;
    uintptr_t *frames; /* return addresses, innermost first */
    char *text;        /* NULL: not asked for yet */
};

static struct {
    struct stack *stacks; /* [0] is unused */
    uint32_t count, room;
    uint32_t *places; /* open addressing, by hash: numbers of stacks */
    uint32_t place_count;
} all;

/* ---- this library's own code --------------------------------------------------------------------- */

struct range {
    uintptr_t low, high;
};

static int find_own(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct range *own = user, found = {UINTPTR_MAX, 0};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD) continue;
        if (begin < found.low) found.low = begin;
        if (begin + part->p_memsz > found.high) found.high = begin + part->p_memsz;
    }
    uintptr_t here = (uintptr_t)find_own;
    if (here < found.low || here >= found.high) return 0;
    *own = found;
    return 1;
}

static bool is_own(uintptr_t address)
{
    static struct range own;
    if (!own.high) dl_iterate_phdr(find_own, &own);
    return address >= own.low && address < own.high;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const uintptr_t *frames, unsigned count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < count; i++)
        hash = (hash ^ frames[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    return hash;
}

static void make_room(void)
{
    enum { LEAST = 256 };
    if (all.count + 1 < all.room) return;
    uint32_t room = all.room ? 2 * all.room : LEAST;
    struct stack *stacks = realloc(all.stacks, room * sizeof *stacks);
    uint32_t *places = calloc(2 * (size_t)room, sizeof *places);
    if (!stacks || !places) out_of_memory(room * sizeof *stacks);
    free(all.places);
    all.stacks = stacks;
    all.room = room;
    all.places = places;
    all.place_count = 2 * room;
    for (uint32_t i = 1; i <= all.count; i++) {
        uint32_t at = (uint32_t)stacks[i].hash % all.place_count;
        while (places[at])
            at = (at + 1) % all.place_count;
        places[at] = i;
    }
}

static uint32_t intern(const uintptr_t *frames, unsigned count)
{
    make_room();
    uint64_t hash = hash_of(frames, count);
    uint32_t at = (uint32_t)hash % all.place_count;
    for (; all.places[at]; at = (at + 1) % all.place_count) {
        const struct stack *one = &all.stacks[all.places[at]];
        if (one->hash == hash && one->count == count &&
            !memcmp(one->frames, frames, count * sizeof *frames))
            return all.places[at];
    }
    if (all.count == STACKS_MAX) return 0;
    uintptr_t *kept = malloc(count * sizeof *kept);
    if (!kept) out_of_memory(count * sizeof *kept);
    memcpy(kept, frames, count * sizeof *kept);
    all.places[at] = ++all.count;
    all.stacks[all.count] = (struct stack){hash, count, kept, NULL};
    return all.count;
}

uint32_t host_stack_take(void)
{
    void *pointers[FRAMES_MAX];
    uintptr_t frames[FRAMES_MAX];
    int found = backtrace(pointers, FRAMES_MAX);
    unsigned count = 0;
    for (int i = 0; i < found; i++) {
        uintptr_t frame = (uintptr_t)pointers[i];
        if (count || !is_own(frame)) frames[count++] = frame;
    }
    return count ? intern(frames, count) : 0;
}

const char *host_stack_text(uint32_t stack)
{
    if (!stack || stack > all.count) return NULL;
    struct stack *one = &all.stacks[stack];
    if (!one->text) one->text = host_lines_text(one->frames, one->count);
    return one->text;
}
