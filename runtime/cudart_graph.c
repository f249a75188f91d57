// SPDX-License-Identifier: Apache-2.0
/* Graphs that a program builds node by node; their launch. Nodes run one after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_condition.h"
#include "host_check.h"
#include "stream.h"

/* ---- nodes of each kind ------------------------------------------------------------------------ */

CUDART cudaError_t cudaGraphAddKernelNode(struct node **out, struct graph *graph,
                                          struct node *const *needs, size_t count,
                                          const struct cudaKernelNodeParams *given);
CUDART cudaError_t cudaGraphAddMemcpyNode(struct node **out, struct graph *graph,
                                          struct node *const *needs, size_t count,
                                          const struct cudaMemcpy3DParms *given);
CUDART cudaError_t cudaGraphAddMemcpyNode1D(struct node **out, struct graph *graph,
                                            struct node *const *needs, size_t count, void *to,
                                            const void *from, size_t bytes, int kind);
CUDART cudaError_t cudaGraphAddMemcpyNodeToSymbol(struct node **out, struct graph *graph,
                                                  struct node *const *needs, size_t count,
                                                  const void *symbol, const void *from,
                                                  size_t bytes, size_t offset, int kind);
CUDART cudaError_t cudaGraphAddMemcpyNodeFromSymbol(struct node **out, struct graph *graph,
                                                    struct node *const *needs, size_t count,
                                                    void *to, const void *symbol, size_t bytes,
                                                    size_t offset, int kind);
CUDART cudaError_t cudaGraphAddMemsetNode(struct node **out, struct graph *graph,
                                          struct node *const *needs, size_t count,
                                          const struct cudaMemsetParams *given);
CUDART cudaError_t cudaGraphAddHostNode(struct node **out, struct graph *graph,
                                        struct node *const *needs, size_t count,
                                        const struct cudaHostNodeParams *given);
CUDART cudaError_t cudaGraphAddChildGraphNode(struct node **out, struct graph *graph,
                                              struct node *const *needs, size_t count,
                                              struct graph *child);
CUDART cudaError_t cudaGraphAddEmptyNode(struct node **out, struct graph *graph,
                                         struct node *const *needs, size_t count);
CUDART cudaError_t cudaGraphAddEventRecordNode(struct node **out, struct graph *graph,
                                               struct node *const *needs, size_t count,
                                               struct event *event);
CUDART cudaError_t cudaGraphAddEventWaitNode(struct node **out, struct graph *graph,
                                             struct node *const *needs, size_t count,
                                             struct event *event);
CUDART cudaError_t cudaGraphAddMemAllocNode(struct node **out, struct graph *graph,
                                            struct node *const *needs, size_t count,
                                            struct cudaMemAllocNodeParams *given);
CUDART cudaError_t cudaGraphAddMemFreeNode(struct node **out, struct graph *graph,
                                           struct node *const *needs, size_t count, void *memory);
CUDART cudaError_t cudaGraphAddNode(struct node **out, struct graph *graph,
                                    struct node *const *needs, uintptr_t fourth, uintptr_t fifth,
                                    struct cudaGraphNodeParams *sixth);
CUDART cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream);

static cudaError_t kernel_work(const struct cudaKernelNodeParams *given, struct work *out)
{
    *out = (struct work){.kind = WORK_KERNEL,
                         .kernel = {.kernel = kernel_find(given->func),
                                    .grid = given->gridDim,
                                    .block = given->blockDim,
                                    .shared = given->sharedMemBytes}};
    return launch_prepare(&out->kernel, given->kernelParams, given->extra);
}

