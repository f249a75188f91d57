// SPDX-License-Identifier: Apache-2.0
/* The one device: what it is, limits, flags, versions. */
#include <stdlib.h>
#include <string.h>

#include "host_check.h"

/* Figures of the machine file under the names that CUDA has for them. */
struct facts {
    uint64_t memory, shared_default, shared_optin, shared_per_sm, shared_reserved;
    uint64_t registers_per_block, registers_per_sm, threads_per_block, threads_per_sm;
    uint64_t block_max[3], grid_max[3], clock_khz, memory_khz, bus_bits, l2_bytes;
    uint64_t multiprocessors, blocks_per_sm, major, minor, double_ratio;
};

static uint64_t fact(const char *key, double scale)
{
    double value;
    return ws_machine_get(runtime.machine, key, &value) == WS_OK && value > 0
               ? (uint64_t)(value * scale + 0.5)
               : 0;
}

/* The first figure that is known; no GPU of today has less than `least`. */
static uint64_t fact_or(const char *key, uint64_t least)
{
    uint64_t value = fact(key, 1);
    return value ? value : least;
}

static void find_facts(struct facts *f)
{
    static const char *const blocks[] = {"block.max_x", "block.max_y", "block.max_z"};
    static const char *const grids[] = {"grid.max_x", "grid.max_y", "grid.max_z"};
    unsigned target = ws_machine_target(runtime.machine);
    uint64_t fp64 = fact("throughput.fp64.fma", 1), fp32 = fact("throughput.fp32.fma", 1);
    *f = (struct facts){
        .memory = runtime.memory_bytes,
        .shared_optin = fact("shared.per_block", 1),
        .shared_per_sm = fact("shared.per_sm", 1),
        .shared_reserved = fact("shared.reserved", 1),
        .registers_per_sm = fact("sm.registers", 1),
        .registers_per_block = fact("sm.max_registers_per_block", 1),
        .threads_per_block = fact_or("block.max_threads", 512),
        .threads_per_sm = fact("sm.max_threads", 1),
        .clock_khz = fact("clock.core", 1e-3),
        .memory_khz = fact("dram.clock", 1e-3),
        .bus_bits = fact("dram.bus_width", 1),
        .l2_bytes = fact("l2.size", 1),
        .multiprocessors = fact_or("sm.count", 1),
        .blocks_per_sm = fact("sm.max_blocks", 1),
        .major = target / 10,
        .minor = target % 10,
        .double_ratio = fp64 ? fp32 / fp64 : 0,
    };
    /* Without opting in a block gets 48 KB at most (CUDA programming guide). */
    f->shared_default = f->shared_optin < 49152 && f->shared_optin ? f->shared_optin : 49152;
    if (!f->shared_optin) f->shared_optin = f->shared_default;
    if (!f->registers_per_block) f->registers_per_block = f->registers_per_sm;
    for (unsigned k = 0; k < 3; k++) {
        f->block_max[k] = fact_or(blocks[k], k == 2 ? 64 : 512);
        f->grid_max[k] = fact_or(grids[k], 65535);
    }
}

/* ---- attributes ------------------------------------------------------------------------------ */

enum { ATTRIBUTE_MOST = 147 }; /* of CUDA 13.0 */

#define SINCE_6(now, before) (f->major >= 6 ? now : before)

static int attribute_of(const struct facts *f, int number)
{
    switch (number) {
#define ATTRIBUTE(row, value)                                                                      \
    case row:                                                                                      \
        return (int)(value);
#include "device_attributes.def"
#undef ATTRIBUTE
    default:
        return 0;
    }
}

/* ---- properties ------------------------------------------------------------------------------ */

#define MEMBER(type, name, count) type name[count];

/* Members are arrays, also those of one element: the layout is the same. */
struct properties_classic {
#define IN_CLASSIC_BOTH(x) x
#define IN_CLASSIC_CLASSIC(x) x
#define IN_CLASSIC_NEW(x)
#define PROPERTY(type, name, count, versions, value)                                               \
    IN_CLASSIC_##versions(MEMBER(type, name, count))
#include "device_properties.def"
#undef PROPERTY
};
struct properties_new {
#define IN_NEW_BOTH(x) x
#define IN_NEW_CLASSIC(x)
#define IN_NEW_NEW(x) x
#define PROPERTY(type, name, count, versions, value) IN_NEW_##versions(MEMBER(type, name, count))
#include "device_properties.def"
#undef PROPERTY
};
_Static_assert(sizeof(struct properties_classic) == 1032, "cudaDeviceProp of CUDA 12");
_Static_assert(sizeof(struct properties_new) == 1008, "cudaDeviceProp of CUDA 13");
/* CUDA 11 ends before hostRegisterSupported. */
enum { PROPERTIES_11_BYTES = offsetof(struct properties_classic, hostRegisterSupported) };

/* Several elements: attributes of consecutive numbers. */
#define SET_SHAPE(member, number)                                                                  \
    for (int k = 0; k < (int)(sizeof p->member / sizeof *p->member); k++)                          \
        p->member[k] = attribute_of(f, number + k);
