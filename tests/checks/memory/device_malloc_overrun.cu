// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: accesses beyond an allocation of malloc in device code
#include "../checks.h"

__global__ void sort_rows(const int *in, int *out, int n)
{
    int *row = (int *)malloc(n * sizeof(int));
    if (!row) return;
    for (int i = 0; i <= n; i++) row[i] = in[threadIdx.x * n + min(i, n - 1)]; // BUG
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && row[j - 1] > row[j]; j--) {
            int swap = row[j];
            row[j] = row[j - 1];
            row[j - 1] = swap;
        }
    for (int i = 0; i < n; i++) out[threadIdx.x * n + i] = row[i];
    free(row);
}

int main()
{
    const int rows = 32, n = 12;
    int host[rows * n], *in, *out;
    for (int i = 0; i < rows * n; i++) host[i] = i * 31 % 97;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sort_rows<<<1, rows>>>(in, out, n);
    cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    puts(cudaGetErrorName(error));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
