// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: CUDA programming guide, distributed shared memory: all blocks have begun before the first access, and the barrier orders the writes
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 4, BLOCKS = 8 };

/* Each block writes into its neighbour's memory. */
__global__ void __cluster_dims__(RANKS, 1, 1) send(int *out)
{
    __shared__ int inbox[THREADS];
    int t = threadIdx.x;
    unsigned next = (cluster_rank() + 1) % RANKS;
    cluster_sync();
    remote_store(in_block(&inbox[t], next), blockIdx.x * 100 + t);
    cluster_sync();
    out[blockIdx.x * THREADS + t] = inbox[THREADS - 1 - t];
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    send<<<BLOCKS, THREADS>>>(out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS * BLOCKS; i++) {
        int block = i / THREADS, before = block / RANKS * RANKS + (block + RANKS - 1) % RANKS;
        ok &= got[i] == before * 100 + THREADS - 1 - i % THREADS;
    }
    return verdict(ok);
}
