// SPDX-License-Identifier: Apache-2.0
// expect: error|warning race
// silent: yes
// why: programming guide, independent thread scheduling: lanes of a warp exchange through shared memory without __syncwarp
#include "../checks.h"

__global__ void reverse_in_warp(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x, lane = t % 32, first = t - lane;
    s[t] = data[t];                    // BUG
    data[t] = s[first + 31 - lane];    // BUG
}

int main()
{
    int host[128], *data;
    for (int i = 0; i < 128; i++) host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    reverse_in_warp<<<1, 128>>>(data);
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
    return 0;
}
