// SPDX-License-Identifier: Apache-2.0
/* Memory in one dimension: allocation, copies, fills, symbols, what a pointer is. */
#include <stdlib.h>
#include <string.h>

#include "cudart_advice.h"
#include "host_check.h"
#include "stream.h"

/* ---- bytes ----------------------------------------------------------------------------------- */

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* Is all of it in one allocation of the device? */
static bool on_device(const void *pointer, size_t bytes)
{
    ws_device_range range;
    if (!ws_device_find(runtime.device, address_of(pointer), &range)) return false;
    return bytes <= range.address + range.bytes - address_of(pointer);
}

cudaError_t copy_bytes(void *to, const void *from, size_t bytes, int kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!bytes) return cudaSuccess;
    if (!to || !from) return cudaErrorInvalidValue;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((to_device && !on_device(to, bytes)) || (from_device && !on_device(from, bytes)))
        return cudaErrorInvalidValue;
    if (on_device(to, 1)) { /* also of cudaMemcpyDefault */
        ws_status status = ws_device_copy_in(runtime.device, address_of(to), from, bytes);
        if (status != WS_OK) return cudaErrorInvalidValue;
    } else if (on_device(from, 1)) {
        /* The library looks at what leaves the device. */
        if (!on_device(from, bytes) ||
            ws_device_copy_out(runtime.device, to, address_of(from), bytes) != WS_OK)
            return cudaErrorInvalidValue;
    } else {
        memmove(to, from, bytes);
    }
    /* Copy engines go through the L2, too. */
    ws_device_touch(runtime.device, address_of(from), bytes);
    ws_device_touch(runtime.device, address_of(to), bytes);
    return cudaSuccess;
}

/* Elements of several bytes that differ are written from here. */
static ws_status fill_pattern(uint64_t to, unsigned value, unsigned element_bytes, size_t bytes)
{
    unsigned char pattern[4096];
    ws_status status = WS_OK;
    for (size_t i = 0; i < sizeof pattern; i += element_bytes)
        memcpy(pattern + i, &value, element_bytes); /* little-endian */
    for (size_t done = 0; done < bytes && status == WS_OK; done += sizeof pattern) {
        size_t left = bytes - done, part = left < sizeof pattern ? left : sizeof pattern;
        status = ws_device_copy_in(runtime.device, to + done, pattern, part);
    }
    return status;
}

cudaError_t fill_bytes(void *to, unsigned value, unsigned element_bytes, size_t bytes)
{
    if (!bytes) return cudaSuccess;
    if (!on_device(to, bytes)) return cudaErrorInvalidValue;
    ws_status status = element_bytes == 1
                           ? ws_device_fill(runtime.device, address_of(to), (uint8_t)value, bytes)
                           : fill_pattern(address_of(to), value, element_bytes, bytes);
    if (status != WS_OK) return cudaErrorInvalidValue;
    ws_device_touch(runtime.device, address_of(to), bytes);
    return cudaSuccess;
}

/* ---- allocation ------------------------------------------------------------------------------ */

static cudaError_t allocate(void **out, size_t bytes, bool host)
{
    uint64_t address;
    if (!out) return cudaErrorInvalidValue;
    *out = NULL;
    if (!bytes) return cudaSuccess;
    ws_status status = host ? ws_device_alloc_host(runtime.device, bytes, &address)
                            : ws_device_alloc(runtime.device, bytes, &address);
    if (status != WS_OK) return cudaErrorMemoryAllocation;
    *out = (void *)(uintptr_t)address;
    check_memory_add(address, bytes, host ? MEMORY_KIND_PINNED : MEMORY_KIND_DEVICE);
    return cudaSuccess;
}

/* Managed allocations that live, for cudaPointerGetAttributes. */
struct managed {
    uint64_t address;
    struct managed *next;
};
static struct managed *managed_list;

static struct managed **find_managed(uint64_t address)
{
    struct managed **place = &managed_list;
    while (*place && (*place)->address != address)
        place = &(*place)->next;
    return place;
}

static void add_managed(uint64_t address)
{
    struct managed *one = calloc(1, sizeof *one);
    if (!one) out_of_memory(sizeof *one);
    *one = (struct managed){address, managed_list};
    managed_list = one;
    runtime.has_managed = true;
}

static void drop_managed(uint64_t address)
{
    struct managed **place = find_managed(address), *one = *place;
    if (!one) return;
    *place = one->next;
    free(one);
}

