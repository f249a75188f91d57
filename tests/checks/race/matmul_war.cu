// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: racecheck: a write in the next iteration may overtake reads of this one (WAR); the second barrier is missing
#include "../checks.h"

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];      // BUG
        bs[ty][tx] = b[(k + ty) * n + column]; // BUG
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += as[ty][i] * bs[i][tx]; // BUG
    }
    c[row * n + column] = sum;
}

int main()
{
    const int n = 48;
    static float host[n * n];
    float *a, *b, *c;
    for (int i = 0; i < n * n; i++) host[i] = 1;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMalloc(&b, sizeof host));
    CHECK(cudaMalloc(&c, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    multiply<<<dim3(3, 3), dim3(16, 16)>>>(a, b, c, n);
    CHECK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    return 0;
}
