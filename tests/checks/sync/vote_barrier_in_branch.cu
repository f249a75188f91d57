// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: __syncthreads_or in a branch that not all warps take; the others meet at the __syncthreads below
#include "../checks.h"

__global__ void any_change(const int *before, const int *after, int *changed, int n)
{
    int t = threadIdx.x;
    if (t / 32 * 32 < n) {
        int any = __syncthreads_or(before[t] != after[t]); // BUG
        if (t == 0) changed[0] = any;
    }
    __syncthreads(); // BUG
    if (t == 0) changed[1] = 1;
}

int main()
{
    int host[96], *before, *after, *changed;
    for (int i = 0; i < 96; i++) host[i] = i;
    CHECK(cudaMalloc(&before, sizeof host));
    CHECK(cudaMalloc(&after, sizeof host));
    CHECK(cudaMalloc(&changed, 2 * sizeof(int)));
    CHECK(cudaMemset(changed, 0, 2 * sizeof(int)));
    CHECK(cudaMemcpy(before, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(after, host, sizeof host, cudaMemcpyHostToDevice));
    any_change<<<1, 96>>>(before, after, changed, 64);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(before);
    cudaFree(after);
    cudaFree(changed);
    return 0;
}
