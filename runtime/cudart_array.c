// SPDX-License-Identifier: Apache-2.0
/* CUDA arrays: allocation and copies. Kernels reach them through textures (cudart_texture.c) and
 * surfaces. */
#include "cudart_array.h"

#include "host_check.h"

#include <stdlib.h>

CUDART cudaError_t cudaMalloc(void **out, size_t bytes);
CUDART cudaError_t cudaFree(void *pointer);
CUDART struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);
CUDART cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *out, const struct array *array);
CUDART cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                                   size_t width, size_t height, unsigned flags);
CUDART cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                                     struct cudaExtent extent, unsigned flags);
CUDART cudaError_t cudaFreeArray(cudaArray_t array);
CUDART cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                                    unsigned *flags, cudaArray_t array);
CUDART cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                       size_t pitch, size_t width, size_t height, int kind);
CUDART cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                            size_t pitch, size_t width, size_t height, int kind,
                                            cudaStream_t stream);
CUDART cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, const struct array *from, size_t x,
                                         size_t y, size_t width, size_t height, int kind);
CUDART cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const struct array *from,
                                              size_t x, size_t y, size_t width, size_t height,
                                              int kind, cudaStream_t stream);
CUDART cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                            const struct array *from, size_t from_x, size_t from_y,
                                            size_t width, size_t height, int kind);
CUDART cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                          const struct array *from, size_t from_x, size_t from_y,
                                          size_t bytes, int kind);
CUDART cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t bytes, int kind);
CUDART cudaError_t cudaMemcpyFromArray(void *to, const struct array *from, size_t x, size_t y,
                                       size_t bytes, int kind);

bool array_holds(const struct array *array, size_t x, size_t y, size_t width, size_t height)
{
    size_t slices = array->extent.depth ? array->extent.depth : 1, all = array->slice * slices;
    if (!width || !height) return true;
    if (x > all || width > all || y > all / array->pitch || height - 1 > all / array->pitch)
        return false;
    return (y + height - 1) * array->pitch + x + width <= all;
}

cudaError_t array_check(const struct array *array, size_t x, size_t y, size_t width, size_t height)
{
    if (!is_array(array)) return cudaErrorInvalidResourceHandle;
    if (array_holds(array, x, y, width, height)) return cudaSuccess;
    check_found_at(
        "M20", (uint64_t)(uintptr_t)array->bytes, width * height,
        "%s: %zu rows of %zu bytes from byte %zu of row %zu on exceed an array of %zux%zux%zu "
        "elements of %zu bytes",
        api_current(), height, width, x, y, array->extent.width, array->extent.height,
        array->extent.depth, array->element_bytes);
    return cudaErrorInvalidValue;
}

struct rows array_rows(const struct array *array, size_t x, size_t y, size_t z)
{
    return (struct rows){array->bytes + z * array->slice + y * array->pitch + x, array->pitch,
                         array->slice};
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* For calls whose array is none. */
static cudaError_t refuse(void)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *out, const struct array *array)
{
    API_CALL;
    if (!is_array(array)) return refuse();
    *out = array->format;
    return cudaSuccess;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags)
{
    API_CALL;
    enum { LAYERED = 1, CUBEMAP = 4 };
    size_t bits = (size_t)(format->x + format->y + format->z + format->w);
    *out = NULL;
    if (!bits || bits % 8 || !extent.width || (flags & CUBEMAP && extent.depth % 6))
        return cudaErrorInvalidValue;
    struct array *array = handle_create(HANDLE_ARRAY, sizeof *array);
    if (!array) return cudaErrorMemoryAllocation;
    size_t rows = extent.height ? extent.height : 1, slices = extent.depth ? extent.depth : 1;
    *array = (struct array){.format = *format,
                            .extent = extent,
                            .element_bytes = bits / 8,
                            .pitch = extent.width * (bits / 8),
                            .flags = flags};
    array->slice = array->pitch * rows;
    void *bytes;
    cudaError_t error = cudaMalloc(&bytes, array->slice * slices);
    array->bytes = bytes;
    if (error)
        handle_destroy(HANDLE_ARRAY, array);
    else
        *out = array;
    return error;
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned flags)
{
    API_CALL;
    return cudaMalloc3DArray(out, format, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    API_CALL;
    if (!array) return cudaSuccess;
    if (!is_array(array)) return refuse();
    cudaError_t error = cudaFree(array->bytes);
    if (!error) handle_destroy(HANDLE_ARRAY, array);
    return error;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array)
{
    API_CALL;
    if (!is_array(array)) return refuse();
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height, int kind,
                                     cudaStream_t stream)
{
    struct work work = {.kind = WORK_COPY};
    cudaError_t error = api_begin();
    if (!error) error = array_check(to, x, y, width, height);
    if (error) return api_end(error);
    work.copy = (struct copy_work){
        array_rows(to, x, y, 0), {(void *)(uintptr_t)from, pitch, 0}, width, height, 1, kind};
    return api_end(stream_do(stream, &work));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, int kind)
{
    API_CALL;
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const struct array *from, size_t x,
                                       size_t y, size_t width, size_t height, int kind,
                                       cudaStream_t stream)
{
    struct work work = {.kind = WORK_COPY};
    cudaError_t error = api_begin();
    if (!error) error = array_check(from, x, y, width, height);
    if (error) return api_end(error);
    work.copy =
        (struct copy_work){{to, pitch, 0}, array_rows(from, x, y, 0), width, height, 1, kind};
    return api_end(stream_do(stream, &work));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, const struct array *from, size_t x,
                                  size_t y, size_t width, size_t height, int kind)
{
    API_CALL;
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}

/* From (x, y) on, row after row: rows of an array here lie one behind the other. */
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              int kind)
{
    API_CALL;
    return cudaMemcpy2DToArray(to, x, y, from, bytes, bytes, 1, kind);
}

cudaError_t cudaMemcpyFromArray(void *to, const struct array *from, size_t x, size_t y,
                                size_t bytes, int kind)
{
    API_CALL;
    return cudaMemcpy2DFromArray(to, bytes, from, x, y, bytes, 1, kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     const struct array *from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, int kind)
{
    struct work work = {.kind = WORK_COPY};
    cudaError_t error = api_begin();
    if (!error) error = array_check(to, to_x, to_y, width, height);
    if (!error) error = array_check(from, from_x, from_y, width, height);
    if (error) return api_end(error);
    work.copy = (struct copy_work){
        array_rows(to, to_x, to_y, 0), array_rows(from, from_x, from_y, 0), width, height, 1, kind};
    return api_end(stream_do(NULL, &work));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                   const struct array *from, size_t from_x, size_t from_y,
                                   size_t bytes, int kind)
{
    API_CALL;
    return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, bytes, 1, kind);
}
