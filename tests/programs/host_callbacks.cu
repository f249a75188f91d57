// SPDX-License-Identifier: Apache-2.0
/* Functions of the host in streams, memory of the host that kernels write, streams of other priorities that wait for each
 * other's events, and a buffer in two halves that copies and kernels take turns at. */
#include <cstring>
#include <string>

#include "check.h"

static std::string said;

static void CUDART_CB say(void *word)
{
    said += static_cast<const char *>(word);
}

static void CUDART_CB say_status(cudaStream_t, cudaError_t status, void *word)
{
    said += status == cudaSuccess ? static_cast<const char *>(word) : "?";
}

__global__ void add(int *to, const int *from, int n, int what)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] + what;
}

static bool check_order()
{
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t low, high;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    int priority;
    CHECK(cudaStreamGetPriority(high, &priority));
    CHECK(cudaLaunchHostFunc(low, say, const_cast<char *>("a")));
    CHECK(cudaStreamAddCallback(low, say_status, const_cast<char *>("b"), 0));
    CHECK(cudaEventRecord(event, low));
    CHECK(cudaStreamWaitEvent(high, event, 0));
    CHECK(cudaLaunchHostFunc(high, say, const_cast<char *>("c")));
    CHECK(cudaStreamSynchronize(high));
    CHECK(cudaStreamDestroy(low));
    CHECK(cudaStreamDestroy(high));
    float milliseconds;
    return said == "abc" && greatest < least && priority == greatest &&
           cudaEventElapsedTime(&milliseconds, event, event) == cudaErrorInvalidResourceHandle &&
           cudaGetLastError() == cudaErrorInvalidResourceHandle;
}

/* Memory that the program had before, registered, and memory that is mapped. */
static bool check_mapped(int n)
{
    int *mapped, *device, *device_of_own;
    std::vector<int> own(n, 5);
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CHECK(cudaHostGetDevicePointer(&device, mapped, 0));
    CHECK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&device_of_own, own.data(), 0));
    for (int i = 0; i < n; i++)
        mapped[i] = i;
    add<<<(n + 127) / 128, 128>>>(device_of_own, device, n, 7);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok &= own[i] == i + 7;
    CHECK(cudaHostUnregister(own.data()));
    CHECK(cudaFreeHost(mapped));
    return ok;
}

static bool check_halves(int n)
{
    const int chunks = 8, half = n / chunks;
    int *host, *in[2], *out[2];
    cudaStream_t streams[2];
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    for (int s = 0; s < 2; s++) {
        CHECK(cudaStreamCreate(&streams[s]));
        CHECK(cudaMalloc(&in[s], half * sizeof(int)));
        CHECK(cudaMalloc(&out[s], half * sizeof(int)));
    }
    for (int i = 0; i < n; i++)
        host[i] = 3 * i;
    for (int c = 0; c < chunks; c++) {
        int s = c % 2;
        CHECK(cudaMemcpyAsync(in[s], host + c * half, half * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
        add<<<(half + 127) / 128, 128, 0, streams[s]>>>(out[s], in[s], half, c);
        CHECK(cudaMemcpyAsync(host + c * half, out[s], half * sizeof(int), cudaMemcpyDeviceToHost, streams[s]));
    }
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok &= host[i] == 3 * i + i / half;
    return ok;
}

int main()
{
    bool ok = check_order();
    ok &= check_mapped(1000);
    ok &= check_halves(1 << 14);
    return verdict(ok);
}
