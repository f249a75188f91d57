// SPDX-License-Identifier: Apache-2.0
#include "reference/interpreter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "reference/thread.h"

void thread_fault(struct thread *thread, const struct insn *insn, const char *what)
{
    struct state *state = thread->block->state;
    if (state->fault) return;
    state->fault = what;
    state->fault_insn = insn;
}

/* ---- module variables ------------------------------------------------------------------------ */

static uint64_t aligned(uint64_t offset, uint64_t alignment)
{
    return alignment ? (offset + alignment - 1) / alignment * alignment : offset;
}

static bool in_memory(const struct variable *variable)
{
    return variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST;
}

static void place_variables(struct state *state)
{
    const struct module *module = state->launch->module;
    state->places = mem_zalloc(module->variable_count + 1, sizeof *state->places);
    for (uint32_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = &module->variables[v];
        uint64_t *end = in_memory(variable)               ? &state->variable_bytes
                        : variable->space == SPACE_SHARED ? &state->shared_bytes
                                                          : NULL;
        if (!end) continue;
        uint64_t at = aligned(*end, variable->alignment);
        state->places[v] = in_memory(variable) ? VARIABLES_GENERIC + at : at;
        *end = at + variable->bytes;
    }
    state->variables = mem_zalloc(state->variable_bytes + 1, 1);
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (in_memory(&module->variables[v]) && module->variables[v].init)
            memcpy(state->variables + (state->places[v] - VARIABLES_GENERIC),
                   module->variables[v].init, module->variables[v].bytes);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static bool is_reduction(const struct insn *insn)
{
    return insn->sub_op == SUB_RED_POPC || insn->sub_op == SUB_RED_AND ||
           insn->sub_op == SUB_RED_OR;
}

static uint32_t barrier_of(struct thread *thread)
{
    return (uint32_t)thread_read(thread, insn_source(thread->waits, 0), TYPE_U32);
}

static bool waits_at(struct thread *thread, uint32_t barrier)
{
    return thread->state == THREAD_AT_BARRIER && barrier_of(thread) == barrier;
}

/* The count that the barrier waits for; without one, all threads that have not left. */
static uint32_t barrier_count(struct thread *thread)
{
    const struct insn *insn = thread->waits;
    if (insn->nsrc > 1 && insn_source(insn, 1)->kind != OPERAND_NONE)
        return (uint32_t)thread_read(thread, insn_source(insn, 1), TYPE_U32);
    uint32_t alive = 0;
    for (uint32_t i = 0; i < thread->block->thread_count; i++)
        alive += thread->block->threads[i].state != THREAD_DONE;
    return alive;
}

static uint64_t reduced(const struct insn *insn, uint32_t holds, uint32_t waiting)
{
    if (insn->sub_op == SUB_RED_POPC) return holds;
    return insn->sub_op == SUB_RED_AND ? holds == waiting : holds > 0;
}

static bool release_barrier(struct block *block, uint32_t barrier)
{
    uint32_t waiting = 0, holds = 0, needed = 0;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        struct thread *thread = &block->threads[i];
        if (!waits_at(thread, barrier)) continue;
        waiting++;
        needed = barrier_count(thread);
        if (is_reduction(thread->waits))
            holds += thread_read(thread, insn_source(thread->waits, 2), TYPE_PRED) != 0;
    }
    if (waiting == 0 || waiting + block->arrived[barrier] < needed) return false;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        struct thread *thread = &block->threads[i];
        if (!waits_at(thread, barrier)) continue;
        thread->state = THREAD_RUNS;
        if (is_reduction(thread->waits))
            thread_write(thread, &thread->waits->operands[0],
                         reduced(thread->waits, holds, waiting));
    }
    block->arrived[barrier] = 0;
    return true;
}

/* ---- warps ----------------------------------------------------------------------------------- */

/* Performs the operation that a thread waits for if all its members wait for it, too. */
static bool release_warp(struct thread *thread)
{
    struct block *block = thread->block;
    uint32_t first = thread->index / REFERENCE_WARP * REFERENCE_WARP;
    uint32_t members = thread_members(thread), here = 0;
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++) {
        struct thread *other = &block->threads[first + lane];
        if (!(members >> lane & 1)) continue;
        if (first + lane >= block->thread_count || other->state == THREAD_DONE) continue;
        if (other->state != THREAD_AT_WARP || other->waits != thread->waits) return false;
        here |= 1u << lane;
    }
    threads_together(&block->threads[first], here, thread->waits);
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        if (here >> lane & 1) block->threads[first + lane].state = THREAD_RUNS;
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Has some thread yielded, so that it is to go on? */
static bool run_threads(struct block *block)
{
    bool yielded = false;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        struct thread *thread = &block->threads[i];
        thread->yields = false;
        while (thread->state == THREAD_RUNS && !thread->yields && !block->state->fault)
            thread_step(thread);
        yielded = yielded || thread->yields;
    }
    return yielded;
}

