// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: PTX ISA, mbarrier: the pending count of the phase must not become less than zero
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 4, BLOCKS = 4 };

/* All threads of the cluster arrive twice at an object of the first block, which expects an odd number. */
__global__ void __cluster_dims__(RANKS, 1, 1) all_arrive(int *out)
{
    __shared__ barrier came;
    int t = threadIdx.x;
    if (t == 0) {
        barrier_init(&came, 2 * RANKS * THREADS - 1);
        fence_barrier_init();
    }
    cluster_sync();
    unsigned there = in_block(&came, 0);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], 2;" ::"r"(there)); // BUG
    cluster_sync();
    out[blockIdx.x * THREADS + t] = t;
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    all_arrive<<<BLOCKS, THREADS>>>(out.zero());
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

