// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: out of bounds accesses to global memory; the grid is rounded up and the guard is missing
#include "../checks.h"

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = a * x[i] + y[i]; // BUG
}

int main()
{
    const int n = 1000;
    float *x, *y, host[n];
    for (int i = 0; i < n; i++) host[i] = (float)i;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMalloc(&y, sizeof host));
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return verdict(host[999] == 2997);
}
