// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: PTX ISA, cp.reduce.async.bulk: each element is combined atomically, so blocks may add to the same row
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, BLOCKS = 12 };

/* Each block adds its row. */
__global__ void add_rows(const int *in, int *sums)
{
    __shared__ alignas(16) int row[THREADS];
    int t = threadIdx.x;
    row[t] = in[blockIdx.x * THREADS + t];
    fence_async();
    __syncthreads();
    if (t == 0) {
        add_bulk(sums, row, sizeof row);
        commit_bulk();
        wait_bulk<0>();
    }
}

int main()
{
    std::vector<int> host = random_ints(THREADS * BLOCKS, 1000), want(THREADS);
    array<int> in(host), sums(THREADS);
    sums.zero();
    add_rows<<<BLOCKS, THREADS>>>(in, sums);
    std::vector<int> got = sums.get();
    for (int i = 0; i < THREADS * BLOCKS; i++)
        want[i % THREADS] += host[i];
    return verdict(got == want);
}
