// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <stdlib.h>
#include <string.h>

struct graph *graph_create(void)
{
    order_follow();
    return handle_create(HANDLE_GRAPH, sizeof(struct graph));
}

static void destroy_node(struct node *node)
{
    work_clear(&node->work);
    free(node->argument_pointers);
    clock_clear(&node->clock);
    free(node->needs);
    handle_destroy(HANDLE_NODE, node);
}

void graph_destroy(struct graph *graph)
{
    while (graph && graph->first) {
        struct node *next = graph->first->next;
        destroy_node(graph->first);
        graph->first = next;
    }
    if (handle_is(HANDLE_GRAPH, graph)) {
        clock_clear(&graph->start);
        clock_clear(&graph->clock);
    }
    handle_destroy(HANDLE_GRAPH, graph);
}

cudaError_t node_add_need(struct node *node, struct node *need)
{
    for (size_t i = 0; i < node->need_count; i++)
        if (node->needs[i] == need) return cudaSuccess;
    if (node->need_count == node->need_capacity) {
        size_t capacity = 2 * node->need_capacity + 4;
        struct node **grown = realloc(node->needs, capacity * sizeof *grown);
        if (!grown) return cudaErrorMemoryAllocation;
        node->needs = grown;
        node->need_capacity = capacity;
    }
    node->needs[node->need_count++] = need;
    return cudaSuccess;
}

void node_drop_need(struct node *node, const struct node *need)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->need_count; i++)
        if (node->needs[i] != need) node->needs[kept++] = node->needs[i];
    node->need_count = kept;
}

cudaError_t graph_add(struct graph *graph, struct node *const *needs, size_t count,
                      struct work *work, struct node **out)
{
    struct node *node = handle_create(HANDLE_NODE, sizeof *node);
    cudaError_t error = node ? cudaSuccess : cudaErrorMemoryAllocation;
    for (size_t i = 0; i < count && !error; i++)
        error = handle_is(HANDLE_NODE, needs[i]) && needs[i]->graph == graph
                    ? node_add_need(node, needs[i])
                    : cudaErrorInvalidValue;
    if (error) {
        work_clear(work);
        if (node) destroy_node(node);
        return error;
    }
    node->graph = graph;
    node->work = *work;
    if (graph->last)
        graph->last->next = node;
    else
        graph->first = node;
    graph->last = node;
    graph->count++;
    if (out) *out = node;
    return cudaSuccess;
}

void graph_remove(struct node *node)
{
    struct graph *graph = node->graph;
    struct node **place = &graph->first, *before = NULL;
    for (struct node *one = graph->first; one; one = one->next)
        node_drop_need(one, node);
    while (*place != node) {
        before = *place;
        place = &before->next;
    }
    *place = node->next;
    if (graph->last == node) graph->last = before;
    graph->count--;
    destroy_node(node);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool is_ready(const struct node *node)
{
    for (size_t i = 0; i < node->need_count; i++)
        if (!node->needs[i]->copy) return false;
    return true;
}

/* Nodes stay in the order in which they were added, as far as their needs allow it. */
static cudaError_t copy_node(struct graph *to, struct node *node)
{
    struct work work;
    cudaError_t error = work_copy(&work, &node->work);
    if (!error) error = graph_add(to, NULL, 0, &work, &node->copy);
    for (size_t i = 0; i < node->need_count && !error; i++)
        error = node_add_need(node->copy, node->needs[i]->copy);
    if (error) return error;
    node->copy->origin = node;
    node->copy->disabled = node->disabled;
    return cudaSuccess;
}

static cudaError_t copy_nodes(struct graph *to, struct graph *graph)
{
    for (struct node *node = graph->first; node; node = node->next)
        node->copy = NULL;
    while (to->count < graph->count) {
        size_t before = to->count;
        for (struct node *node = graph->first; node; node = node->next) {
            cudaError_t error = !node->copy && is_ready(node) ? copy_node(to, node) : cudaSuccess;
            if (error) return error;
        }
        if (to->count == before) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t graph_copy(struct graph *graph, struct graph **out)
{
    struct graph *copy = graph_create();
    *out = NULL;
    if (!copy) return cudaErrorMemoryAllocation;
    cudaError_t error = copy_nodes(copy, graph);
    if (error)
        graph_destroy(copy);
    else
        *out = copy;
    return error;
}

cudaError_t graph_copy_part(struct graph *graph, struct graph **out)
{
    cudaError_t error = graph_copy(graph, out);
    if (!error) handle_keep(*out);
    return error;
}

struct node *graph_find_copy(const struct graph *copy, const struct node *origin)
{
    struct node *node = copy->first;
    while (node && node->origin != origin)
        node = node->next;
    return node;
}

/* ---- copies at work -------------------------------------------------------------------------- */

/* After a fault of a kernel nothing else is done. */
cudaError_t graph_run(struct graph *copy)
{
    struct order_place before;
    cudaError_t error = cudaSuccess;
    order_graph_begin(copy, &before);
    for (struct node *node = copy->first; node && !error && !runtime.pending; node = node->next) {
        order_node_begin(copy, node);
        if (!node->disabled) error = work_run(&node->work);
        order_node_end(node);
    }
    order_graph_end(copy, &before);
    return error;
}

static bool same_needs(const struct node *a, const struct node *b)
{
    bool same = a->need_count == b->need_count;
    for (size_t i = 0; same && i < a->need_count; i++)
        same = a->needs[i]->copy == b->needs[i];
    return same;
}

/* `fresh` becomes the copy's, node by node. */
static enum graph_change compare(const struct graph *fresh, const struct graph *copy,
                                 struct node **out_node)
{
    if (fresh->count != copy->count) return GRAPH_TOPOLOGY;
    struct node *theirs = fresh->first, *ours = copy->first;
    for (; theirs; theirs = theirs->next, ours = ours->next) {
        theirs->copy = ours;
        *out_node = theirs->origin;
        if (!same_needs(theirs, ours)) return GRAPH_TOPOLOGY;
        if (theirs->work.kind != ours->work.kind) return GRAPH_KIND;
    }
    *out_node = NULL;
    return GRAPH_SAME;
}

enum graph_change graph_update(struct graph *copy, struct graph *from, struct node **out_node)
{
    struct graph *fresh;
    *out_node = NULL;
    if (graph_copy(from, &fresh)) return GRAPH_TOPOLOGY;
    enum graph_change change = compare(fresh, copy, out_node);
    struct node *theirs = fresh->first, *ours = copy->first;
    for (; change == GRAPH_SAME && theirs; theirs = theirs->next, ours = ours->next) {
        struct work work = ours->work;
        ours->work = theirs->work;
        theirs->work = work;
    }
    graph_destroy(fresh);
    return change;
}
