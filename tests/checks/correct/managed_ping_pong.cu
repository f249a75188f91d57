// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: managed memory: the host reads and writes after cudaDeviceSynchronize only
#include "../checks.h"

__global__ void step(const float *now, float *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) next[i] = 0.5f * (now[i - 1] + now[i + 1]);
}

int main()
{
    const int n = 200;
    float *a, *b;
    CHECK(cudaMallocManaged(&a, n * sizeof(float)));
    CHECK(cudaMallocManaged(&b, n * sizeof(float)));
    for (int i = 0; i < n; i++) a[i] = b[i] = i == 0 ? 1.0f : 0.0f;
    float change = 1;
    for (int i = 0; i < 6; i++) {
        step<<<2, 128>>>(a, b, n);
        CHECK(cudaDeviceSynchronize());
        change = 0;
        for (int k = 0; k < n; k++) change += a[k] > b[k] ? a[k] - b[k] : b[k] - a[k];
        float *swap = a;
        a = b;
        b = swap;
    }
    bool ok = a[0] == 1.0f && a[1] > 0.5f && change > 0;
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return verdict(ok);
}
