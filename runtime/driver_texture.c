// SPDX-License-Identifier: Apache-2.0
/* Arrays and texture objects of the driver API, as the runtime's. */
#include <string.h>

#include "cudart_array.h"
#include "driver.h"
#include "texture_reference.h"

CUDART cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                                     struct cudaExtent extent, unsigned flags);
CUDART cudaError_t cudaFreeArray(cudaArray_t array);
CUDART cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                                   cudaStream_t stream);
CUDART cudaError_t cudaCreateTextureObject_v2(uint64_t *out,
                                              const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *texture,
                                              const void *resource_view);
CUDART cudaError_t cudaDestroyTextureObject(uint64_t handle);
CUDART cudaError_t cudaCreateSurfaceObject(uint64_t *out, const struct cudaResourceDesc *resource);
CUDART cudaError_t cudaDestroySurfaceObject(uint64_t handle);

/* ---- arrays ---------------------------------------------------------------------------------- */

/* CUarray_format: bits of a channel, and its kind as in cudaChannelFormatDesc. */
static const struct format {
    unsigned number;
    int bits, kind;
} formats[] = {
    {0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, {0x08, 8, 0},
    {0x09, 16, 0}, {0x0a, 32, 0}, {0x10, 16, 2}, {0x20, 32, 2},
};

static cudaError_t find_format(unsigned number, unsigned channels,
                               struct cudaChannelFormatDesc *out)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct format *f = &formats[i];
        if (f->number != number) continue;
        if (channels != 1 && channels != 2 && channels != 4) return cudaErrorInvalidValue;
        *out = (struct cudaChannelFormatDesc){f->bits, channels > 1 ? f->bits : 0,
                                              channels > 2 ? f->bits : 0,
                                              channels > 3 ? f->bits : 0, f->kind};
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

/* CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR */
struct array_2d {
    size_t width, height;
    unsigned format, channels;
};
struct array_3d {
    size_t width, height, depth;
    unsigned format, channels, flags;
};

static cudaError_t create(cudaArray_t *out, const struct array_3d *given)
{
    struct cudaChannelFormatDesc format;
    if (!out || !given) return cudaErrorInvalidValue;
    struct cudaExtent extent = {given->width, given->height, given->depth};
    cudaError_t error = find_format(given->format, given->channels, &format);
    return error ? error : cudaMalloc3DArray(out, &format, extent, given->flags);
}

static cudaError_t create_2d(cudaArray_t *out, const struct array_2d *given)
{
    if (!given) return cudaErrorInvalidValue;
    struct array_3d all = {given->width, given->height, 0, given->format, given->channels, 0};
    return create(out, &all);
}

static cudaError_t describe(struct array_3d *out, const struct array *array)
{
    if (!is_array(array)) return cudaErrorInvalidResourceHandle;
    const struct cudaChannelFormatDesc *f = &array->format;
    unsigned channels = f->w ? 4 : f->y ? 2 : 1;
    *out = (struct array_3d){
        array->extent.width, array->extent.height, array->extent.depth, 0, channels, array->flags};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].bits == f->x && formats[i].kind == f->f) out->format = formats[i].number;
    return cudaSuccess;
}

static cudaError_t describe_2d(struct array_2d *out, const struct array *array)
{
    struct array_3d all;
    cudaError_t error = describe(&all, array);
    if (!error) *out = (struct array_2d){all.width, all.height, all.format, all.channels};
    return error;
}

/* Bytes of an array of one dimension. */
static cudaError_t check_bytes(const struct array *array, size_t offset, size_t bytes)
{
    api_lock();
    cudaError_t error = array_check(array, offset, 0, bytes, 1);
    api_unlock();
    return error;
}

static cudaError_t copy_in(const struct array *to, size_t offset, const void *from, size_t bytes,
                           cudaStream_t stream)
{
    cudaError_t error = check_bytes(to, offset, bytes);
    return error ? error
                 : cudaMemcpyAsync(to->bytes + offset, from, bytes, cudaMemcpyDefault, stream);
}

