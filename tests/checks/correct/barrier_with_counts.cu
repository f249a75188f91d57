// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: __syncthreads_count, _and and _or in loops that all threads of the block take equally often
#include "../array.h"

__global__ void relax(int *data, int *rounds)
{
    __shared__ int s[96];
    int t = threadIdx.x, round = 0;
    s[t] = data[t];
    for (;;) {
        __syncthreads();
        int least = min(s[t], min(s[max(t - 1, 0)], s[min(t + 1, 95)]));
        int changed = __syncthreads_count(least != s[t]);
        if (changed == 0) break;
        s[t] = least;
        round++;
    }
    data[t] = s[t];
    if (__syncthreads_and(s[t] == s[0]) && t == 0) *rounds = round;
}

int main()
{
    std::vector<int> host(96, 50);
    host[20] = 3;
    array<int> data(host), rounds(1);
    relax<<<1, 96>>>(data, rounds);
    bool ok = rounds.get()[0] == 75;
    for (int one : data.get()) ok &= one == 3;
    return verdict(ok);
}
