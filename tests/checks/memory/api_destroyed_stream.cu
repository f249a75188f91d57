// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: a launch into a stream that cudaStreamDestroy has ended
#include "../checks.h"

__global__ void set(int *out, int value)
{
    out[threadIdx.x] = value;
}

int main()
{
    cudaStream_t streams[2];
    int *out;
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    for (auto &stream : streams) CHECK(cudaStreamCreate(&stream));
    set<<<1, 32, 0, streams[0]>>>(out, 1);
    for (auto &stream : streams) CHECK(cudaStreamDestroy(stream));
    set<<<1, 32, 0, streams[1]>>>(out, 2); // BUG
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
