// SPDX-License-Identifier: Apache-2.0
// expect: none
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: programming guide, spatial partitioning with cuda::barrier: ready and filled barriers for two buffers
#include "../array.h"
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void pipe(const int *in, int *out, int rounds)
{
    __shared__ int buffer[2][32];
    __shared__ barrier ready[2], filled[2];
    int t = threadIdx.x % 32;
    if (threadIdx.x < 2) init(&ready[threadIdx.x], 64), init(&filled[threadIdx.x], 64);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; r++) {
            ready[r % 2].arrive_and_wait();
            buffer[r % 2][t] = in[r * 32 + t];
            (void)filled[r % 2].arrive();
        }
    } else {
        (void)ready[0].arrive();
        (void)ready[1].arrive();
        for (int r = 0; r < rounds; r++) {
            filled[r % 2].arrive_and_wait();
            out[r * 32 + t] = buffer[r % 2][31 - t];
            (void)ready[r % 2].arrive();
        }
    }
}

int main()
{
    const int rounds = 6;
    std::vector<int> host = random_ints(rounds * 32, 1000), got;
    array<int> in(host), out(rounds * 32);
    pipe<<<1, 64>>>(in, out, rounds);
    got = out.get();
    bool ok = true;
    for (int i = 0; i < rounds * 32; i++) ok &= got[i] == host[i / 32 * 32 + 31 - i % 32];
    return verdict(ok);
}