static cudaError_t copy_out(void *to, const struct array *from, size_t offset, size_t bytes,
                            cudaStream_t stream)
{
    cudaError_t error = check_bytes(from, offset, bytes);
    return error ? error
                 : cudaMemcpyAsync(to, from->bytes + offset, bytes, cudaMemcpyDefault, stream);
}

static cudaError_t copy_between(const struct array *to, size_t to_offset, const struct array *from,
                                size_t from_offset, size_t bytes)
{
    cudaError_t error = check_bytes(from, from_offset, bytes);
    return error ? error : copy_in(to, to_offset, from->bytes + from_offset, bytes, NULL);
}

DRIVER(cuArrayCreate_v2, (cudaArray_t * out, const struct array_2d *given), create_2d(out, given))
DRIVER(cuArray3DCreate_v2, (cudaArray_t * out, const struct array_3d *given), create(out, given))
DRIVER(cuArrayGetDescriptor_v2, (struct array_2d * out, const struct array *array),
       describe_2d(out, array))
DRIVER(cuArray3DGetDescriptor_v2, (struct array_3d * out, const struct array *array),
       describe(out, array))
DRIVER(cuArrayDestroy, (cudaArray_t array), cudaFreeArray(array))
DRIVER(cuMemcpyHtoA_v2, (const struct array *to, size_t offset, const void *from, size_t bytes),
       copy_in(to, offset, from, bytes, NULL))
DRIVER(cuMemcpyDtoA_v2, (const struct array *to, size_t offset, uint64_t from, size_t bytes),
       copy_in(to, offset, pointer_of(from), bytes, NULL))
DRIVER(cuMemcpyAtoH_v2, (void *to, const struct array *from, size_t offset, size_t bytes),
       copy_out(to, from, offset, bytes, NULL))
DRIVER(cuMemcpyAtoD_v2, (uint64_t to, const struct array *from, size_t offset, size_t bytes),
       copy_out(pointer_of(to), from, offset, bytes, NULL))

DRIVER(cuMemcpyHtoAAsync_v2,
       (const struct array *to, size_t offset, const void *from, size_t bytes, cudaStream_t stream),
       copy_in(to, offset, from, bytes, stream))
DRIVER(cuMemcpyAtoHAsync_v2,
       (void *to, const struct array *from, size_t offset, size_t bytes, cudaStream_t stream),
       copy_out(to, from, offset, bytes, stream))
DRIVER(cuMemcpyAtoA_v2,
       (const struct array *to, size_t to_offset, const struct array *from, size_t from_offset,
        size_t bytes),
       copy_between(to, to_offset, from, from_offset, bytes))

/* ---- textures -------------------------------------------------------------------------------- */

