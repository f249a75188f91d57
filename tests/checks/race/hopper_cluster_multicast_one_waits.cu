// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: only the block that loads waits for its object; those of the others say nothing yet
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 4, ROUNDS = 4 };

/* Rank 0 loads for all blocks of the cluster. */
__global__ void __cluster_dims__(RANKS, 1, 1) share(const int *in, int *out)
{
    __shared__ alignas(16) int tile[THREADS];
    __shared__ barrier full;
    int t = threadIdx.x, rank = cluster_rank();
    if (t == 0) {
        barrier_init(&full, 1);
        fence_barrier_init();
    }
    cluster_sync();
    for (int round = 0; round < ROUNDS; round++) {
        if (t == 0) barrier_expect(&full, sizeof tile);
        if (t == 0 && rank == 0)
            load_bulk_to_blocks(tile, in + round * THREADS, sizeof tile, &full, (1 << RANKS) - 1); // BUG
        if (rank == 0) barrier_wait_cluster(&full, round % 2);
        out[(round * RANKS + rank) * THREADS + t] = tile[THREADS - 1 - t] + rank; // BUG
        barrier_wait_cluster(&full, round % 2);
        cluster_sync();
    }
}

int main()
{
    std::vector<int> host = random_ints(THREADS * ROUNDS, 1000);
    array<int> in(host), out(THREADS * RANKS * ROUNDS);
    share<<<RANKS, THREADS>>>(in, out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS * RANKS * ROUNDS; i++) {
        int row = i / THREADS;
        ok &= got[i] == host[row / RANKS * THREADS + THREADS - 1 - i % THREADS] + row % RANKS;
    }
    return verdict(ok);
}
