// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: the threads of a grid-stride loop pass a barrier a different number of times; n is no multiple of the block
#include "../checks.h"

__global__ void block_max(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, most = 0;
    for (int i = t; i < n; i += 64) {
        s[t] = in[i];
        __syncthreads(); // BUG
        most = max(most, max(s[t], s[t ^ 1]));
        __syncthreads(); // BUG
    }
    atomicMax(out, most);
}

int main()
{
    const int n = 150;
    int host[n], *in, *out;
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemset(out, 0, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    block_max<<<1, 64>>>(in, out, n);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