/* CUDA_RESOURCE_DESC */
struct resource {
    int type; /* as cudaResourceType */
    union {
        cudaArray_t array;
        struct {
            void *address;
            unsigned format, channels;
            size_t bytes;
        } linear;
        struct {
            void *address;
            unsigned format, channels;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    };
    unsigned flags;
};
/* CUDA_TEXTURE_DESC */
struct sampling {
    int address_modes[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float bias, least_level, most_level, border[4];
    int reserved[12];
};

static cudaError_t convert_resource(const struct resource *given, struct cudaResourceDesc *out)
{
    *out = (struct cudaResourceDesc){.resType = (enum cudaResourceType)given->type};
    switch (out->resType) {
    case cudaResourceTypeArray:
        out->res.array.array = given->array;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        out->res.linear.devPtr = given->linear.address;
        out->res.linear.sizeInBytes = given->linear.bytes;
        return find_format(given->linear.format, given->linear.channels, &out->res.linear.desc);
    case cudaResourceTypePitch2D:
        out->res.pitch2D.devPtr = given->pitched.address;
        out->res.pitch2D.width = given->pitched.width;
        out->res.pitch2D.height = given->pitched.height;
        out->res.pitch2D.pitchInBytes = given->pitched.pitch;
        return find_format(given->pitched.format, given->pitched.channels, &out->res.pitch2D.desc);
    default:
        return cudaErrorNotSupported;
    }
}

/* Integers are read as fractions of their range unless a flag says otherwise. */
static struct cudaTextureDesc convert_sampling(const struct sampling *given)
{
    enum { AS_INTEGER = 1, NORMALIZED = 2, SRGB = 0x10, SEAMLESS = 0x40 };
    struct cudaTextureDesc out = {
        .filterMode = given->filter,
        .readMode = !(given->flags & AS_INTEGER),
        .sRGB = (given->flags & SRGB) != 0,
        .normalizedCoords = (given->flags & NORMALIZED) != 0,
        .maxAnisotropy = given->anisotropy,
        .seamlessCubemap = (given->flags & SEAMLESS) != 0,
    };
    memcpy(out.addressMode, given->address_modes, sizeof out.addressMode);
    memcpy(out.borderColor, given->border, sizeof out.borderColor);
    return out;
}

static cudaError_t create_texture(uint64_t *out, const struct resource *resource,
                                  const struct sampling *sampling, const void *view)
{
    struct cudaResourceDesc converted;
    if (!out || !resource || !sampling) return cudaErrorInvalidValue;
    cudaError_t error = convert_resource(resource, &converted);
    struct cudaTextureDesc texture = convert_sampling(sampling);
    return error ? error : cudaCreateTextureObject_v2(out, &converted, &texture, view);
}

DRIVER(cuTexObjectCreate,
       (uint64_t * out, const struct resource *resource, const struct sampling *sampling,
        const void *view),
       create_texture(out, resource, sampling, view))
DRIVER(cuTexObjectDestroy, (uint64_t handle), cudaDestroyTextureObject(handle))

/* ---- surfaces -------------------------------------------------------------------------------- */

static cudaError_t create_surface(uint64_t *out, const struct resource *resource)
{
    struct cudaResourceDesc converted;
    if (!out || !resource) return cudaErrorInvalidValue;
    cudaError_t error = convert_resource(resource, &converted);
    return error ? error : cudaCreateSurfaceObject(out, &converted);
}

DRIVER(cuSurfObjectCreate, (uint64_t * out, const struct resource *resource),
       create_surface(out, resource))
DRIVER(cuSurfObjectDestroy, (uint64_t handle), cudaDestroySurfaceObject(handle))

/* ---- references of modules ------------------------------------------------------------------- */

static cudaError_t find_reference(struct texture_reference **out, struct binary *binary,
                                  const char *name, bool is_surface)
{
    uint64_t address;
    size_t bytes;
    if (!out || !name || !handle_is(HANDLE_MODULE, binary)) return cudaErrorInvalidValue;
    api_lock();
    ws_status status = ws_device_symbol(runtime.device, binary->module, name, &address, &bytes);
    *out = status == WS_OK ? texture_reference_of(binary, name, is_surface) : NULL;
    api_unlock();
    return *out ? cudaSuccess : cudaErrorSymbolNotFound;
}

static cudaError_t bind_array(struct texture_reference *reference, cudaArray_t array)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    resource.res.array.array = array;
    if (!texture_reference_is(reference) || !is_array(array)) return cudaErrorInvalidValue;
    texture_reference_bind(reference, 0, &resource, NULL);
    return cudaSuccess;
}

static cudaError_t bind_bytes(size_t *offset, struct texture_reference *reference, uint64_t address,
                              size_t bytes)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    size_t before = address % 512; /* textureAlignment */
    if (!texture_reference_is(reference) || !address) return cudaErrorInvalidValue;
    resource.res.linear.devPtr = pointer_of(address - before);
    resource.res.linear.desc = reference->resource.res.linear.desc;
    resource.res.linear.sizeInBytes = bytes + before;
    return texture_reference_bind(reference, address, &resource, offset) ? cudaSuccess
                                                                         : cudaErrorInvalidValue;
}

