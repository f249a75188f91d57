// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: a mask that was taken before a branch names lanes that do not come into it
#include "../checks.h"

__global__ void aggregate(const int *in, int *counter, int *out, int n)
{
    int i = threadIdx.x;
    unsigned active = __activemask();
    if (i < n && in[i] % 3 == 0) {
        int lane = i % 32, leader = __ffs(active) - 1, first = 0;
        if (lane == leader) first = atomicAdd(counter, __popc(active));
        first = __shfl_sync(active, first, leader); // BUG
        out[i] = first + __popc(active & ((1u << lane) - 1));
    }
}

int main()
{
    int host[64], *in, *out, *counter;
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&counter, sizeof(int)));
    CHECK(cudaMemset(counter, 0, sizeof(int)));
    CHECK(cudaMemset(out, 0, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    aggregate<<<1, 64>>>(in, counter, out, 64);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    cudaFree(counter);
    return 0;
}
