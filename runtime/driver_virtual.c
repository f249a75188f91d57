// SPDX-License-Identifier: Apache-2.0
/* Virtual memory management: addresses are reserved, memory is created and mapped there. Here addresses
 * come with their memory, so that a mapping is only kept account of; memory is mapped once at a time. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

CUDART cudaError_t cudaMalloc(void **out, size_t bytes);
CUDART cudaError_t cudaFree(void *pointer);

#define GRANULARITY ((size_t)2 << 20)

struct physical {
    size_t bytes;
    uint64_t mapped;  /* where; 0: not */
    unsigned holders; /* handles that were not released */
    struct physical *next;
};
static struct physical *created;

struct reservation {
    uint64_t address;
    size_t bytes;
    void *memory; /* what is freed with it */
    struct reservation *next;
};
static struct reservation *reservations;

/* CUmemAllocationProp, as far as it is read */
struct properties {
    int type, handle_types, location_type, location;
};

static cudaError_t check_properties(const struct properties *properties)
{
    enum { PINNED = 1, DEVICE = 1 };
    if (!properties || properties->type != PINNED) return cudaErrorInvalidValue;
    if (properties->location_type != DEVICE || properties->handle_types)
        return cudaErrorNotSupported;
    return properties->location ? cudaErrorInvalidDevice : cudaSuccess;
}

static cudaError_t get_granularity(size_t *out, const struct properties *properties)
{
    *out = GRANULARITY;
    return check_properties(properties);
}

static cudaError_t create(struct physical **out, size_t bytes, const struct properties *properties)
{
    cudaError_t error = check_properties(properties);
    if (!error && (!bytes || bytes % GRANULARITY)) error = cudaErrorInvalidValue;
    if (error) return error;
    struct physical *memory = calloc(1, sizeof *memory);
    if (!memory) return cudaErrorMemoryAllocation;
    *memory = (struct physical){.bytes = bytes, .holders = 1, .next = created};
    created = memory;
    *out = memory;
    return cudaSuccess;
}

/* It goes once it is neither held nor mapped. */
static void drop_unused(void)
{
    for (struct physical **place = &created; *place;) {
        struct physical *one = *place;
        if (!one->holders && !one->mapped) {
            *place = one->next;
            free(one);
        } else {
            place = &one->next;
        }
    }
}

static struct physical *find_physical(const struct physical *memory)
{
    struct physical *one = created;
    while (one && one != memory)
        one = one->next;
    return one && one->holders ? one : NULL;
}

static cudaError_t release(struct physical *memory)
{
    if (!find_physical(memory)) return cudaErrorInvalidValue;
    memory->holders--;
    drop_unused();
    return cudaSuccess;
}

static cudaError_t reserve(uint64_t *out, size_t bytes, size_t alignment)
{
    void *memory;
    if (alignment < GRANULARITY) alignment = GRANULARITY;
    if (!out || !bytes || bytes % GRANULARITY || alignment & (alignment - 1) ||
        bytes > SIZE_MAX - alignment)
        return cudaErrorInvalidValue;
    struct reservation *one = calloc(1, sizeof *one);
    cudaError_t error = one ? cudaMalloc(&memory, bytes + alignment) : cudaErrorMemoryAllocation;
    if (error) {
        free(one);
        return error;
    }
    uint64_t address = ((uint64_t)(uintptr_t)memory + alignment - 1) & ~(uint64_t)(alignment - 1);
    *one = (struct reservation){address, bytes, memory, reservations};
    reservations = one;
    *out = address;
    return cudaSuccess;
}

static bool is_reserved(uint64_t address, size_t bytes)
{
    const struct reservation *one = reservations;
    while (one && (address < one->address || address - one->address > one->bytes ||
                   bytes > one->bytes - (address - one->address)))
        one = one->next;
    return one;
}

static cudaError_t free_address(uint64_t address, size_t bytes)
{
    struct reservation **place = &reservations;
    while (*place && ((*place)->address != address || (*place)->bytes != bytes))
        place = &(*place)->next;
    struct reservation *one = *place;
    if (!one) return cudaErrorInvalidValue;
    *place = one->next;
    cudaError_t error = cudaFree(one->memory);
    free(one);
    return error;
}

