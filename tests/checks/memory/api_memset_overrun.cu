// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: a fill beyond the allocation; the next allocation follows, so hardware may do it
#include "../checks.h"

__global__ void count(const unsigned char *in, int *bins, int n)
{
    int i = threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1);
}

int main()
{
    unsigned char *in;
    int *bins;
    CHECK(cudaMalloc(&bins, 256 * sizeof(int)));
    CHECK(cudaMalloc(&in, 2048));
    CHECK(cudaMemset(in, 3, 1024));
    cudaMemset(bins, 0, 257 * sizeof(int)); // BUG
    count<<<1, 128>>>(in, bins, 128);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(bins));
    return 0;
}
