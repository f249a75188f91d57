// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: look-back: the prefix must be visible before its flag; the fence between the two stores is missing
#include "../array.h"

__global__ void scan(const int *in, int *out, int *prefix, volatile int *ready)
{
    __shared__ int before;
    __shared__ int s[64];
    int t = threadIdx.x, b = blockIdx.x;
    s[t] = in[b * 64 + t];
    for (int k = 1; k < 64; k *= 2) {
        __syncthreads();
        int other = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += other;
    }
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        if (b > 0) {
            while (!ready[b - 1]) {}
            __threadfence();
            sum = prefix[b - 1]; // BUG
        }
        prefix[b] = sum + s[63]; // BUG
        ready[b] = 1;
        before = sum;
    }
    __syncthreads();
    out[b * 64 + t] = before + s[t];
}

int main()
{
    array<int> in(random_ints(320, 10)), out(320), prefix(5), ready(5);
    ready.zero();
    scan<<<5, 64>>>(in, out, prefix, ready);
    return verdict(out.get()[319] > 0);
}
