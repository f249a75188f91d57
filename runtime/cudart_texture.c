// SPDX-License-Identifier: Apache-2.0
/* Texture objects of linear memory, of rows with a pitch, and of CUDA arrays; surface objects of CUDA arrays. */
#include <stdlib.h>
#include <string.h>

#include "cudart_array.h"
#include "cudart_texture.h"
#include "host_check.h"
#include "host_stack.h"

CUDART cudaError_t cudaCreateTextureObject(uint64_t *out, const struct cudaResourceDesc *resource,
                                           const struct cudaTextureDesc *texture,
                                           const void *resource_view);
CUDART cudaError_t cudaCreateTextureObject_v2(uint64_t *out,
                                              const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *texture,
                                              const void *resource_view);
CUDART cudaError_t cudaDestroyTextureObject(uint64_t handle);
CUDART cudaError_t cudaCreateSurfaceObject(uint64_t *out, const struct cudaResourceDesc *resource);
CUDART cudaError_t cudaDestroySurfaceObject(uint64_t handle);
CUDART cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, uint64_t handle);
CUDART cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, uint64_t handle);
CUDART cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, uint64_t handle);
CUDART cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *out, uint64_t handle);

/* What the program gave, for those that ask for it again. */
struct texture_object {
    uint64_t handle;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    uint32_t made; /* host_stack.h; 0: no checks */
    bool is_kept;  /* by the runtime: no leak */
    bool is_surface;
    struct texture_object *next;
};
static struct texture_object *objects;

static struct texture_object **find_object(uint64_t handle, bool is_surface)
{
    struct texture_object **place = &objects;
    while (*place && ((*place)->handle != handle || (*place)->is_surface != is_surface))
        place = &(*place)->next;
    return place;
}

void texture_each(texture_fn *visit, void *user)
{
    for (const struct texture_object *one = objects; one; one = one->next)
        if (!one->is_kept) visit(user, one->handle, one->made);
}

void texture_keep_all(void)
{
    for (struct texture_object *one = objects; one; one = one->next)
        one->is_kept = true;
}

/* Channels come one after the other and are equally wide. */
static cudaError_t set_format(ws_texture *out, const struct cudaChannelFormatDesc *format)
{
    const int bits[4] = {format->x, format->y, format->z, format->w};
    unsigned count = 0;
    while (count < 4 && bits[count])
        count++;
    for (unsigned k = 0; k < 4; k++)
        if (bits[k] != (k < count ? bits[0] : 0)) return cudaErrorInvalidChannelDescriptor;
    bool known = count != 3 && (bits[0] == 8 || bits[0] == 16 || bits[0] == 32);
    if (!count || !known || format->f < WS_CHANNEL_SIGNED || format->f > WS_CHANNEL_FLOAT ||
        (format->f == WS_CHANNEL_FLOAT && bits[0] == 8))
        return cudaErrorInvalidChannelDescriptor;
    out->channels = count;
    out->channel_bits = (unsigned)bits[0];
    out->channel_kind = (ws_channel_kind)format->f;
    return cudaSuccess;
}

static cudaError_t set_array(ws_texture *out, const struct array *array)
{
    enum { LAYERED = 1, CUBEMAP = 4 };
    if (!is_array(array)) return cudaErrorInvalidResourceHandle;
    bool layered = array->flags & LAYERED, rows = array->extent.height;
    out->kind = array->flags & CUBEMAP ? layered ? WS_TEXTURE_CUBE_LAYERED : WS_TEXTURE_CUBE
                : layered              ? rows ? WS_TEXTURE_2D_LAYERED : WS_TEXTURE_1D_LAYERED
                : array->extent.depth  ? WS_TEXTURE_3D
                : rows                 ? WS_TEXTURE_2D
                                       : WS_TEXTURE_1D;
    out->address = (uint64_t)(uintptr_t)array->bytes;
    out->width = array->extent.width;
    out->height = array->extent.height;
    out->depth = array->extent.depth;
    out->pitch_bytes = array->pitch;
    out->slice_bytes = array->slice;
    return set_format(out, &array->format);
}

