// SPDX-License-Identifier: Apache-2.0
/* Graphs of work. A graph that can be launched is a copy of another, its nodes in an order in which each
 * comes after those it depends on. */
#ifndef RUNTIME_GRAPH_H
#define RUNTIME_GRAPH_H

#include "stream_order.h"
#include "work.h"

struct node {
    struct graph *graph;
    struct node *next;
    struct node *origin; /* what it is a copy of; only to be compared, it may be gone */
    struct work work;
    struct node **needs; /* what must be done before */
    size_t need_count, need_capacity;
    bool disabled;
    void **argument_pointers; /* cudaGraphKernelNodeGetParams gave them */
    /* of whoever walks through the graph: */
    bool marked;
    struct node *copy;
    /* stream_order.c: */
    struct clock clock;
    uint32_t timeline;
    bool is_extended; /* another node goes on in its timeline */
};

struct graph {
    bool is_exec; /* made by cudaGraphInstantiate */
    struct node *first, *last;
    size_t count;
    struct clock start, clock; /* before its nodes, and behind them (stream_order.c) */
};

/* A node of a graph got so many bytes (cudaDeviceGetGraphMemAttribute). */
void graph_count_memory(size_t bytes);

static inline bool is_node(const struct node *node)
{
    return handle_is(HANDLE_NODE, node);
}

static inline bool is_graph(const struct graph *graph)
{
    return handle_is(HANDLE_GRAPH, graph) && !graph->is_exec;
}

static inline bool is_exec(const struct graph *graph)
{
    return handle_is(HANDLE_GRAPH, graph) && graph->is_exec;
}

struct graph *graph_create(void);
void graph_destroy(struct graph *graph);
/* Adds a node behind `needs`; takes the work over in any case. */
cudaError_t graph_add(struct graph *graph, struct node *const *needs, size_t count,
                      struct work *work, struct node **out);
/* Takes it out; what depended on it does no more. */
void graph_remove(struct node *node);
cudaError_t node_add_need(struct node *node, struct node *need);
void node_drop_need(struct node *node, const struct node *need);
/* cudaErrorInvalidValue: a node depends on itself. */
cudaError_t graph_copy(struct graph *graph, struct graph **out);
/* The same as part of a node. */
cudaError_t graph_copy_part(struct graph *graph, struct graph **out);
/* The node of a copy that was made from `origin`; NULL: none. */
struct node *graph_find_copy(const struct graph *copy, const struct node *origin);
/* Everything, of a copy; stops at the first failure. */
cudaError_t graph_run(struct graph *copy);
/* Takes work over from a graph that has the same nodes in the same order; `out_node` is the first that
 * differs. */
enum graph_change { GRAPH_SAME = 0, GRAPH_TOPOLOGY = 2, GRAPH_KIND = 3 };
enum graph_change graph_update(struct graph *copy, struct graph *from, struct node **out_node);

#endif