static cudaError_t release(void *pointer, bool host)
{
    ws_device_range range;
    if (!pointer) return cudaSuccess;
    if (!ws_device_find(runtime.device, address_of(pointer), &range) || range.name ||
        range.is_host != host || range.address != address_of(pointer)) {
        check_bad_free(pointer, host);
        return cudaErrorInvalidValue;
    }
    check_memory_drop(range.address);
    advice_forget(range.address, range.address + range.bytes);
    drop_managed(range.address);
    pool_drop(range.address);
    return ws_device_free(runtime.device, range.address) == WS_OK ? cudaSuccess
                                                                  : cudaErrorInvalidValue;
}

CUDART cudaError_t cudaMalloc(void **out, size_t bytes);
CUDART cudaError_t cudaFree(void *pointer);
CUDART cudaError_t cudaMallocHost(void **out, size_t bytes, unsigned flags);
CUDART cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags);
CUDART cudaError_t cudaFreeHost(void *pointer);
CUDART cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags);
CUDART cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream);
CUDART cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, struct pool *pool,
                                           cudaStream_t stream);
CUDART cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
CUDART cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags);
CUDART cudaError_t cudaHostGetFlags(unsigned *out, void *host);
CUDART cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned flags);
CUDART cudaError_t cudaHostUnregister(void *host);
CUDART cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
CUDART cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer);
CUDART cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer);

/* No operations of different streams run at once if memory is allocated or freed between them (programming guide, implicit
 * synchronization). */
cudaError_t cudaMalloc(void **out, size_t bytes)
{
    cudaError_t error = api_begin();
    order_wait_all();
    return api_end(error ? error : allocate(out, bytes, false));
}

cudaError_t cudaFree(void *pointer)
{
    cudaError_t error = api_begin();
    order_wait_all();
    return api_end(error ? error : release(pointer, false));
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    cudaError_t error = api_begin();
    order_wait_all();
    return api_end(error ? error : allocate(out, bytes, true));
}

cudaError_t cudaMallocHost(void **out, size_t bytes, unsigned flags)
{
    API_CALL;
    return cudaHostAlloc(out, bytes, flags);
}

cudaError_t cudaFreeHost(void *pointer)
{
    cudaError_t error = api_begin();
    order_wait_all();
    return api_end(error ? error : release(pointer, true));
}

/* Counted as memory of the GPU, as where it is used. */
cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    cudaError_t error = api_begin();
    order_wait_all();
    if (!error && !bytes) error = cudaErrorInvalidValue;
    if (!error) error = allocate(out, bytes, false);
    if (!error) add_managed(address_of(*out));
    if (!error) ws_device_open(runtime.device, address_of(*out));
    if (!error) check_memory_set(address_of(*out), MEMORY_KIND_MANAGED, false);
    return api_end(error);
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, struct pool *pool,
                                    cudaStream_t stream)
{
    cudaError_t error = api_begin();
    if (!error && pool && !pool_is_valid(pool)) error = cudaErrorInvalidValue;
    if (!error) error = stream_check(stream);
    if (!error) error = allocate(out, bytes, false);
    if (!error && *out) pool_add(pool, address_of(*out), bytes);
    if (error || !stream_capture(stream)) return api_end(error);
    graph_count_memory(bytes);
    check_memory_set(address_of(*out), MEMORY_KIND_DEVICE, true);
    return api_end(stream_do(stream, &(struct work){.kind = WORK_ALLOC, .memory = *out}));
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    API_CALL;
    return cudaMallocFromPoolAsync(out, bytes, NULL, stream);
}

/* Memory of a graph stays, because the graph may be launched again. */
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    cudaError_t error = api_begin();
    if (!error) error = stream_check(stream);
    if (error || !stream_capture(stream)) return api_end(error ? error : release(pointer, false));
    return api_end(stream_do(stream, &(struct work){.kind = WORK_FREE, .memory = pointer}));
}

static cudaError_t find_host(const void *host, ws_device_range *out)
{
    return ws_device_find(runtime.device, address_of(host), out) && out->is_host
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/* Host memory has the same address for kernels. */
cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags)
{
    (void)flags;
    ws_device_range range;
    cudaError_t error = api_begin();
    if (!error) error = find_host(host, &range);
    *out = error ? NULL : host;
    return api_end(error);
}

cudaError_t cudaHostGetFlags(unsigned *out, void *host)
{
    enum { MAPPED = 2 };
    ws_device_range range;
    cudaError_t error = api_begin();
    if (!error) error = find_host(host, &range);
    *out = MAPPED;
    return api_end(error);
}

cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned flags)
{
    (void)flags;
    ws_device_range range;
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    if (!host || !bytes) return api_end(cudaErrorInvalidValue);
    if (ws_device_find(runtime.device, address_of(host), &range))
        return api_end(cudaErrorHostMemoryAlreadyRegistered);
    ws_status status = ws_device_adopt(runtime.device, host, bytes);
    if (status == WS_OK) check_memory_add(address_of(host), bytes, MEMORY_KIND_REGISTERED);
    return api_end(status == WS_OK ? cudaSuccess : cudaErrorNotSupported);
}

cudaError_t cudaHostUnregister(void *host)
{
    ws_device_range range;
    cudaError_t error = api_begin();
    if (!error && (find_host(host, &range) || range.address != address_of(host)))
        error = cudaErrorHostMemoryNotRegistered;
    return api_end(error ? error : release(host, true));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    *total = (size_t)runtime.memory_bytes;
    *free_bytes = *total - (size_t)ws_device_used_bytes(runtime.device);
    return api_end(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer)
{
    ws_device_range range;
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    bool found = ws_device_find(runtime.device, address_of(pointer), &range);
    *out = (struct cudaPointerAttributes){
        .type = !found          ? cudaMemoryTypeUnregistered
                : range.is_host ? cudaMemoryTypeHost
                                : cudaMemoryTypeDevice,
        .device = found ? 0 : -2, /* cudaInvalidDeviceId */
        .devicePointer = found ? (void *)(uintptr_t)pointer : NULL,
        .hostPointer = found && !range.is_host ? NULL : (void *)(uintptr_t)pointer,
    };
    if (found && *find_managed(range.address)) {
        out->type = cudaMemoryTypeManaged;
        out->hostPointer = out->devicePointer;
    }
    return api_end(cudaSuccess);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer)
{
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    if (!error && !on_device(pointer, 1)) error = cudaErrorInvalidValue;
    return api_end(error);
}

/* ---- copies and fills ------------------------------------------------------------------------ */

CUDART cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
CUDART cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                                   cudaStream_t stream);
CUDART cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t bytes);
CUDART cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                       size_t bytes, cudaStream_t stream);
CUDART cudaError_t cudaMemset(void *to, int value, size_t bytes);
CUDART cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)
{
    struct work work = copy_of(to, from, bytes, kind);
    cudaError_t error = api_begin();
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    API_CALL;
    return cudaMemcpyAsync(to, from, bytes, kind, NULL);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    struct work work = copy_of(to, from, bytes, cudaMemcpyDeviceToDevice);
    cudaError_t error = api_begin();
    if (!error && (to_device || from_device)) error = cudaErrorInvalidDevice;
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    API_CALL;
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    struct work work = fill_of(to, (unsigned)value, 1, bytes);
    cudaError_t error = api_begin();
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    API_CALL;
    return cudaMemsetAsync(to, value, bytes, NULL);
}

/* ---- symbols --------------------------------------------------------------------------------- */

CUDART cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                      size_t offset, int kind);
CUDART cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                           size_t offset, int kind, cudaStream_t stream);
CUDART cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                        int kind);
CUDART cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                             size_t offset, int kind, cudaStream_t stream);
CUDART cudaError_t cudaGetSymbolAddress(void **out, const void *symbol);
CUDART cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol);

cudaError_t locate(const void *symbol, size_t bytes, size_t offset, void **out)
{
    struct variable *variable;
    cudaError_t error = variable_find(symbol, &variable);
    if (error) return error;
    if (offset > variable->size || bytes > variable->size - offset) {
        check_found_at("M20", variable->address, bytes,
                       "%s: %zu bytes from byte %zu of %s on, which has %zu bytes", api_current(),
                       bytes, offset, variable->name, variable->size);
        return cudaErrorInvalidValue;
    }
    *out = (void *)(uintptr_t)(variable->address + offset);
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, int kind, cudaStream_t stream)
{
    void *to = NULL;
    cudaError_t error = api_begin();
    if (!error) error = locate(symbol, bytes, offset, &to);
    struct work work = copy_of(to, from, bytes, kind);
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               int kind)
{
    API_CALL;
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, NULL);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      int kind, cudaStream_t stream)
{
    void *from = NULL;
    cudaError_t error = api_begin();
    if (!error) error = locate(symbol, bytes, offset, &from);
    struct work work = copy_of(to, from, bytes, kind);
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 int kind)
{
    API_CALL;
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, NULL);
}

cudaError_t cudaGetSymbolAddress(void **out, const void *symbol)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : locate(symbol, 0, 0, out));
}

cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol)
{
    struct variable *variable = NULL;
    cudaError_t error = api_begin();
    if (!error) error = variable_find(symbol, &variable);
    *out = error ? 0 : variable->size;
    return api_end(error);
}
