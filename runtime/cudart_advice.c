// SPDX-License-Identifier: Apache-2.0
/* Advice about managed memory. Where pages lie makes no difference here: what was advised is only told again. The pointer must
 * be managed, which is not told apart from other memory of the device. */
#include <stdlib.h>

#include "cudart_advice.h"

CUDART cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, uint64_t where);
CUDART cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, uint64_t where);

/* Numbers of cudaMemRangeAttribute. */
enum setting { READ_MOSTLY = 1, PREFERRED_LOCATION, ACCESSED_BY, LAST_PREFETCH };
enum { DEVICE_CPU = -1, DEVICE_INVALID = -2 };

static struct advice {
    uint64_t begin, end;
    enum setting setting;
    int value; /* of the attribute */
    struct advice *next;
} * advices; /* newest first */

static int device_of(struct memory_location location)
{
    enum { DEVICE = 1 };
    return location.type == DEVICE ? location.id : DEVICE_CPU;
}

/* Up to CUDA 12 the functions without _v2 have a device where later ones have a location. */
static struct memory_location location_of(uint64_t bits)
{
    enum { DEVICE = 1, HOST = 2 };
    int low = (int)(uint32_t)bits;
    if (runtime_version() >= 13) return (struct memory_location){low, (int)(bits >> 32)};
    return (struct memory_location){low < 0 ? HOST : DEVICE, low};
}

static cudaError_t keep(const void *pointer, size_t bytes, enum setting setting, int value)
{
    ws_device_range range;
    uint64_t begin = (uint64_t)(uintptr_t)pointer;
    if (!ws_device_find(runtime.device, begin, &range) ||
        bytes > range.address + range.bytes - begin)
        return cudaErrorInvalidValue;
    struct advice *one = advices;
    while (one && (one->begin != begin || one->end != begin + bytes || one->setting != setting))
        one = one->next;
    if (!one) {
        one = calloc(1, sizeof *one);
        if (!one) return cudaErrorMemoryAllocation;
        *one = (struct advice){begin, begin + bytes, setting, value, advices};
        advices = one;
    }
    one->value = value;
    return cudaSuccess;
}

static int value_at(uint64_t address, enum setting setting)
{
    const struct advice *one = advices;
    while (one && (one->setting != setting || address < one->begin || address >= one->end))
        one = one->next;
    return one ? one->value : setting == READ_MOSTLY ? 0 : DEVICE_INVALID;
}

void advice_forget(uint64_t begin, uint64_t end)
{
    for (struct advice **place = &advices; *place;) {
        struct advice *one = *place;
        if (one->begin < begin || one->begin >= end) {
            place = &one->next;
            continue;
        }
        *place = one->next;
        free(one);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice,
                             struct memory_location where)
{
    enum {
        SET_MOSTLY = 1,
        UNSET_MOSTLY,
        SET_PREFERRED,
        UNSET_PREFERRED,
        SET_ACCESSED,
        UNSET_ACCESSED
    };
    cudaError_t error = api_begin();
    if (!error && (advice < SET_MOSTLY || advice > UNSET_ACCESSED)) error = cudaErrorInvalidValue;
    enum setting setting = advice <= UNSET_MOSTLY      ? READ_MOSTLY
                           : advice <= UNSET_PREFERRED ? PREFERRED_LOCATION
                                                       : ACCESSED_BY;
    bool is_set = advice % 2;
    int value = setting == READ_MOSTLY ? is_set : is_set ? device_of(where) : DEVICE_INVALID;
    return api_end(error ? error : keep(pointer, bytes, setting, value));
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, uint64_t where)
{
    API_CALL;
    return cudaMemAdvise_v2(pointer, bytes, advice, location_of(where));
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct memory_location where)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : keep(pointer, bytes, LAST_PREFETCH, device_of(where)));
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, uint64_t where)
{
    API_CALL;
    return cudaMemPrefetchAsync_v2(pointer, bytes, location_of(where));
}

/* What both ends of the range have. */
cudaError_t cudaMemRangeGetAttribute(int *out, size_t out_bytes, int attribute, const void *pointer,
                                     size_t bytes)
{
    uint64_t begin = (uint64_t)(uintptr_t)pointer;
    cudaError_t error = api_begin();
    if (!error && attribute > LAST_PREFETCH) {
        note_missing("cudaMemRangeGetAttribute of types and ids of locations");
        error = cudaErrorNotSupported;
    }
    if (!error && (!out || out_bytes < sizeof *out || !bytes || attribute < READ_MOSTLY))
        error = cudaErrorInvalidValue;
    if (error) return api_end(error);
    int first = value_at(begin, (enum setting)attribute);
    int last = value_at(begin + bytes - 1, (enum setting)attribute);
    int otherwise = attribute == READ_MOSTLY ? 0 : DEVICE_INVALID;
    for (size_t i = 0; i < out_bytes / sizeof *out; i++)
        out[i] = i ? DEVICE_INVALID : first == last ? first : otherwise;
    return api_end(cudaSuccess);
}

cudaError_t cudaMemRangeGetAttributes(void **out, const size_t *out_bytes, const int *attributes,
                                      size_t count, const void *pointer, size_t bytes)
{
    API_CALL;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && !error; i++)
        error = cudaMemRangeGetAttribute(out[i], out_bytes[i], attributes[i], pointer, bytes);
    return error;
}
