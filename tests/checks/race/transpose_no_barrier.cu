// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: no
// why: racecheck: a read of shared memory that other warps write, without a barrier (RAW)
#include "../checks.h"

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x]; // BUG
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j]; // BUG
}

int main()
{
    const int n = 64;
    float *in, *out;
    CHECK(cudaMalloc(&in, n * n * sizeof(float)));
    CHECK(cudaMalloc(&out, n * n * sizeof(float)));
    CHECK(cudaMemset(in, 0, n * n * sizeof(float)));
    transpose<<<dim3(2, 2), dim3(32, 8)>>>(in, out, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
