// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: __threadfence_block orders for the threads of the block only; the reader is in another block
#include "../checks.h"

__device__ unsigned finished = 0;

__global__ void maximum(const int *in, int *partial, int *out, int n)
{
    int t = threadIdx.x, most = 0;
    for (int i = blockIdx.x * 32 + t; i < n; i += gridDim.x * 32) most = max(most, in[i]);
    for (int k = 16; k > 0; k /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, k));
    if (t != 0) return;
    partial[blockIdx.x] = most; // BUG
    __threadfence_block();
    if (atomicAdd(&finished, 1u) != gridDim.x - 1) return;
    __threadfence_block();
    for (unsigned i = 0; i < gridDim.x; i++) most = max(most, partial[i]); // BUG
    *out = most;
}

int main()
{
    int host[512], *in, *partial, *out;
    for (int i = 0; i < 512; i++) host[i] = i * 7 % 509;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&partial, 4 * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    maximum<<<4, 32>>>(in, partial, out, 512);
    CHECK(cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(out));
    return verdict(host[0] == 508);
}
