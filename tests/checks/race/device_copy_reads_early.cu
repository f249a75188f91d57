// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a copy to pinned memory in one stream, of what a kernel of another stream writes, without an event
#include "../array.h"

__global__ void fill(int *data)
{
    data[blockIdx.x * 32 + threadIdx.x] = threadIdx.x + 5; // BUG
}

int main()
{
    cudaStream_t work, copy;
    int *host;
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&host, 128 * sizeof(int)));
    {
        array<int> data(128);
        fill<<<4, 32, 0, work>>>(data); // BUG
        CHECK(cudaMemcpyAsync(host, data, 128 * sizeof(int), cudaMemcpyDeviceToHost, copy)); // BUG
        CHECK(cudaStreamSynchronize(copy));
        CHECK(cudaStreamSynchronize(work));
    }
    CHECK(cudaFreeHost(host));
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(copy));
    return 0;
}
