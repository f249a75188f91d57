// SPDX-License-Identifier: Apache-2.0
/* Start, the one device, and contexts, of which each thread has a stack. All contexts share memory,
 * modules and streams. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "host_check.h"

struct context {
    unsigned flags;
    struct context *next;
};
enum { STACK_MAX = 64 };

static bool initialised;
static struct context primary; /* the runtime's */
static unsigned primary_users;
static struct context *contexts;
static _Thread_local struct context *stack[STACK_MAX];
static _Thread_local unsigned depth;

/* ---- scope ----------------------------------------------------------------------------------- */

static struct context *current_context(void)
{
    return depth ? stack[depth - 1] : runtime.used ? &primary : NULL;
}

/* Numbers of the runtime that the driver has not. */
static driver_result translate(cudaError_t error)
{
    switch ((int)error) {
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidMemcpyDirection:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return (driver_result)error;
    }
}

cudaError_t scope_open(struct scope *scope, bool needs_context)
{
    cudaError_t error = device_begin();
    api_called("");
    *scope = (struct scope){runtime.used, *api_last()};
    if (!error && !initialised && !runtime.used) error = cudaErrorInitializationError;
    if (!error && needs_context && !current_context()) error = cudaErrorDeviceUninitialized;
    api_unlock();
    return error;
}

driver_result scope_close(const struct scope *scope, cudaError_t error)
{
    check_scope_end(error);
    runtime.used = scope->runtime_used;
    *api_last() = scope->last;
    return translate(error);
}

/* ---- start, device --------------------------------------------------------------------------- */

CUDART driver_result cuInit(unsigned flags);
CUDART driver_result cuDriverGetVersion(int *out);
CUDART cudaError_t cudaDriverGetVersion(int *out);
CUDART cudaError_t cudaGetDeviceCount(int *out);
CUDART cudaError_t cudaSetDevice(int device);
CUDART cudaError_t cudaDeviceReset(void);
CUDART cudaError_t cudaDeviceSynchronize(void);
CUDART cudaError_t cudaDeviceGetAttribute(int *out, int attribute, int device);
CUDART cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer);
CUDART cudaError_t cudaDeviceGetP2PAttribute(int *out, int attribute, int from, int to);
CUDART cudaError_t cudaDeviceGetPCIBusId(char *out, int length, int device);
CUDART cudaError_t cudaDeviceGetByPCIBusId(int *out, const char *id);
CUDART cudaError_t cudaDeviceGetLimit(size_t *out, int limit);
CUDART cudaError_t cudaDeviceSetLimit(int limit, size_t value);
CUDART cudaError_t cudaDeviceGetCacheConfig(int *out);
CUDART cudaError_t cudaDeviceSetCacheConfig(int configuration);
CUDART cudaError_t cudaDeviceGetSharedMemConfig(int *out);
CUDART cudaError_t cudaDeviceSetSharedMemConfig(int configuration);
CUDART cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
CUDART cudaError_t cudaProfilerStart(void);
CUDART cudaError_t cudaProfilerStop(void);
CUDART cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);

driver_result cuInit(unsigned flags)
{
    cudaError_t error = device_begin();
    api_unlock();
    if (error == cudaErrorNoDevice) return CUDA_ERROR_NO_DEVICE;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    initialised = !error;
    return translate(error);
}

driver_result cuDriverGetVersion(int *out)
{
    return out ? translate(cudaDriverGetVersion(out)) : CUDA_ERROR_INVALID_VALUE;
}

static cudaError_t check_device(int device)
{
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

static cudaError_t get_device(int *out, int ordinal)
{
    *out = 0;
    return check_device(ordinal);
}

static cudaError_t get_name(char *out, int length, int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!out || length < 1) return cudaErrorInvalidValue;
    strncpy(out, ws_machine_name(runtime.machine), (size_t)length - 1);
    out[length - 1] = '\0';
    return cudaSuccess;
}

static cudaError_t get_memory(size_t *out, int device)
{
    size_t free_bytes;
    return device ? cudaErrorInvalidDevice : cudaMemGetInfo(&free_bytes, out);
}

/* Zeros, as in the runtime's properties. */
static cudaError_t get_uuid(unsigned char *out, int device)
{
    memset(out, 0, 16);
    return check_device(device);
}

static cudaError_t get_capability(int *major, int *minor, int device)
{
    enum { MAJOR = 75, MINOR = 76 };
    cudaError_t error = cudaDeviceGetAttribute(major, MAJOR, device);
    return error ? error : cudaDeviceGetAttribute(minor, MINOR, device);
}

