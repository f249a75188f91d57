// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: CSR needs rows + 1 row pointers; the last row reads one that was not allocated
#include "../checks.h"

__global__ void spmv(const int *rows, const int *columns, const float *values, const float *x, float *y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float sum = 0;
    int end = rows[r + 1]; // BUG
    for (int i = rows[r]; i < min(end, 2 * n); i++) sum += values[i] * x[columns[i]];
    y[r] = sum;
}

int main()
{
    const int n = 128;
    int row[n], column[2 * n], *rows, *columns;
    float value[2 * n], vector[n], *values, *x, *y;
    for (int i = 0; i < n; i++) row[i] = 2 * i, vector[i] = 1;
    for (int i = 0; i < 2 * n; i++) column[i] = i / 2, value[i] = 1;
    CHECK(cudaMalloc(&rows, sizeof row));
    CHECK(cudaMalloc(&columns, sizeof column));
    CHECK(cudaMalloc(&values, sizeof value));
    CHECK(cudaMalloc(&x, sizeof vector));
    CHECK(cudaMalloc(&y, sizeof vector));
    CHECK(cudaMemcpy(rows, row, sizeof row, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(columns, column, sizeof column, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(values, value, sizeof value, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(x, vector, sizeof vector, cudaMemcpyHostToDevice));
    spmv<<<1, n>>>(rows, columns, values, x, y, n);
    CHECK(cudaMemcpy(vector, y, sizeof vector, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(rows));
    CHECK(cudaFree(columns));
    CHECK(cudaFree(values));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return verdict(vector[0] == 2);
}
