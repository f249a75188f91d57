// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: memcheck: a read before the first element of an allocation
#include "../checks.h"

__global__ void stencil(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    int left = in[i - 1]; // BUG
    out[i] = left + in[i] + in[i + 1];
}

int main()
{
    const int n = 512;
    int *in, *out, host[n];
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, sizeof host));
    stencil<<<4, 128>>>(in, out, n);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(host[10] == 30);
}
