// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: simpleStreams: two streams copy and compute on parts of one buffer that do not overlap
#include "../array.h"

__global__ void square(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= data[i];
}

int main()
{
    const int chunk = 250, chunks = 4, n = chunk * chunks;
    int *host;
    cudaStream_t streams[2];
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    for (int i = 0; i < n; i++) host[i] = i;
    for (auto &one : streams) CHECK(cudaStreamCreate(&one));
    bool ok = true;
    {
        array<int> data(n);
        for (int c = 0; c < chunks; c++) {
            cudaStream_t stream = streams[c % 2];
            int *part = data + c * chunk;
            CHECK(cudaMemcpyAsync(part, host + c * chunk, chunk * sizeof(int), cudaMemcpyHostToDevice, stream));
            square<<<2, 128, 0, stream>>>(part, chunk);
            CHECK(cudaMemcpyAsync(host + c * chunk, part, chunk * sizeof(int), cudaMemcpyDeviceToHost, stream));
        }
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++) ok &= host[i] == i * i;
    }
    for (auto &one : streams) CHECK(cudaStreamDestroy(one));
    CHECK(cudaFreeHost(host));
    return verdict(ok);
}
