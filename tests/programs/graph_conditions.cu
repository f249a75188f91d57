// SPDX-License-Identifier: Apache-2.0
/* Conditional nodes of graphs: if and else, while in a captured graph, switch, one in the body of another, default values. */
#include "check.h"

enum { STEPS, THEN, ELSE, CASES, COUNT = CASES + 3 };

__global__ void set_odd(const int *value, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, *value & 1);
}

__global__ void set_value(const int *value, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, *value);
}

__global__ void count(int *place)
{
    ++*place;
}

__global__ void step(int *counts, int most, cudaGraphConditionalHandle handle)
{
    counts[STEPS]++;
    if (counts[STEPS] % most == 0) cudaGraphSetConditional(handle, 0);
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *need, void *kernel, void **arguments)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams params = {};
    params.func = kernel;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, need, need ? 1 : 0, &params));
    return node;
}

static cudaGraph_t *add_condition(cudaGraph_t graph, const cudaGraphNode_t *need, cudaGraphConditionalHandle handle,
                                  cudaGraphConditionalNodeType type, unsigned size, cudaGraphNode_t *node)
{
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddNode(node, graph, need, nullptr, need ? 1 : 0, &params));
#else
    CHECK(cudaGraphAddNode(node, graph, need, need ? 1 : 0, &params));
#endif
    return params.conditional.phGraph_out;
}

static void launch(cudaGraph_t graph, int times)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < times; i++)
        CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* The node A sets the condition of B; both bodies count. */
static void build_if(cudaGraph_t graph, int *value, int *counts)
{
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    void *arguments[] = {&value, &handle};
    cudaGraphNode_t first = add_kernel(graph, nullptr, (void *)set_odd, arguments), node;
    cudaGraph_t *bodies = add_condition(graph, &first, handle, cudaGraphCondTypeIf, 2, &node);
    int *places[] = {counts + THEN, counts + ELSE};
    void *thens[] = {&places[0]}, *elses[] = {&places[1]};
    add_kernel(bodies[0], nullptr, (void *)count, thens);
    add_kernel(bodies[1], nullptr, (void *)count, elses);
}

/* Launched with the condition's default, 1; its body, captured, has the other two. */
static void build_while(cudaGraph_t graph, int *value, int *counts)
{
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    cudaStream_t stream;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = *add_condition(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &node);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    step<<<1, 1, 0, stream>>>(counts, 5, handle);
    CHECK(cudaStreamEndCapture(stream, nullptr));
    CHECK(cudaStreamDestroy(stream));
    build_if(body, value, counts);
}

static void build_switch(cudaGraph_t graph, int *value, int *counts)
{
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    void *arguments[] = {&value, &handle};
    cudaGraphNode_t first = add_kernel(graph, nullptr, (void *)set_value, arguments), node;
    cudaGraph_t *bodies = add_condition(graph, &first, handle, cudaGraphCondTypeSwitch, 3, &node);
    for (int i = 0; i < 3; i++) {
        int *place = counts + CASES + i;
        void *places[] = {&place};
        add_kernel(bodies[i], nullptr, (void *)count, places);
    }
}

int main()
{
    int *counts, *value;
    CHECK(cudaMallocManaged(&counts, COUNT * sizeof *counts));
    CHECK(cudaMallocManaged(&value, sizeof *value));
    for (int i = 0; i < COUNT; i++)
        counts[i] = 0;
    bool ok = true;
    for (*value = 0; *value < 5; ++*value) {
        cudaGraph_t graph;
        CHECK(cudaGraphCreate(&graph, 0));
        build_switch(graph, value, counts);
        launch(graph, 2);
    }
    for (int i = 0; i < 3; i++)
        ok &= counts[CASES + i] == 2; /* 3 and 4 are no bodies */
    for (*value = 0; *value < 3; ++*value) {
        cudaGraph_t graph;
        CHECK(cudaGraphCreate(&graph, 0));
        build_while(graph, value, counts);
        launch(graph, 2);
    }
    ok &= counts[STEPS] == 3 * 2 * 5 && counts[THEN] == 2 * 5 && counts[ELSE] == 2 * 2 * 5;

    cudaGraph_t graph;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 2; /* and no handle */
#if CUDART_VERSION >= 13000
    ok &= cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params) == cudaErrorInvalidValue;
#else
    ok &= cudaGraphAddNode(&node, graph, nullptr, 0, &params) == cudaErrorInvalidValue;
#endif
    CHECK(cudaGraphDestroy(graph));
    return verdict(ok);
}
