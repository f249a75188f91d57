// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck manual, padding: accesses that overrun one allocation and land in the next are errors
#include "../checks.h"

/* Structure of arrays: the third component is written one array too far. */
__global__ void integrate(float *px, float *py, const float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    px[i] += v[i];
    py[i] += v[i];
    px[i + n] += v[i]; // BUG
}

int main()
{
    const int n = 1024;
    float *px, *py, *v, host[n];
    for (int i = 0; i < n; i++) host[i] = 1.0f;
    CHECK(cudaMalloc(&px, sizeof host));
    CHECK(cudaMalloc(&py, sizeof host));
    CHECK(cudaMalloc(&v, sizeof host));
    CHECK(cudaMemcpy(v, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(px, 0, sizeof host));
    CHECK(cudaMemset(py, 0, sizeof host));
    integrate<<<n / 256, 256>>>(px, py, v, n);
    CHECK(cudaMemcpy(host, px, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(px));
    CHECK(cudaFree(py));
    CHECK(cudaFree(v));
    return verdict(host[5] == 1.0f);
}
