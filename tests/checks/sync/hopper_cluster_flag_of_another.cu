// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: nobody writes what the loop waits for: it never ends
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 32, RANKS = 2, BLOCKS = 2 };

/* Each block waits for a flag in its own memory; the second sets its own instead of that of the first. */
__global__ void __cluster_dims__(RANKS, 1, 1) handshake(int *out)
{
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    cluster_sync();
    if (t == 0) {
        if (cluster_rank() == 1) flag = 1;
        while (!flag) { // BUG
        }
    }
    cluster_sync();
    out[blockIdx.x * THREADS + t] = t;
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    handshake<<<BLOCKS, THREADS>>>(out.zero());
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

