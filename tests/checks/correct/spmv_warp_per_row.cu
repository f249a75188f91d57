// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: CSR with a warp a row; empty rows and a tail of warps without rows, which return as a whole
#include "../array.h"

__global__ void spmv(const int *rows, const int *columns, const float *values, const float *x, float *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    float sum = 0;
    for (int i = rows[row] + lane; i < rows[row + 1]; i += 32) sum += values[i] * __ldg(&x[columns[i]]);
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    if (lane == 0) y[row] = sum;
}

int main()
{
    const int n = 37;
    std::vector<int> row(n + 1), column;
    std::vector<float> value, x(n), wanted(n);
    for (int r = 0; r < n; r++) {
        x[r] = (float)(r % 4);
        for (int k = 0; k < r * 5 % 50; k++) column.push_back(k * 3 % n), value.push_back((float)(k % 3));
        row[r + 1] = (int)column.size();
    }
    for (int r = 0; r < n; r++)
        for (int i = row[r]; i < row[r + 1]; i++) wanted[r] += value[i] * x[column[i]];
    array<int> rows(row), columns(column);
    array<float> values(value), dx(x), dy(n);
    spmv<<<(n * 32 + 127) / 128, 128>>>(rows, columns, values, dx, dy, n);
    return verdict(dy.get() == wanted);
}
