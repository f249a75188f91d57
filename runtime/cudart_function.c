// SPDX-License-Identifier: Apache-2.0
/* What a program asks and sets of a kernel: attributes and occupancy. */
#include <string.h>

#include "runtime.h"

enum { ATTRIBUTE_MAX_DYNAMIC_SHARED = 8, ATTRIBUTE_LARGE_CLUSTERS = 14 };

CUDART cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *host);
CUDART cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value);
CUDART cudaError_t cudaFuncSetCacheConfig(const void *host, int configuration);
CUDART cudaError_t cudaFuncSetSharedMemConfig(const void *host, int configuration);
CUDART cudaError_t cudaFuncGetName(const char **out, const void *host);
CUDART cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host,
                                                                 int threads, size_t shared);
CUDART cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, const void *host, int threads, size_t shared, unsigned flags);
CUDART cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host,
                                                             int blocks, int threads);

static cudaError_t begin(const void *host, struct kernel **out)
{
    cudaError_t error = api_begin();
    *out = kernel_find(host);
    if (!error && !*out) error = cudaErrorInvalidDeviceFunction;
    return error ? error : kernel_resolve(*out);
}

static int machine_int(const char *key, int otherwise)
{
    double value;
    return ws_machine_get(runtime.machine, key, &value) == WS_OK ? (int)value : otherwise;
}

void kernel_attributes(const struct kernel *kernel, struct cudaFuncAttributes *out)
{
    int most = machine_int("block.max_threads", 1024);
    if (kernel->info.max_threads_per_block) most = (int)kernel->info.max_threads_per_block;
    const struct cudaFuncAttributes all = {
        .sharedSizeBytes = kernel->info.static_shared_bytes,
        .localSizeBytes = kernel->info.local_bytes,
        .maxThreadsPerBlock = most,
        .numRegs = (int)kernel->registers,
        .ptxVersion = (int)ws_module_target(kernel->binary->module),
        .binaryVersion = (int)ws_machine_target(runtime.machine),
        .maxDynamicSharedSizeBytes = kernel->max_dynamic_shared
                                         ? (int)kernel->max_dynamic_shared
                                         : (int)(49152 - kernel->info.static_shared_bytes),
        .preferredShmemCarveout = -1,
        .clusterDimMustBeSet = kernel->info.required_cluster[0] != 0,
        .requiredClusterWidth = (int)kernel->info.required_cluster[0],
        .requiredClusterHeight = (int)kernel->info.required_cluster[1],
        .requiredClusterDepth = (int)kernel->info.required_cluster[2],
        .nonPortableClusterSizeAllowed = kernel->allows_large_clusters,
    };
    *out = all;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *host)
{
    API_CALL;
    struct kernel *kernel;
    struct cudaFuncAttributes all;
    cudaError_t error = begin(host, &kernel);
    if (error) return api_end(error);
    kernel_attributes(kernel, &all);
    /* CUDA 11 has no clusters. */
    memcpy(out, &all,
           runtime_version() >= 12 ? sizeof all
                                   : offsetof(struct cudaFuncAttributes, clusterDimMustBeSet));
    return api_end(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    API_CALL;
    struct kernel *kernel;
    cudaError_t error = begin(host, &kernel);
    if (!error && attribute == ATTRIBUTE_MAX_DYNAMIC_SHARED) {
        int most = machine_int("shared.per_block", 49152) - (int)kernel->info.static_shared_bytes;
        if (value < 0 || value > most)
            error = cudaErrorInvalidValue;
        else
            kernel->max_dynamic_shared = (uint64_t)value;
    }
    if (!error && attribute == ATTRIBUTE_LARGE_CLUSTERS) kernel->allows_large_clusters = value != 0;
    if (!error) kernel->fitting.block[0] = 0; /* to be looked at anew */
    return api_end(error);
}

cudaError_t cudaFuncSetCacheConfig(const void *host, int configuration)
{
    API_CALL;
    struct kernel *kernel;
    (void)configuration;
    return api_end(begin(host, &kernel));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *host, int configuration)
{
    API_CALL;
    return cudaFuncSetCacheConfig(host, configuration);
}

cudaError_t cudaFuncGetName(const char **out, const void *host)
{
    API_CALL;
    struct kernel *kernel;
    cudaError_t error = begin(host, &kernel);
    *out = error ? NULL : kernel->name;
    return api_end(error);
}

/* ---- occupancy ------------------------------------------------------------------------------- */

cudaError_t kernel_blocks_per_sm(const struct kernel *kernel, int threads, size_t shared, int *out)
{
    ws_occupancy_query query = {
        .size = sizeof query,
        .threads_per_block = (unsigned)threads,
        .registers_per_thread = kernel->registers,
        .shared_bytes = ws_kernel_shared_bytes(&kernel->info, shared),
    };
    ws_occupancy occupancy = {.size = sizeof occupancy};
    *out = 0;
    if (threads <= 0) return cudaErrorInvalidValue;
    ws_status status = ws_machine_occupancy(runtime.machine, &query, &occupancy);
    if (status == WS_ERR_LAUNCH) return cudaSuccess; /* not one block fits */
    if (status != WS_OK) return fail(status);
    *out = (int)occupancy.blocks_per_sm;
    return cudaSuccess;
}

uint64_t kernel_resident_blocks(struct kernel *kernel, uint64_t threads, uint64_t shared)
{
    int blocks;
    if (kernel->resident.threads == threads && kernel->resident.shared == shared)
        return kernel->resident.blocks;
    if (kernel_blocks_per_sm(kernel, (int)threads, shared, &blocks)) return 0;
    kernel->resident.threads = threads;
    kernel->resident.shared = shared;
    kernel->resident.blocks = (uint64_t)blocks * (uint64_t)machine_int("sm.count", 1);
    return kernel->resident.blocks;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *host,
                                                                   int threads, size_t shared,
                                                                   unsigned flags)
{
    API_CALL;
    struct kernel *kernel;
    (void)flags;
    cudaError_t error = begin(host, &kernel);
    return api_end(error ? error : kernel_blocks_per_sm(kernel, threads, shared, out));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *host, int threads,
                                                          size_t shared)
{
    API_CALL;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, host, threads, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *host, int blocks,
                                                      int threads)
{
    API_CALL;
    struct kernel *kernel;
    cudaError_t error = begin(host, &kernel);
    *out = 0;
    if (error || blocks <= 0) return api_end(error ? error : cudaErrorInvalidValue);
    size_t most = (size_t)machine_int("shared.per_block", 49152), low = 0, high = most;
    int fitting = 0;
    while (low < high) { /* the most for which so many blocks fit */
        size_t middle = low + (high - low + 1) / 2;
        error = kernel_blocks_per_sm(kernel, threads, middle, &fitting);
        if (error) return api_end(error);
        if (fitting >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    *out = low;
    return api_end(cudaSuccess);
}
