// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: warp specialisation by PTX bar.sync and bar.arrive over two buffers
#include "../array.h"

__device__ void wait_for(int barrier) { asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory"); }
__device__ void arrive_at(int barrier) { asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory"); }

__global__ void pipe(const int *in, int *out, int rounds)
{
    __shared__ int buffer[2][32];
    int t = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; r++) {
            if (r >= 2) wait_for(3 + r % 2);
            buffer[r % 2][t] = in[r * 32 + t];
            arrive_at(1 + r % 2);
        }
    } else {
        for (int r = 0; r < rounds; r++) {
            wait_for(1 + r % 2);
            out[r * 32 + t] = buffer[r % 2][31 - t];
            if (r + 2 < rounds) arrive_at(3 + r % 2);
        }
    }
}

int main()
{
    const int rounds = 7;
    std::vector<int> host = random_ints(rounds * 32, 1000), got;
    array<int> in(host), out(rounds * 32);
    pipe<<<1, 64>>>(in, out, rounds);
    got = out.get();
    bool ok = true;
    for (int i = 0; i < rounds * 32; i++) ok &= got[i] == host[i / 32 * 32 + 31 - i % 32];
    return verdict(ok);
}
