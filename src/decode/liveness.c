// SPDX-License-Identifier: Apache-2.0
/* Which registers are live where, how many at once, and how long the chains of dependences are. */
#include <stdlib.h>
#include <string.h>

#include "decode/parser.h"

/* Only registers that some block reads before it writes them are ever live from one block to another:
 * the bit sets are over those, `crossing`, and most registers are not among them. */
struct liveness {
    const struct function *function;
    uint32_t words;     /* of a bit set */
    int32_t *bits;      /* by register: its bit, -1: lives within its block */
    uint32_t *crossing; /* by bit: the register */
    uint32_t crossing_count;
    uint64_t *uses, *kills; /* by block: read before written; written for every lane */
    uint64_t *in, *out;
};

static bool bit_get(const uint64_t *set, int32_t at)
{
    return set[at >> 6] >> (at & 63) & 1;
}

static void bit_set(uint64_t *set, int32_t at)
{
    set[at >> 6] |= UINT64_C(1) << (at & 63);
}

/* A guarded definition leaves the old value in some lanes, so it kills nothing. */
static unsigned insn_kills(const struct insn *insn, int32_t *registers)
{
    return insn->guard < 0 ? insn_register_writes(insn, registers) : 0;
}

/* killed[r] is the number of the block that wrote r last, plus one. */
static void find_crossing(struct liveness *live, uint32_t *killed)
{
    const struct function *function = live->function;
    int32_t registers[OPERAND_REGISTERS_MAX];
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const struct insn *insn = &function->insns[i];
        uint32_t stamp = function->block_of[i] + 1;
        unsigned count = insn_register_reads(insn, registers);
        for (unsigned r = 0; r < count; r++) {
            int32_t *bit = &live->bits[registers[r]];
            if (killed[registers[r]] == stamp || *bit >= 0) continue;
            *bit = (int32_t)live->crossing_count;
            live->crossing[live->crossing_count++] = (uint32_t)registers[r];
        }
        count = insn_kills(insn, registers);
        for (unsigned r = 0; r < count; r++)
            killed[registers[r]] = stamp;
    }
}

static void summarise(struct liveness *live, uint32_t index)
{
    const struct basic_block *block = &live->function->blocks[index];
    uint64_t *uses = live->uses + (size_t)index * live->words;
    uint64_t *kills = live->kills + (size_t)index * live->words;
    int32_t registers[OPERAND_REGISTERS_MAX];
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct insn *insn = &live->function->insns[i];
        unsigned count = insn_register_reads(insn, registers);
        for (unsigned r = 0; r < count; r++) {
            int32_t bit = live->bits[registers[r]];
            if (bit >= 0 && !bit_get(kills, bit)) bit_set(uses, bit);
        }
        count = insn_kills(insn, registers);
        for (unsigned r = 0; r < count; r++)
            if (live->bits[registers[r]] >= 0) bit_set(kills, live->bits[registers[r]]);
    }
}

/* 64 registers at a time, over all nodes. A node comes up again only when one of its successors has
 * grown, at most once a register: the time is bounded by edges times registers. */
struct column {
    uint64_t *uses, *kills, *in; /* by node */
    uint32_t *queue;             /* nodes to look at, a ring */
    bool *queued;
    uint32_t first, waiting;
};

static uint64_t column_out(const struct flow_graph *graph, const struct column *column,
                           uint32_t node)
{
    uint64_t out = 0;
    for (uint32_t e = graph->forth_first[node]; e < graph->forth_first[node + 1]; e++)
        out |= column->in[graph->forth[e]];
    return out;
}

static void enqueue(const struct flow_graph *graph, struct column *column, uint32_t node)
{
    if (column->queued[node]) return;
    column->queued[node] = true;
    column->queue[(column->first + column->waiting++) % graph->nodes] = node;
}

/* in = uses | (out & ~kills), out = union of the successors' in. */
static void solve_column(const struct flow_graph *graph, struct column *column)
{
    for (uint32_t n = graph->nodes; n-- > 0;)
        enqueue(graph, column, n);
    while (column->waiting) {
        uint32_t node = column->queue[column->first];
        column->first = (column->first + 1) % graph->nodes;
        column->waiting--;
        column->queued[node] = false;
        uint64_t out = column_out(graph, column, node);
        uint64_t in = column->uses[node] | (out & ~column->kills[node]);
        if (in == column->in[node]) continue;
        column->in[node] = in;
        for (uint32_t e = graph->back_first[node]; e < graph->back_first[node + 1]; e++)
            enqueue(graph, column, graph->back[e]);
    }
}

/* In units of 32 bits. Predicates live in registers of their own; 16-bit values take a whole one. */
static uint32_t register_weight(const struct function *function, int32_t reg)
{
    unsigned bits = type_infos[function->vregs[reg].type].bits;
    return bits == 1 ? 0 : (bits + 31) / 32;
}

/* Takes what is live at the end of the block as `now`; its weight. */
static uint32_t begin_at_end(const struct liveness *live, uint32_t index, uint32_t *now)
{
    const uint64_t *set = live->out + (size_t)index * live->words;
    uint32_t sum = 0;
    for (uint32_t w = 0; w < live->words; w++)
        for (uint64_t left = set[w]; left; left &= left - 1) {
            uint32_t reg = live->crossing[w * 64 + (uint32_t)__builtin_ctzll(left)];
            now[reg] = index + 1;
            sum += register_weight(live->function, (int32_t)reg);
        }
    return sum;
}

/* The most that is live at once in a block, walking it backwards from what is live at its end. A
 * value that is written and never read still needs a place for that moment. now[r] is the number of
 * the block, plus one, while r is live. */
