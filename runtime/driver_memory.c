// SPDX-License-Identifier: Apache-2.0
/* Memory of the driver API: allocations, copies, fills, what a pointer is. */
#include <stdlib.h>
#include <string.h>

#include "cudart_advice.h"
#include "cudart_array.h"
#include "driver.h"
#include "stream.h"

CUDART cudaError_t cudaMalloc(void **out, size_t bytes);
CUDART cudaError_t cudaFree(void *pointer);
CUDART cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream);
CUDART cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
CUDART cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags);
CUDART cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
CUDART cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags);
CUDART cudaError_t cudaFreeHost(void *pointer);
CUDART cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags);
CUDART cudaError_t cudaHostGetFlags(unsigned *out, void *host);
CUDART cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned flags);
CUDART cudaError_t cudaHostUnregister(void *host);
CUDART cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
CUDART cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                                   cudaStream_t stream);
CUDART cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer);
CUDART cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer);

/* ---- allocation ------------------------------------------------------------------------------ */

static cudaError_t allocate(void **out, size_t bytes)
{
    return out && bytes ? cudaMalloc(out, bytes) : cudaErrorInvalidValue;
}

static cudaError_t allocate_host(void **out, size_t bytes, unsigned flags)
{
    return out && bytes ? cudaHostAlloc(out, bytes, flags) : cudaErrorInvalidValue;
}

static cudaError_t find_range(uint64_t *out, size_t *out_bytes, uint64_t address)
{
    ws_device_range range;
    if (!ws_device_find(runtime.device, address, &range)) return cudaErrorSymbolNotFound;
    if (out) *out = range.address;
    if (out_bytes) *out_bytes = range.bytes;
    return cudaSuccess;
}

DRIVER(cuMemAlloc_v2, (void **out, size_t bytes), allocate(out, bytes))
DRIVER(cuMemFree_v2, (uint64_t address), cudaFree(pointer_of(address)))
DRIVER(cuMemAllocAsync, (void **out, size_t bytes, cudaStream_t stream),
       cudaMallocAsync(out, bytes, stream))
DRIVER(cuMemFreeAsync, (uint64_t address, cudaStream_t stream),
       cudaFreeAsync(pointer_of(address), stream))
DRIVER(cuMemAllocManaged, (void **out, size_t bytes, unsigned flags),
       cudaMallocManaged(out, bytes, flags))
DRIVER(cuMemAllocPitch_v2,
       (void **out, size_t *pitch, size_t width, size_t height, unsigned element_bytes),
       ((void)element_bytes, cudaMallocPitch(out, pitch, width, height)))
DRIVER(cuMemAllocHost_v2, (void **out, size_t bytes), allocate_host(out, bytes, 0))
DRIVER(cuMemHostAlloc, (void **out, size_t bytes, unsigned flags), allocate_host(out, bytes, flags))
DRIVER(cuMemFreeHost, (void *host), cudaFreeHost(host))
DRIVER(cuMemHostGetDevicePointer_v2, (void **out, void *host, unsigned flags),
       cudaHostGetDevicePointer(out, host, flags))
DRIVER(cuMemHostGetFlags, (unsigned *out, void *host), cudaHostGetFlags(out, host))
DRIVER(cuMemHostRegister_v2, (void *host, size_t bytes, unsigned flags),
       cudaHostRegister(host, bytes, flags))
DRIVER(cuMemHostUnregister, (void *host), cudaHostUnregister(host))
DRIVER(cuMemGetInfo_v2, (size_t * free_bytes, size_t *total), cudaMemGetInfo(free_bytes, total))
DRIVER(cuMemGetAddressRange_v2, (uint64_t * out, size_t *out_bytes, uint64_t address),
       find_range(out, out_bytes, address))
DRIVER(cuStreamAttachMemAsync,
       (cudaStream_t stream, uint64_t address, size_t length, unsigned flags),
       ((void)length, (void)flags, cudaStreamAttachMemAsync(stream, pointer_of(address))))
static struct memory_location location_of_device(int device)
{
    enum { DEVICE = 1, HOST = 2 };
    return (struct memory_location){device < 0 ? HOST : DEVICE, device};
}

DRIVER(cuMemPrefetchAsync, (uint64_t address, size_t bytes, int device, cudaStream_t stream),
       ((void)stream,
        cudaMemPrefetchAsync_v2(pointer_of(address), bytes, location_of_device(device))))
DRIVER(cuMemPrefetchAsync_v2, (uint64_t address, size_t bytes, struct memory_location where),
       cudaMemPrefetchAsync_v2(pointer_of(address), bytes, where))
