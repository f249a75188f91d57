// SPDX-License-Identifier: Apache-2.0
/* Functions of the driver by name; names and words of errors. */
#include "driver.h"

CUDART driver_result cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags,
                                         int *out_found);
CUDART driver_result cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);

driver_result cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags,
                                  int *out_found)
{
    enum { FOUND = 0, NOT_FOUND = 1 };
    (void)flags;
    if (!name || !out) return CUDA_ERROR_INVALID_VALUE;
    *out = driver_find(name, version);
    if (out_found) *out_found = *out ? FOUND : NOT_FOUND;
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

driver_result cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* The runtime's way to the same names. */
CUDART cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version,
                                                    unsigned long long flags, int *out_found);
CUDART cudaError_t cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags,
                                           int *out_found);

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version,
                                             unsigned long long flags, int *out_found)
{
    cudaError_t error = api_begin();
    if (error) return api_end(error);
    driver_result result = cuGetProcAddress_v2(name, out, (int)version, flags, out_found);
    return api_end(result == CUDA_SUCCESS           ? cudaSuccess
                   : result == CUDA_ERROR_NOT_FOUND ? cudaErrorSymbolNotFound
                                                    : cudaErrorInvalidValue);
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags,
                                    int *out_found)
{
    return cudaGetDriverEntryPointByVersion(name, out, runtime_version() * 1000, flags, out_found);
}

/* Tables of functions that NVIDIA does not document. NVRTC asks for one and does without it; nothing here has any, as a
 * driver of another version. */
CUDART driver_result cuGetExportTable(const void **out, const unsigned char id[16]);
CUDART cudaError_t cudaGetExportTable(const void **out, const unsigned char id[16]);

driver_result cuGetExportTable(const void **out, const unsigned char id[16])
{
    (void)id;
    if (out) *out = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

cudaError_t cudaGetExportTable(const void **out, const unsigned char id[16])
{
    return (cudaError_t)cuGetExportTable(out, id);
}

/* ---- errors ---------------------------------------------------------------------------------- */

CUDART driver_result cuGetErrorName(driver_result error, const char **out);
CUDART driver_result cuGetErrorString(driver_result error, const char **out);
CUDART const char *cudaGetErrorString(cudaError_t error);

driver_result cuGetErrorName(driver_result error, const char **out)
{
    *out = NULL;
    switch (error) {
#define DRIVER_ERROR(name, number)                                                                 \
    case name:                                                                                     \
        *out = #name;                                                                              \
        break;
#include "driver_errors.def"
#undef DRIVER_ERROR
    }
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

driver_result cuGetErrorString(driver_result error, const char **out)
{
    driver_result known = cuGetErrorName(error, out);
    if (known == CUDA_SUCCESS) *out = cudaGetErrorString((cudaError_t)error);
    return known;
}
