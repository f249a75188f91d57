// SPDX-License-Identifier: Apache-2.0
// Each launch has a limit of instructions: one beyond it fails, the program goes on.
#include <cstdio>

__global__ void count(int *words, int rounds)
{
    for (int i = 0; i < rounds; i++) words[threadIdx.x] += i ^ words[32 + threadIdx.x];
}

int main()
{
    int *words;
    if (cudaMalloc(&words, 256) != cudaSuccess || cudaMemset(words, 0, 256) != cudaSuccess) return 1;
    count<<<1, 32>>>(words, 10);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    count<<<1, 32>>>(words, 1 << 30);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaErrorLaunchTimeout) return 3;
    std::puts("PASSED");
    return 0;
}
