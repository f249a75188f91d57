// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: PTX ISA, wait_group.read says that the source was read, not that the destination was written
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 128 };

/* What a copy has stored is read back by the block. */
__global__ void there_and_back(int *middle, int *out)
{
    __shared__ alignas(16) int tile[THREADS];
    int t = threadIdx.x;
    tile[t] = 7 * t;
    fence_async();
    __syncthreads();
    if (t == 0) {
        store_bulk(middle, tile, sizeof tile); // BUG
        commit_bulk();
        wait_bulk_read<0>();
    }
    __syncthreads();
    out[t] = middle[THREADS - 1 - t] + 1; // BUG
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
