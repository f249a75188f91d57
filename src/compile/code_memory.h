// SPDX-License-Identifier: Apache-2.0
/* Memory for machine code: written first, then executable, never both. */
#ifndef COMPILE_CODE_MEMORY_H
#define COMPILE_CODE_MEMORY_H

#include <stddef.h>

struct code_memory {
    unsigned char *bytes; /* NULL: the system refuses it */
    size_t size;
};

struct code_memory code_memory_make(const unsigned char *bytes, size_t size);
void code_memory_free(struct code_memory *memory);

#endif
