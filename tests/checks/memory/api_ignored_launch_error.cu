// SPDX-License-Identifier: Apache-2.0
// expect: error|warning memory
// silent: yes
// why: memcheck reports API errors; a block of 2048 threads is above the limit, and nothing runs
#include "../checks.h"

__global__ void fill(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main()
{
    int *out;
    CHECK(cudaMalloc(&out, 4096 * sizeof(int)));
    fill<<<2, 2048>>>(out, 1); // BUG
    cudaDeviceSynchronize();
    CHECK(cudaFree(out));
    puts("done");
    return 0;
}
