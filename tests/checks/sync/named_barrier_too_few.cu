// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: PTX: bar.sync a, b waits until b threads have arrived; only one warp comes
#include "../array.h"
__global__ void hand_over(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = data[t];
        asm volatile("bar.sync 1, 64;" ::: "memory"); // BUG
        data[t] = s[31 - t];
    }
}

int main()
{
    array<int> data(96);
    data.zero();
    hand_over<<<1, 96>>>(data);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
