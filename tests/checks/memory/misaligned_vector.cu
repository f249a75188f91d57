// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: an address must be a multiple of the access's size; a row of 33 floats read as float4 is not
#include "../checks.h"

__global__ void row_sum(const float *matrix, float *sums, int columns)
{
    const float4 *row = (const float4 *)(matrix + threadIdx.x * columns);
    float sum = 0;
    for (int i = 0; i < columns / 4; i++) {
        float4 v = row[i]; // BUG
        sum += v.x + v.y + v.z + v.w;
    }
    sums[threadIdx.x] = sum;
}

int main()
{
    const int rows = 32, columns = 33;
    float *matrix, *sums;
    CHECK(cudaMalloc(&matrix, rows * columns * sizeof(float)));
    CHECK(cudaMalloc(&sums, rows * sizeof(float)));
    CHECK(cudaMemset(matrix, 0, rows * columns * sizeof(float)));
    row_sum<<<1, rows>>>(matrix, sums, columns);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(matrix);
    cudaFree(sums);
    return 0;
}
