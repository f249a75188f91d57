// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: programming guide, shuffles: all non-exited threads named in mask must execute; here named lanes have exited
#include "../checks.h"

__global__ void sum(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = in[i];
    for (int k = 16; k > 0; k /= 2) value += __shfl_down_sync(0xffffffffu, value, k); // BUG
    if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}

int main()
{
    const int n = 100;
    int host[n], *in, *out, total;
    for (int i = 0; i < n; i++) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemset(out, 0, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sum<<<2, 64>>>(in, out, n);
    CHECK(cudaMemcpy(&total, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
