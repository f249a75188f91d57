// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: without the third launch parameter the extern array has no bytes
#include "../checks.h"

__global__ void reverse(int *data)
{
    extern __shared__ int tile[];
    int t = threadIdx.x;
    tile[t] = data[t]; // BUG
    __syncthreads();
    data[t] = tile[blockDim.x - 1 - t]; // BUG
}

int main()
{
    int *data;
    CHECK(cudaMalloc(&data, 64 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 64 * sizeof(int)));
    reverse<<<1, 64>>>(data);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
