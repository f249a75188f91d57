// SPDX-License-Identifier: Apache-2.0
/* Maps of tensors: cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col. */
#include <string.h>

#include "driver.h"

/* What both take beside the box. */
struct tensor_modes {
    int interleave, swizzle, promotion, fill;
};

static cudaError_t refuse(const char *what)
{
    tell("cuTensorMapEncode: %s", what);
    return cudaErrorNotSupported;
}

/* CUtensorMapDataType: the first ten in our order; then f32 that is flushed, tf32, tf32 that is flushed, packed types. */
static cudaError_t set_type(ws_tensor *tensor, int type)
{
    enum { TFLOAT32 = 11 };
    if (type < 0) return cudaErrorInvalidValue;
    if (type == TFLOAT32) type = WS_TENSOR_F32; /* no bit changes: a guess */
    if (type >= WS_TENSOR_TYPES)
        return refuse("types that flush subnormal numbers and packed types are not supported");
    tensor->type = (enum ws_tensor_type)type;
    return cudaSuccess;
}

static cudaError_t set_modes(ws_tensor *tensor, const struct tensor_modes *modes)
{
    enum { SWIZZLE_NONE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128 };
    static const unsigned spans[] = {0, 32, 64, 128};
    if (modes->interleave) return refuse("interleaved layouts are not supported");
    if (modes->swizzle < SWIZZLE_NONE) return cudaErrorInvalidValue;
    if (modes->swizzle > SWIZZLE_128)
        return refuse("swizzles of atoms larger than 16 bytes are not supported");
    tensor->swizzle = spans[modes->swizzle];
    tensor->fills_nan = modes->fill == 1;
    return cudaSuccess;
}

static cudaError_t set_tensor(ws_tensor *tensor, unsigned rank, const void *address,
                              const uint64_t *sizes, const uint64_t *strides, const uint32_t *steps)
{
    enum { RANK_MAX = 5 };
    if (!rank || rank > RANK_MAX || !sizes || !steps || (rank > 1 && !strides))
        return cudaErrorInvalidValue;
    tensor->rank = rank;
    tensor->address = (uintptr_t)address;
    for (unsigned k = 0; k < rank; k++) {
        tensor->sizes[k] = sizes[k];
        tensor->steps[k] = steps[k];
        if (k) tensor->strides[k - 1] = strides[k - 1];
    }
    return cudaSuccess;
}

static cudaError_t encode(void *out, const ws_tensor *tensor)
{
    if (!out || (uintptr_t)out % 64) return cudaErrorInvalidValue;
    ws_status status = ws_tensor_encode(runtime.context, tensor, out);
    if (status == WS_OK) return cudaSuccess;
    tell("cuTensorMapEncode: %s", ws_context_error(runtime.context));
    return cudaErrorInvalidValue;
}

static cudaError_t encode_tile(void *out, ws_tensor *tensor, const uint32_t *box)
{
    if (!box) return cudaErrorInvalidValue;
    for (unsigned k = 0; k < tensor->rank; k++)
        tensor->box[k] = box[k];
    return encode(out, tensor);
}

struct pixel_box {
    const int *lower, *upper;
    unsigned channels, pixels;
};
static cudaError_t encode_pixels(void *out, ws_tensor *tensor, const struct pixel_box *box)
{
    if (tensor->rank < 3 || !box->lower || !box->upper || !box->pixels)
        return cudaErrorInvalidValue;
    for (unsigned k = 0; k < tensor->rank - 2; k++) {
        tensor->lower[k] = box->lower[k];
        tensor->upper[k] = box->upper[k];
    }
    tensor->channels = box->channels;
    tensor->pixels = box->pixels;
    return encode(out, tensor);
}

#define BEGIN_TENSOR                                                                               \
    ws_tensor tensor = {.size = sizeof tensor};                                                    \
    const struct tensor_modes modes = {interleave, swizzle, promotion, fill};                      \
    cudaError_t error = device_begin();                                                            \
    if (!error) error = set_type(&tensor, type);                                                   \
    if (!error) error = set_tensor(&tensor, rank, address, sizes, strides, steps);                 \
    if (!error) error = set_modes(&tensor, &modes)

static cudaError_t encode_tiled(void *out, int type, unsigned rank, void *address,
                                const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                                const uint32_t *steps, int interleave, int swizzle, int promotion,
                                int fill)
{
    BEGIN_TENSOR;
    return api_end(error ? error : encode_tile(out, &tensor, box));
}

static cudaError_t encode_im2col(void *out, int type, unsigned rank, void *address,
                                 const uint64_t *sizes, const uint64_t *strides, const int *lower,
                                 const int *upper, unsigned channels, unsigned pixels,
                                 const uint32_t *steps, int interleave, int swizzle, int promotion,
                                 int fill)
{
    const struct pixel_box box = {lower, upper, channels, pixels};
    BEGIN_TENSOR;
    return api_end(error ? error : encode_pixels(out, &tensor, &box));
}

DRIVER_ANY(cuTensorMapEncodeTiled,
           (void *out, int type, unsigned rank, void *address, const uint64_t *sizes,
            const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
            int swizzle, int promotion, int fill),
           encode_tiled(out, type, rank, address, sizes, strides, box, steps, interleave, swizzle,
                        promotion, fill))
DRIVER_ANY(cuTensorMapEncodeIm2col,
           (void *out, int type, unsigned rank, void *address, const uint64_t *sizes,
            const uint64_t *strides, const int *lower, const int *upper, unsigned channels,
            unsigned pixels, const uint32_t *steps, int interleave, int swizzle, int promotion,
            int fill),
           encode_im2col(out, type, rank, address, sizes, strides, lower, upper, channels, pixels,
                         steps, interleave, swizzle, promotion, fill))
