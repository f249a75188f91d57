// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a captured graph of fill, copy and kernels, launched several times and updated
#include "../array.h"
__global__ void add(int *sum, const int *in, int n, int factor)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(sum, factor * in[i]);
}

static cudaGraph_t record(cudaStream_t stream, int *sum, int *in, const int *host, int n, int factor)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
    CHECK(cudaMemcpyAsync(in, host, n * sizeof *in, cudaMemcpyHostToDevice, stream));
    add<<<1, 64, 0, stream>>>(sum, in, n, factor);
    add<<<1, 64, 0, stream>>>(sum, in, n, 1);
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

int main()
{
    const int n = 100;
    int *host, *in, *sum, found;
    cudaStream_t stream;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost(&host, n * sizeof *host));
    CHECK(cudaMalloc(&in, n * sizeof *in));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    for (int i = 0; i < n; i++) host[i] = i;
    cudaGraph_t first = record(stream, sum, in, host, n, 2), second = record(stream, sum, in, host, n, 3);
    CHECK(cudaGraphInstantiate(&exec, first, 0));
    bool ok = true;
    for (int round = 0; round < 4; round++) {
        if (round == 2) CHECK(cudaGraphExecUpdate(exec, second, &info));
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaMemcpyAsync(&found, sum, sizeof found, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        ok = ok && found == (round < 2 ? 3 : 4) * 4950;
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(first));
    CHECK(cudaGraphDestroy(second));
    CHECK(cudaFree(in));
    CHECK(cudaFree(sum));
    CHECK(cudaFreeHost(host));
    CHECK(cudaStreamDestroy(stream));
    return verdict(ok);
}
