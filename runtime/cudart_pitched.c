// SPDX-License-Identifier: Apache-2.0
/* Memory in two and three dimensions: pitched allocations, copies and fills of rows. */
#include <string.h>

#include "cudart_array.h"

/* As today's GPUs align rows. */
enum { PITCH_UNIT = 512 };

CUDART cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
CUDART cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent);
CUDART cudaError_t cudaMalloc(void **out, size_t bytes);
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
    API_CALL;
    if (width > SIZE_MAX / 2 - PITCH_UNIT || (height && width > SIZE_MAX / 2 / height))
        return cudaErrorMemoryAllocation;
    *pitch = (width + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
    return cudaMalloc(out, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
    API_CALL;
    *out = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&out->ptr, &out->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, int kind, cudaStream_t stream)
{
    struct work work = {.kind = WORK_COPY};
    work.copy = (struct copy_work){
        {to, to_pitch, 0}, {(void *)(uintptr_t)from, from_pitch, 0}, width, height, 1, kind};
    cudaError_t error = api_begin();
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, int kind)
{
    API_CALL;
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    struct work work = {.kind = WORK_FILL};
    work.fill = (struct fill_work){{to.ptr, to.pitch, to.pitch * to.ysize},
                                   (unsigned)value,
                                   1,
                                   extent.width,
                                   extent.height,
                                   extent.depth};
    cudaError_t error = api_begin();
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    API_CALL;
    return cudaMemset3DAsync(to, value, extent, NULL);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    API_CALL;
    return cudaMemset3DAsync((struct cudaPitchedPtr){to, pitch, width, height}, value,
                             (struct cudaExtent){width, height, 1}, stream);
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    API_CALL;
    return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}

/* x counts elements of an array, bytes of other memory. */
static struct rows rows_of(const struct array *array, struct cudaPos at, struct cudaPitchedPtr p)
{
    if (array) return array_rows(array, at.x * array->element_bytes, at.y, at.z);
    size_t slice = p.pitch * p.ysize;
    return (struct rows){(unsigned char *)p.ptr + at.z * slice + at.y * p.pitch + at.x, p.pitch,
                         slice};
}

cudaError_t copy_of_3d(const struct cudaMemcpy3DParms *copy, struct work *out)
{
    const struct array *array = copy->srcArray ? copy->srcArray : copy->dstArray;
    *out = (struct work){.kind = WORK_COPY};
    if ((copy->srcArray && !is_array(copy->srcArray)) ||
        (copy->dstArray && !is_array(copy->dstArray)))
        return cudaErrorInvalidResourceHandle;
    out->copy = (struct copy_work){
        .to = rows_of(copy->dstArray, copy->dstPos, copy->dstPtr),
        .from = rows_of(copy->srcArray, copy->srcPos, copy->srcPtr),
        .width = copy->extent.width * (array ? array->element_bytes : 1),
        .height = copy->extent.height,
        .depth = copy->extent.depth,
        .kind = copy->kind,
    };
    return cudaSuccess;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
    struct work work;
    cudaError_t error = api_begin();
    if (!error) error = copy ? copy_of_3d(copy, &work) : cudaErrorInvalidValue;
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    API_CALL;
    return cudaMemcpy3DAsync(copy, NULL);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *copy, cudaStream_t stream)
{
    API_CALL;
    struct cudaMemcpy3DParms plain = {copy->srcArray, copy->srcPos,     copy->srcPtr,
                                      copy->dstArray, copy->dstPos,     copy->dstPtr,
                                      copy->extent,   cudaMemcpyDefault};
    return cudaMemcpy3DAsync(&plain, stream);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy)
{
    API_CALL;
    return cudaMemcpy3DPeerAsync(copy, NULL);
}
