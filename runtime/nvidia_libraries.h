// SPDX-License-Identifier: Apache-2.0
/* NVIDIA's libraries of kernels in the program. They bring a CUDA runtime whose functions cannot be replaced, and fail
 * without a GPU. */
#ifndef RUNTIME_NVIDIA_LIBRARIES_H
#define RUNTIME_NVIDIA_LIBRARIES_H

#include <stdbool.h>

/* Is a loaded file one of them, by its name without folder? */
bool nvidia_library_add(const char *name);
/* One line about those that were found. */
void nvidia_libraries_tell(void);

#endif
