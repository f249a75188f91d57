// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: a branch depends on flags that were never cleared
#include "../checks.h"

__global__ void expand(const int *rows, const int *columns, int *visited, int *distance, int n, int level)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || distance[v] != level) return;
    for (int i = rows[v]; i < rows[v + 1]; i++) {
        int w = columns[i];
        if (!visited[w]) { // BUG
            visited[w] = 1;
            distance[w] = level + 1;
        }
    }
}

int main()
{
    const int n = 64;
    int row[n + 1], column[n], start[n], *rows, *columns, *visited, *distance;
    for (int i = 0; i <= n; i++) row[i] = i;
    for (int i = 0; i < n; i++) column[i] = (i + 1) % n, start[i] = i ? -1 : 0;
    CHECK(cudaMalloc(&rows, sizeof row));
    CHECK(cudaMalloc(&columns, sizeof column));
    CHECK(cudaMalloc(&visited, n * sizeof(int)));
    CHECK(cudaMalloc(&distance, sizeof start));
    CHECK(cudaMemcpy(rows, row, sizeof row, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(columns, column, sizeof column, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(distance, start, sizeof start, cudaMemcpyHostToDevice));
    for (int level = 0; level < 4; level++) expand<<<1, n>>>(rows, columns, visited, distance, n, level);
    CHECK(cudaMemcpy(start, distance, sizeof start, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(rows));
    CHECK(cudaFree(columns));
    CHECK(cudaFree(visited));
    CHECK(cudaFree(distance));
    return 0;
}
