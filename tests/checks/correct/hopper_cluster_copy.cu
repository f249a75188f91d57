// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: PTX ISA, cp.async.bulk.shared::cluster.shared::cta: the receiver's object counts the bytes
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 2, BLOCKS = 4 };

/* A copy in bulk from the shared memory of a block to that of the other. */
__global__ void __cluster_dims__(RANKS, 1, 1) exchange(int *out)
{
    __shared__ alignas(16) int mine[THREADS], theirs[THREADS];
    __shared__ barrier came;
    int t = threadIdx.x;
    unsigned other = cluster_rank() ^ 1;
    if (t == 0) {
        barrier_init(&came, 1);
        fence_barrier_init();
    }
    mine[t] = blockIdx.x * 100 + t;
    fence_async();
    cluster_sync();
    if (t == 0) {
        barrier_expect(&came, sizeof mine);
        copy_to_block(in_block(theirs, other), mine, sizeof mine, in_block(&came, other));
    }
    barrier_wait_cluster(&came, 0);
    out[blockIdx.x * THREADS + t] = theirs[THREADS - 1 - t];
    cluster_sync();
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    exchange<<<BLOCKS, THREADS>>>(out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS * BLOCKS; i++)
        ok &= got[i] == (i / THREADS ^ 1) * 100 + THREADS - 1 - i % THREADS;
    return verdict(ok);
}
