// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: threads of the host, each with a stream and memory of its pool
#include "../array.h"
#include <thread>

__global__ void scale(float *p, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= by;
}

static void work(int id, bool *ok)
{
    const int n = 200;
    cudaStream_t stream;
    std::vector<float> host(n, 1.0f);
    float *p;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int round = 0; round < 3; round++) {
        CHECK(cudaMallocAsync(&p, n * sizeof(float), stream));
        CHECK(cudaMemcpyAsync(p, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
        scale<<<2, 128, 0, stream>>>(p, n, (float)id);
        CHECK(cudaMemcpyAsync(host.data(), p, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(p, stream));
        CHECK(cudaStreamSynchronize(stream));
    }
    *ok = host[n - 1] == (float)(id * id * id);
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    bool good[4];
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) threads.emplace_back(work, i + 1, &good[i]);
    for (std::thread &one : threads) one.join();
    bool ok = good[0] && good[1] && good[2] && good[3];
    return verdict(ok);
}
