// SPDX-License-Identifier: Apache-2.0
/* What the instructions of FORM_BULK do: copies between global and shared memory that run by themselves.
 *
 *     cp.async.bulk                bytes, or with .tensor a box of a tensor that a map describes
 *     cp.reduce.async.bulk         the same, but combined with what is there
 *     st.async red.async           registers to the shared memory of a cluster */
#ifndef ISA_BULK_H
#define ISA_BULK_H

#include "isa/insn.h"

enum bulk_place { BULK_NOWHERE, BULK_GLOBAL, BULK_SHARED, BULK_REGISTERS };
enum { BULK_NO_SOURCE = UINT8_MAX, TENSOR_RANK_MAX = 5 };

struct bulk_form {
    uint8_t to, from;   /* enum bulk_place; to BULK_NOWHERE: a prefetch */
    uint8_t dimensions; /* of the tensor; 0: bytes one after the other */
    bool is_im2col;     /* pixels of images, with all their channels, one after the other */
    bool has_offsets;   /* im2col: which pixel beside the one at the coordinates */
    bool signals;       /* an mbarrier object counts the bytes */
    bool is_multicast;  /* to several blocks of the cluster */
    /* Sources, BULK_NO_SOURCE: none. Coordinates and offsets are several; so are values. */
    uint8_t target, source, size, object, map, coordinates, offsets, blocks;
};

#endif