static cudaError_t map(uint64_t address, size_t bytes, size_t offset, struct physical *memory)
{
    if (!find_physical(memory) || offset || bytes != memory->bytes || !is_reserved(address, bytes))
        return cudaErrorInvalidValue;
    if (memory->mapped) {
        note_missing("cuMemMap of memory that is mapped elsewhere");
        return cudaErrorNotSupported;
    }
    for (const struct physical *one = created; one; one = one->next)
        if (one->mapped && address < one->mapped + one->bytes && one->mapped < address + bytes)
            return cudaErrorInvalidValue;
    memory->mapped = address;
    return cudaSuccess;
}

static cudaError_t unmap(uint64_t address, size_t bytes)
{
    size_t found = 0;
    for (struct physical *one = created; one; one = one->next)
        if (one->mapped >= address && one->mapped - address < bytes) {
            found += one->bytes;
            one->mapped = 0;
        }
    drop_unused();
    return found == bytes ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t check_mapped(uint64_t address, size_t bytes)
{
    size_t found = 0;
    for (const struct physical *one = created; one; one = one->next)
        if (one->mapped >= address && one->mapped - address < bytes) found += one->bytes;
    return found == bytes ? cudaSuccess : cudaErrorInvalidValue;
}

/* Another handle of what is mapped there. */
static cudaError_t retain(struct physical **out, uint64_t address)
{
    struct physical *one = created;
    while (one && (!one->mapped || address < one->mapped || address - one->mapped >= one->bytes))
        one = one->next;
    if (!one) return cudaErrorInvalidValue;
    one->holders++;
    *out = one;
    return cudaSuccess;
}

static cudaError_t tell_properties(struct properties *out, const struct physical *memory)
{
    enum { PINNED = 1, DEVICE = 1, BYTES = 32 /* of CUmemAllocationProp */ };
    if (!find_physical(memory)) return cudaErrorInvalidValue;
    memset(out, 0, BYTES);
    *out = (struct properties){PINNED, 0, DEVICE, 0};
    return cudaSuccess;
}

/* All of it may be read and written once it is mapped. */
static cudaError_t get_access(unsigned long long *out)
{
    enum { READ_WRITE = 3 };
    *out = READ_WRITE;
    return cudaSuccess;
}

/* With the lock, for the lists above. */
static cudaError_t unlocked(cudaError_t error)
{
    api_unlock();
    return error;
}
#define LOCKED(call) (api_lock(), unlocked(call))

DRIVER(cuMemGetAllocationGranularity,
       (size_t * out, const struct properties *properties, int option),
       ((void)option, get_granularity(out, properties)))
DRIVER(cuMemCreate,
       (struct physical * *out, size_t bytes, const struct properties *properties,
        unsigned long long flags),
       ((void)flags, LOCKED(create(out, bytes, properties))))
DRIVER(cuMemRelease, (struct physical * memory), LOCKED(release(memory)))
DRIVER(cuMemRetainAllocationHandle, (struct physical * *out, const void *address),
       LOCKED(retain(out, (uint64_t)(uintptr_t)address)))
DRIVER(cuMemGetAllocationPropertiesFromHandle,
       (struct properties * out, const struct physical *memory),
       LOCKED(tell_properties(out, memory)))
DRIVER(cuMemAddressReserve,
       (uint64_t * out, size_t bytes, size_t alignment, uint64_t wish, unsigned long long flags),
       ((void)wish, (void)flags, LOCKED(reserve(out, bytes, alignment))))
DRIVER(cuMemAddressFree, (uint64_t address, size_t bytes), LOCKED(free_address(address, bytes)))
DRIVER(cuMemMap,
       (uint64_t address, size_t bytes, size_t offset, struct physical *memory,
        unsigned long long flags),
       ((void)flags, LOCKED(map(address, bytes, offset, memory))))
DRIVER(cuMemUnmap, (uint64_t address, size_t bytes), LOCKED(unmap(address, bytes)))
DRIVER(cuMemSetAccess, (uint64_t address, size_t bytes, const void *descriptions, size_t count),
       ((void)descriptions, (void)count, LOCKED(check_mapped(address, bytes))))
DRIVER(cuMemGetAccess, (unsigned long long *out, const void *location, uint64_t address),
       ((void)location, (void)address, get_access(out)))
