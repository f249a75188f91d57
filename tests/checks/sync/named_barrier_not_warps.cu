// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: PTX bar: "the thread count must be a multiple of the warp size"
#include "../checks.h"

__global__ void pairs(int *data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    asm volatile("bar.sync 1, %0;" ::"r"((int)blockDim.x - 16) : "memory"); // BUG
    data[t] = s[63 - t];
}

int main()
{
    int host[64], *data;
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    pairs<<<1, 64>>>(data);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
