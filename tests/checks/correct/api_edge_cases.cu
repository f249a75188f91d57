// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: calls that do nothing by definition: null frees, empty copies, queries, a reset between two uses
#include "../checks.h"
__global__ void one_up(int *p)
{
    p[threadIdx.x] += 1;
}

static bool use(int value)
{
    int *p, *q, host[32];
    cudaStream_t stream;
    cudaEvent_t event;
    CHECK(cudaFree(nullptr));
    CHECK(cudaFreeHost(nullptr));
    CHECK(cudaMalloc(&p, sizeof host));
    CHECK(cudaMalloc(&q, sizeof host));
    CHECK(cudaMemcpy(p, nullptr, 0, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(p, 0, sizeof host));
    CHECK(cudaMemset(p + 32, 0, 0));
    CHECK(cudaMemcpy(p + 32, q + 32, 0, cudaMemcpyDeviceToDevice));
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventQuery(event)); /* never recorded: done */
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < value; i++) one_up<<<1, 32, 0, stream>>>(p);
    CHECK(cudaEventRecord(event, stream));
    cudaEventQuery(event);
    CHECK(cudaStreamWaitEvent(cudaStreamPerThread, event, 0));
    CHECK(cudaMemcpyAsync(q, p, sizeof host, cudaMemcpyDefault, cudaStreamPerThread));
    CHECK(cudaMemcpyAsync(host, q, sizeof host, cudaMemcpyDefault, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    CHECK(cudaMemcpy2D(q, 128, p, 128, 0, 4, cudaMemcpyDeviceToDevice));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(p));
    CHECK(cudaFree(q));
    return host[0] == value && host[31] == value;
}

int main()
{
    bool ok = use(2);
    CHECK(cudaDeviceReset());
    ok = use(3) && ok;
    return verdict(ok);
}
