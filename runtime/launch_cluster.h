// SPDX-License-Identifier: Apache-2.0
/* Clusters of a launch (cudart_cluster.c). */
#ifndef RUNTIME_LAUNCH_CLUSTER_H
#define RUNTIME_LAUNCH_CLUSTER_H

#include "runtime.h"

/* CUlaunchConfig */
struct driver_launch {
    dim3 grid, block;
    unsigned shared;
    cudaStream_t stream;
    const struct cudaLaunchAttribute *attributes;
    unsigned attribute_count;
};
struct cudaLaunchConfig launch_configuration(const struct driver_launch *given);

/* cudart_launch.c: blocks by dimension that the attributes ask for; zeros: none do. */
void launch_read_cluster(const struct cudaLaunchConfig *configuration, uint32_t out[3]);

/* Why a GPU refuses the launch, and the error; NULL: it does not. resident_blocks: that are on the GPU at once. */
const char *cluster_fault(const struct kernel *kernel, const ws_launch *launch,
                          uint64_t resident_blocks, cudaError_t *out);

#endif
