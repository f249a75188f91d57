// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: definedness travels with a shuffle: one lane reads unwritten memory, all lanes branch on it
#include "../checks.h"

__global__ void broadcast(const int *limits, const int *in, int *count)
{
    int limit = 0, lane = threadIdx.x % 32;
    if (lane == 0) limit = limits[threadIdx.x / 32];
    limit = __shfl_sync(0xffffffffu, limit, 0);
    if (in[threadIdx.x] < limit) atomicAdd(count, 1); // BUG
}

int main()
{
    int host[64], *limits, *in, *count;
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaMalloc(&limits, 2 * sizeof(int)));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemcpy(limits, host, sizeof(int), cudaMemcpyHostToDevice)); /* one of two */
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    broadcast<<<1, 64>>>(limits, in, count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(limits));
    CHECK(cudaFree(in));
    CHECK(cudaFree(count));
    return 0;
}
