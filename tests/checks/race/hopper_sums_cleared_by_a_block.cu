// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: block 0 clears the sums while others may have added to them
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 64, BLOCKS = 12 };

/* Each block adds its row. */
__global__ void add_rows(const int *in, int *sums)
{
    __shared__ alignas(16) int row[THREADS];
    int t = threadIdx.x;
    if (blockIdx.x == BLOCKS - 1) sums[t] = 0; // BUG
    row[t] = in[blockIdx.x * THREADS + t];
    fence_async();
    __syncthreads();
    if (t == 0) {
        add_bulk(sums, row, sizeof row); // BUG
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
