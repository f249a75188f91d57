// SPDX-License-Identifier: Apache-2.0
#include "emulate/devmem.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"

/* Address space for the heap: with host_addresses much more than the limit, so that freed memory
 * need not be handed out again soon and an access to it is seen. */
static void reserve(struct devmem *memory, uint64_t wanted, uint64_t least)
{
    /* Reports tell addresses: the same in each run, if the host has nothing there. Behind all windows. */
    uintptr_t place = memory->red_zones ? (uintptr_t)UINT64_C(0x300000000000) : 0;
    for (uint64_t bytes = wanted; bytes >= least && !memory->host; bytes /= 2) {
        void *host = mmap((void *)place, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (host == MAP_FAILED) continue;
        memory->host = host;
        memory->capacity = bytes;
    }
}

/* Where address space is limited (ulimit -v): the largest part of `wanted` that leaves as much for the rest
 * of the process. */
static void reserve_what_there_is(struct devmem *memory, uint64_t wanted)
{
    reserve(memory, wanted, UINT64_C(1) << 20);
    if (!memory->host || memory->capacity == wanted) return;
    uint64_t half = memory->capacity / 2;
    munmap(memory->host + half, memory->capacity - half);
    memory->capacity = half;
}

ws_status devmem_init(struct diag *diag, struct devmem *memory,
                      const struct devmem_options *options)
{
    enum { SPACE_FACTOR = 16 }; /* a guess */
    *memory = (struct devmem){.as_hardware = options->as_hardware,
                              .red_zones = options->red_zones,
                              .tracks = options->tracks};
    uint64_t bytes = options->max_bytes ? options->max_bytes : UINT64_C(64) << 30;
    bytes = (bytes + 4095) & ~UINT64_C(4095);
    if (options->host_addresses) reserve(memory, bytes * SPACE_FACTOR, bytes);
    if (!memory->host) reserve_what_there_is(memory, bytes);
    if (!memory->host)
        return diag_error(
            diag, WS_ERR_MEMORY,
            "cannot reserve address space for device memory; raise the limit (ulimit -v)");
    memory->limit = bytes < memory->capacity ? bytes : memory->capacity;
    memory->base = options->host_addresses ? (uint64_t)(uintptr_t)memory->host : HEAP_BASE;
    memory->zero = (unsigned char *)((uintptr_t)memory->host - memory->base);
    return WS_OK;
}

void devmem_clear(struct devmem *memory)
{
    for (uint32_t i = 0; i < memory->count; i++) {
        mem_free(memory->allocations[i].shadow);
        mem_free(memory->allocations[i].rule);
    }
    mem_free(memory->allocations);
    if (memory->host) munmap(memory->host, memory->capacity);
    *memory = (struct devmem){0};
}

/* ---- allocations ----------------------------------------------------------------------------- */

static void insert(struct devmem *memory, uint32_t at, struct allocation allocation)
{
    GROW(memory->allocations, memory->count, memory->room);
    mem_keep(memory->allocations);
    mem_keep(allocation.shadow);
    struct allocation *place = &memory->allocations[at];
    memmove(place + 1, place, (memory->count - at) * sizeof *place);
    *place = allocation;
    memory->count++;
}

static bool in_heap(const struct devmem *memory, uint64_t address)
{
    return address - memory->base < memory->capacity;
}

static uint64_t room_of(uint64_t bytes)
{
    /* A gap of at least one unit keeps neighbours apart: an access just past the end is seen. */
    return (bytes + 2 * DEVMEM_ALIGNMENT - 1) & ~(DEVMEM_ALIGNMENT - 1);
}

/* With red zones the gap grows with the allocation. Guesses: an index that is wrong by less than the size of the buffer is
 * seen; at most 64 MiB of address space are spent on a gap. */
static uint64_t room_with_zone(const struct devmem *memory, uint64_t bytes)
{
    enum { LEAST = 2048, MOST = 64 << 20 };
    uint64_t zone = bytes < LEAST ? LEAST : bytes > MOST ? MOST : bytes;
    return memory->red_zones ? room_of(bytes + zone) : room_of(bytes);
}

/* Forgets freed allocations but for the last `keep`. Addresses above all that are left are handed out
 * again. */
static void forget_freed(struct devmem *memory, uint64_t keep)
{
    uint32_t kept = 0;
    memory->used = 0;
    memory->freed_count = 0;
    memory->freed_bytes = 0;
    for (uint32_t i = 0; i < memory->count; i++) {
        const struct allocation *one = &memory->allocations[i];
        if (one->freed && one->freed + keep <= memory->frees) {
            memory->forgotten++;
            continue;
        }
        if (one->freed) {
            memory->freed_count++;
            memory->freed_bytes += one->bytes;
        }
        if (in_heap(memory, one->address))
            memory->used = one->address - memory->base + room_with_zone(memory, one->bytes);
        memory->allocations[kept++] = *one;
    }
    if (memory->used > memory->capacity) memory->used = memory->capacity;
    memory->count = kept;
}

/* The address space is used up: freed allocations are forgotten, and the first gap that is wide
 * enough serves. *out_at is where the new one belongs in the list; false: there is no gap. */
static bool find_gap(struct devmem *memory, uint64_t room, bool is_thin, uint64_t *out,
                     uint32_t *out_at)
{
    forget_freed(memory, 0);
    uint32_t kept = memory->count;
    uint64_t low = memory->base;
    for (uint32_t i = 0; i <= kept; i++) {
        const struct allocation *next = i < kept ? &memory->allocations[i] : NULL;
        if (next && !in_heap(memory, next->address)) {
            if (next->address < memory->base) continue;
            next = NULL;
        }
        uint64_t end = next ? next->address : memory->base + memory->capacity;
        if (end >= low && end - low >= room) {
            *out = low;
            *out_at = i;
            return true;
        }
        if (!next) return false;
        low =
            next->address + (is_thin ? room_of(next->bytes) : room_with_zone(memory, next->bytes));
    }
    return false;
}

static uint32_t index_after(const struct devmem *memory, uint64_t address)
{
    uint32_t at = memory->count;
    while (at > 0 && memory->allocations[at - 1].address > address)
        at--;
    return at;
}

static ws_status allocate(struct diag *diag, struct devmem *memory, uint64_t bytes,
                          uint64_t counted, bool uncounted, uint64_t *out)
{
    *out = 0;
    if (bytes == 0)
        return diag_error(diag, WS_ERR_ARGUMENT, "the allocation size must be at least 1 byte");
    uint64_t room = room_with_zone(memory, bytes), address = 0;
    bool fits = (uncounted ? bytes : counted) <= memory->limit && bytes <= memory->capacity &&
                counted <= memory->limit - memory->live;
    uint32_t at = 0;
    bool fresh = fits && room <= memory->capacity - memory->used;
    if (fresh) {
        address = memory->base + memory->used;
        at = index_after(memory, address);
    }
    bool found = fresh || (fits && find_gap(memory, room, false, &address, &at));
    if (!found && fits && memory->red_zones) {
        room = room_of(bytes);
        found = find_gap(memory, room, true, &address, &at);
        memory->has_thin_zones = true;
    }
    if (!found)
        return diag_error(diag, WS_ERR_MEMORY,
                          "out of device memory: %llu bytes requested, %llu of %llu in use",
                          (unsigned long long)bytes, (unsigned long long)memory->live,
                          (unsigned long long)memory->limit);
    struct allocation allocation = {.address = address,
                                    .bytes = bytes,
                                    .uncounted = uncounted,
                                    .is_open = uncounted,
                                    .counted = counted};
    /* What the host writes to memory of its own is not seen. */
    if (memory->tracks ? !uncounted : !memory->as_hardware) {
        allocation.shadow = mem_try_zalloc((bytes + 63) / 64, sizeof *allocation.shadow);
        if (!allocation.shadow)
            return diag_error(diag, WS_ERR_MEMORY,
                              "out of host memory: cannot allocate %llu bytes of device memory",
                              (unsigned long long)bytes);
    }
    insert(memory, at, allocation);
    if (address + room - memory->base > memory->used) memory->used = address + room - memory->base;
    memory->live += counted;
    *out = address;
    return WS_OK;
}

ws_status devmem_alloc(struct diag *diag, struct devmem *memory, uint64_t bytes, uint64_t *out)
{
    return allocate(diag, memory, bytes, bytes, false, out);
}

ws_status devmem_alloc_part(struct diag *diag, struct devmem *memory, uint64_t bytes,
                            uint64_t counted, uint64_t *out)
{
    return allocate(diag, memory, bytes, counted, false, out);
}

ws_status devmem_alloc_host(struct diag *diag, struct devmem *memory, uint64_t bytes, uint64_t *out)
{
    return allocate(diag, memory, bytes, 0, true, out);
}

ws_status devmem_adopt(struct diag *diag, struct devmem *memory, void *host, uint64_t bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)host;
    const struct allocation *near = devmem_nearest(memory, address);
    bool apart = !near || near->freed || near->address + near->bytes <= address ||
                 near->address >= address + bytes;
    if (memory->zero || address < HEAP_BASE || !bytes || address + bytes < address || !apart)
        return diag_error(diag, WS_ERR_ARGUMENT, "cannot map 0x%llx + %llu bytes for kernels",
                          (unsigned long long)address, (unsigned long long)bytes);
    insert(memory, index_after(memory, address),
           (struct allocation){.address = address,
                               .bytes = bytes,
                               .uncounted = true,
                               .is_open = true,
                               .adopted = true});
    return WS_OK;
}

