// SPDX-License-Identifier: Apache-2.0
/* Compiled without PTX: shared memory of blocks in clusters is refused, that of blocks alone is there. */
#include "check.h"

enum { THREADS = 32, BLOCKS = 4 };

__global__ void reverse(unsigned *out)
{
    __shared__ unsigned words[THREADS];
    words[threadIdx.x] = blockIdx.x * THREADS + threadIdx.x;
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = words[THREADS - 1 - threadIdx.x];
}

int main()
{
    unsigned *out, words[BLOCKS * THREADS];
    CHECK(cudaMalloc(&out, sizeof words));
    reverse<<<BLOCKS, THREADS>>>(out);
    CHECK(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        ok = ok && words[i] == i / THREADS * THREADS + THREADS - 1 - i % THREADS;

    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = BLOCKS;
    config.blockDim = THREADS;
    config.attrs = &cluster;
    config.numAttrs = 1;
    return verdict(cudaLaunchKernelEx(&config, reverse, out) != cudaSuccess && ok);
}
