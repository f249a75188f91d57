// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: barriers of the block within phases of the cluster; threads that have left need not come to either
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 96, RANKS = 2, BLOCKS = 4, ROUNDS = 5 };

/* A warp leaves before the others go on; of those one warp waits at a barrier of its own. */
__global__ void __cluster_dims__(RANKS, 1, 1) rounds(int *out)
{
    __shared__ int x[THREADS];
    int t = threadIdx.x, sum = 0;
    x[t] = t;
    cluster_sync();
    if (t >= 64) return;
    for (int round = 0; round < ROUNDS; round++) {
        sum += remote_load(in_block(&x[(t + 1) % 64], cluster_rank() ^ 1));
        cluster_sync();
        if (t < 32) {
            asm volatile("bar.sync 1, 32;" ::: "memory");
            x[t] += round;
        } else {
            x[t] += 2 * round;
        }
        __syncthreads();
        sum += x[(t + 1) % 64];
        cluster_sync();
    }
    out[blockIdx.x * THREADS + t] = sum;
}

int main()
{
    array<int> out(THREADS * BLOCKS);
    rounds<<<BLOCKS, THREADS>>>(out.zero());
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS * BLOCKS; i++) {
        int t = i % THREADS, next = (t + 1) % 64, sum = 0, x = next;
        for (int round = 0; round < ROUNDS; round++) {
            sum += x;
            x += (next < 32 ? 1 : 2) * round;
            sum += x;
        }
        ok &= got[i] == (t < 64 ? sum : 0);
    }
    return verdict(ok);
}
