// SPDX-License-Identifier: Apache-2.0
// expect: error|warning memory
// silent: yes
// why: memcheck, leak checking: "device heap allocations that were not freed"
#include "../checks.h"

__global__ void unique(const int *in, int *out, int n)
{
    int *seen = (int *)malloc(n * sizeof(int)); // BUG
    if (!seen) return;
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool is_new = true;
        for (int j = 0; j < count; j++) is_new &= seen[j] != in[threadIdx.x * n + i];
        if (is_new) seen[count++] = in[threadIdx.x * n + i];
    }
    out[threadIdx.x] = count;
    if (count < n) return; /* leaves without free */
    free(seen);
}

int main()
{
    const int rows = 16, n = 10;
    int host[rows * n], *in, *out;
    for (int i = 0; i < rows * n; i++) host[i] = i % 7;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, rows * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    unique<<<1, rows>>>(in, out, n);
    CHECK(cudaMemcpy(host, out, rows * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaDeviceReset());
    return verdict(host[0] == 7);
}
