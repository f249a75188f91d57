// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: leak check: an instantiated graph that is not destroyed
#include "../array.h"
__global__ void step(int *p)
{
    p[threadIdx.x] += 1;
}

int main()
{
    array<int> p(32);
    p.zero();
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    step<<<1, 32, 0, stream>>>(p);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0)); // BUG
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
