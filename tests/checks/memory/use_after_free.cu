// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: accesses to memory that cudaFree has given back
#include "../checks.h"

__global__ void accumulate(const int *in, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]); // BUG
}

int main()
{
    const int n = 512;
    int host[n], *in, *sum, result;
    for (int i = 0; i < n; i++) host[i] = 1;
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    accumulate<<<4, 128>>>(in, sum, n / 2);
    CHECK(cudaFree(in));
    accumulate<<<4, 128>>>(in, sum, n);
    cudaError_t error = cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
    puts(cudaGetErrorName(error));
    cudaFree(sum);
    return 0;
}
