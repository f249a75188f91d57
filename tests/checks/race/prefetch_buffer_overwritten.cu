// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: software pipelining through registers with one shared tile: the barrier before the next tile is stored is missing
#include "../array.h"

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[8][8], bs[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
    float next_a = a[y * n + tx], next_b = b[ty * n + x], sum = 0;
    for (int k = 0; k < n; k += 8) {
        as[ty][tx] = next_a; // BUG
        bs[ty][tx] = next_b; // BUG
        __syncthreads();
        if (k + 8 < n) next_a = a[y * n + k + 8 + tx], next_b = b[(k + 8 + ty) * n + x];
        for (int i = 0; i < 8; i++) sum += as[ty][i] * bs[i][tx]; // BUG
    }
    c[y * n + x] = sum;
}

int main()
{
    const int n = 24;
    std::vector<float> one(n * n, 1.0f);
    array<float> a(one), b(one), c(n * n);
    multiply<<<dim3(3, 3), dim3(8, 8)>>>(a, b, c, n);
    return verdict(c.get()[0] > 0);
}
