// SPDX-License-Identifier: Apache-2.0
/* A symbol for every function of the CUDA runtime. Weak ones stand for what no other file defines: they
 * count the call for the report and say that it is not supported. */
#include "cudart_names.h"

#define NAME(name)                                                                                 \
    CUDART __attribute__((weak)) cudaError_t name(void);                                           \
    cudaError_t name(void)                                                                         \
    {                                                                                              \
        cudaError_t error = api_begin();                                                           \
        note_missing(#name);                                                                       \
        return api_end(error ? error : cudaErrorNotSupported);                                     \
    }
#define PER_THREAD(name, base)
#include "cudart_names.def"
#undef NAME
#undef PER_THREAD

#define NAME(name)
#define PER_THREAD(name, base) JUMP_TO(cudaError_t, name, base)
#include "cudart_names.def"
#undef NAME
#undef PER_THREAD

const struct cudart_name cudart_names[] = {
#define NAME(name) {#name, (void (*)(void))name},
#define PER_THREAD(name, base) {#name, (void (*)(void))name},
#include "cudart_names.def"
#undef NAME
#undef PER_THREAD
};
const size_t cudart_name_count = sizeof cudart_names / sizeof *cudart_names;
_Static_assert(sizeof cudart_names / sizeof *cudart_names <= CUDART_NAMES_MAX, "too many names");
