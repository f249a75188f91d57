// SPDX-License-Identifier: Apache-2.0
/* Graphs as a whole: dependencies, questions, copies, launch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_condition.h"
#include "stream.h"

CUDART cudaError_t cudaGraphCreate(struct graph **out, unsigned flags);
CUDART cudaError_t cudaGraphDestroy(struct graph *graph);
CUDART cudaError_t cudaGraphDestroyNode(struct node *node);
CUDART cudaError_t cudaGraphClone(struct graph **out, struct graph *graph);
CUDART cudaError_t cudaGraphNodeFindInClone(struct node **out, struct node *node,
                                            struct graph *clone);
CUDART cudaError_t cudaGraphAddDependencies(struct graph *graph, struct node *const *from,
                                            struct node *const *to, uintptr_t fourth, size_t fifth);
CUDART cudaError_t cudaGraphRemoveDependencies(struct graph *graph, struct node *const *from,
                                               struct node *const *to, uintptr_t fourth,
                                               size_t fifth);

cudaError_t cudaGraphCreate(struct graph **out, unsigned flags)
{
    cudaError_t error = api_begin();
    if (!error && (!out || flags)) error = cudaErrorInvalidValue;
    if (error) return api_end(error);
    *out = graph_create();
    return api_end(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(struct graph *graph)
{
    cudaError_t error = api_begin();
    if (!error && !is_graph(graph)) error = cudaErrorInvalidValue;
    if (!error) graph_destroy(graph);
    return api_end(error);
}

cudaError_t cudaGraphDestroyNode(struct node *node)
{
    cudaError_t error = api_begin();
    if (!error && !is_node(node)) error = cudaErrorInvalidValue;
    if (!error) graph_remove(node);
    return api_end(error);
}

cudaError_t cudaGraphClone(struct graph **out, struct graph *graph)
{
    cudaError_t error = api_begin();
    if (!error && (!out || !is_graph(graph))) error = cudaErrorInvalidValue;
    return api_end(error ? error : graph_copy(graph, out));
}

cudaError_t cudaGraphNodeFindInClone(struct node **out, struct node *node, struct graph *clone)
{
    cudaError_t error = api_begin();
    *out = error || !is_graph(clone) ? NULL : graph_find_copy(clone, node);
    return api_end(error ? error : *out ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- dependencies: CUDA 13 has kinds of edges before the count ------------------------------------ */

