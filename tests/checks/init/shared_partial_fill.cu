// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: the last block fills only a part of its tile; a branch decides on the rest
#include "../checks.h"

__global__ void count_peaks(const int *in, int *peaks, int n)
{
    __shared__ int tile[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (i < n) tile[t] = in[i];
    __syncthreads();
    if (t > 0 && t < 127 && tile[t] > tile[t - 1] && tile[t] > tile[t + 1]) // BUG
        atomicAdd(peaks, 1);
}

int main()
{
    const int n = 200;
    int host[n], *in, *peaks, count;
    for (int i = 0; i < n; i++) host[i] = i * 17 % 23;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&peaks, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(peaks, 0, sizeof(int)));
    count_peaks<<<2, 128>>>(in, peaks, n);
    CHECK(cudaMemcpy(&count, peaks, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(peaks));
    return verdict(count > 0);
}
