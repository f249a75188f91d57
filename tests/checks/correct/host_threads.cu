// SPDX-License-Identifier: Apache-2.0
// expect: none
// nvcc: -arch=compute_75 -Xcompiler -pthread
// why: host threads with a stream and memory of their own each; joined before the end
#include "../array.h"
#include <thread>

__global__ void iterate(int *data, int n, int times)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < times; k++) data[i] = data[i] * 3 + 1;
}

static void work(int times, bool *ok)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int host[100], *data, wanted = 0;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemsetAsync(data, 0, sizeof host, stream));
    iterate<<<1, 128, 0, stream>>>(data, 100, times);
    CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int k = 0; k < times; k++) wanted = wanted * 3 + 1;
    *ok = host[99] == wanted;
    CHECK(cudaFree(data));
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    bool ok[3] = {};
    std::thread threads[3];
    for (int i = 0; i < 3; i++) threads[i] = std::thread(work, i + 2, &ok[i]);
    for (auto &one : threads) one.join();
    return verdict(ok[0] && ok[1] && ok[2]);
}
