// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: cudaFreeAsync: accesses after the free in stream order are errors; the pool keeps the memory mapped
#include "../checks.h"

__global__ void halve(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 0.5f; // BUG
}

int main()
{
    const int n = 256;
    cudaStream_t stream;
    float *data;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&data, n * sizeof(float), stream));
    CHECK(cudaMemsetAsync(data, 0, n * sizeof(float), stream));
    halve<<<1, n, 0, stream>>>(data, n);
    CHECK(cudaFreeAsync(data, stream));
    halve<<<1, n, 0, stream>>>(data, n);
    puts(cudaGetErrorName(cudaStreamSynchronize(stream)));
    cudaStreamDestroy(stream);
    return 0;
}
