// SPDX-License-Identifier: Apache-2.0
/* Maps of tensors, the 128 bytes that cuTensorMapEncode... fills, tensormap.replace changes and cp.async.bulk.tensor reads.
 * NVIDIA does not publish their layout. Of tiles it is the one that code of ptxas 13 for tensormap.replace writes, so that
 * machine code changes maps, too; what more im2col needs lies where such code never writes.
 *
 *     byte  0  the address, 64 bits
 *     byte  8  bits 4-6 the rank, less 1; 7-10 the type; 11-12 the interleaved layout; 13-14 and 22 the swizzle; 15 fills
 *              with NaN; 16 of f32: only the bits of tf32 are meant
 *     byte 12  strides of dimensions 1 to 4 in units of 16 bytes, 32 bits of each; byte 28: 4 more bits of each
 *     byte 32  the five sizes, 32 bits each, less 1
 *     byte 52  bits 0-14 the five steps, 3 bits each, less 1; 24-31 and the next 4 bytes: the box, less 1
 *     byte 64  our own: im2col (struct pixel_part) */
#ifndef EMULATE_TENSOR_MAP_H
#define EMULATE_TENSOR_MAP_H

#include "base/diag.h"
#include "isa/bulk.h"

enum { TENSOR_MAP_BYTES = 128 };

/* Dimension 0 is the innermost. */
struct tensor_map {
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

void tensor_map_pack(const struct tensor_map *map, unsigned char out[TENSOR_MAP_BYTES]);
/* Kernels can write any bytes where a map is. False: these are not a map that is supported. */
bool tensor_map_unpack(const unsigned char bytes[TENSOR_MAP_BYTES], struct tensor_map *out);
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
