// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: a deadlock in a warp: lane 0 spins for a flag that lane 1 sets after the __syncwarp where it waits for lane 0
#include "../checks.h"

__global__ void handshake(volatile int *flag, int *out)
{
    int lane = threadIdx.x;
    if (lane == 0) {
        while (*flag == 0) continue; // BUG
    }
    __syncwarp(); // BUG
    if (lane == 1) *flag = 1;
    out[lane] = lane;
}

int main()
{
    int *flag, *out;
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    handshake<<<1, 32>>>(flag, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(flag);
    cudaFree(out);
    return 0;
}
