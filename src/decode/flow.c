// SPDX-License-Identifier: Apache-2.0
/* Basic blocks and their successors, also as a graph. */
#include <stdlib.h>
#include <string.h>

#include "decode/parser.h"

unsigned insn_register_reads(const struct insn *insn, int32_t *registers)
{
    unsigned count = 0;
    if (insn->guard >= 0) registers[count++] = insn->guard;
    for (unsigned i = insn->ndst; i < (unsigned)insn->ndst + insn->nsrc; i++) {
        const struct operand *operand = insn_operand(insn, i);
        bool reads = operand->kind == OPERAND_REGISTER ||
                     (operand->kind == OPERAND_ADDRESS && operand->reg >= 0);
        if (reads) registers[count++] = operand->reg;
    }
    return count;
}

unsigned insn_register_writes(const struct insn *insn, int32_t *registers)
{
    unsigned count = 0;
    for (unsigned i = 0; i < insn->ndst; i++)
        if (insn_operand(insn, i)->kind == OPERAND_REGISTER)
            registers[count++] = insn_operand(insn, i)->reg;
    return count;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool ends_block(const struct insn *insn)
{
    switch (insn->op) {
    case OP_BRA:
    case OP_BRX:
    case OP_CALL:
    case OP_RET:
    case OP_EXIT:
    case OP_TRAP:
    case OP_BRKPT:
    case OP_BAR:
    case OP_BARRIER:
    case OP_CLUSTER_WAIT:
    case OP_WGMMA_WAIT:
    case OP_NANOSLEEP:
        return true;
    default:
        return insn->flags & INSN_SYNC;
    }
}

static bool falls_through(const struct insn *insn)
{
    bool leaves = insn->op == OP_BRA || insn->op == OP_BRX || insn->op == OP_RET ||
                  insn->op == OP_EXIT || insn->op == OP_TRAP;
    return !leaves || insn->guard >= 0;
}

static void mark_table(const struct insn *insn, struct map *known, bool *leader)
{
    uint32_t ignored;
    uint64_t key = (uint64_t)(uintptr_t)insn->targets;
    if (map_get(known, key, &ignored)) return; /* tables may be long, and used often */
    map_set(known, key, 0);
    for (uint32_t t = 0; t < insn->target_count; t++)
        leader[insn->targets[t]] = true;
}

static void mark_leaders(const struct function *function, bool *leader)
{
    struct map tables = {0};
    leader[0] = true;
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const struct insn *insn = &function->insns[i];
        if (ends_block(insn)) leader[i + 1] = true;
        if (insn->op == OP_BRA) leader[insn->target] = true;
        if (insn->op == OP_BRX) mark_table(insn, &tables, leader);
    }
    map_clear(&tables);
}

/* Fall-through and branch target. */
static void find_successors(const struct function *function, struct basic_block *block)
{
    const struct insn *last = &function->insns[block->first + block->count - 1];
    uint32_t next = block->first + block->count;
    if (falls_through(last) && next < function->insn_count)
        block->successors[block->successor_count++] = function->block_of[next];
    if (last->op != OP_BRA) return;
    uint32_t target = function->block_of[last->target];
    if (!block->successor_count || block->successors[0] != target)
        block->successors[block->successor_count++] = target;
}

void flow_build(struct arena *arena, struct function *function)
{
    uint32_t insns = function->insn_count, blocks = 0;
    bool *leader = mem_zalloc(insns + 1, sizeof *leader);
    uint32_t *block_of = ARENA_ARRAY(arena, uint32_t, insns);
    mark_leaders(function, leader);
    for (uint32_t i = 0; i < insns; i++) {
        blocks += leader[i];
        block_of[i] = blocks - 1;
    }
    struct basic_block *list = ARENA_ARRAY(arena, struct basic_block, blocks);
    for (uint32_t i = 0; i < insns; i++) {
        struct basic_block *block = &list[block_of[i]];
        if (block->count++ == 0) block->first = i;
    }
    mem_free(leader);
    function->block_of = block_of;
    function->blocks = list;
    function->block_count = blocks;
    for (uint32_t i = 0; i < blocks; i++)
        find_successors(function, &list[i]);
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* Tables of brx: one node for each, whoever uses it. */
static void number_tables(struct flow_graph *graph, const struct function *function)
{
    struct map known = {0};
    for (uint32_t b = 0; b < graph->blocks; b++) {
        const struct basic_block *block = &function->blocks[b];
        const struct insn *last = &function->insns[block->first + block->count - 1];
        if (last->op != OP_BRX) continue;
        uint64_t key = (uint64_t)(uintptr_t)last->targets;
        if (!map_get(&known, key, &graph->table_of[b])) {
            graph->table_of[b] = graph->nodes++;
            graph->tables[graph->table_of[b] - graph->blocks] = last;
            map_set(&known, key, graph->table_of[b]);
        }
    }
    map_clear(&known);
}

static uint32_t node_successors(const struct flow_graph *graph, const struct function *function,
                                uint32_t node, uint32_t *out)
{
    uint32_t count = 0;
    if (node >= graph->blocks) {
        const struct insn *table = graph->tables[node - graph->blocks];
        for (uint32_t t = 0; out && t < table->target_count; t++)
            out[t] = function->block_of[table->targets[t]];
        return table->target_count;
    }
    const struct basic_block *block = &function->blocks[node];
    for (uint32_t s = 0; s < block->successor_count; s++, count++)
        if (out) out[count] = block->successors[s];
    if (!graph->table_of[node]) return count;
    if (out) out[count] = graph->table_of[node];
    return count + 1;
}

static void add_predecessors(struct flow_graph *graph, uint32_t edges)
{
    graph->back_first = mem_zalloc((size_t)graph->nodes + 2, sizeof *graph->back_first);
    graph->back = mem_zalloc(edges, sizeof *graph->back);
    uint32_t *fill = graph->back_first + 1; /* ends as the first of the next */
    for (uint32_t e = 0; e < edges; e++)
        fill[graph->forth[e] + 1]++;
    for (uint32_t n = 0; n < graph->nodes; n++)
        fill[n + 1] += fill[n];
    for (uint32_t n = 0; n < graph->nodes; n++)
        for (uint32_t e = graph->forth_first[n]; e < graph->forth_first[n + 1]; e++)
            graph->back[fill[graph->forth[e]]++] = n;
}

void flow_graph_init(struct flow_graph *graph, const struct function *function)
{
    uint32_t blocks = function->block_count, edges = 0;
    *graph = (struct flow_graph){.blocks = blocks, .nodes = blocks};
    graph->table_of = mem_zalloc(blocks, sizeof *graph->table_of);
    graph->tables = mem_zalloc(blocks, sizeof *graph->tables);
    number_tables(graph, function);
    graph->forth_first = mem_zalloc((size_t)graph->nodes + 1, sizeof *graph->forth_first);
    for (uint32_t n = 0; n < graph->nodes; n++) {
        graph->forth_first[n] = edges;
        edges += node_successors(graph, function, n, NULL);
    }
    graph->forth_first[graph->nodes] = edges;
    graph->forth = mem_zalloc(edges, sizeof *graph->forth);
    for (uint32_t n = 0; n < graph->nodes; n++)
        node_successors(graph, function, n, graph->forth + graph->forth_first[n]);
    add_predecessors(graph, edges);
}

void flow_graph_clear(struct flow_graph *graph)
{
    mem_free(graph->table_of);
    mem_free(graph->tables);
    mem_free(graph->forth_first);
    mem_free(graph->forth);
    mem_free(graph->back_first);
    mem_free(graph->back);
}
