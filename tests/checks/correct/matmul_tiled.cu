// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: the tiled product with both barriers and guarded tails
#include "../array.h"

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0;
        bs[ty][tx] = column < n && k + ty < n ? b[(k + ty) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

int main()
{
    const int n = 50;
    std::vector<float> a(n * n), b(n * n), got;
    for (int i = 0; i < n * n; i++) a[i] = (float)(i % 7), b[i] = (float)(i % 5);
    array<float> da(a), db(b), dc(n * n);
    multiply<<<dim3(4, 4), dim3(16, 16)>>>(da, db, dc, n);
    got = dc.get();
    bool ok = true;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += a[r * n + k] * b[k * n + c];
            ok &= got[r * n + c] == sum;
        }
    return verdict(ok);
}
