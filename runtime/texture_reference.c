// SPDX-License-Identifier: Apache-2.0
#include "texture_reference.h"

#include <stdlib.h>
#include <string.h>

#include "cudart_texture.h"

/* textureReference of CUDA 11 */
struct texture_settings {
    int normalized, filterMode, addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned maxAnisotropy;
};

CUDART void __cudaRegisterTexture(void **handle, const void *host, const void **address,
                                  const char *name, int dimensions, int normalized, int ext);
CUDART void __cudaRegisterSurface(void **handle, const void *host, const void **address,
                                  const char *name, int dimensions, int ext);
CUDART cudaError_t cudaBindTexture(size_t *offset, const struct texture_settings *host,
                                   const void *pointer, const struct cudaChannelFormatDesc *format,
                                   size_t bytes);
CUDART cudaError_t cudaBindTexture2D(size_t *offset, const struct texture_settings *host,
                                     const void *pointer,
                                     const struct cudaChannelFormatDesc *format, size_t width,
                                     size_t height, size_t pitch);
CUDART cudaError_t cudaBindTextureToArray(const struct texture_settings *host, cudaArray_t array,
                                          const struct cudaChannelFormatDesc *format);
CUDART cudaError_t cudaUnbindTexture(const struct texture_settings *host);
CUDART cudaError_t cudaGetTextureAlignmentOffset(size_t *out, const struct texture_settings *host);
CUDART cudaError_t cudaGetTextureReference(const void **out, const void *host);
CUDART cudaError_t cudaBindSurfaceToArray(const void *host, cudaArray_t array,
                                          const struct cudaChannelFormatDesc *format);
CUDART cudaError_t cudaGetSurfaceReference(const void **out, const void *host);

/* cudaDeviceProp.textureAlignment */
enum { ALIGNMENT = 512 };

static struct texture_reference *references;

/* ---- references ------------------------------------------------------------------------------ */

static struct texture_reference *add(struct binary *binary, const void *host, const char *name,
                                     bool is_surface)
{
    struct texture_reference *made = calloc(1, sizeof *made);
    if (!made) out_of_memory(sizeof *made);
    *made = (struct texture_reference){
        .host = host, .name = name, .binary = binary, .is_surface = is_surface, .next = references};
    references = made;
    return made;
}

static struct texture_reference *find(const void *host, bool is_surface)
{
    struct texture_reference *one = references;
    while (one && (one->host != host || !host || one->is_surface != is_surface))
        one = one->next;
    return one;
}

struct texture_reference *texture_reference_of(struct binary *binary, const char *name,
                                               bool is_surface)
{
    for (struct texture_reference *one = references; one; one = one->next)
        if (one->binary == binary && !strcmp(one->name, name)) return one;
    const char *kept = strdup(name);
    if (!kept) out_of_memory(strlen(name) + 1);
    struct texture_reference *made = add(binary, NULL, kept, is_surface);
    made->sampling.readMode = 1; /* without flags (driver API, cuTexRefSetFlags) */
    return made;
}

struct texture_reference *texture_reference_create(void)
{
    struct texture_reference *made = add(NULL, NULL, "", false);
    made->sampling.readMode = 1;
    return made;
}

bool texture_reference_destroy(struct texture_reference *reference)
{
    struct texture_reference **place = &references;
    while (*place && *place != reference)
        place = &(*place)->next;
    if (!*place || reference->binary) return false;
    *place = reference->next;
    free(reference);
    return true;
}

bool texture_reference_is(const struct texture_reference *reference)
{
    const struct texture_reference *one = references;
    while (one && one != reference)
        one = one->next;
    return one != NULL;
}

static void bind(struct texture_reference *reference, const struct cudaResourceDesc *resource)
{
    reference->resource = *resource;
    reference->is_bound = reference->is_changed = true;
}

bool texture_reference_bind(struct texture_reference *reference, uint64_t address,
                            const struct cudaResourceDesc *resource, size_t *offset)
{
    reference->offset = address % ALIGNMENT;
    if (offset) *offset = reference->offset;
    if (reference->offset && !offset) return false;
    bind(reference, resource);
    return true;
}

/* ---- before launches ------------------------------------------------------------------------- */

static cudaError_t make(struct texture_reference *reference)
{
    ws_texture texture = {.size = sizeof texture};
    cudaError_t error = texture_describe(&texture, &reference->resource,
                                         reference->is_surface ? NULL : &reference->sampling);
    if (error) return error;
    ws_status status = ws_device_texture_create(runtime.device, &texture, &reference->handle);
    return status == WS_OK ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t settle(struct texture_reference *reference)
{
    uint64_t address;
    size_t bytes;
    cudaError_t error = cudaSuccess;
    ws_module *module = reference->binary->module;
    reference->is_changed = false;
    if (reference->handle && ws_device_texture_destroy(runtime.device, reference->handle) != WS_OK)
        return cudaErrorInvalidValue;
    reference->handle = 0;
    if (reference->is_bound) error = make(reference);
    if (error) tell("texture reference %s: what is bound to it is not a texture", reference->name);
    /* The compiler may have dropped what no kernel uses. */
    if (error ||
        ws_device_symbol(runtime.device, module, reference->name, &address, &bytes) != WS_OK)
        return error;
    return fail(
        ws_device_copy_in(runtime.device, address, &reference->handle, sizeof reference->handle));
}

cudaError_t texture_references_settle(void)
{
    cudaError_t error = cudaSuccess;
    for (struct texture_reference *one = references; one && !error; one = one->next)
        if (one->is_changed && one->binary && one->binary->module) error = settle(one);
    return error;
}

/* ---- what the compiler's code calls ---------------------------------------------------------- */

void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name,
                           int dimensions, int normalized, int ext)
{
    (void)address, (void)dimensions, (void)ext;
    api_lock();
    add((struct binary *)(void *)handle, host, name, false)->reads_normalized = normalized != 0;
    api_unlock();
}

