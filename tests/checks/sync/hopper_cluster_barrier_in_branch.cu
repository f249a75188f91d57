// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: PTX ISA, barrier.cluster: .aligned says that all threads of the warp execute the same instruction
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 2, BLOCKS = 4 };

/* Only threads with work come to the barrier of the cluster; the others go on to the second one. */
__global__ void __cluster_dims__(RANKS, 1, 1) some_arrive(int *out)
{
    __shared__ int x[THREADS];
    int t = threadIdx.x, sum = t;
    x[t] = t;
    cluster_arrive();
    cluster_wait();
    if (t % 32 < 20) {
        sum += remote_load(in_block(&x[t], cluster_rank() ^ 1));
        cluster_arrive();
        cluster_wait(); // BUG
    }
    out[blockIdx.x * THREADS + t] = sum;
    cluster_arrive();
    cluster_wait();
    x[t] = sum;
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    some_arrive<<<BLOCKS, THREADS>>>(out.zero());
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

