// SPDX-License-Identifier: Apache-2.0
/* The CUDA driver API (libcuda.so.1) on the same state as the runtime: most of its functions are the
 * runtime's with other names and kinds of arguments.
 *
 *   driver_context.c  start, devices, contexts
 *   driver_module.c   modules, libraries, functions, linking of PTX
 *   driver_memory.c   memory: allocation, copies, fills
 *   driver_virtual.c  memory that is mapped to reserved addresses
 *   driver_texture.c  arrays and textures
 *   driver_launch.c   launches, streams, events, graphs, occupancy
 *   driver_entry.c    functions by name, errors
 *   driver_names.c    every name; what is missing */
#ifndef RUNTIME_DRIVER_H
#define RUNTIME_DRIVER_H

#include "runtime.h"

/* CUresult: the numbers are those of cudaError_t but for a few (driver_context.c). */
typedef enum driver_result {
#define DRIVER_ERROR(name, number) name = number,
#include "driver_errors.def"
#undef DRIVER_ERROR
} driver_result;

/* What a call of a driver function changes only for itself. */
struct scope {
    bool runtime_used;
    cudaError_t last;
};
/* Fails without cuInit, and without a context if one is needed. */
cudaError_t scope_open(struct scope *scope, bool needs_context);
/* Errors of the driver are none of cudaGetLastError. */
driver_result scope_close(const struct scope *scope, cudaError_t error);

#define DRIVER_BODY(needs_context, call)                                                           \
    {                                                                                              \
        API_CALL;                                                                                  \
        struct scope scope;                                                                        \
        cudaError_t error = scope_open(&scope, needs_context);                                     \
        return scope_close(&scope, error ? error : (call));                                        \
    }
/* A function that is one call: of the runtime's function, or of a static one. */
#define DRIVER(name, parameters, call)                                                             \
    CUDART driver_result name parameters;                                                          \
    driver_result name parameters DRIVER_BODY(true, call)
/* The same where no context is needed. */
#define DRIVER_ANY(name, parameters, call)                                                         \
    CUDART driver_result name parameters;                                                          \
    driver_result name parameters DRIVER_BODY(false, call)

static inline void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* driver_names.c: the function of a name as programs of a CUDA version (12040 for 12.4) call it; NULL: there
 * is none. */
void *driver_find(const char *name, int version);

#endif