/* Index of the last allocation at or below the address, -1 if there is none. */
static int64_t last_at_or_below(const struct devmem *memory, uint64_t address)
{
    int64_t low = 0, high = (int64_t)memory->count - 1;
    while (low <= high) {
        int64_t middle = (low + high) / 2;
        if (memory->allocations[middle].address <= address)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return high;
}

struct allocation *devmem_find(const struct devmem *memory, uint64_t address)
{
    int64_t i = last_at_or_below(memory, address);
    if (i < 0) return NULL;
    struct allocation *found = &memory->allocations[i];
    return !found->freed && address - found->address < found->bytes ? found : NULL;
}

const struct allocation *devmem_nearest(const struct devmem *memory, uint64_t address)
{
    if (memory->count == 0) return NULL;
    int64_t i = last_at_or_below(memory, address);
    if (i < 0) return &memory->allocations[0];
    const struct allocation *below = &memory->allocations[i];
    if (i + 1 == (int64_t)memory->count) return below;
    uint64_t end = below->address + below->bytes;
    uint64_t past = address < end ? 0 : address - end;
    return past <= below[1].address - address ? below : below + 1;
}

/* Pages go back to the host, and the rest of the bytes becomes zeros, as fresh memory is. */
static void give_back(const struct devmem *memory, const struct allocation *allocation)
{
    uint64_t page = 4095, begin = allocation->address, end = begin + allocation->bytes;
    uint64_t low = (begin + page) & ~page, high = end & ~page;
    if (high <= low) {
        memset(devmem_host(memory, begin), 0, allocation->bytes);
        return;
    }
    madvise(devmem_host(memory, low), high - low, MADV_DONTNEED);
    memset(devmem_host(memory, begin), 0, low - begin);
    memset(devmem_host(memory, high), 0, end - high);
}

/* Freed addresses are not handed out again soon, so that an access to them is known for what it is. How
 * many are kept is a guess: a list that is still quick to go through. Modules with 32-bit addresses need
 * what lies low, so there a part of what they reach. */
enum { FREED_KEPT = 4096 };

static uint64_t freed_bytes_max(const struct devmem *memory)
{
    return memory->base == HEAP_BASE ? UINT64_C(1) << 30 : memory->capacity / 2;
}

ws_status devmem_free(struct diag *diag, struct devmem *memory, uint64_t address)
{
    struct allocation *found = devmem_find(memory, address);
    if (!found || found->address != address)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "0x%llx is not the address of a live allocation; free each address "
                          "returned by ws_device_alloc once",
                          (unsigned long long)address);
    mem_free(found->shadow);
    found->shadow = NULL;
    devmem_drop_rule(found);
    found->name = NULL;
    found->freed = ++memory->frees;
    memory->live -= found->counted;
    if (found->adopted) { /* the host may use it for something else and have it adopted again */
        uint32_t at = (uint32_t)(found - memory->allocations);
        memory->count--;
        memmove(found, found + 1, (memory->count - at) * sizeof *found);
        return WS_OK;
    }
    give_back(memory, found);
    memory->freed_bytes += found->bytes;
    memory->freed_count++;
    if (memory->freed_bytes > freed_bytes_max(memory))
        forget_freed(memory, 0);
    else if (memory->freed_count == 2 * FREED_KEPT)
        forget_freed(memory, FREED_KEPT);
    return WS_OK;
}

