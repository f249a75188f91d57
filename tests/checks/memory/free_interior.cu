// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaFree takes what cudaMalloc returned; a pointer moved on while filling is another
#include "../checks.h"

__global__ void set(int *out, int value)
{
    out[threadIdx.x] = value;
}

int main()
{
    int *data;
    CHECK(cudaMalloc(&data, 4 * 64 * sizeof(int)));
    int *begin = data;
    for (int part = 0; part < 4; part++, data += 64) set<<<1, 64>>>(data, part);
    CHECK(cudaDeviceSynchronize());
    cudaError_t error = cudaFree(data - 64); // BUG
    puts(cudaGetErrorName(error));
    cudaFree(begin);
    return 0;
}
