// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: definedness is copied with the bytes: a copy of unwritten memory is as undefined as its source
#include "../checks.h"

__global__ void first_half(int *a, int n)
{
    int i = threadIdx.x;
    if (i < n / 2) a[i] = i;
}

__global__ void count_even(const int *a, int *count, int n)
{
    int i = threadIdx.x;
    if (i < n && a[i] % 2 == 0) atomicAdd(count, 1); // BUG
}

int main()
{
    const int n = 64;
    int *a, *b, *count;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    first_half<<<1, n>>>(a, n);
    CHECK(cudaMemcpy(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice));
    count_even<<<1, n>>>(b, count, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(count));
    return 0;
}
