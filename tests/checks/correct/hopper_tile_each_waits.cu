// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: PTX ISA, cp.async.bulk: the copy is complete when the phase of the mbarrier object has ended; each thread waits itself
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { THREADS = 128, TILES = 6 };

/* Tile by tile through one buffer; each thread reads another's element. */
__global__ void scale(const int *in, int *out)
{
    __shared__ alignas(16) int tile[THREADS];
    __shared__ barrier full;
    int t = threadIdx.x;
    if (t == 0) {
        barrier_init(&full, 1);
        fence_barrier_init();
    }
    __syncthreads();
    for (int i = 0; i < TILES; i++) {
        if (t == 0) {
            barrier_expect(&full, sizeof tile);
            load_bulk(tile, in + i * THREADS, sizeof tile, &full);
        }
        barrier_wait(&full, i % 2);
        out[i * THREADS + t] = 3 * tile[THREADS - 1 - t];
        __syncthreads();
    }
}

int main()
{
    std::vector<int> host = random_ints(THREADS * TILES, 1000);
    array<int> in(host), out(host.size());
    scale<<<1, THREADS>>>(in, out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < THREADS * TILES; i++)
        ok &= got[i] == 3 * host[i / THREADS * THREADS + THREADS - 1 - i % THREADS];
    return verdict(ok);
}
