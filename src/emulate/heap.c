// SPDX-License-Identifier: Apache-2.0
/* malloc and free of kernels: one allocation of the device, cut into blocks of units of 16 bytes (the
 * alignment of the CUDA C++ Programming Guide, dynamic global memory allocation). What is free and
 * what is not stands beside it, on the host, where no kernel can overwrite it: for each block a tag
 * at its first and its last unit, so that free finds and joins its neighbours at once.
 *
 *     units   | 0 1 2 | 3 4 5 6 7 | 8 ...
 *     tags      u3  u3  f5      f5  u..       u: in use, f: free; with its size
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "emulate/check_heap.h"

enum { UNIT_BYTES = HEAP_UNIT_BYTES };
#define IN_USE UINT32_C(0x80000000)

ws_status device_set_heap(struct diag *diag, struct device *device, uint64_t bytes)
{
    struct heap *heap = &device->heap;
    if (heap->tags)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "the heap size of kernels cannot change after the launch of a kernel "
                          "that uses the heap");
    if (bytes < UNIT_BYTES || bytes / UNIT_BYTES >= IN_USE)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "the heap size of kernels must be from 16 bytes to 32 GiB");
    heap->bytes = bytes;
    return WS_OK;
}

static void set_tags(struct heap *heap, uint32_t at, uint32_t units, uint32_t use)
{
    heap->tags[at] = heap->tags[at + units - 1] = units | use;
}

ws_status heap_place(struct diag *diag, struct device *device)
{
    struct heap *heap = &device->heap;
    if (heap->tags) return WS_OK;
    bool checks = device->check && device->check->tools & CHECK_MEMORY;
    uint64_t bytes = heap->bytes / UNIT_BYTES * UNIT_BYTES, room = bytes;
    if (checks && check_heap_room(bytes) / UNIT_BYTES < IN_USE) room = check_heap_room(bytes);
    if (room > device->memory.capacity - device->memory.used) room = bytes;
    TRY(devmem_alloc_part(diag, &device->memory, room, bytes, &heap->address));
    uint32_t units = (uint32_t)(room / UNIT_BYTES);
    /* Pages of tags that are never touched take no memory. */
    void *map = mmap(NULL, (size_t)units * sizeof *heap->tags, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        TRY(device_free(diag, device, heap->address));
        return diag_error(diag, WS_ERR_MEMORY,
                          "out of host memory: cannot allocate a heap of %llu bytes; reduce it or "
                          "raise the limit (ulimit -v)",
                          (unsigned long long)heap->bytes);
    }
    heap->tags = map;
    heap->units = units;
    set_tags(heap, 0, units, 0);
    if (!checks) return WS_OK;
    if (!check_heap_place(heap))
        return diag_error(diag, WS_ERR_MEMORY,
                          "out of host memory: cannot check the heap of kernels");
    devmem_find(&device->memory, heap->address)->heap = heap;
    return WS_OK;
}

void heap_init(struct heap *heap)
{
    *heap =
        (struct heap){.bytes = UINT64_C(8) << 20}; /* cudaLimitMallocHeapSize's default (guide) */
    pthread_mutex_init(&heap->mutex, NULL);
}

void heap_clear(struct heap *heap)
{
    pthread_mutex_destroy(&heap->mutex);
    check_heap_clear(heap);
    if (heap->tags) munmap(heap->tags, (size_t)heap->units * sizeof *heap->tags);
}

/* Next fit: the first free block that is wide enough, from where the last one was found; heap->units
 * if there is none. */
static uint32_t find_free(struct heap *heap, uint32_t wanted)
{
    uint32_t at = heap->next, passed = 0;
    while (passed < heap->units) {
        uint32_t units = heap->tags[at] & ~IN_USE;
        if (!(heap->tags[at] & IN_USE) && units >= wanted) return at;
        passed += units;
        at = at + units == heap->units ? 0 : at + units;
    }
    return heap->units;
}

static uint64_t take(struct heap *heap, uint64_t bytes)
{
    if (!bytes || bytes > (uint64_t)heap->units * UNIT_BYTES) return 0;
    uint32_t wanted = (uint32_t)((bytes + UNIT_BYTES - 1) / UNIT_BYTES),
             at = find_free(heap, wanted);
    if (at == heap->units) return 0;
    uint32_t rest = heap->tags[at] - wanted;
    set_tags(heap, at, wanted, IN_USE);
    if (rest) set_tags(heap, at + wanted, rest, 0);
    heap->next = rest ? at + wanted : at;
    return heap->address + (uint64_t)at * UNIT_BYTES;
}

/* A block in use begins there. The tag of a block's last unit, or one that a former block has left
 * inside, is not taken for a first: the block that it tells must end with the same tag, and the
 * one before it must end there. */
static bool begins_block(const struct heap *heap, uint32_t at)
{
    uint32_t tag = heap->tags[at], units = tag & ~IN_USE;
    if (!(tag & IN_USE) || !units || units > heap->units - at || heap->tags[at + units - 1] != tag)
        return false;
    if (!at) return true;
    uint32_t before = heap->tags[at - 1], length = before & ~IN_USE;
    return length && length <= at && heap->tags[at - length] == before;
}

static bool give(struct heap *heap, uint64_t address)
{
    uint64_t offset = address - heap->address;
    uint32_t at = (uint32_t)(offset / UNIT_BYTES);
    if (offset % UNIT_BYTES || offset / UNIT_BYTES >= heap->units || !begins_block(heap, at))
        return false;
    uint32_t units = heap->tags[at] & ~IN_USE;
    heap->tags[at] = heap->tags[at + units - 1] = 0;
    if (at + units < heap->units && !(heap->tags[at + units] & IN_USE))
        units += heap->tags[at + units];
    if (at && !(heap->tags[at - 1] & IN_USE)) {
        uint32_t before = heap->tags[at - 1];
        at -= before;
        units += before;
    }
    set_tags(heap, at, units, 0);
    heap->next = at;
    return true;
}

/* Blocks run on several threads if the order was lifted. */
uint64_t heap_take(struct heap *heap, uint64_t bytes)
{
    pthread_mutex_lock(&heap->mutex);
    uint64_t address = take(heap, bytes);
    pthread_mutex_unlock(&heap->mutex);
    return address;
}

bool heap_give(struct heap *heap, uint64_t address)
{
    pthread_mutex_lock(&heap->mutex);
    bool given = !address || give(heap, address);
    pthread_mutex_unlock(&heap->mutex);
    return given;
}
