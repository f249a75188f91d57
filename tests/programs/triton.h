// SPDX-License-Identifier: Apache-2.0
/* Kernels as PTX that other compilers made, launched by the driver API. */
#pragma once
#include <cuda.h>

#include "check.h"

#define CHECK_DRIVER(call)                                                                         \
    do {                                                                                           \
        CUresult check_error = (call);                                                             \
        if (check_error != CUDA_SUCCESS) {                                                         \
            const char *name = "?";                                                                \
            cuGetErrorName(check_error, &name);                                                    \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name);                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* As Triton's launcher does: the shared memory is dynamic, and two pointers to memory for scratch, of which the kernel takes
 * none, come last. */
template <typename... Arguments>
void launch_ptx(const char *text, const char *name, dim3 grid, unsigned threads, unsigned shared,
                Arguments... arguments)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr scratch = 0, profile = 0;
    CHECK(cudaFree(0));
    CHECK_DRIVER(cuModuleLoadData(&module, text));
    CHECK_DRIVER(cuModuleGetFunction(&function, module, name));
    if (shared > 48 << 10)
        CHECK_DRIVER(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        static_cast<int>(shared)));
    void *all[] = {&arguments..., &scratch, &profile};
    CHECK_DRIVER(cuLaunchKernel(function, grid.x, grid.y, grid.z, threads, 1, 1, shared, nullptr,
                                all, nullptr));
    CHECK_DRIVER(cuCtxSynchronize());
    CHECK_DRIVER(cuModuleUnload(module));
}
