// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: PTX ISA: the phase of another stage's object says nothing of this stage
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

enum { READERS = 128, TILES = 10, STAGES = 2 };

/* A warp loads, four warps read; each stage has an object that says full and one that says empty. */
__global__ void pipeline(const int *in, int *out)
{
    __shared__ alignas(16) int tile[STAGES][READERS];
    __shared__ barrier full[STAGES], empty[STAGES];
    int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], READERS);
        }
        fence_barrier_init();
    }
    __syncthreads();
    for (int i = 0; i < TILES; i++) {
        int s = i % STAGES, parity = i / STAGES % 2;
        if (t == READERS) {
            barrier_wait(&empty[s], parity ^ 1);
            barrier_expect(&full[s], sizeof tile[s]);
            load_bulk(tile[s], in + i * READERS, sizeof tile[s], &full[s]); // BUG
        } else if (t < READERS) {
            barrier_wait(&full[0], parity);
            out[i * READERS + t] = tile[s][READERS - 1 - t] + i; // BUG
            barrier_arrive(&empty[s]);
        }
    }
}

int main()
{
    std::vector<int> host = random_ints(READERS * TILES, 1000);
    array<int> in(host), out(host.size());
    pipeline<<<1, READERS + 32>>>(in, out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < READERS * TILES; i++)
        ok &= got[i] == host[i / READERS * READERS + READERS - 1 - i % READERS] + i / READERS;
    return verdict(ok);
}
