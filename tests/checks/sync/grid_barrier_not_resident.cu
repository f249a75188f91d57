// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: programming guide, cooperative groups: a grid barrier needs all blocks resident; 1 KB a thread of shared memory forbids it
#include "../checks.h"

__global__ void two_phases(int *data, volatile int *arrived, int n)
{
    extern __shared__ int scratch[];
    int t = threadIdx.x;
    scratch[t] = t;
    data[blockIdx.x * 32 + t] = scratch[t];
    __threadfence();
    __syncthreads();
    if (t == 0) {
        atomicAdd((int *)arrived, 1);
        while (*arrived < n) continue; // BUG
    }
    __syncthreads(); // BUG
    data[blockIdx.x * 32 + t] += 1;
}

int main()
{
    const int blocks = 2000;
    int *data, *arrived;
    CHECK(cudaMalloc(&data, blocks * 32 * sizeof(int)));
    CHECK(cudaMalloc(&arrived, sizeof(int)));
    CHECK(cudaMemset(arrived, 0, sizeof(int)));
    two_phases<<<blocks, 32, 32 << 10>>>(data, arrived, blocks);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    cudaFree(arrived);
    return 0;
}
