// SPDX-License-Identifier: Apache-2.0
/* How much stack the deepest chain of calls takes. The call graph has a node for each function and
 * one for each signature, which stands for all functions of that signature whose address is taken:
 * so calls through pointers add as many edges as there are calls and functions. */
#include <stdlib.h>
#include <string.h>

#include "emulate/program.h"

enum { STACKS = 3 }; /* registers, parameters, local memory */

struct need {
    uint64_t bytes[STACKS];
};

enum state { UNSEEN, OPEN, DONE };

struct call_graph {
    struct builder *b;
    uint32_t functions; /* node: function, or functions + signature */
    uint8_t *states;
    uint32_t *cursors;       /* function: its next instruction; signature: function to call, + 1 */
    uint32_t *next_callable; /* function + 1 of the same signature whose address is taken */
    uint32_t *path;          /* open nodes */
    struct need *deepest;    /* from this node on */
    bool recursive;
};

static void chain_callables(struct call_graph *graph)
{
    const struct program *program = graph->b->program;
    for (uint32_t f = graph->functions; f-- > 0;) {
        if (!program->functions[f].address_taken) continue;
        uint32_t *first =
            &graph->cursors[graph->functions + program->functions[f].formals.signature];
        graph->next_callable[f] = *first;
        *first = f + 1;
    }
}

/* The next node that is called; false: no more. */
static bool next_callee(struct call_graph *graph, uint32_t node, uint32_t *out)
{
    const struct program *program = graph->b->program;
    uint32_t *cursor = &graph->cursors[node];
    if (node >= graph->functions) {
        if (!*cursor) return false;
        *out = *cursor - 1;
        *cursor = graph->next_callable[*out];
        return true;
    }
    const struct function *function = program->functions[node].function;
    while (*cursor < function->insn_count) {
        const struct insn *insn = &function->insns[*cursor];
        uint32_t index = graph->b->functions[node].first_insn + (*cursor)++;
        if (insn->op != OP_CALL || program_builtin(graph->b, insn)) continue;
        *out = insn->call->function >= 0
                   ? program->function_of[insn->call->function] - 1
                   : graph->functions + graph->b->call_sites[index]->signature;
        return true;
    }
    return false;
}

static void raise(struct need *need, const struct need *other)
{
    for (unsigned s = 0; s < STACKS; s++)
        if (other->bytes[s] > need->bytes[s]) need->bytes[s] = other->bytes[s];
}

/* All that it calls is known: its own frame comes on top. */
static void close_node(struct call_graph *graph, uint32_t node)
{
    graph->states[node] = DONE;
    if (node >= graph->functions) return;
    const struct program_function *function = &graph->b->program->functions[node];
    graph->deepest[node].bytes[0] += function->frame_bytes;
    graph->deepest[node].bytes[1] += function->parameter_bytes;
    graph->deepest[node].bytes[2] += function->local_bytes;
}

static void walk(struct call_graph *graph)
{
    uint32_t depth = 0, callee;
    graph->path[depth++] = 0;
    graph->states[0] = OPEN;
    while (depth) {
        uint32_t node = graph->path[depth - 1];
        if (!next_callee(graph, node, &callee)) {
            close_node(graph, node);
            if (--depth) raise(&graph->deepest[graph->path[depth - 1]], &graph->deepest[node]);
        } else if (graph->states[callee] == UNSEEN) {
            graph->states[callee] = OPEN;
            graph->path[depth++] = callee;
        } else if (graph->states[callee] == DONE) {
            raise(&graph->deepest[node], &graph->deepest[callee]);
        } else {
            graph->recursive = true;
        }
    }
}

/* Depth of recursion that a thread has room for, and what a warp's registers take before they grow. A guess. */
enum {
    RECURSIVE_FRAMES = 1 << 26,
    RECURSIVE_FRAMES_AT_FIRST = 1 << 20,
    RECURSIVE_PARAMETERS = 1 << 18,
    RECURSIVE_LOCALS = 1 << 14
};

/* The kernel's frame, that much of the others, and one more. */
static struct need recursive_need(const struct builder *b)
{
    const struct program *program = b->program;
    const struct program_function *entry = &program->functions[0];
    struct need largest = {{0}};
    for (uint32_t f = 0; f < program->function_count; f++) {
        const struct program_function *function = &program->functions[f];
        raise(&largest, &(struct need){{function->frame_bytes, function->parameter_bytes,
                                        function->local_bytes}});
    }
    return (struct need){
        {entry->frame_bytes + largest.bytes[0] + RECURSIVE_FRAMES,
         entry->parameter_bytes + largest.bytes[1] + RECURSIVE_PARAMETERS,
         entry->local_bytes + largest.bytes[2] + RECURSIVE_LOCALS * red_zones_growth(b)}};
}

static ws_status check_need(struct diag *diag, const struct builder *b, const struct need *need)
{
    static const struct {
        const char *what;
        uint64_t most;
    } stacks[STACKS] = {{"registers for a warp", STACK_REGISTER_BYTES_MAX},
                        {"parameters of calls for a thread", STACK_PARAMETER_BYTES_MAX},
                        {"local memory for a thread", STACK_LOCAL_BYTES_MAX}};
    for (unsigned s = 0; s < STACKS; s++)
        if (need->bytes[s] > stacks[s].most)
            return program_error(diag, b, b->program->functions[0].function,
                                 "its call chain requires %llu bytes of %s; the limit is %llu: use "
                                 "fewer or smaller functions",
                                 (unsigned long long)need->bytes[s], stacks[s].what,
                                 (unsigned long long)stacks[s].most);
    return WS_OK;
}

ws_status call_depth(struct diag *diag, struct builder *b)
{
    struct program *program = b->program;
    uint32_t functions = program->function_count, nodes = functions + b->signatures.count;
    struct call_graph graph = {.b = b, .functions = functions};
    graph.states = mem_zalloc(nodes, sizeof *graph.states);
    graph.cursors = mem_zalloc(nodes, sizeof *graph.cursors);
    graph.next_callable = mem_zalloc(nodes, sizeof *graph.next_callable);
    graph.path = mem_zalloc(nodes, sizeof *graph.path);
    graph.deepest = mem_zalloc(nodes, sizeof *graph.deepest);
    chain_callables(&graph);
    walk(&graph);
    program->recursive = graph.recursive;
    struct need need = graph.recursive ? recursive_need(b) : graph.deepest[0];
    mem_free(graph.states);
    mem_free(graph.cursors);
    mem_free(graph.next_callable);
    mem_free(graph.path);
    mem_free(graph.deepest);
    TRY(check_need(diag, b, &need));
    program->frame_bytes_max = program->frame_bytes_first = (uint32_t)need.bytes[0];
    if (graph.recursive) program->frame_bytes_first -= RECURSIVE_FRAMES - RECURSIVE_FRAMES_AT_FIRST;
    program->parameter_bytes_max = (uint32_t)need.bytes[1];
    program->local_bytes_max = (uint32_t)need.bytes[2];
    return WS_OK;
}
