// SPDX-License-Identifier: Apache-2.0
// expect: warning init
// silent: yes
// why: malloc in device code does not clear, and what it gave decides what is counted; compilers make a selection of it, not a branch
#include "../checks.h"

__global__ void distinct(const int *in, int *out, int n)
{
    char *seen = (char *)malloc(64);
    if (!seen) return;
    int count = 0;
    for (int i = 0; i < n; i++) {
        int key = in[threadIdx.x * n + i] & 63;
        if (!seen[key]) count++;
        seen[key] = 1;
    }
    out[threadIdx.x] = count;
    free(seen);
}

int main()
{
    const int rows = 32, n = 10;
    int host[rows * n], *in, *out;
    for (int i = 0; i < rows * n; i++) host[i] = i * 13;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, rows * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    distinct<<<1, rows>>>(in, out, n);
    CHECK(cudaMemcpy(host, out, rows * sizeof(int), cudaMemcpyDeviceToHost)); // BUG
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
