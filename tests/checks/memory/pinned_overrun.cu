// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: out of bounds of page-locked host memory that a kernel writes
#include "../checks.h"

__global__ void report(volatile int *progress, int n)
{
    if (threadIdx.x == 0) progress[blockIdx.x + 1] = n; // BUG
}

int main()
{
    const int blocks = 16;
    int *progress;
    CHECK(cudaMallocHost(&progress, blocks * sizeof(int)));
    for (int i = 0; i < blocks; i++) progress[i] = 0;
    report<<<blocks, 32>>>(progress, 5);
    CHECK(cudaDeviceSynchronize());
    bool ok = progress[1] == 5;
    CHECK(cudaFreeHost(progress));
    return verdict(ok);
}
