// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: PTX ISA, proxies: the fence stands before the writes, not behind them
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 128, TILES = 6 };

/* The threads fill a tile, which one of them has stored. */
__global__ void fill(int *out)
{
    __shared__ alignas(16) int tile[THREADS];
    int t = threadIdx.x;
    for (int i = 0; i < TILES; i++) {
        fence_async();
        tile[t] = i * 1000 + t; // BUG
        __syncthreads();
        if (t == 0) {
            store_bulk(out + i * THREADS, tile, sizeof tile); // BUG
            commit_bulk();
            wait_bulk_read<0>();
        }
        __syncthreads();
    }
}

int main()
{
    array<int> out(THREADS * TILES);
    out.zero();
    fill<<<1, THREADS>>>(out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS * TILES; i++)
        ok &= got[i] == i / THREADS * 1000 + i % THREADS;
    return verdict(ok);
}