static cudaError_t change_needs(struct graph *graph, struct node *const *from,
                                struct node *const *to, size_t count, bool add)
{
    for (size_t i = 0; i < count; i++) {
        bool fits =
            is_node(from[i]) && is_node(to[i]) && from[i]->graph == graph && to[i]->graph == graph;
        cudaError_t error = !fits || from[i] == to[i] ? cudaErrorInvalidValue : cudaSuccess;
        if (!error && add) error = node_add_need(to[i], from[i]);
        if (error) return error;
        if (!add) node_drop_need(to[i], from[i]);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(struct graph *graph, struct node *const *from,
                                     struct node *const *to, uintptr_t fourth, size_t fifth)
{
    cudaError_t error = api_begin();
    size_t count = runtime_version() >= 13 ? fifth : fourth;
    return api_end(error ? error : change_needs(graph, from, to, count, true));
}

cudaError_t cudaGraphRemoveDependencies(struct graph *graph, struct node *const *from,
                                        struct node *const *to, uintptr_t fourth, size_t fifth)
{
    cudaError_t error = api_begin();
    size_t count = runtime_version() >= 13 ? fifth : fourth;
    return api_end(error ? error : change_needs(graph, from, to, count, false));
}

/* ---- questions ------------------------------------------------------------------------------- */

CUDART cudaError_t cudaGraphGetNodes(struct graph *graph, struct node **out, size_t *count);
CUDART cudaError_t cudaGraphGetRootNodes(struct graph *graph, struct node **out, size_t *count);
CUDART cudaError_t cudaGraphGetEdges(struct graph *graph, struct node **out_from,
                                     struct node **out_to, void *fourth, size_t *fifth);
CUDART cudaError_t cudaGraphNodeGetDependencies(struct node *node, struct node **out, void *third,
                                                size_t *fourth);
CUDART cudaError_t cudaGraphNodeGetDependentNodes(struct node *node, struct node **out, void *third,
                                                  size_t *fourth);
CUDART cudaError_t cudaGraphNodeGetType(struct node *node, int *out);
CUDART cudaError_t cudaGraphKernelNodeGetParams(struct node *node,
                                                struct cudaKernelNodeParams *out);
CUDART cudaError_t cudaGraphHostNodeGetParams(struct node *node, struct cudaHostNodeParams *out);
CUDART cudaError_t cudaGraphMemsetNodeGetParams(struct node *node, struct cudaMemsetParams *out);
CUDART cudaError_t cudaGraphChildGraphNodeGetGraph(struct node *node, struct graph **out);

/* Answers come into an array of *count places, or, without one, as their number alone. */
struct answer {
    struct node **nodes, **others; /* others: of edges */
    size_t room, found;
};

static void answer_add(struct answer *answer, struct node *node, struct node *other)
{
    if (answer->found < answer->room && answer->nodes) answer->nodes[answer->found] = node;
    if (answer->found < answer->room && answer->others) answer->others[answer->found] = other;
    answer->found++;
}

/* A question about `asked`, a graph or node; `count` has the room of `out`. */
static cudaError_t answer_begin(struct answer *answer, const void *asked, struct node **out,
                                const size_t *count)
{
    cudaError_t error = api_begin();
    bool lives = handle_is(HANDLE_GRAPH, asked) || handle_is(HANDLE_NODE, asked);
    if (!error && (!lives || !count)) error = cudaErrorInvalidValue;
    *answer = (struct answer){.nodes = out, .room = out && count ? *count : 0};
    return error;
}

/* Places that are left over become NULL. */
static cudaError_t answer_end(struct answer *answer, size_t *count)
{
    for (size_t i = answer->found; answer->nodes && i < answer->room; i++)
        answer->nodes[i] = NULL;
    *count = answer->nodes && answer->found > answer->room ? answer->room : answer->found;
    return api_end(cudaSuccess);
}

static cudaError_t list_nodes(struct graph *graph, struct node **out, size_t *count, bool roots)
{
    struct answer answer;
    cudaError_t error = answer_begin(&answer, graph, out, count);
    if (error) return api_end(error);
    for (struct node *node = graph->first; node; node = node->next)
        if (!roots || !node->need_count) answer_add(&answer, node, NULL);
    return answer_end(&answer, count);
}

cudaError_t cudaGraphGetNodes(struct graph *graph, struct node **out, size_t *count)
{
    API_CALL;
    return list_nodes(graph, out, count, false);
}

cudaError_t cudaGraphGetRootNodes(struct graph *graph, struct node **out, size_t *count)
{
    API_CALL;
    return list_nodes(graph, out, count, true);
}

cudaError_t cudaGraphGetEdges(struct graph *graph, struct node **out_from, struct node **out_to,
                              void *fourth, size_t *fifth)
{
    cudaError_t error = api_begin();
    size_t *count = runtime_version() >= 13 ? fifth : fourth;
    if (!error && (!is_graph(graph) || !count)) error = cudaErrorInvalidValue;
    if (error) return api_end(error);
    struct answer answer = {out_from, out_to, out_from ? *count : 0, 0};
    for (struct node *node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->need_count; i++)
            answer_add(&answer, node->needs[i], node);
    return answer_end(&answer, count);
}

cudaError_t cudaGraphNodeGetDependencies(struct node *node, struct node **out, void *third,
                                         size_t *fourth)
{
    API_CALL;
    size_t *count = runtime_version() >= 13 ? fourth : third;
    struct answer answer;
    cudaError_t error = answer_begin(&answer, node, out, count);
    if (error) return api_end(error);
    for (size_t i = 0; i < node->need_count; i++)
        answer_add(&answer, node->needs[i], NULL);
    return answer_end(&answer, count);
}

static bool needs(const struct node *node, const struct node *other)
{
    for (size_t i = 0; i < node->need_count; i++)
        if (node->needs[i] == other) return true;
    return false;
}

cudaError_t cudaGraphNodeGetDependentNodes(struct node *node, struct node **out, void *third,
                                           size_t *fourth)
{
    API_CALL;
    size_t *count = runtime_version() >= 13 ? fourth : third;
    struct answer answer;
    cudaError_t error = answer_begin(&answer, node, out, count);
    if (error) return api_end(error);
    for (struct node *one = node->graph->first; one; one = one->next)
        if (needs(one, node)) answer_add(&answer, one, NULL);
    return answer_end(&answer, count);
}

/* For questions about a node of this kind. */
static cudaError_t ask(const struct node *node, enum work_kind kind)
{
    cudaError_t error = api_begin();
    return error                                      ? error
           : is_node(node) && node->work.kind == kind ? cudaSuccess
                                                      : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeGetType(struct node *node, int *out)
{
    cudaError_t error = api_begin();
    if (!error && !is_node(node)) error = cudaErrorInvalidValue;
    if (!error) *out = (int)node->work.kind;
    return api_end(error);
}

/* The pointers to arguments that it gives lie in the node. */
cudaError_t cudaGraphKernelNodeGetParams(struct node *node, struct cudaKernelNodeParams *out)
{
    API_CALL;
    cudaError_t error = ask(node, WORK_KERNEL);
    if (error) return api_end(error);
    const struct kernel_work *work = &node->work.kernel;
    const struct kernel *kernel = work->kernel;
    free(node->argument_pointers);
    node->argument_pointers = calloc(kernel->parameter_count + 1, sizeof(void *));
    if (!node->argument_pointers) return api_end(cudaErrorMemoryAllocation);
    for (size_t i = 0; i < kernel->parameter_count; i++)
        node->argument_pointers[i] = work->parameters + kernel->parameters[i].offset;
    *out = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)kernel->host,
                                         .gridDim = work->grid,
                                         .blockDim = work->block,
                                         .sharedMemBytes = (unsigned)work->shared,
                                         .kernelParams = node->argument_pointers};
    return api_end(cudaSuccess);
}

cudaError_t cudaGraphHostNodeGetParams(struct node *node, struct cudaHostNodeParams *out)
{
    API_CALL;
    cudaError_t error = ask(node, WORK_HOST);
    if (!error) *out = (struct cudaHostNodeParams){node->work.host.function, node->work.host.user};
    return api_end(error);
}

cudaError_t cudaGraphMemsetNodeGetParams(struct node *node, struct cudaMemsetParams *out)
{
    API_CALL;
    cudaError_t error = ask(node, WORK_FILL);
    if (error) return api_end(error);
    const struct fill_work *fill = &node->work.fill;
    *out = (struct cudaMemsetParams){fill->to.begin,
                                     fill->to.pitch,
                                     fill->value,
                                     fill->element_bytes,
                                     fill->width / fill->element_bytes,
                                     fill->height};
    return api_end(cudaSuccess);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(struct node *node, struct graph **out)
{
    API_CALL;
    cudaError_t error = ask(node, WORK_GRAPH);
    if (!error) *out = node->work.graph;
    return api_end(error);
}

/* ---- launch ---------------------------------------------------------------------------------- */

CUDART cudaError_t cudaGraphInstantiate(struct graph **out, struct graph *graph, uintptr_t third,
                                        char *log, size_t log_bytes);
CUDART cudaError_t cudaGraphInstantiateWithFlags(struct graph **out, struct graph *graph,
                                                 unsigned long long flags);
CUDART cudaError_t cudaGraphInstantiateWithParams(struct graph **out, struct graph *graph,
                                                  struct cudaGraphInstantiateParams *given);
CUDART cudaError_t cudaGraphExecDestroy(struct graph *exec);
CUDART cudaError_t cudaGraphExecUpdate(struct graph *exec, struct graph *graph, void *third,
                                       int *fourth);
CUDART cudaError_t cudaGraphUpload(struct graph *exec, cudaStream_t stream);
CUDART cudaError_t cudaGraphLaunch(struct graph *exec, cudaStream_t stream);
CUDART cudaError_t cudaGraphNodeSetEnabled(struct graph *exec, struct node *node, unsigned enabled);
CUDART cudaError_t cudaGraphNodeGetEnabled(struct graph *exec, struct node *node, unsigned *out);
CUDART cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *out);
CUDART cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value);
CUDART cudaError_t cudaDeviceGraphMemTrim(int device);

