// SPDX-License-Identifier: Apache-2.0
/* Advice about managed memory, for the runtime and the driver API. */
#ifndef RUNTIME_CUDART_ADVICE_H
#define RUNTIME_CUDART_ADVICE_H

#include "runtime.h"

/* cudaMemLocation: a device, or the host. */
struct memory_location {
    int type, id;
};

CUDART cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice,
                                    struct memory_location where);
CUDART cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                                           struct memory_location where);
CUDART cudaError_t cudaMemRangeGetAttribute(int *out, size_t out_bytes, int attribute,
                                            const void *pointer, size_t bytes);
CUDART cudaError_t cudaMemRangeGetAttributes(void **out, const size_t *out_bytes,
                                             const int *attributes, size_t count,
                                             const void *pointer, size_t bytes);
/* Memory is freed. */
void advice_forget(uint64_t begin, uint64_t end);

#endif
