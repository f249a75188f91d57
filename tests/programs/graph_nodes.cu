// SPDX-License-Identifier: Apache-2.0
/* A graph that is built node by node, its edges in an order of their own, with a child graph; changed
 * after it was instantiated. */
#include "check.h"

enum { N = 1000 };
__constant__ int step;

__global__ void append(int *list, int *length, int value)
{
    list[(*length)++] = value * step;
}

static cudaKernelNodeParams append_params(void **arguments)
{
    cudaKernelNodeParams params = {};
    params.func = (void *)append;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    return params;
}

static cudaGraphNode_t add_append(cudaGraph_t graph, int *list, int *length, int value)
{
    cudaGraphNode_t node;
    void *arguments[] = {&list, &length, &value}; /* copied: they may change afterwards */
    cudaKernelNodeParams params = append_params(arguments);
    CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    value = -1;
    return node;
}

static void CUDART_CB keep_length(void *user)
{
    int *numbers = (int *)user;
    numbers[1] = numbers[0];
}

struct nodes {
    cudaGraphNode_t first, last, fill;
};

/* first, the child's 7 and 8, last: added in another order. `numbers` gets the length, twice. */
static nodes build(cudaGraph_t graph, cudaGraph_t child, int *list, int *length, int *numbers)
{
    static const int ten = 10;
    nodes made;
    cudaGraphNode_t nested, symbol, copy, call, join;
    made.last = add_append(graph, list, length, 9);
    CHECK(cudaGraphAddChildGraphNode(&nested, graph, NULL, 0, child));
    made.first = add_append(graph, list, length, 1);
    cudaMemsetParams zero = {};
    zero.dst = length;
    zero.elementSize = 4;
    zero.width = zero.height = 1;
    CHECK(cudaGraphAddMemsetNode(&made.fill, graph, NULL, 0, &zero));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&symbol, graph, NULL, 0, step, &ten, sizeof ten, 0,
                                         cudaMemcpyHostToDevice));
    cudaGraphNode_t both[] = {made.fill, symbol};
    CHECK(cudaGraphAddEmptyNode(&join, graph, both, 2));
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &made.last, 1, numbers, length, sizeof *length,
                                   cudaMemcpyDeviceToHost));
    cudaHostNodeParams host = {keep_length, numbers};
    CHECK(cudaGraphAddHostNode(&call, graph, &copy, 1, &host));
    cudaGraphNode_t from[] = {join, made.first, nested}, to[] = {made.first, nested, made.last};
    CHECK(cudaGraphAddDependencies(graph, from, to, NULL, 3));
    return made;
}

static std::vector<int> launch(cudaGraphExec_t exec, const int *list)
{
    std::vector<int> got(N);
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), list, N * sizeof(int), cudaMemcpyDeviceToHost));
    return got;
}

/* Two rows of three 16-bit numbers, 16 bytes apart; memory that the graph has given. */
static bool patterns()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t given, clear, fill;
    unsigned short got[16] = {};
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = sizeof got;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(&given, graph, NULL, 0, &memory));
    size_t used = 0;
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    if (used < sizeof got) return false;
    cudaMemsetParams params = {};
    params.dst = memory.dptr;
    params.elementSize = 4;
    params.width = sizeof got / 4;
    params.height = 1;
    CHECK(cudaGraphAddMemsetNode(&clear, graph, &given, 1, &params));
    params.pitch = 16;
    params.value = 0x1234;
    params.elementSize = 2;
    params.width = 3;
    params.height = 2;
    CHECK(cudaGraphAddMemsetNode(&fill, graph, &clear, 1, &params));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaMemcpy(got, memory.dptr, sizeof got, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < 16; i++)
        ok &= got[i] == (i % 8 < 3 ? 0x1234 : 0);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return ok;
}

int main()
{
    int *list, *length, numbers[2] = {-1, -1}, three = 3;
    cudaGraph_t graph, child, clone;
    cudaGraphExec_t exec;
    CHECK(cudaMalloc(&list, N * sizeof *list));
    CHECK(cudaMalloc(&length, sizeof *length));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    cudaGraphNode_t eight = add_append(child, list, length, 8);
    cudaGraphNode_t seven = add_append(child, list, length, 7);
    CHECK(cudaGraphAddDependencies(child, &seven, &eight, NULL, 1));
    nodes made = build(graph, child, list, length, numbers);
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphInstantiate(&exec, clone, 0));
    CHECK(cudaGraphDestroy(clone));
    std::vector<int> got = launch(exec, list);
    bool ok = numbers[1] == 4 && got[0] == 10 && got[1] == 70 && got[2] == 80 && got[3] == 90;
    CHECK(cudaGraphExecDestroy(exec));

    /* Another value for `first`, and `last` left out. */
    void *arguments[] = {&list, &length, &three};
    cudaKernelNodeParams params = append_params(arguments);
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphExecKernelNodeSetParams(exec, made.first, &params));
    CHECK(cudaGraphNodeSetEnabled(exec, made.last, 0));
    got = launch(exec, list);
    ok &= numbers[1] == 3 && got[0] == 30 && got[1] == 70 && got[2] == 80;
    CHECK(cudaGraphExecDestroy(exec));

    /* Questions, and a circle. */
    size_t edges, roots;
    cudaGraphNodeType type;
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    CHECK(cudaGraphGetRootNodes(graph, NULL, &roots));
    CHECK(cudaGraphNodeGetType(made.fill, &type));
    ok &= edges == 7 && roots == 2 && type == cudaGraphNodeTypeMemset;
    CHECK(cudaGraphKernelNodeGetParams(seven, &params));
    ok &= params.func == (void *)append && *(int *)params.kernelParams[2] == 7;
    CHECK(cudaGraphAddDependencies(child, &eight, &seven, NULL, 1));
    ok &= cudaGraphInstantiate(&exec, child, 0) != cudaSuccess;
    cudaGetLastError();
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaGraphDestroy(graph));
    return verdict(ok && patterns());
}
