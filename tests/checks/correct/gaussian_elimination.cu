// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: Rodinia's gaussian: each launch reads a row that it does not write; launches of a stream are ordered
#include "../array.h"

__global__ void factors(const float *a, float *m, int n, int pivot)
{
    int r = pivot + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) m[r] = a[r * n + pivot] / a[pivot * n + pivot];
}

__global__ void eliminate(float *a, const float *m, int n, int pivot)
{
    int c = pivot + blockIdx.x * blockDim.x + threadIdx.x, r = pivot + 1 + blockIdx.y;
    if (c < n && r < n) a[r * n + c] -= m[r] * a[pivot * n + c];
}

int main()
{
    const int n = 20;
    std::vector<float> host(n * n), got;
    for (int i = 0; i < n * n; i++) host[i] = i / n == i % n ? 50.0f : (float)(i % 7);
    array<float> a(host), m(n);
    for (int p = 0; p + 1 < n; p++) {
        factors<<<1, 32>>>(a, m, n, p);
        eliminate<<<dim3(1, n - 1 - p), 32>>>(a, m, n, p);
    }
    got = a.get();
    bool ok = true;
    for (int r = 1; r < n; r++)
        for (int c = 0; c < r; c++) ok &= fabsf(got[r * n + c]) < 0.001f;
    return verdict(ok);
}
