// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: PTX ISA, red.async: additions to another block's word, counted by its object
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 4, BLOCKS = 8, ROUNDS = 4 };

/* Values go round the cluster; an object of the receiver for each round counts those that have come. */
__global__ void __cluster_dims__(RANKS, 1, 1) ring(int *out)
{
    __shared__ int inbox[ROUNDS][THREADS];
    __shared__ barrier came[ROUNDS];
    int t = threadIdx.x, value = blockIdx.x * 100 + t;
    unsigned next = (cluster_rank() + 1) % RANKS;
    if (t < ROUNDS) {
        barrier_init(&came[t], 1);
        fence_barrier_init();
    }
    cluster_sync();
    for (int round = 0; round < ROUNDS; round++) {
        inbox[round][t] = 1;
        cluster_sync();
        if (t == 0) barrier_expect(&came[round], sizeof inbox[0]);
        add_async(in_block(&inbox[round][t], next), value, in_block(&came[round], next));
        barrier_wait_cluster(&came[round], 0);
        value = inbox[round][THREADS - 1 - t];
    }
    out[blockIdx.x * THREADS + t] = value;
    cluster_sync();
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    ring<<<BLOCKS, THREADS>>>(out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS * BLOCKS; i++)
        ok &= got[i] == i / THREADS * 100 + i % THREADS + ROUNDS;
    return verdict(ok);
}
