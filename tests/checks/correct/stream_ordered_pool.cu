// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: cudaMallocAsync and cudaFreeAsync in stream order; the pool gives the same memory again
#include "../checks.h"

__global__ void fill(int *out, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value + i;
}

__global__ void check(const int *in, int n, int value, int *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] != value + i) atomicAdd(wrong, 1);
}

int main()
{
    cudaStream_t stream;
    int *wrong, host;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&wrong, sizeof(int), stream));
    CHECK(cudaMemsetAsync(wrong, 0, sizeof(int), stream));
    for (int i = 0; i < 5; i++) {
        int n = 200 + i, *data;
        CHECK(cudaMallocAsync(&data, n * sizeof(int), stream));
        fill<<<2, 128, 0, stream>>>(data, n, i);
        check<<<2, 128, 0, stream>>>(data, n, i, wrong);
        CHECK(cudaFreeAsync(data, stream));
    }
    CHECK(cudaMemcpyAsync(&host, wrong, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(wrong, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    return verdict(host == 0);
}
