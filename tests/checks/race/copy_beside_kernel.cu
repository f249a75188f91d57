// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a copy in one stream reads what a kernel in another writes; neither is ordered before the other
#include "../checks.h"

__global__ void iterate(float *field, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) field[i] = field[i] * 0.5f + 1; // BUG
}

int main()
{
    const int n = 512;
    float *field, *host;
    cudaStream_t work, output;
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&output, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&host, n * sizeof(float)));
    CHECK(cudaMalloc(&field, n * sizeof(float)));
    CHECK(cudaMemset(field, 0, n * sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    iterate<<<2, 256, 0, work>>>(field, n);
    CHECK(cudaMemcpyAsync(host, field, n * sizeof(float), cudaMemcpyDeviceToHost, output)); // BUG
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(output));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(field));
    return 0;
}
