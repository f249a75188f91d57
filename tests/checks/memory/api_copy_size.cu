// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: memcheck, API errors: a copy of more bytes than the allocation has (elements times size, twice)
#include "../checks.h"

__global__ void increment(int *data, int n)
{
    int i = threadIdx.x;
    if (i < n) data[i]++;
}

int main()
{
    const int n = 100;
    static int host[n * sizeof(int)];
    int *data;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    cudaMemcpy(data, host, n * sizeof(int) * sizeof(int), cudaMemcpyHostToDevice); // BUG
    increment<<<1, 128>>>(data, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    return 0;
}
