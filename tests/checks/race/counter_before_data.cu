// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: the last block is found by a counter that the others raise before they store their sums
#include "../array.h"

__global__ void sum(const int *in, int *parts, unsigned *counter, int *out)
{
    __shared__ bool is_last;
    int value = in[blockIdx.x * 32 + threadIdx.x];
    for (int k = 16; k > 0; k /= 2) value += __shfl_xor_sync(~0u, value, k);
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(counter, 1) == gridDim.x - 1;
        parts[blockIdx.x] = value; // BUG
        __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; b++) all += parts[b]; // BUG
        *out = all;
    }
}

int main()
{
    array<int> in(random_ints(256, 100)), parts(8), out(1);
    array<unsigned> counter(1);
    counter.zero();
    sum<<<8, 32>>>(in, parts, counter, out);
    return verdict(out.get()[0] >= 0);
}