void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name,
                           int dimensions, int ext)
{
    (void)address, (void)dimensions, (void)ext;
    api_lock();
    add((struct binary *)(void *)handle, host, name, true);
    api_unlock();
}

/* ---- what programs call ---------------------------------------------------------------------- */

/* The settings are those of now. */
static cudaError_t begin(const struct texture_settings *host, struct texture_reference **out)
{
    *out = find(host, false);
    if (!*out) return cudaErrorInvalidTexture;
    struct cudaTextureDesc *sampling = &(*out)->sampling;
    *sampling = (struct cudaTextureDesc){.filterMode = host->filterMode,
                                         .readMode = (*out)->reads_normalized,
                                         .sRGB = host->sRGB,
                                         .normalizedCoords = host->normalized,
                                         .maxAnisotropy = host->maxAnisotropy};
    memcpy(sampling->addressMode, host->addressMode, sizeof sampling->addressMode);
    return cudaSuccess;
}

/* `bytes` may be more than there are: the rest of the allocation then. */
static size_t bytes_from(uint64_t address, size_t bytes)
{
    ws_device_range range;
    if (!ws_device_find(runtime.device, address, &range)) return bytes;
    uint64_t rest = range.address + range.bytes - address;
    return bytes < rest ? bytes : (size_t)rest;
}

/* Address and format are filled in here: linear memory and rows with a pitch have them in the same place. */
static cudaError_t bind_memory(size_t *offset, const struct texture_settings *host,
                               const void *pointer, const struct cudaChannelFormatDesc *format,
                               struct cudaResourceDesc resource)
{
    struct texture_reference *reference;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    cudaError_t error = begin(host, &reference);
    if (error || !pointer || !format) return error ? error : cudaErrorInvalidValue;
    resource.res.linear.devPtr = (void *)(uintptr_t)(address - address % ALIGNMENT);
    resource.res.linear.desc = *format;
    return texture_reference_bind(reference, address, &resource, offset) ? cudaSuccess
                                                                         : cudaErrorInvalidValue;
}

static cudaError_t bind_linear(size_t *offset, const struct texture_settings *host,
                               const void *pointer, const struct cudaChannelFormatDesc *format,
                               size_t bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
    resource.res.linear.sizeInBytes = bytes_from(address, bytes) + address % ALIGNMENT;
    return bind_memory(offset, host, pointer, format, resource);
}

static cudaError_t bind_pitched(size_t *offset, const struct texture_settings *host,
                                const void *pointer, const struct cudaChannelFormatDesc *format,
                                size_t width, size_t height, size_t pitch)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    return bind_memory(offset, host, pointer, format, resource);
}

static cudaError_t bind_array(struct texture_reference *reference, cudaArray_t array)
{
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    resource.res.array.array = array;
    bind(reference, &resource);
    return cudaSuccess;
}

cudaError_t cudaBindTexture(size_t *offset, const struct texture_settings *host,
                            const void *pointer, const struct cudaChannelFormatDesc *format,
                            size_t bytes)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : bind_linear(offset, host, pointer, format, bytes));
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct texture_settings *host,
                              const void *pointer, const struct cudaChannelFormatDesc *format,
                              size_t width, size_t height, size_t pitch)
{
    cudaError_t error = api_begin();
    return api_end(error ? error
                         : bind_pitched(offset, host, pointer, format, width, height, pitch));
}

cudaError_t cudaBindTextureToArray(const struct texture_settings *host, cudaArray_t array,
                                   const struct cudaChannelFormatDesc *format)
{
    struct texture_reference *reference = NULL;
    cudaError_t error = api_begin();
    (void)format; /* that of the array */
    if (!error) error = begin(host, &reference);
    return api_end(error ? error : bind_array(reference, array));
}

cudaError_t cudaUnbindTexture(const struct texture_settings *host)
{
    cudaError_t error = api_begin();
    struct texture_reference *reference = find(host, false);
    if (!error && !reference) error = cudaErrorInvalidTexture;
    if (!error) reference->is_bound = false, reference->is_changed = true;
    return api_end(error);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *out, const struct texture_settings *host)
{
    cudaError_t error = api_begin();
    const struct texture_reference *reference = find(host, false);
    if (!error && (!reference || !reference->is_bound)) error = cudaErrorInvalidTextureBinding;
    if (!error) *out = reference->offset;
    return api_end(error);
}

static cudaError_t give_reference(const void **out, const void *host, bool is_surface)
{
    cudaError_t error = api_begin();
    *out = find(host, is_surface) ? host : NULL;
    return api_end(error ? error : *out ? cudaSuccess : cudaErrorInvalidTexture);
}

cudaError_t cudaGetTextureReference(const void **out, const void *host)
{
    API_CALL;
    return give_reference(out, host, false);
}

cudaError_t cudaGetSurfaceReference(const void **out, const void *host)
{
    API_CALL;
    return give_reference(out, host, true);
}

cudaError_t cudaBindSurfaceToArray(const void *host, cudaArray_t array,
                                   const struct cudaChannelFormatDesc *format)
{
    cudaError_t error = api_begin();
    struct texture_reference *reference = find(host, true);
    (void)format;
    if (!error && !reference) error = cudaErrorInvalidSurface;
    return api_end(error ? error : bind_array(reference, array));
}
