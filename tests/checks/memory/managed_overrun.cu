// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: out of bounds of memory from cudaMallocManaged
#include "../checks.h"

__global__ void prefix(int *data, int n)
{
    for (int i = 1; i <= n; i++) data[i] += data[i - 1]; // BUG
}

int main()
{
    const int n = 100;
    int *data;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    for (int i = 0; i < n; i++) data[i] = 1;
    prefix<<<1, 1>>>(data, n);
    CHECK(cudaDeviceSynchronize());
    bool ok = data[n - 1] == n;
    CHECK(cudaFree(data));
    return verdict(ok);
}
