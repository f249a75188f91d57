// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: a loop's bound is read from a row pointer that the host never copied
#include "../checks.h"

__global__ void degree_sums(const int *rows, const int *weights, int *out, int n)
{
    int v = threadIdx.x;
    if (v >= n) return;
    int sum = 0, end = min(rows[v + 1], 2 * n);
    for (int i = rows[v]; i < end; i++) sum += weights[i]; // BUG
    out[v] = sum; // ALSO
}

int main()
{
    const int n = 32;
    int row[n + 1], weight[2 * n], *rows, *weights, *out;
    for (int i = 0; i <= n; i++) row[i] = 2 * i;
    for (int i = 0; i < 2 * n; i++) weight[i] = 1;
    CHECK(cudaMalloc(&rows, sizeof row));
    CHECK(cudaMalloc(&weights, sizeof weight));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(rows, row, n * sizeof(int), cudaMemcpyHostToDevice)); /* n + 1 */
    CHECK(cudaMemcpy(weights, weight, sizeof weight, cudaMemcpyHostToDevice));
    degree_sums<<<1, n>>>(rows, weights, out, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(rows));
    CHECK(cudaFree(weights));
    CHECK(cudaFree(out));
    return 0;
}
