// SPDX-License-Identifier: Apache-2.0
/* Immediate post-dominators: where lanes that part meet again. Lengauer and Tarjan, "A Fast Algorithm
 * for Finding Dominators in a Flowgraph" (1979), the simple version, on the reversed graph: its time
 * grows with E log N, whatever the graph looks like. The root is a virtual exit. Blocks that cannot
 * reach an exit (endless loops) get an edge to it from the last of them, so that the branches within
 * the loop still have a place to meet. */
#include <string.h>

#include "decode/parser.h"

#define NONE UINT32_MAX

/* Nodes are known by their number in a depth-first walk against the edges; 0 is the virtual exit. */
struct dominators {
    const struct flow_graph *graph;
    bool *exits;                /* by block: has an edge to the virtual exit */
    uint32_t *number;           /* by node; 0: not seen */
    uint32_t *cursor, *stack;   /* of the walk; stack also of compress */
    uint32_t count;             /* numbers given */
    uint32_t *node, *parent;    /* in the walk's tree */
    uint32_t *semi, *dominator; /* semidominator; immediate dominator */
    uint32_t *ancestor, *best;  /* the forest, and the least semidominator on the way up */
    uint32_t *bucket, *next;    /* lists of nodes by their semidominator */
};

static void give_number(struct dominators *d, uint32_t node, uint32_t parent)
{
    uint32_t number = d->count++;
    d->number[node] = number;
    d->node[number] = node;
    d->parent[number] = parent;
    d->semi[number] = d->best[number] = number;
    d->ancestor[number] = d->bucket[number] = NONE;
    d->cursor[node] = d->graph->back_first[node];
}

static void walk(struct dominators *d, uint32_t root)
{
    const struct flow_graph *graph = d->graph;
    uint32_t depth = 0;
    give_number(d, root, 0);
    d->stack[depth++] = root;
    while (depth > 0) {
        uint32_t node = d->stack[depth - 1];
        if (d->cursor[node] == graph->back_first[node + 1]) {
            depth--;
            continue;
        }
        uint32_t next = graph->back[d->cursor[node]++];
        if (d->number[next]) continue;
        give_number(d, next, d->number[node]);
        d->stack[depth++] = next;
    }
}

static void walk_all(struct dominators *d)
{
    const struct flow_graph *graph = d->graph;
    d->count = 1;
    d->semi[0] = d->best[0] = 0;
    d->ancestor[0] = d->bucket[0] = NONE;
    for (uint32_t b = graph->blocks; b-- > 0;) {
        d->exits[b] = graph->forth_first[b] == graph->forth_first[b + 1];
        if (d->exits[b] && !d->number[b]) walk(d, b);
    }
    for (uint32_t b = graph->blocks; b-- > 0;) {
        if (d->number[b]) continue;
        d->exits[b] = true;
        walk(d, b);
    }
}

/* Of the nodes from `v` up to below the root of its tree, the one with the least semidominator. */
static uint32_t evaluate(struct dominators *d, uint32_t v)
{
    uint32_t depth = 0;
    if (d->ancestor[v] == NONE) return v;
    for (uint32_t at = v; d->ancestor[d->ancestor[at]] != NONE; at = d->ancestor[at])
        d->stack[depth++] = at;
    while (depth > 0) {
        uint32_t at = d->stack[--depth], above = d->ancestor[at];
        if (d->semi[d->best[above]] < d->semi[d->best[at]]) d->best[at] = d->best[above];
        d->ancestor[at] = d->ancestor[above];
    }
    return d->best[v];
}

static uint32_t semidominator(struct dominators *d, uint32_t w)
{
    const struct flow_graph *graph = d->graph;
    uint32_t node = d->node[w], least = d->parent[w];
    if (node < graph->blocks && d->exits[node]) return 0;
    for (uint32_t e = graph->forth_first[node]; e < graph->forth_first[node + 1]; e++) {
        uint32_t u = evaluate(d, d->number[graph->forth[e]]);
        if (d->semi[u] < least) least = d->semi[u];
    }
    return least;
}

static void find_dominators(struct dominators *d)
{
    for (uint32_t w = d->count; w-- > 1;) {
        uint32_t parent = d->parent[w], s = semidominator(d, w);
        d->semi[w] = s;
        d->next[w] = d->bucket[s];
        d->bucket[s] = w;
        d->ancestor[w] = parent;
        for (uint32_t v = d->bucket[parent]; v != NONE; v = d->next[v]) {
            uint32_t u = evaluate(d, v);
            d->dominator[v] = d->semi[u] < d->semi[v] ? u : parent;
        }
        d->bucket[parent] = NONE;
    }
    d->dominator[0] = 0;
    for (uint32_t w = 1; w < d->count; w++)
        if (d->dominator[w] != d->semi[w]) d->dominator[w] = d->dominator[d->dominator[w]];
}

void flow_post_dominators(const struct flow_graph *graph, struct function *function)
{
    enum { ARRAYS = 11 };
    size_t size = (size_t)graph->nodes + 1;
    uint32_t *numbers = mem_zalloc(size * ARRAYS, sizeof *numbers);
    struct dominators d = {.graph = graph, .exits = mem_zalloc(size, sizeof *d.exits)};
    uint32_t **const arrays[ARRAYS] = {&d.number, &d.cursor, &d.stack,     &d.node,
                                       &d.parent, &d.semi,   &d.dominator, &d.ancestor,
                                       &d.best,   &d.bucket, &d.next};
    for (unsigned i = 0; i < ARRAYS; i++)
        *arrays[i] = numbers + i * size;
    walk_all(&d);
    find_dominators(&d);
    struct basic_block *blocks = (struct basic_block *)(uintptr_t)function->blocks;
    for (uint32_t b = 0; b < graph->blocks; b++) {
        uint32_t at = d.dominator[d.number[b]];
        while (at && d.node[at] >= graph->blocks) /* a table is no place to meet */
            at = d.dominator[at];
        blocks[b].post_dominator = at ? (int32_t)d.node[at] : -1;
    }
    mem_free(d.exits);
    mem_free(numbers);
}
