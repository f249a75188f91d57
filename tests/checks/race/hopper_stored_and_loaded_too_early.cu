// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: PTX ISA, wait_group.read: the other copy may load what the first has not written yet
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 128 };

/* What a copy has stored is read back by the block. */
__global__ void there_and_back(int *middle, int *out)
{
    __shared__ alignas(16) int tile[THREADS], again[THREADS];
    __shared__ barrier full;
    int t = threadIdx.x;
    tile[t] = 7 * t;
    if (t == 0) barrier_init(&full, 1);
    fence_async();
    __syncthreads();
    if (t == 0) {
        store_bulk(middle, tile, sizeof tile); // BUG
        commit_bulk();
        wait_bulk_read<0>();
        barrier_expect(&full, sizeof again);
        load_bulk(again, middle, sizeof again, &full); // BUG
    }
    barrier_wait(&full, 0);
    out[t] = again[THREADS - 1 - t] + 1;
}

int main()
{
    array<int> middle(THREADS), out(THREADS);
    middle.zero();
    there_and_back<<<1, THREADS>>>(middle, out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS; i++)
        ok &= got[i] == 7 * (THREADS - 1 - i) + 1;
    return verdict(ok);
}
