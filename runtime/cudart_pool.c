// SPDX-License-Identifier: Apache-2.0
/* Memory pools: what cudaMallocAsync takes from. Memory that is freed goes back at once, so a pool has
 * reserved what is in use, and thresholds and rules of reuse are told as they were set. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

enum pool_attribute {
    REUSE_FOLLOW_EVENTS = 1,
    REUSE_OPPORTUNISTIC,
    REUSE_INTERNAL,
    RELEASE_THRESHOLD,
    RESERVED,
    RESERVED_HIGH,
    USED,
    USED_HIGH,
    ATTRIBUTES
};

struct pool {
    uint64_t attributes[ATTRIBUTES]; /* by enum pool_attribute; RESERVED is USED */
};

/* Allocations of pools that live. */
struct pooled {
    uint64_t address, bytes;
    struct pool *pool;
    struct pooled *next;
};

#define NEW_POOL                                                                                   \
    {                                                                                              \
        .attributes = {                                                                            \
            [REUSE_FOLLOW_EVENTS] = 1,                                                             \
            [REUSE_OPPORTUNISTIC] = 1,                                                             \
            [REUSE_INTERNAL] = 1                                                                   \
        }                                                                                          \
    }
static struct pool first = NEW_POOL;
static struct pool *current = &first;
static struct pooled *pooled_list;

bool pool_is_valid(const struct pool *pool)
{
    return pool == &first || handle_is(HANDLE_POOL, pool);
}

void pool_add(struct pool *pool, uint64_t address, uint64_t bytes)
{
    struct pooled *one = calloc(1, sizeof *one);
    if (!one) return;
    if (!pool) pool = current;
    *one = (struct pooled){address, bytes, pool, pooled_list};
    pooled_list = one;
    uint64_t *a = pool->attributes;
    a[USED] += bytes;
    if (a[USED] > a[USED_HIGH]) a[USED_HIGH] = a[USED];
    if (a[USED] > a[RESERVED_HIGH]) a[RESERVED_HIGH] = a[USED];
}

void pool_drop(uint64_t address)
{
    struct pooled **place = &pooled_list;
    while (*place && (*place)->address != address)
        place = &(*place)->next;
    struct pooled *one = *place;
    if (!one) return;
    if (one->pool) one->pool->attributes[USED] -= one->bytes;
    *place = one->next;
    free(one);
}

CUDART cudaError_t cudaDeviceGetDefaultMemPool(struct pool **out, int device);
CUDART cudaError_t cudaDeviceGetMemPool(struct pool **out, int device);
CUDART cudaError_t cudaDeviceSetMemPool(int device, struct pool *pool);
CUDART cudaError_t cudaMemPoolCreate(struct pool **out, const struct cudaMemPoolProps *properties);
CUDART cudaError_t cudaMemPoolDestroy(struct pool *pool);
CUDART cudaError_t cudaMemPoolTrimTo(struct pool *pool, size_t least);
CUDART cudaError_t cudaMemPoolSetAttribute(struct pool *pool, int attribute, const void *value);
CUDART cudaError_t cudaMemPoolGetAttribute(struct pool *pool, int attribute, void *out);
CUDART cudaError_t cudaMemPoolSetAccess(struct pool *pool, const struct cudaMemAccessDesc *list,
                                        size_t count);
CUDART cudaError_t cudaMemPoolGetAccess(int *out, struct pool *pool,
                                        const struct cudaMemLocation *location);

static cudaError_t give_pool(struct pool **out, struct pool *pool, int device)
{
    cudaError_t error = api_begin();
    if (!error && device) error = cudaErrorInvalidDevice;
    if (!error && !out) error = cudaErrorInvalidValue;
    if (!error) *out = pool;
    return api_end(error);
}

cudaError_t cudaDeviceGetDefaultMemPool(struct pool **out, int device)
{
    API_CALL;
    return give_pool(out, &first, device);
}

cudaError_t cudaDeviceGetMemPool(struct pool **out, int device)
{
    API_CALL;
    return give_pool(out, current, device);
}

