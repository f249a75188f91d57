// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: thread 0 arrives at the barrier of the grid before the other warps of its block are done
#include "../array.h"

__global__ void phases(int *data, unsigned *arrived)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    data[i] = i + 1; // BUG
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    data[256 + i] = data[(i + 96) % 256]; // BUG
}

int main()
{
    array<int> data(512);
    array<unsigned> arrived(1);
    arrived.zero();
    phases<<<4, 64>>>(data, arrived);
    return verdict(data.get()[0] == 1);
}