static cudaError_t instantiate(struct graph **out, struct graph *graph)
{
    cudaError_t error = cudaGraphClone(out, graph);
    if (!error) (*out)->is_exec = true;
    return error;
}

/* The third parameter is flags since CUDA 12, a place for a node that is wrong before. */
cudaError_t cudaGraphInstantiate(struct graph **out, struct graph *graph, uintptr_t third,
                                 char *log, size_t log_bytes)
{
    API_CALL;
    bool is_old = runtime_version() < 12;
    if (is_old && third) *(struct node **)third = NULL;
    if (is_old && log && log_bytes) *log = '\0';
    return instantiate(out, graph);
}

cudaError_t cudaGraphInstantiateWithFlags(struct graph **out, struct graph *graph,
                                          unsigned long long flags)
{
    API_CALL;
    (void)flags;
    return instantiate(out, graph);
}

cudaError_t cudaGraphInstantiateWithParams(struct graph **out, struct graph *graph,
                                           struct cudaGraphInstantiateParams *given)
{
    API_CALL;
    enum { DONE = 0, INVALID = 2 };
    cudaError_t error = instantiate(out, graph);
    given->errNode_out = NULL;
    given->result_out = error ? INVALID : DONE;
    return error;
}

cudaError_t cudaGraphExecDestroy(struct graph *exec)
{
    cudaError_t error = api_begin();
    if (!error && !is_exec(exec)) error = cudaErrorInvalidValue;
    if (!error) graph_destroy(exec);
    return api_end(error);
}