static cudaError_t bind_rows(struct texture_reference *reference, const struct array_2d *shape,
                             uint64_t address, size_t pitch)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
    if (!texture_reference_is(reference) || !shape) return cudaErrorInvalidValue;
    cudaError_t error = find_format(shape->format, shape->channels, &resource.res.pitch2D.desc);
    resource.res.pitch2D.devPtr = pointer_of(address);
    resource.res.pitch2D.width = shape->width;
    resource.res.pitch2D.height = shape->height;
    resource.res.pitch2D.pitchInBytes = pitch;
    if (!error && !texture_reference_bind(reference, address, &resource, NULL))
        error = cudaErrorInvalidValue;
    return error;
}

/* Of memory; an array has its own. */
static cudaError_t set_format_of(struct texture_reference *reference, unsigned format,
                                 unsigned channels)
{
    if (!texture_reference_is(reference)) return cudaErrorInvalidValue;
    bool is_array = reference->is_bound && reference->resource.resType == cudaResourceTypeArray;
    reference->is_changed = reference->is_bound;
    return is_array ? cudaSuccess
                    : find_format(format, channels, &reference->resource.res.linear.desc);
}

static cudaError_t set_filter(struct texture_reference *reference, int mode)
{
    if (!texture_reference_is(reference)) return cudaErrorInvalidValue;
    reference->sampling.filterMode = mode;
    reference->is_changed = reference->is_bound;
    return cudaSuccess;
}

static cudaError_t set_mode(struct texture_reference *reference, int dimension, int mode)
{
    if (dimension < 0 || dimension > 2 || !texture_reference_is(reference))
        return cudaErrorInvalidValue;
    reference->sampling.addressMode[dimension] = mode;
    reference->is_changed = reference->is_bound;
    return cudaSuccess;
}

enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };

static cudaError_t set_flags(struct texture_reference *reference, unsigned flags)
{
    if (!texture_reference_is(reference)) return cudaErrorInvalidValue;
    reference->sampling.readMode = !(flags & READ_AS_INTEGER);
    reference->sampling.sRGB = (flags & SRGB) != 0;
    reference->sampling.normalizedCoords = (flags & NORMALIZED_COORDINATES) != 0;
    reference->is_changed = reference->is_bound;
    return cudaSuccess;
}

/* ---- what a reference has ----------------------------------------------------------------------- */

static bool has(const struct texture_reference *reference, enum cudaResourceType type)
{
    return texture_reference_is(reference) && reference->is_bound &&
           reference->resource.resType == type;
}

/* Linear memory and rows with a pitch begin in the same place. */
static cudaError_t get_address(uint64_t *out, const struct texture_reference *reference)
{
    bool is_memory =
        has(reference, cudaResourceTypeLinear) || has(reference, cudaResourceTypePitch2D);
    if (!is_memory || !out) return cudaErrorInvalidValue;
    *out = (uint64_t)(uintptr_t)reference->resource.res.linear.devPtr + reference->offset;
    return cudaSuccess;
}

static cudaError_t get_array(cudaArray_t *out, const struct texture_reference *reference)
{
    if (!has(reference, cudaResourceTypeArray) || !out) return cudaErrorInvalidValue;
    *out = reference->resource.res.array.array;
    return cudaSuccess;
}

static cudaError_t get_mode(int *out, const struct texture_reference *reference, int dimension)
{
    if (!out || dimension < 0 || dimension > 2 || !texture_reference_is(reference))
        return cudaErrorInvalidValue;
    *out = (int)reference->sampling.addressMode[dimension];
    return cudaSuccess;
}

static cudaError_t get_filter(int *out, const struct texture_reference *reference)
{
    if (!out || !texture_reference_is(reference)) return cudaErrorInvalidValue;
    *out = (int)reference->sampling.filterMode;
    return cudaSuccess;
}

static cudaError_t get_flags(unsigned *out, const struct texture_reference *reference)
{
    if (!out || !texture_reference_is(reference)) return cudaErrorInvalidValue;
    const struct cudaTextureDesc *sampling = &reference->sampling;
    *out = (sampling->readMode ? 0 : READ_AS_INTEGER) |
           (sampling->normalizedCoords ? NORMALIZED_COORDINATES : 0) | (sampling->sRGB ? SRGB : 0);
    return cudaSuccess;
}

