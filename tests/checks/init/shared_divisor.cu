// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: a divisor is read from shared memory before any thread wrote it (the writer is thread blockDim.x)
#include "../checks.h"

__global__ void normalise(const int *in, int *out, int n)
{
    __shared__ int most;
    int i = threadIdx.x;
    if (i == (int)blockDim.x) most = in[n - 1];
    __syncthreads();
    out[i] = in[i] * 100 / (most | 1); // BUG
}

int main()
{
    const int n = 64;
    int host[n], *in, *out;
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    normalise<<<1, n>>>(in, out, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
