// SPDX-License-Identifier: Apache-2.0
#ifndef RUNTIME_CUDART_ARRAY_H
#define RUNTIME_CUDART_ARRAY_H

#include "runtime.h"

/* A CUDA array: rows of elements in device memory, without the layout that hardware gives them. */
struct array {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent;           /* elements; height and depth 0: one or two dimensions */
    size_t element_bytes, pitch, slice; /* bytes from row to row, from slice to slice */
    unsigned flags;
    unsigned char *bytes; /* device address, which the host may use, too */
};

/* Bytes of rows: from one to the next, and where the first of them begins. */
struct rows {
    unsigned char *begin;
    size_t pitch, slice;
};

/* Copies `depth` times `height` rows of `width` bytes. */
cudaError_t copy_rows(struct rows to, struct rows from, size_t width, size_t height, size_t depth,
                      int kind);
/* The row `y` of an array from byte `x` on. */
struct rows array_rows(const struct array *array, size_t x, size_t y, size_t z);

#endif
