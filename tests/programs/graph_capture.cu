// SPDX-License-Identifier: Apache-2.0
/* Streams that are captured, fork and join by events; the graph is launched, changed and launched again. */
#include "check.h"

enum { N = 4096, BLOCK = 256, LAUNCHES = 10 };

__global__ void scale(float *x, float factor)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

__global__ void add(float *sum, const float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] += x[i] + y[i];
}

static int calls;
static void CUDART_CB count_call(void *user)
{
    *(int *)user += 1;
}

/* x = 3 * 1 and y = 5 * 1 on two streams, then sum += x + y, then the copy and the call. */
static cudaGraph_t capture(cudaStream_t first, cudaStream_t second, float *x, float *y, float *sum,
                           const float *ones, float *result, float factor)
{
    cudaGraph_t graph;
    cudaEvent_t fork, join;
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(x, ones, N * sizeof *x, cudaMemcpyHostToDevice, first));
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork, 0));
    CHECK(cudaMemcpyAsync(y, ones, N * sizeof *y, cudaMemcpyHostToDevice, second));
    scale<<<N / BLOCK, BLOCK, 0, first>>>(x, factor);
    scale<<<N / BLOCK, BLOCK, 0, second>>>(y, 5);
    CHECK(cudaEventRecord(join, second));
    CHECK(cudaStreamWaitEvent(first, join, 0));
    add<<<N / BLOCK, BLOCK, 0, first>>>(sum, x, y);
    CHECK(cudaMemcpyAsync(result, sum, N * sizeof *sum, cudaMemcpyDeviceToHost, first));
    CHECK(cudaLaunchHostFunc(first, count_call, &calls));
    CHECK(cudaStreamEndCapture(first, &graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    return graph;
}

static bool all_equal(const std::vector<float> &values, float wanted)
{
    bool ok = true;
    for (float value : values)
        ok &= value == wanted;
    return ok;
}

/* What must not be done while a stream is captured, and what the capture then says. */
static bool mistakes(cudaStream_t first, cudaStream_t second, float *x)
{
    cudaGraph_t graph;
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    bool ok = cudaStreamSynchronize(first) == cudaErrorStreamCaptureUnsupported;
    ok &= cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureInvalidated && !graph;
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(second, event, 0));
    CHECK(cudaMemsetAsync(x, 0, sizeof *x, second)); /* and second never joins */
    ok &= cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureUnjoined;
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    ok &= cudaMemset(x, 0, sizeof *x) == cudaErrorStreamCaptureImplicit;
    ok &= cudaStreamEndCapture(first, &graph) == cudaErrorStreamCaptureInvalidated;
    ok &= cudaStreamEndCapture(first, &graph) == cudaErrorIllegalState;
    CHECK(cudaEventDestroy(event));
    cudaGetLastError();
    return ok;
}

int main()
{
    float *x, *y, *sum;
    size_t bytes = N * sizeof(float), nodes;
    std::vector<float> ones(N, 1), result(N, -1);
    cudaStream_t first, second;
    cudaStreamCaptureStatus status;
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMalloc(&y, bytes));
    CHECK(cudaMalloc(&sum, bytes));
    CHECK(cudaMemset(sum, 0, bytes));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    cudaGraph_t graph = capture(first, second, x, y, sum, ones.data(), result.data(), 3);
    bool ok = calls == 0 && all_equal(result, -1); /* nothing was done so far */
    CHECK(cudaStreamIsCapturing(second, &status));
    ok &= status == cudaStreamCaptureStatusNone;
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    ok &= nodes == 7;
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < LAUNCHES; i++)
        CHECK(cudaGraphLaunch(exec, first));
    CHECK(cudaStreamSynchronize(first));
    ok &= calls == LAUNCHES && all_equal(result, LAUNCHES * 8.0f);
    /* The same shape with another factor: 2 + 5 more. */
    cudaGraph_t changed = capture(first, second, x, y, sum, ones.data(), result.data(), 2);
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(exec, changed, &info));
    CHECK(cudaGraphLaunch(exec, second));
    CHECK(cudaStreamSynchronize(second));
    ok &= info.result == cudaGraphExecUpdateSuccess && all_equal(result, LAUNCHES * 8.0f + 7);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(changed));
    CHECK(cudaGraphDestroy(graph));
    ok &= mistakes(first, second, x);
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return verdict(ok);
}
