// SPDX-License-Identifier: Apache-2.0
/* Source lines of the program's own code, by libdw if warpsage was built with it. */
#ifndef RUNTIME_HOST_LINES_H
#define RUNTIME_HOST_LINES_H

#include <stdint.h>

/* A line for each frame, innermost first; functions that were inlined have lines of their own:
 *
 *     Buffer::grow at /home/a/buffer.cu:12
 *     main+0x1f in /home/a/app                   where the program has no line tables
 *
 * The first line is the place in the program that called: frames of CUDA's and the compiler's headers and what nvcc
 * makes are left out before it, and those of the C library behind main. To be freed; NULL: nothing is known. */
char *host_lines_text(const uintptr_t *return_addresses, unsigned count);

#endif
