// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: PTX ISA, mbarrier.arrive: the address must be that of an mbarrier object, initialised before
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 2, BLOCKS = 4 };

/* Only blocks of even rank have an object. */
__global__ void __cluster_dims__(RANKS, 1, 1) to_the_odd(int *out)
{
    __shared__ barrier came;
    int t = threadIdx.x;
    if (t == 0 && cluster_rank() % 2 == 0) {
        barrier_init(&came, THREADS);
        fence_barrier_init();
    }
    cluster_sync();
    remote_arrive(in_block(&came, 1)); // BUG
    cluster_sync();
    out[blockIdx.x * THREADS + t] = t;
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    to_the_odd<<<BLOCKS, THREADS>>>(out.zero());
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

