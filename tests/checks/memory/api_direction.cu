// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaMemcpy: "Calling with dst and src pointers that do not match the direction of the copy results in undefined behavior"
#include "../checks.h"

__global__ void increment(int *data, int n)
{
    int i = threadIdx.x;
    if (i < n) data[i]++;
}

int main()
{
    const int n = 64;
    int host[n] = {}, *data;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemset(data, 0, sizeof host));
    increment<<<1, n>>>(data, n);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyHostToDevice); // BUG
    CHECK(cudaFree(data));
    return 0;
}
