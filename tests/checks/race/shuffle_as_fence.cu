// SPDX-License-Identifier: Apache-2.0
// expect: warning race
// silent: yes
// why: issue: a shuffle taken for a fence; CUDA promises no memory ordering of __shfl_sync
#include "../checks.h"

__global__ void warp_totals(const int *in, int *out)
{
    __shared__ int totals[4];
    int t = threadIdx.x, sum = in[t];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (t % 32 == 0) totals[t / 32] = sum; // BUG
    sum = __shfl_sync(0xffffffffu, sum, 0);
    out[t] = totals[t / 32] - sum; // BUG
}

int main()
{
    int host[128], *in, *out;
    for (int i = 0; i < 128; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    warp_totals<<<1, 128>>>(in, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