bool block_release(struct block *block)
{
    bool released = false;
    for (uint32_t i = 0; i < block->thread_count; i++)
        if (block->threads[i].state == THREAD_AT_WARP && release_warp(&block->threads[i]))
            released = true;
    for (uint32_t barrier = 0; barrier < BARRIER_COUNT && !released; barrier++)
        released = release_barrier(block, barrier);
    return released || block_release_cluster(block);
}

static void begin_thread(struct block *block, uint32_t index)
{
    const struct reference_launch *launch = block->state->launch;
    struct thread *thread = &block->threads[index];
    thread->block = block;
    thread->index = index;
    thread->id[0] = index % launch->block[0];
    thread->id[1] = index / launch->block[0] % launch->block[1];
    thread->id[2] = index / launch->block[0] / launch->block[1];
    thread_enter(thread, launch->entry, NULL);
    const struct function *function = thread->frame->function;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct variable *variable = &launch->module->variables[function->parameters[i]];
        memcpy(thread->stack + thread->frame->places[function->parameters[i]],
               launch->parameters + variable->offset, variable->bytes);
    }
}

static void free_frames(struct thread *thread)
{
    while (thread->frame) {
        struct frame *frame = thread->frame;
        thread->frame = frame->caller;
        mem_free(frame->registers);
        mem_free(frame->upper);
        mem_free(frame->places);
        mem_free(frame);
    }
}

static void begin_block(struct block *block, struct state *state, uint64_t number, uint32_t rank)
{
    const struct reference_launch *launch = state->launch;
    const uint32_t *size = launch->block;
    *block = (struct block){
        .state = state,
        .cluster = block - rank,
        .thread_count = size[0] * size[1] * size[2],
        .shared = mem_zalloc(state->shared_bytes + 1, 1),
    };
    block_place(launch, number, rank, block->id);
    block->threads = mem_zalloc(block->thread_count, sizeof *block->threads);
    for (uint32_t i = 0; i < block->thread_count; i++)
        begin_thread(block, i);
}

static void end_block(struct block *block)
{
    for (uint32_t i = 0; i < block->thread_count; i++) {
        struct thread *thread = &block->threads[i];
        if (thread->state != THREAD_DONE) thread_fault(thread, thread->waits, "waits for ever");
        free_frames(thread);
    }
    mem_free(block->threads);
    mem_free(block->shared);
}

/* Clusters from `first` on, `count` of them. */
static struct block *begin_clusters(struct state *state, uint64_t first, uint64_t count)
{
    uint64_t size = reference_cluster_blocks(state->launch);
    struct block *blocks = mem_zalloc(count * size, sizeof *blocks);
    for (uint64_t i = 0; i < count * size; i++)
        begin_block(&blocks[i], state, first + i / size, (uint32_t)(i % size));
    return blocks;
}

static void end_blocks(struct block *blocks, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        end_block(&blocks[i]);
    mem_free(blocks);
}

static void run_in_order(struct state *state, uint64_t clusters)
{
    uint64_t size = reference_cluster_blocks(state->launch);
    for (uint64_t i = 0; i < clusters && !state->fault; i++) {
        struct block *blocks = begin_clusters(state, i, 1);
        for (bool goes_on = true; goes_on && !state->fault;) {
            goes_on = false;
            for (uint64_t rank = 0; rank < size; rank++)
                goes_on = run_threads(&blocks[rank]) || goes_on;
            for (uint64_t rank = 0; rank < size; rank++)
                goes_on = block_release(&blocks[rank]) || goes_on;
        }
        end_blocks(blocks, size);
    }
}

static void run_by_turns(struct state *state, uint64_t clusters)
{
    uint64_t count = clusters * reference_cluster_blocks(state->launch);
    struct block *blocks = begin_clusters(state, 0, clusters);
    schedule_run(state, blocks, (uint32_t)count);
    end_blocks(blocks, count);
}

/* That of the launch, that of the kernel, or a block alone. */
static void choose_cluster(struct reference_launch *launch)
{
    const uint32_t *required = launch->module->functions[launch->entry].required_cluster;
    for (unsigned k = 0; k < 3; k++)
        if (!launch->cluster[k]) launch->cluster[k] = required[k] ? required[k] : 1;
}

bool reference_run(const struct reference_launch *given, char *message, size_t message_size)
{
    struct reference_launch copy = *given;
    const struct reference_launch *launch = &copy;
    choose_cluster(&copy);
    struct state state = {.launch = launch};
    place_variables(&state);
    uint64_t clusters = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] /
                        reference_cluster_blocks(launch);
    if (launch->schedule)
        run_by_turns(&state, clusters);
    else
        run_in_order(&state, clusters);
    if (state.fault)
        snprintf(message, message_size, "line %u: %s: %s",
                 state.fault_insn ? state.fault_insn->line : 0,
                 state.fault_insn ? state.fault_insn->text : "", state.fault);
    mem_free(state.variables);
    mem_free(state.places);
    return state.fault == NULL;
}