#define SET_SHAPES                                                                                 \
    strncpy(p->name, ws_machine_name(runtime.machine), sizeof p->name - 1);                        \
    SET_SHAPE(maxThreadsDim, 2)                                                                    \
    SET_SHAPE(maxGridSize, 5)                                                                      \
    SET_SHAPE(maxTexture2D, 22)                                                                    \
    SET_SHAPE(maxTexture2DMipmap, 73)                                                              \
    SET_SHAPE(maxTexture2DLinear, 70)                                                              \
    SET_SHAPE(maxTexture2DGather, 45)                                                              \
    SET_SHAPE(maxTexture3D, 24)                                                                    \
    SET_SHAPE(maxTexture3DAlt, 47)                                                                 \
    SET_SHAPE(maxTexture1DLayered, 42)                                                             \
    SET_SHAPE(maxTexture2DLayered, 27)                                                             \
    SET_SHAPE(maxTextureCubemapLayered, 53)                                                        \
    SET_SHAPE(maxSurface2D, 56)                                                                    \
    SET_SHAPE(maxSurface3D, 58)                                                                    \
    SET_SHAPE(maxSurface1DLayered, 61)                                                             \
    SET_SHAPE(maxSurface2DLayered, 63)                                                             \
    SET_SHAPE(maxSurfaceCubemapLayered, 67)

static void fill_classic(struct properties_classic *p, const struct facts *f)
{
    memset(p, 0, sizeof *p);
#define PROPERTY(type, name, count, versions, value)                                               \
    IN_CLASSIC_##versions(if (count == 1) p->name[0] = (type)(value);)
#include "device_properties.def"
#undef PROPERTY
    SET_SHAPES
}

static void fill_new(struct properties_new *p, const struct facts *f)
{
    memset(p, 0, sizeof *p);
#define PROPERTY(type, name, count, versions, value)                                               \
    IN_NEW_##versions(if (count == 1) p->name[0] = (type)(value);)
#include "device_properties.def"
#undef PROPERTY
    SET_SHAPES
}

CUDART cudaError_t cudaGetDeviceProperties(void *out, int device);
CUDART cudaError_t cudaGetDeviceProperties_v2(void *out, int device);
CUDART cudaError_t cudaDeviceGetAttribute(int *out, int attribute, int device);

static cudaError_t give_properties(void *out, int device, unsigned version)
{
    struct facts f;
    struct properties_classic classic;
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    if (device != 0) return api_end(cudaErrorInvalidDevice);
    find_facts(&f);
    if (version >= 13) {
        fill_new(out, &f);
        return api_end(cudaSuccess);
    }
    fill_classic(&classic, &f);
    memcpy(out, &classic, version == 12 ? sizeof classic : PROPERTIES_11_BYTES);
    return api_end(cudaSuccess);
}

/* CUDA 12 gave the larger structure another name, CUDA 13 a third layout the first name. */
cudaError_t cudaGetDeviceProperties(void *out, int device)
{
    API_CALL;
    return give_properties(out, device, runtime_version() >= 13 ? 13 : 11);
}

cudaError_t cudaGetDeviceProperties_v2(void *out, int device)
{
    API_CALL;
    return give_properties(out, device, 12);
}

cudaError_t device_attribute(int attribute, int device, int *out)
{
    struct facts facts, *f = &facts;
    if (device != 0) return cudaErrorInvalidDevice;
    if (attribute < 1 || attribute > ATTRIBUTE_MOST) return cudaErrorInvalidValue;
    find_facts(f);
    *out = attribute_of(f, attribute);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *out, int attribute, int device)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : device_attribute(attribute, device, out));
}

/* ---- which device ---------------------------------------------------------------------------- */

CUDART cudaError_t cudaGetDeviceCount(int *out);
CUDART cudaError_t cudaGetDevice(int *out);
CUDART cudaError_t cudaSetDevice(int device);
CUDART cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
CUDART cudaError_t cudaSetValidDevices(int *devices, int count);
CUDART cudaError_t cudaChooseDevice(int *out, const void *properties);
CUDART cudaError_t cudaDeviceReset(void);
CUDART cudaError_t cudaThreadExit(void);
CUDART cudaError_t cudaSetDeviceFlags(unsigned flags);
CUDART cudaError_t cudaGetDeviceFlags(unsigned *out);
CUDART cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer);
CUDART cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
CUDART cudaError_t cudaDeviceDisablePeerAccess(int peer);
CUDART cudaError_t cudaDeviceGetP2PAttribute(int *out, int attribute, int from, int to);
CUDART cudaError_t cudaDeviceGetPCIBusId(char *out, int length, int device);
CUDART cudaError_t cudaDeviceGetByPCIBusId(int *out, const char *id);
CUDART cudaError_t cudaDriverGetVersion(int *out);
CUDART cudaError_t cudaRuntimeGetVersion(int *out);

cudaError_t cudaGetDeviceCount(int *out)
{
    cudaError_t error = api_begin();
    *out = error == cudaErrorNoDevice ? 0 : 1;
    return api_end(error);
}

