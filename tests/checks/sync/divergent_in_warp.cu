// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: synccheck: divergent threads of a warp at a barrier: half of it is in the other branch's __syncthreads
#include "../checks.h"

__global__ void split(int *data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t % 2) {
        s[t] = data[t];
        __syncthreads(); // BUG
        data[t] = s[t - 1] + 1;
    } else {
        s[t] = 2 * data[t];
        __syncthreads(); // BUG
        data[t] = s[t + 1];
    }
}

int main()
{
    int host[64], *data;
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    split<<<1, 64>>>(data);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