DRIVER_ANY(cuDeviceGet, (int *out, int ordinal), get_device(out, ordinal))
DRIVER_ANY(cuDeviceGetCount, (int *out), cudaGetDeviceCount(out))
DRIVER_ANY(cuDeviceGetName, (char *out, int length, int device), get_name(out, length, device))
DRIVER_ANY(cuDeviceGetUuid, (unsigned char *out, int device), get_uuid(out, device))
DRIVER_ANY(cuDeviceGetUuid_v2, (unsigned char *out, int device), get_uuid(out, device))
DRIVER_ANY(cuDeviceTotalMem_v2, (size_t * out, int device), get_memory(out, device))
DRIVER_ANY(cuDeviceGetAttribute, (int *out, int attribute, int device),
           cudaDeviceGetAttribute(out, attribute, device))
DRIVER_ANY(cuDeviceComputeCapability, (int *major, int *minor, int device),
           get_capability(major, minor, device))
DRIVER_ANY(cuDeviceCanAccessPeer, (int *out, int device, int peer),
           cudaDeviceCanAccessPeer(out, device, peer))
DRIVER_ANY(cuDeviceGetP2PAttribute, (int *out, int attribute, int from, int to),
           cudaDeviceGetP2PAttribute(out, attribute, from, to))
DRIVER_ANY(cuDeviceGetPCIBusId, (char *out, int length, int device),
           cudaDeviceGetPCIBusId(out, length, device))
DRIVER_ANY(cuDeviceGetByPCIBusId, (int *out, const char *id), cudaDeviceGetByPCIBusId(out, id))

/* ---- contexts -------------------------------------------------------------------------------- */

static cudaError_t push(struct context *context)
{
    if (depth == STACK_MAX) return cudaErrorMemoryAllocation;
    stack[depth++] = context;
    return cudaSuccess;
}

static bool is_context(const struct context *context)
{
    const struct context *one = contexts;
    while (one && one != context)
        one = one->next;
    return context == &primary || one;
}

static cudaError_t create(struct context **out, unsigned flags, int device)
{
    if (!out) return cudaErrorInvalidValue;
    if (device) return cudaErrorInvalidDevice;
    struct context *context = calloc(1, sizeof *context);
    if (!context) return cudaErrorMemoryAllocation;
    api_lock();
    *context = (struct context){flags, contexts};
    contexts = context;
    api_unlock();
    *out = context;
    return push(context);
}

/* Its memory and modules stay: all contexts share them. */
static cudaError_t destroy(struct context *context)
{
    if (context == &primary || !is_context(context)) return cudaErrorDeviceUninitialized;
    unsigned kept = 0;
    for (unsigned i = 0; i < depth; i++)
        if (stack[i] != context) stack[kept++] = stack[i];
    depth = kept;
    api_lock();
    struct context **place = &contexts;
    while (*place != context)
        place = &(*place)->next;
    *place = context->next;
    api_unlock();
    free(context);
    return cudaSuccess;
}

static cudaError_t push_valid(struct context *context)
{
    return is_context(context) ? push(context) : cudaErrorDeviceUninitialized;
}

static cudaError_t pop(struct context **out)
{
    if (!depth) return cudaErrorDeviceUninitialized;
    struct context *top = stack[--depth];
    if (out) *out = top;
    return cudaSuccess;
}

static cudaError_t set_current(struct context *context)
{
    if (context && !is_context(context)) return cudaErrorDeviceUninitialized;
    if (depth) depth--;
    return context ? push(context) : cudaSuccess;
}

static cudaError_t get_current(struct context **out)
{
    *out = current_context();
    return cudaSuccess;
}

static cudaError_t get_flags(unsigned *out)
{
    *out = current_context()->flags;
    return cudaSuccess;
}

static cudaError_t get_api_version(unsigned *out)
{
    *out = 3020; /* of the second kind of contexts, which all are since CUDA 3.2 */
    return cudaSuccess;
}

/* CUctxCreateParams: affinities of a multi-process server, and sharing with graphics. */
struct context_parameters {
    const void *affinities;
    int affinity_count;
    const void *graphics;
};

DRIVER_ANY(cuCtxCreate_v2, (struct context * *out, unsigned flags, int device),
           create(out, flags, device))
DRIVER_ANY(cuCtxCreate_v3,
           (struct context * *out, const void *affinity, int count, unsigned flags, int device),
           affinity &&count ? cudaErrorNotSupported : create(out, flags, device))
