// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: the bins of the own block by atomicAdd(), those of others by red: all are atomic for the cluster
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, RANKS = 4, BINS = 32 };

/* A histogram whose bins lie in all blocks of the cluster. */
__global__ void __cluster_dims__(RANKS, 1, 1) count(const int *in, int *out)
{
    __shared__ int bins[BINS / RANKS];
    int t = threadIdx.x, bin = in[blockIdx.x * THREADS + t];
    if (t < BINS / RANKS) bins[t] = 0;
    cluster_sync();
    if (static_cast<unsigned>(bin / (BINS / RANKS)) == cluster_rank())
        atomicAdd(&bins[bin % (BINS / RANKS)], 1);
    else
        remote_add(in_block(&bins[bin % (BINS / RANKS)], bin / (BINS / RANKS)), 1);
    cluster_sync();
    if (t < BINS / RANKS) out[cluster_rank() * (BINS / RANKS) + t] = bins[t];
}

int main()
{
    std::vector<int> host = random_ints(THREADS * RANKS, BINS), want(BINS);
    array<int> in(host), out(BINS);
    count<<<RANKS, THREADS>>>(in, out);
    for (int one : host)
        want[one]++;
    return verdict(out.get() == want);
}
