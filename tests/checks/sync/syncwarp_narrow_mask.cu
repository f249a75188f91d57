// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: __syncwarp: each calling thread must have its own bit in the mask; the upper half calls with the lower's
#include "../checks.h"

__global__ void neighbours(int *data)
{
    __shared__ int s[32];
    int lane = threadIdx.x;
    s[lane] = data[lane];
    __syncwarp(0x0000ffffu); // BUG
    data[lane] = s[lane ^ 1]; // ALSO
}

int main()
{
    int host[32], *data;
    for (int i = 0; i < 32; i++) host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    neighbours<<<1, 32>>>(data);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
