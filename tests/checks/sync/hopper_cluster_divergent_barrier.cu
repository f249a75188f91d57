// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: __syncthreads() in conditional code is allowed only if the conditional evaluates identically across the block
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 2, BLOCKS = 4 };

/* The halves of a warp meet at different places. */
__global__ void __cluster_dims__(RANKS, 1, 1) neighbours(int *out)
{
    __shared__ int x[THREADS], y[THREADS];
    int t = threadIdx.x;
    x[t] = t;
    cluster_sync();
    int sum = remote_load(in_block(&x[t], cluster_rank() ^ 1));
    if (t % 2) {
        y[t] = sum;
        __syncthreads(); // BUG
        sum += y[t ^ 2];
    }
    out[blockIdx.x * THREADS + t] = sum;
    cluster_sync();
    x[t] = sum;
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    neighbours<<<BLOCKS, THREADS>>>(out.zero());
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