DRIVER_ANY(cuCtxCreate_v4,
           (struct context * *out, const struct context_parameters *given, unsigned flags,
            int device),
           given && (given->affinity_count || given->graphics) ? cudaErrorNotSupported
                                                               : create(out, flags, device))
DRIVER_ANY(cuCtxDestroy_v2, (struct context * context), destroy(context))
DRIVER_ANY(cuCtxPushCurrent_v2, (struct context * context), push_valid(context))
DRIVER_ANY(cuCtxPopCurrent_v2, (struct context * *out), pop(out))
DRIVER_ANY(cuCtxSetCurrent, (struct context * context), set_current(context))
DRIVER_ANY(cuCtxGetCurrent, (struct context * *out), get_current(out))
DRIVER(cuCtxGetDevice, (int *out), get_device(out, 0))
DRIVER(cuCtxGetFlags, (unsigned *out), get_flags(out))
DRIVER_ANY(cuCtxGetApiVersion, (const struct context *context, unsigned *out),
           ((void)context, get_api_version(out)))
/* Of a context, or of the current one (NULL). */
DRIVER_ANY(cuCtxGetDevice_v2, (int *out, const struct context *context),
           context && !is_context(context) ? cudaErrorDeviceUninitialized
           : context || current_context()  ? get_device(out, 0)
                                           : cudaErrorDeviceUninitialized)
DRIVER_ANY(cuCtxSynchronize_v2, (const struct context *context),
           context && !is_context(context) ? cudaErrorDeviceUninitialized
           : context || current_context()  ? cudaDeviceSynchronize()
                                           : cudaErrorDeviceUninitialized)
DRIVER(cuCtxSynchronize, (void), cudaDeviceSynchronize())
DRIVER(cuCtxGetLimit, (size_t * out, int limit), cudaDeviceGetLimit(out, limit))
DRIVER(cuCtxSetLimit, (int limit, size_t value), cudaDeviceSetLimit(limit, value))
DRIVER(cuCtxGetCacheConfig, (int *out), cudaDeviceGetCacheConfig(out))
DRIVER(cuCtxSetCacheConfig, (int configuration), cudaDeviceSetCacheConfig(configuration))
DRIVER(cuCtxGetSharedMemConfig, (int *out), cudaDeviceGetSharedMemConfig(out))
DRIVER(cuCtxSetSharedMemConfig, (int configuration), cudaDeviceSetSharedMemConfig(configuration))
DRIVER(cuCtxGetStreamPriorityRange, (int *least, int *greatest),
       cudaDeviceGetStreamPriorityRange(least, greatest))
DRIVER(cuCtxEnablePeerAccess, (const struct context *peer, unsigned flags),
       ((void)peer, flags ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported))
DRIVER(cuProfilerStart, (void), cudaProfilerStart())
DRIVER(cuProfilerStop, (void), cudaProfilerStop())

/* ---- the runtime's context ------------------------------------------------------------------- */

static cudaError_t retain_primary(struct context **out, int device)
{
    if (device) return cudaErrorInvalidDevice;
    primary_users++;
    *out = &primary;
    return cudaSuccess;
}

static cudaError_t release_primary(int device)
{
    if (device) return cudaErrorInvalidDevice;
    if (!primary_users) return cudaErrorDeviceUninitialized;
    primary_users--;
    return cudaSuccess;
}

static cudaError_t set_primary_flags(int device, unsigned flags)
{
    if (device) return cudaErrorInvalidDevice;
    primary.flags = flags;
    return cudaSuccess;
}

static cudaError_t tell_primary(int device, unsigned *out_flags, int *out_active)
{
    if (device) return cudaErrorInvalidDevice;
    *out_flags = primary.flags;
    *out_active = primary_users || runtime.used;
    return cudaSuccess;
}

DRIVER_ANY(cuDevicePrimaryCtxRetain, (struct context * *out, int device),
           retain_primary(out, device))
DRIVER_ANY(cuDevicePrimaryCtxRelease, (int device), release_primary(device))
DRIVER_ANY(cuDevicePrimaryCtxRelease_v2, (int device), release_primary(device))
DRIVER_ANY(cuDevicePrimaryCtxReset_v2, (int device),
           device ? cudaErrorInvalidDevice : cudaDeviceReset())
DRIVER_ANY(cuDevicePrimaryCtxSetFlags_v2, (int device, unsigned flags),
           set_primary_flags(device, flags))
DRIVER_ANY(cuDevicePrimaryCtxGetState, (int device, unsigned *out_flags, int *out_active),
           tell_primary(device, out_flags, out_active))