bool devmem_has_page(const struct devmem *memory, uint64_t address, uint64_t bytes)
{
    uint64_t page = (UINT64_C(2) << 20) - 1; /* 2 MiB: the large pages of the driver */
    uint64_t at = address - memory->base, end = (memory->used + page) & ~page;
    if (end > memory->capacity) end = memory->capacity;
    return memory->as_hardware && at < end && bytes <= end - at;
}

void devmem_written(struct allocation *allocation, uint64_t address, uint64_t bytes)
{
    if (!allocation->shadow) return;
    uint64_t at = address - allocation->address;
    bool whole = bytes == allocation->bytes;
    if (!whole) {
        shadow_set(allocation->shadow, at, bytes);
        /* Filled piece by piece: look when the last byte comes. */
        whole =
            at + bytes == allocation->bytes && shadow_all(allocation->shadow, 0, allocation->bytes);
    }
    if (!whole) return;
    mem_free(allocation->shadow);
    allocation->shadow = NULL;
}

void devmem_open(struct allocation *allocation)
{
    allocation->is_open = true;
    devmem_written(allocation, allocation->address, allocation->bytes);
}

void devmem_assume_written(struct devmem *memory)
{
    for (uint32_t i = 0; i < memory->count; i++)
        devmem_written(&memory->allocations[i], memory->allocations[i].address,
                       memory->allocations[i].bytes);
}