static cudaError_t memset_work(const struct cudaMemsetParams *given, struct work *out)
{
    *out = fill_of(given->dst, given->value, given->elementSize, given->width * given->elementSize);
    out->fill.to.pitch = given->pitch;
    out->fill.height = given->height;
    return given->dst ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t host_work(const struct cudaHostNodeParams *given, struct work *out)
{
    *out = (struct work){.kind = WORK_HOST, .host = {given->fn, given->userData}};
    return given->fn ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t child_work(struct graph *child, struct work *out)
{
    *out = (struct work){.kind = WORK_GRAPH};
    return is_graph(child) ? graph_copy_part(child, &out->graph) : cudaErrorInvalidValue;
}

static cudaError_t event_work(enum work_kind kind, struct event *event, struct work *out)
{
    *out = (struct work){.kind = kind, .event = event};
    return handle_is(HANDLE_EVENT, event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* Its address is fixed when the node is made, and it stays until the program ends. */
static cudaError_t alloc_work(struct cudaMemAllocNodeParams *given, struct work *out)
{
    cudaError_t error = cudaMallocAsync(&given->dptr, given->bytesize, NULL);
    *out = (struct work){.kind = WORK_ALLOC, .memory = given->dptr};
    if (!error) {
        graph_count_memory(given->bytesize);
        check_memory_set((uint64_t)(uintptr_t)given->dptr, MEMORY_KIND_DEVICE, true);
    }
    return error;
}

/* The end of all: `error` is what making the work came to, after api_begin. */
static cudaError_t add(cudaError_t error, struct node **out, struct graph *graph,
                       struct node *const *needs, size_t count, struct work *work)
{
    if (!error && (!is_graph(graph) || !out || (count && !needs))) {
        work_clear(work);
        error = cudaErrorInvalidValue;
    }
    return api_end(error ? error : graph_add(graph, needs, count, work, out));
}

cudaError_t cudaGraphAddKernelNode(struct node **out, struct graph *graph,
                                   struct node *const *needs, size_t count,
                                   const struct cudaKernelNodeParams *given)
{
    struct work work;
    cudaError_t error = api_begin();
    return add(error ? error : kernel_work(given, &work), out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddMemcpyNode(struct node **out, struct graph *graph,
                                   struct node *const *needs, size_t count,
                                   const struct cudaMemcpy3DParms *given)
{
    struct work work;
    cudaError_t error = api_begin();
    return add(error ? error : copy_of_3d(given, &work), out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddMemcpyNode1D(struct node **out, struct graph *graph,
                                     struct node *const *needs, size_t count, void *to,
                                     const void *from, size_t bytes, int kind)
{
    struct work work = copy_of(to, from, bytes, kind);
    return add(api_begin(), out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(struct node **out, struct graph *graph,
                                           struct node *const *needs, size_t count,
                                           const void *symbol, const void *from, size_t bytes,
                                           size_t offset, int kind)
{
    void *to = NULL;
    cudaError_t error = api_begin();
    if (!error) error = locate(symbol, bytes, offset, &to);
    struct work work = copy_of(to, from, bytes, kind);
    return add(error, out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(struct node **out, struct graph *graph,
                                             struct node *const *needs, size_t count, void *to,
                                             const void *symbol, size_t bytes, size_t offset,
                                             int kind)
{
    void *from = NULL;
    cudaError_t error = api_begin();
    if (!error) error = locate(symbol, bytes, offset, &from);
    struct work work = copy_of(to, from, bytes, kind);
    return add(error, out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddMemsetNode(struct node **out, struct graph *graph,
                                   struct node *const *needs, size_t count,
                                   const struct cudaMemsetParams *given)
{
    struct work work;
    cudaError_t error = api_begin();
    return add(error ? error : memset_work(given, &work), out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddHostNode(struct node **out, struct graph *graph, struct node *const *needs,
                                 size_t count, const struct cudaHostNodeParams *given)
{
    struct work work;
    cudaError_t error = api_begin();
    return add(error ? error : host_work(given, &work), out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddChildGraphNode(struct node **out, struct graph *graph,
                                       struct node *const *needs, size_t count, struct graph *child)
{
    struct work work;
    cudaError_t error = api_begin();
    return add(error ? error : child_work(child, &work), out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddEmptyNode(struct node **out, struct graph *graph, struct node *const *needs,
                                  size_t count)
{
    struct work work = {.kind = WORK_EMPTY};
    return add(api_begin(), out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddEventRecordNode(struct node **out, struct graph *graph,
                                        struct node *const *needs, size_t count,
                                        struct event *event)
{
    struct work work;
    cudaError_t error = api_begin();
    return add(error ? error : event_work(WORK_RECORD, event, &work), out, graph, needs, count,
               &work);
}

cudaError_t cudaGraphAddEventWaitNode(struct node **out, struct graph *graph,
                                      struct node *const *needs, size_t count, struct event *event)
{
    struct work work;
    cudaError_t error = api_begin();
    return add(error ? error : event_work(WORK_WAIT, event, &work), out, graph, needs, count,
               &work);
}

cudaError_t cudaGraphAddMemAllocNode(struct node **out, struct graph *graph,
                                     struct node *const *needs, size_t count,
                                     struct cudaMemAllocNodeParams *given)
{
    struct work work;
    cudaError_t error = api_begin();
    return add(error ? error : alloc_work(given, &work), out, graph, needs, count, &work);
}

cudaError_t cudaGraphAddMemFreeNode(struct node **out, struct graph *graph,
                                    struct node *const *needs, size_t count, void *memory)
{
    struct work work = {.kind = WORK_FREE, .memory = memory};
    return add(api_begin(), out, graph, needs, count, &work);
}

static cudaError_t any_work(struct cudaGraphNodeParams *given, struct work *out)
{
    *out = (struct work){.kind = WORK_EMPTY};
    switch (given->type) {
    case WORK_KERNEL:
        return kernel_work(&given->kernel, out);
    case WORK_COPY:
        return copy_of_3d(&given->memcpy.copyParams, out);
    case WORK_FILL:
        return memset_work(&given->memset, out);
    case WORK_HOST:
        return host_work(&given->host, out);
    case WORK_GRAPH:
        return child_work(given->graph, out);
    case WORK_EMPTY:
        return cudaSuccess;
    case WORK_WAIT:
    case WORK_RECORD:
        return event_work((enum work_kind)given->type, given->event, out);
    case WORK_ALLOC:
        return alloc_work(&given->alloc, out);
    case WORK_FREE:
        *out = (struct work){.kind = WORK_FREE, .memory = given->dptr};
        return cudaSuccess;
    case WORK_CONDITION:
        return condition_work(&given->conditional, out);
    default: /* semaphores */
        note_missing("cudaGraphAddNode of that kind");
        return cudaErrorNotSupported;
    }
}

/* CUDA 13 has kinds of edges before the count. */
cudaError_t cudaGraphAddNode(struct node **out, struct graph *graph, struct node *const *needs,
                             uintptr_t fourth, uintptr_t fifth, struct cudaGraphNodeParams *sixth)
{
    struct work work;
    bool is_new = runtime_version() >= 13;
    struct cudaGraphNodeParams *given = is_new ? sixth : (struct cudaGraphNodeParams *)fifth;
    cudaError_t error = api_begin();
    return add(error ? error : any_work(given, &work), out, graph, needs, is_new ? fifth : fourth,
               &work);
}

/* ---- changes of nodes ------------------------------------------------------------------------ */

CUDART cudaError_t cudaGraphKernelNodeSetParams(struct node *node,
                                                const struct cudaKernelNodeParams *given);
CUDART cudaError_t cudaGraphExecKernelNodeSetParams(struct graph *exec, struct node *node,
                                                    const struct cudaKernelNodeParams *given);
CUDART cudaError_t cudaGraphMemcpyNodeSetParams(struct node *node,
                                                const struct cudaMemcpy3DParms *given);
CUDART cudaError_t cudaGraphExecMemcpyNodeSetParams(struct graph *exec, struct node *node,
                                                    const struct cudaMemcpy3DParms *given);
CUDART cudaError_t cudaGraphMemcpyNodeSetParams1D(struct node *node, void *to, const void *from,
                                                  size_t bytes, int kind);
CUDART cudaError_t cudaGraphExecMemcpyNodeSetParams1D(struct graph *exec, struct node *node,
                                                      void *to, const void *from, size_t bytes,
                                                      int kind);
CUDART cudaError_t cudaGraphMemsetNodeSetParams(struct node *node,
                                                const struct cudaMemsetParams *given);
CUDART cudaError_t cudaGraphExecMemsetNodeSetParams(struct graph *exec, struct node *node,
                                                    const struct cudaMemsetParams *given);
CUDART cudaError_t cudaGraphHostNodeSetParams(struct node *node,
                                              const struct cudaHostNodeParams *given);
CUDART cudaError_t cudaGraphExecHostNodeSetParams(struct graph *exec, struct node *node,
                                                  const struct cudaHostNodeParams *given);
CUDART cudaError_t cudaGraphExecChildGraphNodeSetParams(struct graph *exec, struct node *node,
                                                        struct graph *child);
CUDART cudaError_t cudaGraphNodeSetParams(struct node *node, struct cudaGraphNodeParams *given);
CUDART cudaError_t cudaGraphExecNodeSetParams(struct graph *exec, struct node *node,
                                              struct cudaGraphNodeParams *given);

/* In the node itself, or in its copy that is launched. */
static cudaError_t replace(cudaError_t error, struct graph *exec, struct node *node,
                           struct work *work)
{
    if (!error && exec) node = is_exec(exec) ? graph_find_copy(exec, node) : NULL;
    if (!error && (!is_node(node) || node->work.kind != work->kind)) {
        work_clear(work);
        error = cudaErrorInvalidValue;
    }
    if (error) return api_end(error);
    work_clear(&node->work);
    node->work = *work;
    return api_end(cudaSuccess);
}

#define SETTERS(kind, params, make)                                                                \
    cudaError_t cudaGraphExec##kind##SetParams(struct graph *exec, struct node *node,              \
                                               params *given)                                      \
    {                                                                                              \
        struct work work;                                                                          \
        cudaError_t error = api_begin();                                                           \
        return replace(error ? error : make(given, &work), exec, node, &work);                     \
    }                                                                                              \
    cudaError_t cudaGraph##kind##SetParams(struct node *node, params *given)                       \
    {                                                                                              \
        return cudaGraphExec##kind##SetParams(NULL, node, given);                                  \
    }

SETTERS(KernelNode, const struct cudaKernelNodeParams, kernel_work)
SETTERS(MemcpyNode, const struct cudaMemcpy3DParms, copy_of_3d)
SETTERS(MemsetNode, const struct cudaMemsetParams, memset_work)
SETTERS(HostNode, const struct cudaHostNodeParams, host_work)
SETTERS(Node, struct cudaGraphNodeParams, any_work)

cudaError_t cudaGraphExecChildGraphNodeSetParams(struct graph *exec, struct node *node,
                                                 struct graph *child)
{
    struct work work;
    cudaError_t error = api_begin();
    return replace(error ? error : child_work(child, &work), exec, node, &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(struct graph *exec, struct node *node, void *to,
                                               const void *from, size_t bytes, int kind)
{
    struct work work = copy_of(to, from, bytes, kind);
    return replace(api_begin(), exec, node, &work);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(struct node *node, void *to, const void *from,
                                           size_t bytes, int kind)
{
    API_CALL;
    return cudaGraphExecMemcpyNodeSetParams1D(NULL, node, to, from, bytes, kind);
}

/* ---- pictures -------------------------------------------------------------------------------- */

CUDART cudaError_t cudaGraphDebugDotPrint(struct graph *graph, const char *path, unsigned flags);

static const char *node_label(const struct node *node)
{
    switch (node->work.kind) {
    case WORK_KERNEL:
        return node->work.kernel.kernel->name;
    case WORK_COPY:
        return "MEMCPY";
    case WORK_FILL:
        return "MEMSET";
    case WORK_HOST:
        return "HOST";
    case WORK_GRAPH:
        return "GRAPH";
    case WORK_WAIT:
        return "EVENT_WAIT";
    case WORK_RECORD:
        return "EVENT_RECORD";
    case WORK_ALLOC:
        return "MEM_ALLOC";
    case WORK_FREE:
        return "MEM_FREE";
    case WORK_CONDITION:
        return "CONDITIONAL";
    case WORK_EMPTY:
        break;
    }
    return "EMPTY";
}

/* The language of Graphviz; nodes are named by their places in memory. */
cudaError_t cudaGraphDebugDotPrint(struct graph *graph, const char *path, unsigned flags)
{
    (void)flags;
    cudaError_t error = api_begin();
    if (!error && (!handle_is(HANDLE_GRAPH, graph) || !path)) error = cudaErrorInvalidValue;
    FILE *file = error ? NULL : fopen(path, "we");
    if (!error && !file) error = cudaErrorOperatingSystem;
    if (error) return api_end(error);
    fputs("digraph dot {\n", file);
    for (const struct node *node = graph->first; node; node = node->next) {
        fprintf(file, "\"%p\" [label=\"%s\"];\n", (const void *)node, node_label(node));
        for (size_t i = 0; i < node->need_count; i++)
            fprintf(file, "\"%p\" -> \"%p\";\n", (void *)node->needs[i], (const void *)node);
    }
    fputs("}\n", file);
    return api_end(fclose(file) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}