static cudaError_t set_linear(ws_texture *out, const struct cudaResourceDesc *resource)
{
    cudaError_t error = set_format(out, &resource->res.linear.desc);
    if (error) return error;
    out->kind = WS_TEXTURE_LINEAR_MEMORY;
    out->address = (uint64_t)(uintptr_t)resource->res.linear.devPtr;
    out->width = resource->res.linear.sizeInBytes / (out->channels * out->channel_bits / 8);
    return cudaSuccess;
}

static cudaError_t set_pitched(ws_texture *out, const struct cudaResourceDesc *resource)
{
    out->kind = WS_TEXTURE_2D;
    out->address = (uint64_t)(uintptr_t)resource->res.pitch2D.devPtr;
    out->width = resource->res.pitch2D.width;
    out->height = resource->res.pitch2D.height;
    out->pitch_bytes = resource->res.pitch2D.pitchInBytes;
    return set_format(out, &resource->res.pitch2D.desc);
}

/* The alignment that cudaDeviceProp.textureAlignment and texturePitchAlignment ask for. */
static bool is_aligned(const ws_texture *t)
{
    return t->address % 512 == 0 &&
           (t->kind == WS_TEXTURE_LINEAR_MEMORY || t->pitch_bytes % 32 == 0);
}

static cudaError_t set_resource(ws_texture *out, const struct cudaResourceDesc *resource)
{
    cudaError_t error = cudaSuccess;
    switch (resource->resType) {
    case cudaResourceTypeArray:
        return set_array(out, resource->res.array.array);
    case cudaResourceTypeLinear:
        error = set_linear(out, resource);
        break;
    case cudaResourceTypePitch2D:
        error = set_pitched(out, resource);
        break;
    case cudaResourceTypeMipmappedArray:
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
    return error ? error : is_aligned(out) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set_sampling(ws_texture *out, const struct cudaTextureDesc *texture)
{
    bool wide = out->channel_bits == 32 || out->channel_kind == WS_CHANNEL_FLOAT;
    if (texture->sRGB || texture->seamlessCubemap) return cudaErrorNotSupported;
    if (texture->maxAnisotropy > 1) {
        note_missing("anisotropic textures");
        return cudaErrorNotSupported;
    }
    if (texture->filterMode < 0 || texture->filterMode > 1 || texture->readMode < 0 ||
        texture->readMode > 1)
        return cudaErrorInvalidValue;
    for (unsigned k = 0; k < 3; k++) {
        if (texture->addressMode[k] < 0 || texture->addressMode[k] > (int)WS_ADDRESS_BORDER)
            return cudaErrorInvalidValue;
        out->address_modes[k] = (ws_address_mode)texture->addressMode[k];
    }
    /* Formats of 32 bits and floats are read as they are, whatever the mode (runtime API). */
    out->normalized_read = texture->readMode == 1 && !wide;
    out->linear_filter = texture->filterMode == 1 && out->kind != WS_TEXTURE_LINEAR_MEMORY;
    out->normalized_coordinates = texture->normalizedCoords != 0;
    memcpy(out->border, texture->borderColor, sizeof out->border);
    return cudaSuccess;
}

/* `object` without its handle. */
static cudaError_t add_object(uint64_t *out, const ws_texture *inner, struct texture_object object)
{
    if (ws_device_texture_create(runtime.device, inner, out) != WS_OK) return cudaErrorInvalidValue;
    struct texture_object *added = calloc(1, sizeof *added);
    if (!added) return cudaErrorMemoryAllocation;
    *added = object;
    added->handle = *out;
    added->made = check_is_on() ? host_stack_take() : 0;
    added->next = objects;
    objects = added;
    return cudaSuccess;
}

/* Surfaces are of arrays only, which must have been made for it. */
static cudaError_t describe_surface(ws_texture *out, const struct cudaResourceDesc *resource)
{
    enum { LOAD_STORE = 2 };
    if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    cudaError_t error = set_array(out, resource->res.array.array);
    if (error) return error;
    return resource->res.array.array->flags & LOAD_STORE ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t texture_describe(ws_texture *out, const struct cudaResourceDesc *resource,
                             const struct cudaTextureDesc *texture)
{
    if (!texture) return describe_surface(out, resource);
    cudaError_t error = set_resource(out, resource);
    return error ? error : set_sampling(out, texture);
}

static cudaError_t create_object(uint64_t *out, const struct cudaResourceDesc *resource,
                                 const struct cudaTextureDesc *texture)
{
    ws_texture inner = {.size = sizeof inner};
    if (!out || !resource || !texture) return cudaErrorInvalidValue;
    cudaError_t error = texture_describe(&inner, resource, texture);
    if (error) return error;
    return add_object(out, &inner,
                      (struct texture_object){.resource = *resource, .texture = *texture});
}

static cudaError_t create_surface(uint64_t *out, const struct cudaResourceDesc *resource)
{
    ws_texture inner = {.size = sizeof inner};
    if (!out || !resource) return cudaErrorInvalidValue;
    cudaError_t error = texture_describe(&inner, resource, NULL);
    if (error) return error;
    return add_object(out, &inner,
                      (struct texture_object){.resource = *resource, .is_surface = true});
}

cudaError_t cudaCreateTextureObject_v2(uint64_t *out, const struct cudaResourceDesc *resource,
                                       const struct cudaTextureDesc *texture,
                                       const void *resource_view)
{
    cudaError_t error = api_begin();
    if (!error)
        error = resource_view ? cudaErrorNotSupported : create_object(out, resource, texture);
    if (error == cudaErrorNotSupported) note_missing("cudaCreateTextureObject");
    return api_end(error);
}

/* The name without _v2 had a structure that ends before seamlessCubemap in CUDA 11; later versions
 * have the one structure, under the first name. */
static size_t first_texture_bytes(void)
{
    return runtime_version() >= 12 ? sizeof(struct cudaTextureDesc)
                                   : offsetof(struct cudaTextureDesc, seamlessCubemap);
}

cudaError_t cudaCreateTextureObject(uint64_t *out, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const void *resource_view)
{
    API_CALL;
    struct cudaTextureDesc complete = {.seamlessCubemap = 0};
    if (texture) memcpy(&complete, texture, first_texture_bytes());
    return cudaCreateTextureObject_v2(out, resource, texture ? &complete : NULL, resource_view);
}

cudaError_t cudaCreateSurfaceObject(uint64_t *out, const struct cudaResourceDesc *resource)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : create_surface(out, resource));
}

static cudaError_t destroy(uint64_t handle, bool is_surface)
{
    cudaError_t error = api_begin();
    if (error || !handle) return api_end(error);
    struct texture_object **place = find_object(handle, is_surface), *object = *place;
    if (!object)
        check_found("M25", "%s: the handle is not a %s object that lives", api_current(),
                    is_surface ? "surface" : "texture");
    if (!object || ws_device_texture_destroy(runtime.device, handle) != WS_OK)
        return api_end(cudaErrorInvalidValue);
    *place = object->next;
    free(object);
    return api_end(cudaSuccess);
}

cudaError_t cudaDestroyTextureObject(uint64_t handle)
{
    API_CALL;
    return destroy(handle, false);
}

cudaError_t cudaDestroySurfaceObject(uint64_t handle)
{
    API_CALL;
    return destroy(handle, true);
}

static cudaError_t give_resource(struct cudaResourceDesc *out, uint64_t handle, bool is_surface)
{
    cudaError_t error = api_begin();
    const struct texture_object *object = *find_object(handle, is_surface);
    if (!error && (!out || !object)) error = cudaErrorInvalidValue;
    if (!error) *out = object->resource;
    return api_end(error);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, uint64_t handle)
{
    API_CALL;
    return give_resource(out, handle, false);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, uint64_t handle)
{
    API_CALL;
    return give_resource(out, handle, true);
}

static cudaError_t give_texture(struct cudaTextureDesc *out, uint64_t handle, size_t bytes)
{
    cudaError_t error = api_begin();
    const struct texture_object *object = *find_object(handle, false);
    if (!error && (!out || !object)) error = cudaErrorInvalidValue;
    if (!error) memcpy(out, &object->texture, bytes);
    return api_end(error);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, uint64_t handle)
{
    API_CALL;
    return give_texture(out, handle, first_texture_bytes());
}

cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *out, uint64_t handle)
{
    API_CALL;
    return give_texture(out, handle, sizeof *out);
}
