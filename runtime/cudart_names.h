// SPDX-License-Identifier: Apache-2.0
#ifndef RUNTIME_CUDART_NAMES_H
#define RUNTIME_CUDART_NAMES_H

#include "runtime.h"

struct cudart_name {
    const char *name;
    void (*function)(void);
};
/* Every function that this library stands in for. */
extern const struct cudart_name cudart_names[];
extern const size_t cudart_name_count;

#endif