/* CUDA 12 gives node and reason in one structure. */
cudaError_t cudaGraphExecUpdate(struct graph *exec, struct graph *graph, void *third, int *fourth)
{
    struct node *node = NULL;
    cudaError_t error = api_begin();
    if (!error && (!is_exec(exec) || !is_graph(graph))) error = cudaErrorInvalidValue;
    if (error) return api_end(error);
    enum graph_change change = graph_update(exec, graph, &node);
    if (runtime_version() >= 12 && third)
        *(struct cudaGraphExecUpdateResultInfo *)third =
            (struct cudaGraphExecUpdateResultInfo){(int)change, node, NULL};
    if (runtime_version() < 12 && third) *(struct node **)third = node;
    if (runtime_version() < 12 && fourth) *fourth = (int)change;
    return api_end(change == GRAPH_SAME ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

cudaError_t cudaGraphUpload(struct graph *exec, cudaStream_t stream)
{
    cudaError_t error = api_begin();
    if (!error && !stream_is_valid(stream)) error = cudaErrorInvalidResourceHandle;
    return api_end(error ? error : is_exec(exec) ? cudaSuccess : cudaErrorInvalidValue);
}

/* Into a captured stream: a copy becomes a node. */
cudaError_t cudaGraphLaunch(struct graph *exec, cudaStream_t stream)
{
    struct work work = {.kind = WORK_GRAPH};
    cudaError_t error = api_begin();
    if (!error && !is_exec(exec)) error = cudaErrorInvalidValue;
    if (!error) error = stream_check(stream);
    if (!error && !stream_capture(stream)) {
        condition_assign_defaults(exec);
        order_enter(stream);
        error = graph_run(exec);
        order_leave(stream);
        return api_end(error);
    }
    if (error) return api_end(error);
    error = graph_copy_part(exec, &work.graph);
    return api_end(error ? error : stream_do(stream, &work));
}

cudaError_t cudaGraphNodeSetEnabled(struct graph *exec, struct node *node, unsigned enabled)
{
    cudaError_t error = api_begin();
    struct node *copy = error || !is_exec(exec) ? NULL : graph_find_copy(exec, node);
    if (!error && !copy) error = cudaErrorInvalidValue;
    if (!error) copy->disabled = !enabled;
    return api_end(error);
}

cudaError_t cudaGraphNodeGetEnabled(struct graph *exec, struct node *node, unsigned *out)
{
    cudaError_t error = api_begin();
    const struct node *copy = error || !is_exec(exec) ? NULL : graph_find_copy(exec, node);
    if (!error && !copy) error = cudaErrorInvalidValue;
    if (!error) *out = !copy->disabled;
    return api_end(error);
}

/* Memory of nodes stays until the program ends, so what was given is in use and reserved. */
static uint64_t graph_bytes;

void graph_count_memory(size_t bytes)
{
    graph_bytes += bytes;
}

static cudaError_t check_attribute(int device, int attribute)
{
    enum { ATTRIBUTES = 4 }; /* in use now, at most; reserved now, at most */
    if (device) return cudaErrorInvalidDevice;
    return attribute < 0 || attribute >= ATTRIBUTES ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *out)
{
    cudaError_t error = api_begin();
    if (!error) error = check_attribute(device, attribute);
    if (!error) *out = graph_bytes;
    return api_end(error);
}

/* To set the most is to forget more than there is now. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value)
{
    (void)value;
    cudaError_t error = api_begin();
    return api_end(error ? error : check_attribute(device, attribute));
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    cudaError_t error = api_begin();
    return api_end(error ? error : device ? cudaErrorInvalidDevice : cudaSuccess);
}
