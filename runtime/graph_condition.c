// SPDX-License-Identifier: Apache-2.0
#include "graph_condition.h"

#include <stdlib.h>

/* cudaGraphConditionalNodeType */
enum { CONDITION_IF = 0, CONDITION_WHILE = 1, CONDITION_SWITCH = 2 };
/* cudaGraphCondAssignDefault */
enum { ASSIGN_DEFAULT = 1 };

struct condition {
    unsigned value, initial;
    bool has_default;
};

/* By handle, less 1. They stay until the program ends, since kernels may still name them. */
static struct condition *conditions;
static size_t condition_count, condition_capacity;

CUDART cudaError_t cudaGraphConditionalHandleCreate(unsigned long long *out, struct graph *graph,
                                                    unsigned initial, unsigned flags);

static struct condition *find(unsigned long long handle)
{
    return handle && handle <= condition_count ? &conditions[handle - 1] : NULL;
}

static cudaError_t add_condition(unsigned long long *out, unsigned initial, unsigned flags)
{
    if (condition_count == condition_capacity) {
        size_t capacity = 2 * condition_capacity + 4;
        struct condition *grown = realloc(conditions, capacity * sizeof *grown);
        if (!grown) return cudaErrorMemoryAllocation;
        conditions = grown;
        condition_capacity = capacity;
    }
    conditions[condition_count++] = (struct condition){initial, initial, flags & ASSIGN_DEFAULT};
    *out = condition_count;
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(unsigned long long *out, struct graph *graph,
                                             unsigned initial, unsigned flags)
{
    cudaError_t error = api_begin();
    bool is_valid = out && is_graph(graph) && flags <= ASSIGN_DEFAULT;
    if (!error && !is_valid) error = cudaErrorInvalidValue;
    return api_end(error ? error : add_condition(out, initial, flags));
}

bool condition_set(unsigned long long handle, unsigned value)
{
    struct condition *condition = find(handle);
    if (condition) condition->value = value;
    return condition;
}

static bool is_valid_size(const struct cudaConditionalNodeParams *given)
{
    unsigned most = given->type == CONDITION_IF      ? 2
                    : given->type == CONDITION_WHILE ? 1
                                                     : UINT32_MAX;
    return given->type >= CONDITION_IF && given->type <= CONDITION_SWITCH && given->size &&
           given->size <= most;
}

/* Graphs of a node are no leaks of the program's. */
static cudaError_t make_bodies(struct condition_work *work)
{
    work->bodies = calloc(work->count, sizeof(struct graph *));
    if (!work->bodies) return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < work->count; i++) {
        work->bodies[i] = graph_create();
        if (!work->bodies[i]) return cudaErrorMemoryAllocation;
        handle_keep(work->bodies[i]);
    }
    return cudaSuccess;
}

cudaError_t condition_work(struct cudaConditionalNodeParams *given, struct work *out)
{
    *out = (struct work){.kind = WORK_CONDITION,
                         .condition = {given->handle, given->type, given->size, NULL}};
    cudaError_t error = find(given->handle) && is_valid_size(given) ? make_bodies(&out->condition)
                                                                    : cudaErrorInvalidValue;
    if (error)
        work_clear(out);
    else
        given->phGraph_out = out->condition.bodies;
    return error;
}

cudaError_t condition_run(const struct condition_work *work)
{
    cudaError_t error = cudaSuccess;
    if (work->type == CONDITION_WHILE) {
        while (!error && !runtime.pending && find(work->handle)->value)
            error = graph_run(work->bodies[0]);
        return error;
    }
    unsigned value = find(work->handle)->value, body = work->type == CONDITION_IF ? !value : value;
    return body < work->count ? graph_run(work->bodies[body]) : cudaSuccess;
}

cudaError_t condition_copy(struct condition_work *out, const struct condition_work *work)
{
    cudaError_t error = cudaSuccess;
    *out = *work;
    out->bodies = calloc(work->count, sizeof(struct graph *));
    if (!out->bodies) return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < work->count && !error; i++)
        error = graph_copy_part(work->bodies[i], &out->bodies[i]);
    if (error) condition_clear(out);
    return error;
}

void condition_clear(struct condition_work *work)
{
    for (unsigned i = 0; work->bodies && i < work->count; i++)
        if (work->bodies[i]) graph_destroy(work->bodies[i]);
    free(work->bodies);
}

void condition_assign_defaults(const struct graph *graph)
{
    for (const struct node *node = graph->first; node; node = node->next) {
        const struct condition_work *work = &node->work.condition;
        if (node->work.kind == WORK_GRAPH) condition_assign_defaults(node->work.graph);
        if (node->work.kind != WORK_CONDITION) continue;
        struct condition *condition = find(work->handle);
        if (condition->has_default) condition->value = condition->initial;
        for (unsigned i = 0; i < work->count; i++)
            condition_assign_defaults(work->bodies[i]);
    }
}