cudaError_t cudaDeviceSetMemPool(int device, struct pool *pool)
{
    cudaError_t error = api_begin();
    if (!error && device) error = cudaErrorInvalidDevice;
    if (!error && !pool_is_valid(pool)) error = cudaErrorInvalidValue;
    if (!error) current = pool;
    return api_end(error);
}

/* Handles for other processes are not given. */
cudaError_t cudaMemPoolCreate(struct pool **out, const struct cudaMemPoolProps *properties)
{
    enum { PINNED = 1 };
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    if (!out || !properties || properties->allocType != PINNED)
        return api_end(cudaErrorInvalidValue);
    if (properties->handleTypes) return api_end(cudaErrorNotSupported);
    *out = handle_create(HANDLE_POOL, sizeof **out);
    if (!*out) return api_end(cudaErrorMemoryAllocation);
    **out = (struct pool)NEW_POOL;
    return api_end(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(struct pool *pool)
{
    cudaError_t error = api_begin();
    if (!error && !handle_is(HANDLE_POOL, pool)) error = cudaErrorInvalidValue;
    if (error) return api_end(error);
    for (struct pooled *one = pooled_list; one; one = one->next) /* they live on without it */
        if (one->pool == pool) one->pool = NULL;
    if (current == pool) current = &first;
    handle_destroy(HANDLE_POOL, pool);
    return api_end(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(struct pool *pool, size_t least)
{
    (void)least;
    cudaError_t error = api_begin();
    return api_end(error ? error : pool_is_valid(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

/* Rules of reuse are of type int, sizes of 64 bits (runtime API). */
static size_t attribute_bytes(int attribute)
{
    return attribute <= REUSE_INTERNAL ? sizeof(int) : sizeof(uint64_t);
}

/* High-water marks can only be reset, to zero; what is reserved and used cannot be set. */
cudaError_t cudaMemPoolSetAttribute(struct pool *pool, int attribute, const void *value)
{
    uint64_t bits = 0;
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    if (!pool_is_valid(pool) || !value || attribute < REUSE_FOLLOW_EVENTS ||
        attribute >= ATTRIBUTES || attribute == RESERVED || attribute == USED)
        return api_end(cudaErrorInvalidValue);
    memcpy(&bits, value, attribute_bytes(attribute));
    bool is_mark = attribute == RESERVED_HIGH || attribute == USED_HIGH;
    if (is_mark && bits) return api_end(cudaErrorInvalidValue);
    pool->attributes[attribute] = is_mark ? pool->attributes[USED] : bits;
    return api_end(cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(struct pool *pool, int attribute, void *out)
{
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    if (!pool_is_valid(pool) || !out || attribute < REUSE_FOLLOW_EVENTS || attribute >= ATTRIBUTES)
        return api_end(cudaErrorInvalidValue);
    uint64_t value = pool->attributes[attribute == RESERVED ? USED : attribute];
    memcpy(out, &value, attribute_bytes(attribute));
    return api_end(cudaSuccess);
}

static bool is_the_device(const struct cudaMemLocation *location)
{
    enum { DEVICE = 1 };
    return location && location->type == DEVICE && location->id == 0;
}

enum { READ_WRITE = 3 };

/* The device reaches its own pools, always. */
cudaError_t cudaMemPoolSetAccess(struct pool *pool, const struct cudaMemAccessDesc *list,
                                 size_t count)
{
    cudaError_t error = api_begin();
    if (!error && (!pool_is_valid(pool) || (count && !list))) error = cudaErrorInvalidValue;
    for (size_t i = 0; !error && i < count; i++)
        if (!is_the_device(&list[i].location))
            error = cudaErrorInvalidDevice;
        else if (list[i].flags != READ_WRITE)
            error = cudaErrorInvalidValue;
    return api_end(error);
}

cudaError_t cudaMemPoolGetAccess(int *out, struct pool *pool,
                                 const struct cudaMemLocation *location)
{
    cudaError_t error = api_begin();
    if (!error && (!out || !pool_is_valid(pool) || !location)) error = cudaErrorInvalidValue;
    if (!error) *out = is_the_device(location) ? READ_WRITE : 0;
    return api_end(error);
}
