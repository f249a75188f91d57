// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: stream capture: a fork and a join by events become edges of the graph
#include "../array.h"

__global__ void fill(int *data, int value)
{
    data[threadIdx.x] = value * (int)threadIdx.x;
}

__global__ void sum(const int *a, const int *b, int *out)
{
    out[threadIdx.x] += a[63 - threadIdx.x] + b[threadIdx.x];
}

int main()
{
    cudaStream_t main_stream, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CHECK(cudaStreamCreateWithFlags(&main_stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    bool ok = true;
    {
        array<int> a(64), b(64), out(64);
        out.zero();
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
        CHECK(cudaEventRecord(fork, main_stream));
        CHECK(cudaStreamWaitEvent(side, fork, 0));
        fill<<<1, 64, 0, main_stream>>>(a, 2);
        fill<<<1, 64, 0, side>>>(b, 3);
        CHECK(cudaEventRecord(join, side));
        CHECK(cudaStreamWaitEvent(main_stream, join, 0));
        sum<<<1, 64, 0, main_stream>>>(a, b, out);
        CHECK(cudaStreamEndCapture(main_stream, &graph));
        CHECK(cudaGraphInstantiate(&run, graph, 0));
        for (int i = 0; i < 3; i++) CHECK(cudaGraphLaunch(run, main_stream));
        CHECK(cudaStreamSynchronize(main_stream));
        ok &= out.get()[10] == 3 * (2 * 53 + 3 * 10);
        CHECK(cudaGraphExecDestroy(run));
        CHECK(cudaGraphDestroy(graph));
    }
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(main_stream));
    CHECK(cudaStreamDestroy(side));
    return verdict(ok);
}
