// SPDX-License-Identifier: Apache-2.0
/* Random kernels of two blocks of two warps that read, write and add to a few words, between barriers and messages of block
 * 0 to block 1. What threads write tells who wrote it, what they read reaches memory, and so does shared memory in the end:
 * an order of accesses that matters can be seen. */
#ifndef REFERENCE_RACE_PROGRAM_H
#define REFERENCE_RACE_PROGRAM_H

#include <stdint.h>

enum { RACE_BLOCKS = 2, RACE_THREADS = 64 };
/* PTX of a kernel k(data, flags). To be freed by mem_free. */
char *race_program(uint64_t seed);

#endif