static uint32_t most_live(const struct liveness *live, uint32_t index, uint32_t *now)
{
    const struct function *function = live->function;
    const struct basic_block *block = &function->blocks[index];
    const uint32_t alive = index + 1;
    int32_t registers[OPERAND_REGISTERS_MAX];
    uint32_t weight = begin_at_end(live, index, now), most = weight;
    for (uint32_t i = block->first + block->count; i-- > block->first;) {
        const struct insn *insn = &function->insns[i];
        unsigned count = insn_register_writes(insn, registers);
        uint32_t dead = 0;
        for (unsigned r = 0; r < count; r++) {
            if (now[registers[r]] != alive) dead += register_weight(function, registers[r]);
        }
        if (weight + dead > most) most = weight + dead;
        for (unsigned r = 0; r < count && insn->guard < 0; r++) {
            if (now[registers[r]] != alive) continue;
            now[registers[r]] = 0;
            weight -= register_weight(function, registers[r]);
        }
        count = insn_register_reads(insn, registers);
        for (unsigned r = 0; r < count; r++) {
            if (now[registers[r]] == alive) continue;
            now[registers[r]] = alive;
            weight += register_weight(function, registers[r]);
        }
        if (weight > most) most = weight;
    }
    return most;
}

/* depth[r] counts from the block's start if stamp[r] is this block. */
uint32_t function_critical_path(const struct function *function, uint32_t index, uint32_t *depth,
                                uint32_t *stamp)
{
    const struct basic_block *block = &function->blocks[index];
    int32_t registers[OPERAND_REGISTERS_MAX];
    uint32_t longest = 1;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        const struct insn *insn = &function->insns[i];
        uint32_t ready = 0;
        unsigned count = insn_register_reads(insn, registers);
        for (unsigned r = 0; r < count; r++)
            if (stamp[registers[r]] == index + 1 && depth[registers[r]] > ready)
                ready = depth[registers[r]];
        count = insn_register_writes(insn, registers);
        for (unsigned r = 0; r < count; r++) {
            depth[registers[r]] = ready + 1;
            stamp[registers[r]] = index + 1;
        }
        if (ready + 1 > longest) longest = ready + 1;
    }
    return longest;
}

static void solve(struct liveness *live, const struct flow_graph *graph)
{
    uint32_t nodes = graph->nodes;
    struct column column = {.uses = mem_zalloc((size_t)nodes * 3, sizeof *column.uses),
                            .queue = mem_zalloc(nodes, sizeof *column.queue),
                            .queued = mem_zalloc(nodes, sizeof *column.queued)};
    column.kills = column.uses + nodes;
    column.in = column.kills + nodes;
    for (uint32_t b = 0; b < graph->blocks; b++)
        summarise(live, b);
    for (uint32_t w = 0; w < live->words; w++) {
        memset(column.in, 0, nodes * sizeof *column.in);
        for (uint32_t b = 0; b < graph->blocks; b++) {
            column.uses[b] = live->uses[(size_t)b * live->words + w];
            column.kills[b] = live->kills[(size_t)b * live->words + w];
        }
        solve_column(graph, &column);
        for (uint32_t b = 0; b < graph->blocks; b++) {
            live->in[(size_t)b * live->words + w] = column.in[b];
            live->out[(size_t)b * live->words + w] = column_out(graph, &column, b);
        }
    }
    mem_free(column.uses);
    mem_free(column.queue);
    mem_free(column.queued);
}

bool flow_liveness(struct arena *arena, const struct flow_graph *graph, struct function *function)
{
    uint32_t count = function->block_count, registers = function->vreg_count;
    /* Three numbers a register, which several steps use one after the other. */
    uint32_t *numbers = mem_zalloc((size_t)registers * 3 + 1, sizeof *numbers);
    struct liveness live = {.function = function,
                            .bits = mem_alloc(((size_t)registers + 1) * sizeof *live.bits),
                            .crossing = numbers};
    memset(live.bits, -1, registers * sizeof *live.bits);
    uint32_t *now = numbers + registers, *depth = now + registers;
    find_crossing(&live, now);
    memset(now, 0, registers * sizeof *now);
    live.words = live.crossing_count / 64 + 1;
    size_t all = (size_t)count * live.words;
    function->crossing_count = live.crossing_count;
    if ((uint64_t)all * 64 > LIVE_BITS_MAX) {
        mem_free(numbers);
        mem_free(live.bits);
        return false;
    }
    live.in = ARENA_ARRAY(arena, uint64_t, all);
    live.out = ARENA_ARRAY(arena, uint64_t, all);
    live.uses = mem_zalloc(all * 2, sizeof *live.uses);
    live.kills = live.uses + all;
    solve(&live, graph);
    struct basic_block *blocks = (struct basic_block *)(uintptr_t)function->blocks;
    for (uint32_t b = 0; b < count; b++) {
        uint32_t most = most_live(&live, b, now);
        if (most > function->max_live_registers) function->max_live_registers = most;
        blocks[b].live_in = live.in + (size_t)b * live.words;
        blocks[b].live_out = live.out + (size_t)b * live.words;
    }
    memset(now, 0, registers * sizeof *now);
    for (uint32_t b = 0; b < count; b++)
        blocks[b].critical_path = function_critical_path(function, b, depth, now);
    uint32_t *crossing = ARENA_ARRAY(arena, uint32_t, live.crossing_count + 1);
    memcpy(crossing, live.crossing, live.crossing_count * sizeof *crossing);
    function->crossing = crossing;
    mem_free(numbers);
    mem_free(live.bits);
    mem_free(live.uses);
    return true;
}