/* ---- contents by a rule ---------------------------------------------------------------------- */

static uint64_t page_count(const struct allocation *allocation)
{
    return (allocation->bytes + DEVMEM_PAGE - 1) / DEVMEM_PAGE;
}

void devmem_fill_by(const struct devmem *memory, struct allocation *allocation,
                    devmem_make_fn *make, void *user)
{
    uint64_t pages = page_count(allocation);
    struct page_rule *rule = mem_zalloc(1, sizeof *rule + pages);
    *rule = (struct page_rule){.make = make, .user = user, .unmade = pages};
    mem_keep(rule);
    devmem_drop_rule(allocation);
    allocation->rule = rule;
    devmem_written(allocation, allocation->address, allocation->bytes);
    if (memory->base == HEAP_BASE) return;
    /* The host may look at any time. */
    devmem_touch(memory, allocation, 0, allocation->bytes);
    devmem_drop_rule(allocation);
}

void devmem_drop_rule(struct allocation *allocation)
{
    mem_free(allocation->rule);
    allocation->rule = NULL;
}

/* One thread makes the page, the others wait for it. */
void devmem_make_page(const struct devmem *memory, const struct allocation *allocation,
                      uint64_t page)
{
    struct page_rule *rule = allocation->rule;
    uint8_t *state = &rule->states[page], untouched = PAGE_UNTOUCHED;
    uint64_t first = page * DEVMEM_PAGE, rest = allocation->bytes - first;
    if (__atomic_compare_exchange_n(state, &untouched, PAGE_IN_THE_MAKING, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        rule->make(rule->user, first, rest < DEVMEM_PAGE ? (size_t)rest : DEVMEM_PAGE,
                   devmem_host(memory, allocation->address + first));
        __atomic_store_n(state, PAGE_MADE, __ATOMIC_RELEASE);
        __atomic_sub_fetch(&rule->unmade, 1, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != PAGE_MADE)
        sched_yield();
}
