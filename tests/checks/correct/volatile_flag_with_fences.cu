// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: programming guide: data, __threadfence, volatile flag; the reader polls, then a fence, then reads
#include "../array.h"

__global__ void pass(int *data, volatile int *ready, int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = 5 * t;
        __threadfence();
        __syncthreads();
        if (t == 0) *ready = 1;
    } else {
        if (t == 0) {
            while (*ready == 0) continue;
            __threadfence();
        }
        __syncthreads();
        out[(blockIdx.x - 1) * 96 + t] = data[95 - t];
    }
}

int main()
{
    array<int> data(96), ready(1), out(3 * 96);
    ready.zero();
    pass<<<4, 96>>>(data, ready, out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < 3 * 96; i++) ok &= got[i] == 5 * (95 - i % 96);
    return verdict(ok);
}
