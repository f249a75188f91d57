// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: two warps hand values to and fro through shared memory: volatile flags, __threadfence_block() on both sides
#include "../array.h"

__global__ void rally(int *out)
{
    __shared__ int mail[32];
    __shared__ volatile int turn;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) turn = 0;
    if (warp == 0) mail[lane] = lane;
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        while (turn % 2 != warp) {}
        __threadfence_block();
        __syncwarp();
        int other = mail[31 - lane];
        __syncwarp();
        mail[lane] = other + 1;
        __threadfence_block();
        __syncwarp();
        if (lane == 0) turn = turn + 1;
        __syncwarp();
    }
    __syncthreads();
    if (warp == 0) out[lane] = mail[lane];
}

int main()
{
    array<int> out(32);
    rally<<<1, 64>>>(out);
    return verdict(out.get()[0] > 0);
}
