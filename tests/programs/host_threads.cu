// SPDX-License-Identifier: Apache-2.0
/* Several threads of the host, each with a stream of its own: launches, functions of the host and callbacks in order;
 * what another process would need is refused. */
#include <atomic>
#include <thread>

#include "check.h"

enum { THREADS = 4, ROUNDS = 10 };

__global__ void add(int *sum)
{
    atomicAdd(sum, 1);
}

static std::atomic<int> in_order, called_back;

struct progress {
    int next;
};

static void CUDART_CB count(void *user)
{
    progress *own = (progress *)user;
    if (own->next++ % 2 == 0) in_order++;
}

static void CUDART_CB call_back(cudaStream_t, cudaError_t error, void *user)
{
    progress *own = (progress *)user;
    if (error == cudaSuccess && own->next++ % 2 == 1) called_back++;
}

static void work(int *sum)
{
    cudaStream_t stream;
    progress own = {};
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int k = 0; k < ROUNDS; k++) {
        add<<<2, 32, 0, stream>>>(sum);
        CHECK(cudaLaunchHostFunc(stream, count, &own));
        CHECK(cudaStreamAddCallback(stream, call_back, &own, 0));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    int *sum, result;
    std::vector<std::thread> threads;
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(work, sum);
    for (std::thread &thread : threads)
        thread.join();
    CHECK(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost));
    printf("%d, %d, %d\n", result, in_order.load(), called_back.load());
    bool ok = result == THREADS * ROUNDS * 64 && in_order == THREADS * ROUNDS && called_back == THREADS * ROUNDS;
    cudaIpcMemHandle_t handle;
    ok &= cudaIpcGetMemHandle(&handle, sum) == cudaErrorNotSupported;
    return verdict(ok);
}
