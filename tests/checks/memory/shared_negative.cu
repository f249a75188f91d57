// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: an access before the beginning of shared memory's array
#include "../checks.h"

__global__ void differences(const int *in, int *out, int n)
{
    __shared__ int before[32];
    __shared__ int tile[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 32) before[t] = 0;
    tile[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[t] - tile[t - 1] + before[t % 32]; // BUG
}

int main()
{
    const int n = 256;
    int host[n], *in, *out;
    for (int i = 0; i < n; i++) host[i] = 3 * i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    differences<<<2, 128>>>(in, out, n);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(host[5] == 3);
}
