// SPDX-License-Identifier: Apache-2.0
/* Matrix multiply-adds of a warp, as kernels have them. */
#ifndef CALIBRATE_TENSOR_H
#define CALIBRATE_TENSOR_H

#include "calibrate/kernel_text.h"

/* The widest shape of fp16 that a GPU's warps have one instruction of; the sums of a lane, and words of factors. */
struct tensor_shape {
    unsigned from_cc;
    const char *instruction;
    unsigned sums, a, b, products; /* products: multiply-adds of a warp */
    const char *native;            /* NULL: it becomes several */
};

/* NULL: the GPU has no tensor cores. */
const struct tensor_shape *tensor_shape_of(const struct gpu_facts *gpu);
/* sums += factors x factors; sums are %f from `first` on, both factors %r from `factors` on. */
void put_tensor(struct kernel_writer *writer, const struct tensor_shape *shape, unsigned first,
                unsigned factors);

#endif
