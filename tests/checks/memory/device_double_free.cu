// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide, heap: "a second call of free with the same pointer is undefined behaviour"
#include "../checks.h"

__global__ void scratch(int *out, int n)
{
    int *a = (int *)malloc(n * sizeof(int)), *b = a;
    if (!a) return;
    for (int i = 0; i < n; i++) a[i] = i * threadIdx.x;
    out[threadIdx.x] = b[n - 1];
    free(a);
    if (out[threadIdx.x] >= 0) free(b); // BUG
}

int main()
{
    int *out;
    CHECK(cudaMalloc(&out, 8 * sizeof(int)));
    scratch<<<1, 8>>>(out, 10);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