static cudaError_t get_format(unsigned *out, int *out_channels,
                              const struct texture_reference *reference)
{
    if (!texture_reference_is(reference)) return cudaErrorInvalidValue;
    const struct cudaChannelFormatDesc *f = has(reference, cudaResourceTypeArray)
                                                ? &reference->resource.res.array.array->format
                                                : &reference->resource.res.linear.desc;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].bits != f->x || formats[i].kind != f->f) continue;
        if (out) *out = formats[i].number;
        if (out_channels) *out_channels = f->w ? 4 : f->y ? 2 : 1;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

static cudaError_t create_reference(struct texture_reference **out)
{
    if (!out) return cudaErrorInvalidValue;
    *out = texture_reference_create();
    return cudaSuccess;
}

static cudaError_t destroy_reference(struct texture_reference *reference)
{
    return texture_reference_destroy(reference) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER(cuTexRefCreate, (struct texture_reference * *out), create_reference(out))
DRIVER(cuTexRefDestroy, (struct texture_reference * reference), destroy_reference(reference))
DRIVER(cuTexRefGetAddress_v2, (uint64_t * out, const struct texture_reference *reference),
       get_address(out, reference))
DRIVER(cuTexRefGetArray, (cudaArray_t * out, const struct texture_reference *reference),
       get_array(out, reference))
DRIVER(cuTexRefGetAddressMode, (int *out, const struct texture_reference *reference, int dimension),
       get_mode(out, reference, dimension))
DRIVER(cuTexRefGetFilterMode, (int *out, const struct texture_reference *reference),
       get_filter(out, reference))
DRIVER(cuTexRefGetFlags, (unsigned *out, const struct texture_reference *reference),
       get_flags(out, reference))
DRIVER(cuTexRefGetFormat,
       (unsigned *out, int *out_channels, const struct texture_reference *reference),
       get_format(out, out_channels, reference))
DRIVER(cuModuleGetTexRef,
       (struct texture_reference * *out, struct binary *binary, const char *name),
       find_reference(out, binary, name, false))
DRIVER(cuModuleGetSurfRef,
       (struct texture_reference * *out, struct binary *binary, const char *name),
       find_reference(out, binary, name, true))
DRIVER(cuTexRefSetArray, (struct texture_reference * reference, cudaArray_t array, unsigned flags),
       ((void)flags, bind_array(reference, array)))
DRIVER(cuSurfRefSetArray, (struct texture_reference * reference, cudaArray_t array, unsigned flags),
       ((void)flags, bind_array(reference, array)))
DRIVER(cuTexRefSetAddress_v2,
       (size_t * offset, struct texture_reference *reference, uint64_t address, size_t bytes),
       bind_bytes(offset, reference, address, bytes))
DRIVER(cuTexRefSetAddress2D_v3,
       (struct texture_reference * reference, const struct array_2d *shape, uint64_t address,
        size_t pitch),
       bind_rows(reference, shape, address, pitch))
DRIVER(cuTexRefSetFormat, (struct texture_reference * reference, unsigned format, int channels),
       set_format_of(reference, format, (unsigned)channels))
DRIVER(cuTexRefSetAddressMode, (struct texture_reference * reference, int dimension, int mode),
       set_mode(reference, dimension, mode))
DRIVER(cuTexRefSetFilterMode, (struct texture_reference * reference, int mode),
       set_filter(reference, mode))
DRIVER(cuTexRefSetFlags, (struct texture_reference * reference, unsigned flags),
       set_flags(reference, flags))
/* Launches take the references of their module as they are. */
DRIVER(cuParamSetTexRef, (struct kernel * kernel, int unit, struct texture_reference *reference),
       ((void)kernel, (void)unit,
        texture_reference_is(reference) ? cudaSuccess : cudaErrorInvalidValue))
