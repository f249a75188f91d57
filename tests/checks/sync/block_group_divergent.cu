// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: cooperative groups: block.sync() by a part of the block, in a function that only some warps call
#include "../checks.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int group_sum(cg::thread_block block, int *s, int value)
{
    int t = block.thread_rank();
    s[t] = value;
    block.sync(); // BUG
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += s[t / 32 * 32 + i];
    block.sync(); // BUG
    return sum;
}

__global__ void sums(const int *in, int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x;
    if (in[t] > 0) out[t] = group_sum(cg::this_thread_block(), s, in[t]);
    else out[t] = 0;
    __syncthreads(); // BUG
    if (t == 0) out[0] += out[32];
}

int main()
{
    int host[96], *in, *out;
    for (int i = 0; i < 96; i++) host[i] = i < 64 ? 1 : 0;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sums<<<1, 96>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