DRIVER(cuMemAdvise, (uint64_t address, size_t bytes, int advice, int device),
       cudaMemAdvise_v2(pointer_of(address), bytes, advice, location_of_device(device)))
DRIVER(cuMemAdvise_v2, (uint64_t address, size_t bytes, int advice, struct memory_location where),
       cudaMemAdvise_v2(pointer_of(address), bytes, advice, where))
DRIVER(cuMemRangeGetAttribute,
       (void *out, size_t out_bytes, int attribute, uint64_t address, size_t bytes),
       cudaMemRangeGetAttribute(out, out_bytes, attribute, pointer_of(address), bytes))
DRIVER(cuMemRangeGetAttributes,
       (void **out, const size_t *out_bytes, const int *attributes, size_t count, uint64_t address,
        size_t bytes),
       cudaMemRangeGetAttributes(out, out_bytes, attributes, count, pointer_of(address), bytes))

/* ---- what a pointer is ----------------------------------------------------------------------- */

enum memory_kind { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED };

static cudaError_t describe(void *out, int attribute, uint64_t address)
{
    enum { KIND = 2, DEVICE = 3, HOST = 4, MANAGED = 8, ORDINAL = 9, BEGIN = 11, BYTES = 12 };
    struct cudaPointerAttributes all;
    cudaError_t error = cudaPointerGetAttributes(&all, pointer_of(address));
    if (!error && all.type == cudaMemoryTypeUnregistered) error = cudaErrorInvalidValue;
    if (error) return error;
    unsigned is_managed = all.type == cudaMemoryTypeManaged;
    unsigned kind = all.type == cudaMemoryTypeHost ? MEMORY_HOST : MEMORY_DEVICE;
    switch (attribute) {
    case KIND:
        memcpy(out, &kind, sizeof kind);
        return cudaSuccess;
    case DEVICE:
        memcpy(out, &all.devicePointer, sizeof all.devicePointer);
        return cudaSuccess;
    case HOST:
        memcpy(out, &all.hostPointer, sizeof all.hostPointer);
        return all.hostPointer ? cudaSuccess : cudaErrorInvalidValue;
    case MANAGED:
        memcpy(out, &is_managed, sizeof is_managed);
        return cudaSuccess;
    case ORDINAL:
        memcpy(out, &all.device, sizeof all.device);
        return cudaSuccess;
    case BEGIN:
        return find_range(out, NULL, address);
    case BYTES:
        return find_range(NULL, out, address);
    default:
        return cudaErrorNotSupported;
    }
}

DRIVER(cuPointerGetAttribute, (void *out, int attribute, uint64_t address),
       describe(out, attribute, address))

/* ---- copies of one row ----------------------------------------------------------------------- */

static cudaError_t copy(uint64_t to, uint64_t from, size_t bytes, int kind, cudaStream_t stream)
{
    return cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, kind, stream);
}

static uint64_t address_of(const void *host)
{
    return (uint64_t)(uintptr_t)host;
}

#define COPY(name, suffix, to_type, to, from_type, from, kind)                                     \
    DRIVER(cuMemcpy##name##suffix, (to_type target, from_type source, size_t bytes),               \
           copy(to, from, bytes, kind, NULL))                                                      \
    DRIVER(cuMemcpy##name##Async##suffix,                                                          \
           (to_type target, from_type source, size_t bytes, cudaStream_t stream),                  \
           copy(to, from, bytes, kind, stream))

COPY(HtoD, _v2, uint64_t, target, const void *, address_of(source), cudaMemcpyHostToDevice)
COPY(DtoH, _v2, void *, address_of(target), uint64_t, source, cudaMemcpyDeviceToHost)
COPY(DtoD, _v2, uint64_t, target, uint64_t, source, cudaMemcpyDeviceToDevice)
COPY(, , uint64_t, target, uint64_t, source, cudaMemcpyDefault)

/* ---- fills ----------------------------------------------------------------------------------- */

static cudaError_t fill(struct rows to, unsigned value, unsigned element_bytes, size_t width,
                        size_t height, cudaStream_t stream)
{
    struct work work = fill_of(to.begin, value, element_bytes, width * element_bytes);
    work.fill.to = to;
    work.fill.height = height;
    cudaError_t error = api_begin();
    return api_end(error ? error : stream_do(stream, &work));
}

static struct rows row_at(uint64_t address, size_t pitch)
{
    return (struct rows){pointer_of(address), pitch, 0};
}

