// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: __syncwarp orders the lanes of one warp; the halves of this exchange are in two warps
#include "../checks.h"

__global__ void swap_halves(int *data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t]; // BUG
    __syncwarp();
    data[t] = s[t ^ 32]; // BUG
}

int main()
{
    int host[64], *data;
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    swap_halves<<<1, 64>>>(data);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    return 0;
}
