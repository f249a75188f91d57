// SPDX-License-Identifier: Apache-2.0
/* Maps of tensors: limits are those of the driver API (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col). */
#include "api/handles.h"
#include "emulate/tensor_map.h"

enum { BOX_MAX = 256, STEP_MAX_ = 8, PIXELS_MAX = 1024 };

static ws_status check_box(struct diag *diag, const ws_tensor *tensor, unsigned inner, unsigned k)
{
    bool is_tile = !tensor->pixels;
    if (!tensor->sizes[k] || tensor->sizes[k] > UINT64_C(1) << 32)
        return diag_error(diag, WS_ERR_ARGUMENT, "size %u of the tensor is out of range", k);
    if (is_tile && (!tensor->box[k] || tensor->box[k] > BOX_MAX))
        return diag_error(diag, WS_ERR_ARGUMENT, "size %u of the box must be 1 to %d (got %u)", k,
                          BOX_MAX, tensor->box[k]);
    if (!tensor->steps[k] || tensor->steps[k] > STEP_MAX_)
        return diag_error(diag, WS_ERR_ARGUMENT, "step %u must be 1 to %d (got %u)", k, STEP_MAX_,
                          tensor->steps[k]);
    if (k && (tensor->strides[k - 1] % 16 || tensor->strides[k - 1] >= UINT64_C(1) << 40))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "stride %u must be a multiple of 16 below 2^40 (got %llu)", k,
                          (unsigned long long)tensor->strides[k - 1]);
    if (inner % 16 || (tensor->swizzle && inner > tensor->swizzle))
        return diag_error(
            diag, WS_ERR_ARGUMENT,
            "a row of the box has %u bytes: it must be a multiple of 16, and no larger "
            "than the span of the swizzle",
            inner);
    return WS_OK;
}

/* Corners have as many bits as an immediate of their rank: 16, 8, 5. */
static ws_status check_pixels(struct diag *diag, const ws_tensor *tensor)
{
    static const int most[] = {[3] = 32767, [4] = 127, [5] = 15};
    if (!tensor->pixels) return WS_OK;
    if (tensor->rank < 3 || tensor->pixels > PIXELS_MAX || !tensor->channels ||
        tensor->channels > BOX_MAX)
        return diag_error(diag, WS_ERR_ARGUMENT, "im2col: rank, pixels or channels out of range");
    for (unsigned k = 0; k < tensor->rank - 2; k++) {
        int low = tensor->lower[k], high = tensor->upper[k], limit = most[tensor->rank];
        if (low < -limit - 1 || low > limit || high < -limit - 1 || high > limit ||
            (int64_t)tensor->sizes[k + 1] + high <= low)
            return diag_error(diag, WS_ERR_ARGUMENT, "im2col: corner %u is out of range", k);
    }
    return WS_OK;
}

static ws_status check(struct diag *diag, const ws_tensor *tensor, unsigned element)
{
    if (tensor->rank < 1 || tensor->rank > TENSOR_RANK_MAX)
        return diag_error(diag, WS_ERR_ARGUMENT, "the rank of a tensor must be 1 to 5 (got %u)",
                          tensor->rank);
    if (!tensor->address || tensor->address % 16)
        return diag_error(diag, WS_ERR_ARGUMENT, "the address must be a multiple of 16");
    if (tensor->swizzle && tensor->swizzle != 32 && tensor->swizzle != 64 && tensor->swizzle != 128)
        return diag_error(diag, WS_ERR_ARGUMENT, "unknown swizzle");
    if (tensor->fills_nan && tensor->type < WS_TENSOR_F16)
        return diag_error(diag, WS_ERR_ARGUMENT, "only floats are filled with NaN");
    unsigned inner = (tensor->pixels ? tensor->channels : tensor->box[0]) * element;
    for (unsigned k = 0; k < tensor->rank; k++)
        TRY(check_box(diag, tensor, inner, k));
    return check_pixels(diag, tensor);
}

static unsigned swizzle_bits(unsigned span)
{
    return span == 128 ? 3 : span == 64 ? 2 : span == 32 ? 1 : 0;
}

ws_status ws_tensor_encode(ws_context *context, const ws_tensor *tensor, unsigned char out[128])
{
    API_CALL(context)
    struct diag *diag = &context->diag;
    TRY(handle_check_size(diag, "ws_tensor", tensor->size, sizeof *tensor));
    if ((unsigned)tensor->type >= WS_TENSOR_TYPES)
        return diag_error(diag, WS_ERR_ARGUMENT, "unknown type of a tensor");
    struct tensor_map map = {.type = (uint8_t)tensor->type,
                             .rank = (uint8_t)tensor->rank,
                             .swizzle = (uint8_t)swizzle_bits(tensor->swizzle),
                             .fills_nan = tensor->fills_nan,
                             .is_im2col = tensor->pixels != 0,
                             .address = tensor->address,
                             .channels = (uint16_t)tensor->channels};
    TRY(check(diag, tensor, tensor_element_bytes(&map)));
    for (unsigned k = 0; k < tensor->rank && k < TENSOR_RANK_MAX; k++) {
        map.sizes[k] = tensor->sizes[k];
        map.steps[k] = (uint8_t)tensor->steps[k];
        map.box[k] = (uint16_t)tensor->box[k];
        if (k) map.strides[k - 1] = tensor->strides[k - 1];
        if (k < 3) map.lower[k] = (int16_t)tensor->lower[k];
        if (k < 3) map.upper[k] = (int16_t)tensor->upper[k];
    }
    if (map.is_im2col) map.box[0] = (uint16_t)tensor->pixels;
    tensor_map_pack(&map, out);
    return WS_OK;
}
