// SPDX-License-Identifier: Apache-2.0
/* Streams, events, pinned memory, callbacks, and memory that a stream allocates. */
#include "check.h"

__global__ void scale(float *x, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

static int called;

static void CUDART_CB on_done(cudaStream_t, cudaError_t status, void *user)
{
    called += status == cudaSuccess ? *(int *)user : 1000;
}

static void CUDART_CB on_host(void *user)
{
    called += *(int *)user;
}

int main()
{
    const int n = 1 << 16, parts = 4, part = n / parts;
    float *host, *device;
    cudaStream_t streams[parts];
    cudaEvent_t begin, end, untimed;
    int three = 3;
    CHECK(cudaMallocHost(&host, n * sizeof(float)));
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        host[i] = i;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventRecord(begin));
    for (int s = 0; s < parts; s++) {
        float *h = host + s * part, *d = device + s * part;
        CHECK(cudaMemcpyAsync(d, h, part * 4, cudaMemcpyHostToDevice, streams[s]));
        scale<<<part / 256, 256, 0, streams[s]>>>(d, 2.0f, part);
        CHECK(cudaMemcpyAsync(h, d, part * 4, cudaMemcpyDeviceToHost, streams[s]));
    }
    CHECK(cudaStreamAddCallback(streams[0], on_done, &three, 0));
    CHECK(cudaLaunchHostFunc(streams[1], on_host, &three));
    CHECK(cudaEventRecord(untimed, streams[1]));
    CHECK(cudaStreamWaitEvent(streams[2], untimed, 0));
    float *early;
    CHECK(cudaMallocAsync((void **)&early, 64, streams[3]));
    CHECK(cudaMemsetAsync(early, 0, 64, streams[3]));
    CHECK(cudaFreeAsync(early, streams[3]));
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamQuery(streams[0]));
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    bool ok = milliseconds > 0 && milliseconds < 1000 && called == 6;
    ok &= cudaEventElapsedTime(&milliseconds, begin, untimed) == cudaErrorInvalidResourceHandle;
    ok &= cudaGetLastError() == cudaErrorInvalidResourceHandle && cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < n; i++)
        ok &= host[i] == 2.0f * i;
    for (cudaStream_t stream : streams)
        CHECK(cudaStreamDestroy(stream));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return verdict(ok);
}
