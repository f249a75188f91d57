// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: nodes of a graph without a path between them may run at the same time
#include "../checks.h"

__global__ void fill(int *data, int value)
{
    data[threadIdx.x] = value; // BUG
}

__global__ void sum(const int *a, const int *b, int *out)
{
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; // BUG
}

int main()
{
    int *a, *b, *out, one = 1, two = 2;
    CHECK(cudaMalloc(&a, 64 * sizeof(int)));
    CHECK(cudaMalloc(&b, 64 * sizeof(int)));
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    cudaGraph_t graph;
    cudaGraphNode_t fill_a, fill_b, add;
    CHECK(cudaGraphCreate(&graph, 0));
    void *of_a[] = {&a, &one}, *of_b[] = {&b, &two}, *of_sum[] = {&a, &b, &out};
    cudaKernelNodeParams node = {};
    node.gridDim = dim3(1), node.blockDim = dim3(64);
    node.func = (void *)fill, node.kernelParams = of_a;
    CHECK(cudaGraphAddKernelNode(&fill_a, graph, nullptr, 0, &node));
    node.kernelParams = of_b;
    CHECK(cudaGraphAddKernelNode(&fill_b, graph, nullptr, 0, &node));
    node.func = (void *)sum, node.kernelParams = of_sum;
    CHECK(cudaGraphAddKernelNode(&add, graph, &fill_a, 1, &node)); /* fill_b is missing */
    cudaGraphExec_t run;
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphLaunch(run, 0)); // BUG
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(out));
    return 0;
}
