// SPDX-License-Identifier: Apache-2.0
/* The PTX of a form: a kernel that loads a row's operands, runs the snippet and stores the results.
 */
#ifndef VECTORS_VECTOR_PTX_H
#define VECTORS_VECTOR_PTX_H

#include <stdio.h>

#include "vector_file.h"

enum {
    SLOT_BYTES = 16, /* of an operand in the buffers of rows */
    SCRATCH_BYTES = 256,
    COMMON_BYTES = 4096,
};

/* How threads are kept from running the snippet. The kernel's last parameter is the mask of lanes
 * that run it. */
enum masking {
    MASK_NONE,   /* the mask is ignored, the results' registers are not set before */
    MASK_BRANCH, /* a branch around the snippet */
    MASK_GUARD,  /* a guard at each statement */
    MASKINGS
};
extern const char *const masking_names[MASKINGS];

/* Bits of a register that the snippet did not write, of `bits` bits. */
struct operand_bits untouched(unsigned lane, unsigned bits);

void ptx_write_header(FILE *out, const struct vector_form *form);
/* Parameters: rows in, results out, scratch, common (addresses), row count, mask. */
void ptx_write_kernel(FILE *out, const struct vector_form *form, enum masking masking,
                      const char *name);

#endif
