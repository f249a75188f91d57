// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: Indigo, pull: a vertex stores its sum where other vertices still read (one buffer instead of two)
#include "../array.h"

__global__ void pull(const int *rows, const int *columns, float *rank, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float sum = 0;
    for (int e = rows[v]; e < rows[v + 1]; e++) sum += rank[columns[e]]; // BUG
    rank[v] = 0.15f + 0.85f * sum / 4; // BUG
}

int main()
{
    const int n = 64;
    std::vector<int> row(n + 1), column = random_ints(4 * n, n, 21);
    for (int i = 0; i <= n; i++) row[i] = 4 * i;
    std::vector<float> one(n, 1.0f);
    array<int> rows(row), columns(column);
    array<float> rank(one);
    pull<<<2, 32>>>(rows, columns, rank, n);
    return verdict(rank.get()[0] > 0);
}
