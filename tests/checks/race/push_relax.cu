// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: Indigo, push with a missing atomicMin: a check and a plain store of a smaller distance
#include "../checks.h"

__global__ void relax(const int *rows, const int *columns, const int *weights, int *distance, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int mine = distance[v]; // BUG
    for (int i = rows[v]; i < rows[v + 1]; i++) {
        int through = mine + weights[i];
        if (through < distance[columns[i]]) distance[columns[i]] = through; // BUG
    }
}

int main()
{
    const int n = 64, m = 4 * n;
    int row[n + 1], column[m], weight[m], start[n], *rows, *columns, *weights, *distance;
    unsigned state = 11;
    for (int i = 0; i <= n; i++) row[i] = 4 * i;
    for (int i = 0; i < m; i++) column[i] = (int)(next_random(&state) % n), weight[i] = 1 + (int)(next_random(&state) % 9);
    for (int i = 0; i < n; i++) start[i] = i < 8 ? i : 1000;
    CHECK(cudaMalloc(&rows, sizeof row));
    CHECK(cudaMalloc(&columns, sizeof column));
    CHECK(cudaMalloc(&weights, sizeof weight));
    CHECK(cudaMalloc(&distance, sizeof start));
    CHECK(cudaMemcpy(rows, row, sizeof row, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(columns, column, sizeof column, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(weights, weight, sizeof weight, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(distance, start, sizeof start, cudaMemcpyHostToDevice));
    relax<<<2, 32>>>(rows, columns, weights, distance, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(rows));
    CHECK(cudaFree(columns));
    CHECK(cudaFree(weights));
    CHECK(cudaFree(distance));
    return 0;
}
