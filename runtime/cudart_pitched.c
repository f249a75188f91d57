// SPDX-License-Identifier: Apache-2.0
/* Memory in two and three dimensions: pitched allocations, copies and fills of rows. */
#include <string.h>

#include "cudart_array.h"

/* As today's GPUs align rows. */
enum { PITCH_UNIT = 512 };

cudaError_t copy_rows(struct rows to, struct rows from, size_t width, size_t height, size_t depth,
                      int kind)
{
    if (!width || !height || !depth) return cudaSuccess;
    if ((height > 1 && (width > to.pitch || width > from.pitch))) return cudaErrorInvalidPitchValue;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++) {
            cudaError_t error =
                copy_bytes(to.begin + z * to.slice + y * to.pitch,
                           from.begin + z * from.slice + y * from.pitch, width, kind);
            if (error) return error;
        }
    return cudaSuccess;
}

CUDART cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
CUDART cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent);
CUDART cudaError_t cudaMalloc(void **out, size_t bytes);
CUDART cudaError_t cudaMemset(void *to, int value, size_t bytes);
CUDART cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, int kind);
CUDART cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, int kind, cudaStream_t stream);
CUDART cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
CUDART cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream);
CUDART cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent);
CUDART cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                                     cudaStream_t stream);
CUDART cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
CUDART cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream);
CUDART cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy);
CUDART cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *copy,
                                         cudaStream_t stream);

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    if (width > SIZE_MAX / 2 - PITCH_UNIT || (height && width > SIZE_MAX / 2 / height))
        return cudaErrorMemoryAllocation;
    *pitch = (width + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
    return cudaMalloc(out, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    *out = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&out->ptr, &out->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, int kind)
{
    struct rows target = {to, to_pitch, 0}, source = {(void *)(uintptr_t)from, from_pitch, 0};
    cudaError_t error = api_begin();
    return api_end(error ? error : copy_rows(target, source, width, height, 1, kind));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, int kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++) {
            size_t row = z * to.ysize + y;
            cudaError_t error =
                cudaMemset((unsigned char *)to.ptr + row * to.pitch, value, extent.width);
            if (error) return error;
        }
    return cudaSuccess;
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    (void)stream;
    return cudaMemset3D(to, value, extent);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset3D((struct cudaPitchedPtr){to, pitch, width, height}, value,
                        (struct cudaExtent){width, height, 1});
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    (void)stream;
    return cudaMemset2D(to, pitch, value, width, height);
}

/* x counts elements of an array, bytes of other memory. */
static struct rows rows_of(const struct array *array, struct cudaPos at, struct cudaPitchedPtr p)
{
    if (array) return array_rows(array, at.x * array->element_bytes, at.y, at.z);
    size_t slice = p.pitch * p.ysize;
    return (struct rows){(unsigned char *)p.ptr + at.z * slice + at.y * p.pitch + at.x, p.pitch,
                         slice};
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    const struct array *array = copy->srcArray ? copy->srcArray : copy->dstArray;
    size_t unit = array ? array->element_bytes : 1;
    struct cudaExtent extent = copy->extent;
    return api_end(copy_rows(rows_of(copy->dstArray, copy->dstPos, copy->dstPtr),
                             rows_of(copy->srcArray, copy->srcPos, copy->srcPtr),
                             extent.width * unit, extent.height, extent.depth, copy->kind));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy3D(copy);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy)
{
    struct cudaMemcpy3DParms plain = {copy->srcArray, copy->srcPos,     copy->srcPtr,
                                      copy->dstArray, copy->dstPos,     copy->dstPtr,
                                      copy->extent,   cudaMemcpyDefault};
    return cudaMemcpy3D(&plain);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *copy, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy3DPeer(copy);
}
