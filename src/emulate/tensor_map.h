// SPDX-License-Identifier: Apache-2.0
/* Maps of tensors, the 128 bytes that cuTensorMapEncode... fills and cp.async.bulk.tensor reads. NVIDIA does not publish
 * its layout; this one is our own, and nothing but this library reads it. */
#ifndef EMULATE_TENSOR_MAP_H
#define EMULATE_TENSOR_MAP_H

#include "base/diag.h"
#include "isa/bulk.h"

#define TENSOR_MAP_MAGIC UINT32_C(0x6d615477)

/* Dimension 0 is the innermost. */
struct tensor_map {
    uint32_t magic;
    uint8_t type; /* enum ws_tensor_type */
    uint8_t rank, swizzle;
    bool fills_nan, is_im2col;
    uint8_t steps[TENSOR_RANK_MAX]; /* from an element of the box to the next */
    uint64_t address;
    uint64_t strides[TENSOR_RANK_MAX - 1]; /* bytes, of dimensions 1 and up */
    uint64_t sizes[TENSOR_RANK_MAX];
    uint16_t box[TENSOR_RANK_MAX];
    /* im2col: the first pixel of the box and, beyond the last of the image, that behind its last; pixels and their
     * channels that a copy moves */
    int16_t lower[3], upper[3];
    uint16_t channels;
};

/* Kernels can write any bytes where a map is: are these what ws_tensor_encode may give? */
bool tensor_map_is_valid(const struct tensor_map *map);
/* Bytes of an element. */
unsigned tensor_element_bytes(const struct tensor_map *map);
/* Bytes that a copy moves in shared memory. */
uint64_t tensor_box_bytes(const struct tensor_map *map);

/* Neighbours in both memories; outside: not in the tensor. */
struct tensor_run {
    uint64_t global, shared; /* address; from the first byte of the box on */
    uint32_t bytes;
    bool is_outside;
};
typedef bool tensor_run_fn(void *self, const struct tensor_run *run);
/* All runs of a copy in the order of shared memory, until `visit` returns false. */
void tensor_walk(const struct tensor_map *map, const int32_t *coordinates, const uint16_t *offsets,
                 tensor_run_fn *visit, void *self);

/* Where a byte lies: chunks of 16 bytes change places by bits 7 to 9 of the address. */
static inline uint64_t tensor_swizzled(uint64_t address, unsigned swizzle)
{
    uint64_t rows =
        (address >> 7) & ((UINT64_C(1) << swizzle) - 1); /* 32, 64, 128 bytes: 1, 2, 3 bits */
    return address ^ rows << 4;
}

#endif
