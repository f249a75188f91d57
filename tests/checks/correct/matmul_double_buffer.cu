// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: two shared tiles and one barrier a step: the tile being filled was last read before the previous barrier
#include "../array.h"

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[2][8][8], bs[2][8][8];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty, now = 0;
    float sum = 0;
    as[0][ty][tx] = a[y * n + tx];
    bs[0][ty][tx] = b[ty * n + x];
    __syncthreads();
    for (int k = 8; k <= n; k += 8) {
        float next_a = k < n ? a[y * n + k + tx] : 0, next_b = k < n ? b[(k + ty) * n + x] : 0;
        for (int i = 0; i < 8; i++) sum += as[now][ty][i] * bs[now][i][tx];
        now ^= 1;
        as[now][ty][tx] = next_a;
        bs[now][ty][tx] = next_b;
        __syncthreads();
    }
    c[y * n + x] = sum;
}

int main()
{
    const int n = 24;
    std::vector<float> a(n * n), b(n * n), wanted(n * n);
    for (int i = 0; i < n * n; i++) a[i] = (float)(i % 5), b[i] = (float)(i % 7);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            for (int k = 0; k < n; k++) wanted[y * n + x] += a[y * n + k] * b[k * n + x];
    array<float> da(a), db(b), c(n * n);
    multiply<<<dim3(3, 3), dim3(8, 8)>>>(da, db, c, n);
    return verdict(c.get() == wanted);
}
