// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: page-locked memory is used by a kernel after cudaFreeHost
#include "../checks.h"

__global__ void sum(const int *in, int *out, int n)
{
    int i = threadIdx.x;
    if (i < n) atomicAdd(out, in[i]); // BUG
}

int main()
{
    int *in, *out;
    CHECK(cudaMallocHost(&in, 64 * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemset(out, 0, sizeof(int)));
    for (int i = 0; i < 64; i++) in[i] = i;
    sum<<<1, 64>>>(in, out, 64);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(in));
    sum<<<1, 64>>>(in, out, 64);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
