// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: warps of a block hand a value over by a volatile flag; volatile orders no other access, __threadfence_block() is missing
#include "../array.h"

__global__ void hand_over(int *out)
{
    __shared__ int value[32];
    __shared__ volatile int ready;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        value[lane] = lane * 5 + 1; // BUG
        __syncwarp();
        if (lane == 0) ready = 1;
    } else {
        while (!ready) {}
        out[lane] = value[lane]; // BUG
    }
}

int main()
{
    array<int> out(32);
    hand_over<<<1, 64>>>(out);
    return verdict(out.get()[1] == 6);
}
