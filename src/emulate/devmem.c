// SPDX-License-Identifier: Apache-2.0
#include "emulate/devmem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"

ws_status devmem_init(struct diag *diag, struct devmem *memory, uint64_t max_bytes)
{
    *memory = (struct devmem){0};
    uint64_t bytes = max_bytes ? max_bytes : UINT64_C(64) << 30;
    bytes = (bytes + 4095) & ~UINT64_C(4095);
    for (; bytes >= UINT64_C(1) << 20; bytes /= 2) {
        void *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (host != MAP_FAILED) {
            memory->host = host;
            memory->capacity = bytes;
            return WS_OK;
        }
        if (max_bytes) break;
    }
    return diag_error(
        diag, WS_ERR_MEMORY,
        "cannot reserve address space for device memory; raise the limit (ulimit -v)");
}

void devmem_clear(struct devmem *memory)
{
    for (uint32_t i = 0; i < memory->count; i++)
        free(memory->allocations[i].shadow);
    free(memory->allocations);
    if (memory->host) munmap(memory->host, memory->capacity);
    *memory = (struct devmem){0};
}

ws_status devmem_alloc(struct diag *diag, struct devmem *memory, uint64_t bytes, uint64_t *out)
{
    *out = 0;
    if (bytes == 0) return diag_error(diag, WS_ERR_ARGUMENT, "an allocation needs at least 1 byte");
    /* A gap of at least one unit keeps neighbours apart: an access just past the end is seen. */
    uint64_t room = (bytes + 2 * DEVMEM_ALIGNMENT - 1) & ~(DEVMEM_ALIGNMENT - 1);
    if (bytes > memory->capacity || memory->used + room > memory->capacity)
        return diag_error(diag, WS_ERR_MEMORY,
                          "device memory is full: %llu bytes asked for, %llu of %llu in use",
                          (unsigned long long)bytes, (unsigned long long)memory->used,
                          (unsigned long long)memory->capacity);
    uint64_t *shadow = calloc((bytes + 63) / 64, sizeof *shadow);
    if (!shadow) return diag_error(diag, WS_ERR_MEMORY, "out of host memory");
    GROW(memory->allocations, memory->count, memory->room);
    *out = HEAP_BASE + memory->used;
    memory->used += room;
    memory->allocations[memory->count++] =
        (struct allocation){.address = *out, .bytes = bytes, .shadow = shadow};
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

ws_status devmem_free(struct diag *diag, struct devmem *memory, uint64_t address)
{
    struct allocation *found = devmem_find(memory, address);
    if (!found || found->address != address)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "0x%llx is not the address of a live allocation; free what "
                          "ws_device_alloc returned, once",
                          (unsigned long long)address);
    found->freed = true;
    free(found->shadow);
    found->shadow = NULL;
    uint64_t page = 4095, low = (address + page) & ~page;
    uint64_t high = (address + found->bytes) & ~page;
    if (high > low) madvise(devmem_host(memory, low), high - low, MADV_DONTNEED);
    if (found == &memory->allocations[memory->count - 1]) {
        memset(devmem_host(memory, address), 0, found->bytes);
        memory->used = address - HEAP_BASE;
        memory->count--;
    }
    return WS_OK;
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
    free(allocation->shadow);
    allocation->shadow = NULL;
}
