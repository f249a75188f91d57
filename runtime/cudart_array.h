// SPDX-License-Identifier: Apache-2.0
#ifndef RUNTIME_CUDART_ARRAY_H
#define RUNTIME_CUDART_ARRAY_H

#include "work.h"

/* A CUDA array: rows of elements in device memory, without the layout that hardware gives them. */
struct array {
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent;           /* elements; height and depth 0: one or two dimensions */
    size_t element_bytes, pitch, slice; /* bytes from row to row, from slice to slice */
    unsigned flags;
    unsigned char *bytes; /* device address, which the host may use, too */
};

static inline bool is_array(const struct array *array)
{
    return handle_is(HANDLE_ARRAY, array);
}

/* Do `height` rows of `width` bytes from byte x of row y on lie in it (rows lie one behind the other)? */
bool array_holds(const struct array *array, size_t x, size_t y, size_t width, size_t height);

/* The same as an error of CUDA; false for what is no array, too. */
cudaError_t array_check(const struct array *array, size_t x, size_t y, size_t width, size_t height);

/* The row `y` of an array from byte `x` on. */
struct rows array_rows(const struct array *array, size_t x, size_t y, size_t z);

#endif
