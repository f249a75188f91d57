// SPDX-License-Identifier: Apache-2.0
/* Clusters of blocks: what launches may ask for, and how many are on the GPU at once. */
#include <string.h>

#include "driver.h"
#include "launch_cluster.h"

/* Every GPU with clusters takes 8 blocks, more only if the program asks for it (CUDA programming guide). GPUs of 9.0 and
 * 10.0 take 16. */
enum { PORTABLE_BLOCKS = 8, MOST_BLOCKS = 16, FIRST_TARGET = 90 };

/* The SMs of a cluster belong to one GPC. Of these machine files know nothing: guesses, from the full GH100 (8 GPCs of 18
 * SMs, NVIDIA's H100 white paper): as few as hold all SMs, with pairs of SMs spread evenly. */
enum { GPC_SMS = 18, TPC_SMS = 2 };

CUDART cudaError_t cudaOccupancyMaxActiveClusters(int *out, const void *host,
                                                  const struct cudaLaunchConfig *configuration);
CUDART cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *out, const void *host, const struct cudaLaunchConfig *configuration);

static uint64_t blocks_of(const uint32_t cluster[3])
{
    return (uint64_t)cluster[0] * cluster[1] * cluster[2];
}

static uint64_t active_clusters(uint64_t resident_blocks, uint64_t size)
{
    double value;
    bool is_known = ws_machine_get(runtime.machine, "sm.count", &value) == WS_OK;
    uint64_t sms = is_known ? (uint64_t)value : 1, by_sm = resident_blocks / sms;
    uint64_t gpcs = (sms + GPC_SMS - 1) / GPC_SMS, tpcs = sms / TPC_SMS, count = 0;
    for (uint64_t k = 0; k < gpcs; k++) {
        uint64_t own = tpcs / gpcs + (k < tpcs % gpcs);
        count += own * TPC_SMS * by_sm / size;
    }
    return count;
}

static uint64_t most_blocks(const struct kernel *kernel)
{
    return kernel->allows_large_clusters ? MOST_BLOCKS : PORTABLE_BLOCKS;
}

const char *cluster_fault(const struct kernel *kernel, const ws_launch *launch,
                          uint64_t resident_blocks, cudaError_t *out)
{
    uint64_t size = blocks_of(launch->cluster);
    *out = cudaErrorNotSupported;
    if (!launch->cluster[0] || size == 1) return NULL;
    if (ws_machine_target(runtime.machine) < FIRST_TARGET)
        return "this GPU has no clusters: choose one of compute capability 9.0 or later by --gpu";
    *out = cudaErrorInvalidClusterSize;
    if (!size) return "a dimension of the clusters is 0";
    if (size > most_blocks(kernel))
        return "the clusters are too large: 8 blocks, or 16 after "
               "cudaFuncSetAttribute(NonPortableClusterSizeAllowed)";
    for (unsigned k = 0; k < 3; k++) {
        uint32_t required = kernel->info.required_cluster[k];
        if (required && required != launch->cluster[k])
            return "the clusters are not those that the kernel requires (__cluster_dims__)";
        if (launch->grid[k] % launch->cluster[k])
            return "the grid is not a multiple of the cluster";
    }
    return active_clusters(resident_blocks, size) ? NULL : "not one cluster fits on this GPU";
}

static cudaError_t begin(const void *host, struct kernel **out)
{
    cudaError_t error = api_begin();
    *out = kernel_find(host);
    if (!error && !*out) error = cudaErrorInvalidDeviceFunction;
    return error ? error : kernel_resolve(*out);
}

static uint64_t resident_blocks(struct kernel *kernel, const struct cudaLaunchConfig *configuration)
{
    const dim3 *block = &configuration->blockDim;
    return kernel_resident_blocks(kernel, (uint64_t)block->x * block->y * block->z,
                                  configuration->dynamicSmemBytes);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *out, const void *host,
                                           const struct cudaLaunchConfig *configuration)
{
    API_CALL;
    struct kernel *kernel;
    ws_launch launch = {.grid = {0}};
    cudaError_t error = begin(host, &kernel);
    *out = 0;
    if (error) return api_end(error);
    launch_read_cluster(configuration, launch.cluster);
    if (!launch.cluster[0])
        memcpy(launch.cluster, kernel->info.required_cluster, sizeof launch.cluster);
    if (!launch.cluster[0]) return api_end(cudaErrorInvalidClusterSize);
    uint64_t resident = resident_blocks(kernel, configuration);
    if (cluster_fault(kernel, &launch, UINT32_MAX, &error)) return api_end(error);
    *out = (int)active_clusters(resident, blocks_of(launch.cluster));
    return api_end(cudaSuccess);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *out, const void *host,
                                                 const struct cudaLaunchConfig *configuration)
{
    API_CALL;
    struct kernel *kernel;
    cudaError_t error = begin(host, &kernel);
    *out = 0;
    if (error) return api_end(error);
    if (ws_machine_target(runtime.machine) < FIRST_TARGET) return api_end(cudaErrorNotSupported);
    uint64_t resident = resident_blocks(kernel, configuration), size = most_blocks(kernel);
    while (size > 1 && !active_clusters(resident, size))
        size /= 2;
    *out = resident ? (int)size : 0;
    return api_end(cudaSuccess);
}

typedef cudaError_t ask_fn(int *out, const void *host,
                           const struct cudaLaunchConfig *configuration);

static cudaError_t ask(ask_fn *function, int *out, struct kernel *kernel,
                       const struct driver_launch *given)
{
    struct cudaLaunchConfig configuration = launch_configuration(given);
    return function(out, kernel, &configuration);
}

DRIVER(cuOccupancyMaxActiveClusters,
       (int *out, struct kernel *kernel, const struct driver_launch *given),
       ask(cudaOccupancyMaxActiveClusters, out, kernel, given))
DRIVER(cuOccupancyMaxPotentialClusterSize,
       (int *out, struct kernel *kernel, const struct driver_launch *given),
       ask(cudaOccupancyMaxPotentialClusterSize, out, kernel, given))
