// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: PTX memory model: a fence is cumulative: it covers what the barrier ordered before it, of all threads
#include "../array.h"

__global__ void hand_over(int *data, int *flag, int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t + 1;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0) continue;
            __threadfence();
        }
        __syncthreads();
        out[t] = data[(t + 33) % 64];
    }
}

int main()
{
    array<int> data(64), flag(1), out(64);
    flag.zero();
    hand_over<<<2, 64>>>(data, flag, out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < 64; i++) ok &= got[i] == (i + 33) % 64 + 1;
    return verdict(ok);
}
