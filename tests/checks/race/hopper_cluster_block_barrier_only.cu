// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: __syncthreads() covers the threads of one block
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 4, BLOCKS = 8 };

/* Each block reads what its neighbour in the cluster wrote. */
__global__ void __cluster_dims__(RANKS, 1, 1) shift(int *out)
{
    __shared__ int mine[THREADS];
    int t = threadIdx.x;
    unsigned next = (cluster_rank() + 1) % RANKS;
    mine[t] = blockIdx.x * 100 + t; // BUG
    __syncthreads();
    out[blockIdx.x * THREADS + t] = remote_load(in_block(&mine[THREADS - 1 - t], next)); // BUG
    cluster_sync();
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    shift<<<BLOCKS, THREADS>>>(out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS * BLOCKS; i++) {
        int block = i / THREADS, next = block / RANKS * RANKS + (block + 1) % RANKS;
        ok &= got[i] == next * 100 + THREADS - 1 - i % THREADS;
    }
    return verdict(ok);
}