#define FILL(bits, type)                                                                           \
    DRIVER(cuMemsetD##bits##_v2, (uint64_t to, type value, size_t count),                          \
           fill(row_at(to, 0), value, bits / 8, count, 1, NULL))                                   \
    DRIVER(cuMemsetD##bits##Async, (uint64_t to, type value, size_t count, cudaStream_t stream),   \
           fill(row_at(to, 0), value, bits / 8, count, 1, stream))                                 \
    DRIVER(cuMemsetD2D##bits##_v2,                                                                 \
           (uint64_t to, size_t pitch, type value, size_t width, size_t height),                   \
           fill(row_at(to, pitch), value, bits / 8, width, height, NULL))                          \
    DRIVER(                                                                                        \
        cuMemsetD2D##bits##Async,                                                                  \
        (uint64_t to, size_t pitch, type value, size_t width, size_t height, cudaStream_t stream), \
        fill(row_at(to, pitch), value, bits / 8, width, height, stream))

FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)

/* ---- copies of rows -------------------------------------------------------------------------- */

/* CUDA_MEMCPY2D and CUDA_MEMCPY3D, half of each. */
struct place_2d {
    size_t x, y; /* bytes, rows */
    int kind;    /* enum memory_kind */
    void *host;
    uint64_t device;
    struct array *array;
    size_t pitch;
};
struct copy_2d {
    struct place_2d from, to;
    size_t width, height; /* bytes, rows */
};
struct place_3d {
    size_t x, y, z, level;
    int kind;
    void *host;
    uint64_t device;
    struct array *array;
    void *reserved;
    size_t pitch, height;
};
struct copy_3d {
    struct place_3d from, to;
    size_t width, height, depth;
};

static cudaError_t find_rows(const struct place_3d *place, struct rows *out)
{
    if (place->kind < MEMORY_HOST || place->kind > MEMORY_UNIFIED || place->level)
        return cudaErrorInvalidValue;
    if (place->kind == MEMORY_ARRAY) {
        if (!place->array) return cudaErrorInvalidValue;
        *out = array_rows(place->array, place->x, place->y, place->z);
        return cudaSuccess;
    }
    unsigned char *begin = place->kind == MEMORY_HOST ? place->host : pointer_of(place->device);
    size_t slice = place->pitch * place->height;
    *out = (struct rows){begin + place->z * slice + place->y * place->pitch + place->x,
                         place->pitch, slice};
    return cudaSuccess;
}

static cudaError_t copy_3d(const struct copy_3d *given, cudaStream_t stream)
{
    bool to_host = given->to.kind == MEMORY_HOST, from_host = given->from.kind == MEMORY_HOST;
    bool unified = given->to.kind == MEMORY_UNIFIED || given->from.kind == MEMORY_UNIFIED;
    struct work work = {.kind = WORK_COPY};
    work.copy = (struct copy_work){.width = given->width,
                                   .height = given->height,
                                   .depth = given->depth,
                                   .kind = unified     ? cudaMemcpyDefault
                                           : to_host   ? from_host ? cudaMemcpyHostToHost
                                                                   : cudaMemcpyDeviceToHost
                                           : from_host ? cudaMemcpyHostToDevice
                                                       : cudaMemcpyDeviceToDevice};
    cudaError_t error = find_rows(&given->to, &work.copy.to);
    if (!error) error = find_rows(&given->from, &work.copy.from);
    if (error) return error;
    error = api_begin();
    return api_end(error ? error : stream_do(stream, &work));
}

static struct place_3d as_3d(const struct place_2d *place)
{
    return (struct place_3d){.x = place->x,
                             .y = place->y,
                             .kind = place->kind,
                             .host = place->host,
                             .device = place->device,
                             .array = place->array,
                             .pitch = place->pitch};
}

static cudaError_t copy_2d(const struct copy_2d *given, cudaStream_t stream)
{
    struct copy_3d all = {as_3d(&given->from), as_3d(&given->to), given->width, given->height, 1};
    /* One row needs no pitch; 0 stands for packed rows. */
    if (!all.from.pitch) all.from.pitch = given->width;
    if (!all.to.pitch) all.to.pitch = given->width;
    return copy_3d(&all, stream);
}

DRIVER(cuMemcpy2D_v2, (const struct copy_2d *given), copy_2d(given, NULL))
DRIVER(cuMemcpy2DUnaligned_v2, (const struct copy_2d *given), copy_2d(given, NULL))
DRIVER(cuMemcpy2DAsync_v2, (const struct copy_2d *given, cudaStream_t stream),
       copy_2d(given, stream))
DRIVER(cuMemcpy3D_v2, (const struct copy_3d *given), copy_3d(given, NULL))
DRIVER(cuMemcpy3DAsync_v2, (const struct copy_3d *given, cudaStream_t stream),
       copy_3d(given, stream))
