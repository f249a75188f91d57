// SPDX-License-Identifier: Apache-2.0
/* Basic blocks, their successors, immediate post-dominators. */
#include <stdlib.h>
#include <string.h>

#include "decode/parser.h"

unsigned insn_register_reads(const struct insn *insn, int32_t *registers)
{
    unsigned count = 0;
    if (insn->guard >= 0) registers[count++] = insn->guard;
    for (unsigned i = insn->ndst; i < (unsigned)insn->ndst + insn->nsrc; i++) {
        const struct operand *operand = &insn->operands[i];
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
        if (insn->operands[i].kind == OPERAND_REGISTER) registers[count++] = insn->operands[i].reg;
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

static void mark_leaders(const struct function *function, bool *leader)
{
    leader[0] = true;
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const struct insn *insn = &function->insns[i];
        if (ends_block(insn)) leader[i + 1] = true;
        if (insn->op == OP_BRA) leader[insn->target] = true;
        for (uint32_t t = 0; insn->op == OP_BRX && t < insn->target_count; t++)
            leader[insn->targets[t]] = true;
    }
}

/* seen[block] is the number of the block that has it as a successor already, plus one. */
struct successors {
    uint32_t *list, count;
    uint32_t *seen, owner;
};

static void add_successor(struct successors *successors, uint32_t block)
{
    if (successors->seen[block] == successors->owner) return;
    successors->seen[block] = successors->owner;
    successors->list[successors->count++] = block;
}

static void find_successors(struct arena *arena, const struct function *function,
                            struct basic_block *block, uint32_t *seen)
{
    const struct insn *last = &function->insns[block->first + block->count - 1];
    uint32_t targets = last->op == OP_BRX ? last->target_count : 1;
    uint32_t next = block->first + block->count;
    struct successors successors = {.list = ARENA_ARRAY(arena, uint32_t, targets + 1),
                                    .seen = seen,
                                    .owner = function->block_of[block->first] + 1};
    if (falls_through(last) && next < function->insn_count)
        add_successor(&successors, function->block_of[next]);
    if (last->op == OP_BRA) add_successor(&successors, function->block_of[last->target]);
    for (uint32_t t = 0; last->op == OP_BRX && t < last->target_count; t++)
        add_successor(&successors, function->block_of[last->targets[t]]);
    block->successors = successors.list;
    block->successor_count = successors.count;
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
    uint32_t *seen = mem_zalloc(blocks, sizeof *seen);
    for (uint32_t i = 0; i < blocks; i++)
        find_successors(arena, function, &list[i], seen);
    mem_free(seen);
}

/* ---- post-dominators -------------------------------------------------------------------------------
 * Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph. Its
 * root is a virtual exit, node `count`. Blocks that cannot reach an exit (endless loops) get an edge
 * to it from the last of them, so that the branches within the loop still have a place to meet. */

struct graph {
    const struct function *function;
    uint32_t count;
    uint32_t *first, *predecessors; /* of block b: predecessors[first[b] .. first[b + 1]) */
    bool *exits;                    /* has an edge to the virtual exit */
    uint32_t *order;                /* number in the postorder of the reversed graph */
    uint32_t *sequence;             /* the blocks in that order */
    uint32_t visited;
    bool *seen;
    uint32_t *stack, *cursor;
};

static void collect_predecessors(struct graph *graph)
{
    const struct basic_block *blocks = graph->function->blocks;
    uint32_t edges = 0;
    for (uint32_t b = 0; b < graph->count; b++) {
        edges += blocks[b].successor_count;
        for (uint32_t s = 0; s < blocks[b].successor_count; s++)
            graph->first[blocks[b].successors[s] + 1]++;
        graph->exits[b] = blocks[b].successor_count == 0;
    }
    for (uint32_t b = 0; b < graph->count; b++)
        graph->first[b + 1] += graph->first[b];
    graph->predecessors = mem_zalloc(edges, sizeof *graph->predecessors);
    uint32_t *fill = mem_zalloc(graph->count, sizeof *fill);
    for (uint32_t b = 0; b < graph->count; b++)
        for (uint32_t s = 0; s < blocks[b].successor_count; s++) {
            uint32_t to = blocks[b].successors[s];
            graph->predecessors[graph->first[to] + fill[to]++] = b;
        }
    mem_free(fill);
}

/* Depth first from one block with an exit, against the edges. */
static void visit(struct graph *graph, uint32_t root)
{
    uint32_t depth = 0;
    graph->stack[depth++] = root;
    graph->seen[root] = true;
    graph->cursor[root] = graph->first[root];
    while (depth > 0) {
        uint32_t block = graph->stack[depth - 1];
        if (graph->cursor[block] == graph->first[block + 1]) {
            graph->order[block] = graph->visited;
            graph->sequence[graph->visited++] = block;
            depth--;
            continue;
        }
        uint32_t next = graph->predecessors[graph->cursor[block]++];
        if (graph->seen[next]) continue;
        graph->seen[next] = true;
        graph->cursor[next] = graph->first[next];
        graph->stack[depth++] = next;
    }
}

static void visit_all(struct graph *graph)
{
    for (uint32_t b = graph->count; b-- > 0;)
        if (graph->exits[b] && !graph->seen[b]) visit(graph, b);
    for (uint32_t b = graph->count; b-- > 0;) {
        if (graph->seen[b]) continue;
        graph->exits[b] = true;
        visit(graph, b);
    }
    graph->order[graph->count] = graph->visited; /* the virtual exit comes last */
}

static uint32_t intersect(const struct graph *graph, const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (graph->order[a] < graph->order[b])
            a = idom[a];
        while (graph->order[b] < graph->order[a])
            b = idom[b];
    }
    return a;
}

static bool settle(const struct graph *graph, uint32_t *idom, uint32_t block)
{
    const struct basic_block *info = &graph->function->blocks[block];
    uint32_t best = graph->exits[block] ? graph->count : UINT32_MAX;
    for (uint32_t s = 0; s < info->successor_count; s++) {
        uint32_t next = info->successors[s];
        if (idom[next] == UINT32_MAX) continue;
        best = best == UINT32_MAX ? next : intersect(graph, idom, best, next);
    }
    if (best == idom[block]) return false;
    idom[block] = best;
    return true;
}

static void iterate(const struct graph *graph, uint32_t *idom)
{
    for (uint32_t b = 0; b < graph->count; b++)
        idom[b] = UINT32_MAX;
    idom[graph->count] = graph->count;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = graph->visited; i-- > 0;)
            changed |= settle(graph, idom, graph->sequence[i]);
    }
}

void flow_post_dominators(struct function *function)
{
    uint32_t count = function->block_count;
    struct graph graph = {.function = function, .count = count};
    uint32_t *numbers = mem_zalloc((size_t)count * 6 + 8, sizeof *numbers);
    bool *flags = mem_zalloc((size_t)count * 2 + 2, sizeof *flags);
    graph.first = numbers;
    graph.order = graph.first + count + 1;
    graph.sequence = graph.order + count + 1;
    graph.stack = graph.sequence + count;
    graph.cursor = graph.stack + count;
    uint32_t *idom = graph.cursor + count;
    graph.exits = flags;
    graph.seen = flags + count;
    collect_predecessors(&graph);
    visit_all(&graph);
    iterate(&graph, idom);
    struct basic_block *blocks = (struct basic_block *)(uintptr_t)function->blocks;
    for (uint32_t b = 0; b < count; b++)
        blocks[b].post_dominator = idom[b] >= count ? -1 : (int32_t)idom[b];
    mem_free(graph.predecessors);
    mem_free(flags);
    mem_free(numbers);
}