cudaError_t cudaGetDevice(int *out)
{
    *out = 0;
    return api_end(api_begin());
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    API_CALL;
    (void)device_flags, (void)flags;
    return cudaSetDevice(device);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    API_CALL;
    for (int i = 0; i < count; i++)
        if (devices[i]) return cudaSetDevice(devices[i]);
    return cudaSetDevice(0);
}

cudaError_t cudaChooseDevice(int *out, const void *properties)
{
    API_CALL;
    (void)properties;
    return cudaGetDevice(out);
}

/* Memory stays: programs reset at their end, and some go on with what they had. */
cudaError_t cudaDeviceReset(void)
{
    api_begin();
    if (!runtime.sticky) check_context_end();
    runtime.sticky = cudaSuccess;
    *api_last() = cudaSuccess;
    return api_end(runtime.start_failure);
}

cudaError_t cudaThreadExit(void)
{
    API_CALL;
    return cudaDeviceReset();
}

static unsigned device_flags;

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    cudaError_t error = api_begin();
    device_flags = flags;
    return api_end(error);
}

cudaError_t cudaGetDeviceFlags(unsigned *out)
{
    enum { MAP_HOST = 8 };
    cudaError_t error = api_begin();
    *out = device_flags | MAP_HOST;
    return api_end(error);
}

cudaError_t cudaDeviceCanAccessPeer(int *out, int device, int peer)
{
    cudaError_t error = api_begin();
    *out = 0;
    if (!error && (device || peer)) error = cudaErrorInvalidDevice;
    return api_end(error);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer, (void)flags;
    cudaError_t error = api_begin();
    return api_end(error ? error : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    cudaError_t error = api_begin();
    return api_end(error ? error : cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int *out, int attribute, int from, int to)
{
    (void)attribute, (void)from, (void)to;
    *out = 0;
    cudaError_t error = api_begin();
    return api_end(error ? error : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetPCIBusId(char *out, int length, int device)
{
    static const char id[] = "0000:00:00.0";
    cudaError_t error = api_begin();
    if (!error && device) error = cudaErrorInvalidDevice;
    if (!error && length < (int)sizeof id) error = cudaErrorInvalidValue;
    if (!error) memcpy(out, id, sizeof id);
    return api_end(error);
}

cudaError_t cudaDeviceGetByPCIBusId(int *out, const char *id)
{
    API_CALL;
    (void)id;
    return cudaGetDevice(out);
}

cudaError_t cudaRuntimeGetVersion(int *out)
{
    *out = (int)runtime_version() * 1000;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *out)
{
    return cudaRuntimeGetVersion(out);
}

/* ---- limits and preferences -------------------------------------------------------------------- */

CUDART cudaError_t cudaDeviceSetLimit(int limit, size_t value);
CUDART cudaError_t cudaDeviceGetLimit(size_t *out, int limit);
CUDART cudaError_t cudaDeviceSetCacheConfig(int configuration);
CUDART cudaError_t cudaDeviceGetCacheConfig(int *out);
CUDART cudaError_t cudaDeviceSetSharedMemConfig(int configuration);
CUDART cudaError_t cudaDeviceGetSharedMemConfig(int *out);
CUDART cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
CUDART cudaError_t cudaProfilerStart(void);
CUDART cudaError_t cudaProfilerStop(void);
CUDART cudaError_t cudaCtxResetPersistingL2Cache(void);

/* cudaLimit: stack, printf, malloc heap, synchronisation depth, pending launches, L2 fetch, L2
 * persistence. What is set is told, and changes nothing but the heap: printf and the stack have room of their
 * own (QUIRKS.md). The defaults are those of a CUDA 12 driver. */
enum { LIMITS = 7 };
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
    enum { MALLOC_HEAP = 2 };
    cudaError_t error = api_begin();
    if (!error && (limit < 0 || limit >= LIMITS)) error = cudaErrorUnsupportedLimit;
    if (!error && limit == MALLOC_HEAP && ws_device_set_heap(runtime.device, value) != WS_OK)
        error = cudaErrorInvalidValue;
    if (!error) limits[limit] = value;
    return api_end(error);
}

cudaError_t device_limit(int limit, size_t *out)
{
    if (limit < 0 || limit >= LIMITS) return cudaErrorUnsupportedLimit;
    *out = limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *out, int limit)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : device_limit(limit, out));
}

static cudaError_t accept(void)
{
    return api_end(api_begin());
}

cudaError_t cudaDeviceSetCacheConfig(int configuration)
{
    API_CALL;
    (void)configuration;
    return accept();
}
cudaError_t cudaDeviceGetCacheConfig(int *out)
{
    API_CALL;
    *out = 0;
    return accept();
}
cudaError_t cudaDeviceSetSharedMemConfig(int configuration)
{
    API_CALL;
    (void)configuration;
    return accept();
}
cudaError_t cudaDeviceGetSharedMemConfig(int *out)
{
    API_CALL;
    *out = 1; /* banks of four bytes */
    return accept();
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    API_CALL;
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return accept();
}
cudaError_t cudaProfilerStart(void)
{
    API_CALL;
    return accept();
}
cudaError_t cudaProfilerStop(void)
{
    API_CALL;
    return accept();
}
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    API_CALL;
    return accept();
}
