// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: a table in local memory is filled with a step of two and indexed with one
#include "../checks.h"

__global__ void lookup(const int *in, int *out, int n, int step)
{
    int table[16];
    for (int k = 0; k < 16; k += step) table[k] = k / step;
    int i = threadIdx.x;
    if (i < n) out[i] = in[table[in[i] & 15]]; // BUG
}

int main()
{
    const int n = 64;
    int host[n], *in, *out;
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    lookup<<<1, n>>>(in, out, n, 2);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
