// SPDX-License-Identifier: Apache-2.0
/* Loops that never end. After all warps of a block have had a turn, its state is compared with an earlier one: code
 * blocks, masks, registers and local memory. If it is the same and memory did not change in between, it repeats for
 * ever, because execution is deterministic. So does a split that has made many turns, where its loop reads no memory
 * that others write. States are compared in full, never by a hash. As in Brent's algorithm the
 * state is saved after 4, 8, 16 ... rounds. */
#include <string.h>

#include "emulate/check_sync.h"
#include "emulate/program.h"

enum { FIRST_ROUND = 4 };
#define STATE_BYTES_MAX ((size_t)64 << 20)

/* Walks a state, which it saves or compares with the saved one. */
struct walk {
    struct sync_cycle *cycle;
    size_t at;
    bool saves, is_same;
};

static void put(struct walk *walk, const void *bytes, size_t size)
{
    struct sync_cycle *cycle = walk->cycle;
    if (!walk->is_same || walk->at + size > STATE_BYTES_MAX) {
        walk->is_same = false;
        return;
    }
    if (walk->saves) {
        while (cycle->room < walk->at + size) {
            cycle->room = cycle->room ? 2 * cycle->room : 4096;
            cycle->saved = mem_realloc(cycle->saved, cycle->room);
        }
        memcpy(cycle->saved + walk->at, bytes, size);
    } else {
        walk->is_same =
            walk->at + size <= cycle->bytes && memcmp(cycle->saved + walk->at, bytes, size) == 0;
    }
    walk->at += size;
}

static void put_splits(struct walk *walk, const struct warp *warp)
{
    for (uint32_t i = 0; i < warp->split_count && walk->is_same; i++) {
        const struct split *split = &warp->splits[i];
        uint32_t rank = 0; /* order in time is what the scheduler goes by */
        for (uint32_t k = 0; k < warp->split_count; k++)
            rank += warp->splits[k].stamp < split->stamp;
        uint32_t words[] = {split->block, split->mask,    (uint32_t)split->node,
                            split->state, split->barrier, rank};
        put(walk, words, sizeof words);
        put(walk, &split->frame, sizeof split->frame);
    }
}

static void put_warp(struct walk *walk, const struct program *program, const struct warp *warp)
{
    uint32_t words[] = {warp->split_count, warp->nodes_used, warp->dead, warp->carry};
    put(walk, words, sizeof words);
    put_splits(walk, warp);
    for (uint32_t n = 0; n < warp->nodes_used && walk->is_same; n++) {
        const struct node *node = &warp->nodes[n];
        uint32_t parts[] = {node->used, node->block, (uint32_t)node->parent, node->live,
                            node->arrived};
        put(walk, parts, node->used ? sizeof parts : sizeof parts[0]);
        if (node->used) put(walk, &node->frame, sizeof node->frame);
    }
    put(walk, warp->stack, sizeof warp->stack);
    put(walk, warp->registers, warp->register_bytes);
    put(walk, warp->parameters, (size_t)program->parameter_bytes_max * WARP_LANES);
    put(walk, warp->locals, (size_t)program->local_bytes_max * WARP_LANES);
}

static bool walk_block(struct walk *walk, const struct program *program, const struct block *block)
{
    put(walk, block->barriers, sizeof block->barriers);
    for (uint32_t w = 0; w < block->warp_count && walk->is_same; w++)
        put_warp(walk, program, &block->warps[w]);
    return walk->is_same;
}

/* Begins anew if memory has changed, or if it is about something else now. */
static void start(const struct exec *x, struct sync_cycle *cycle, const void *of)
{
    if (cycle->of != of || cycle->changes != x->changes) {
        cycle->of = of;
        cycle->rounds = 0;
        cycle->bytes = 0;
        cycle->changes = x->changes;
        cycle->next_save = FIRST_ROUND;
    }
    cycle->rounds++;
}

static void end_save(const struct exec *x, struct sync_cycle *cycle, const struct walk *walk)
{
    cycle->bytes = walk->is_same ? walk->at : 0;
    cycle->polls = x->polls;
    cycle->next_save = 2 * cycle->rounds;
}

/* ---- loops that read memory ------------------------------------------------------------------- */

static bool is_loading(const struct launch_view *view, uint32_t at)
{
    const struct code_block *block = &view->code_blocks[at];
    for (uint32_t i = 0; i < block->count; i++) {
        unsigned class_id = view->insns[block->first + i]->class_id;
        bool is_memory = class_id >= CLASS_MEM_GLOBAL_LOAD;
        if (is_memory && class_id != CLASS_MEM_PARAM_LOAD && class_id != CLASS_MEM_CONST_LOAD &&
            class_id != CLASS_MEM_LOCAL_LOAD && class_id != CLASS_MEM_LOCAL_STORE)
            return true;
    }
    return false;
}

static void add_block(uint8_t *reached, uint32_t *list, uint32_t *count, uint32_t at)
{
    if (at == CODE_END || reached[at]) return;
    reached[at] = 1;
    list[(*count)++] = at;
}

static void add_successors(const struct program *program, uint32_t at, uint8_t *reached,
                           uint32_t *list, uint32_t *count)
{
    const struct code *code = &program->code[at];
    bool always_goes = code->terminator == TERM_BRANCH && code->guard == REF_NONE;
    if (!always_goes) add_block(reached, list, count, code->next);
    if (code->terminator == TERM_BRANCH) add_block(reached, list, count, code->target);
    if (code->terminator == TERM_BRANCH_INDEXED)
        for (uint32_t k = 0; k < code->last->target_count; k++)
            add_block(reached, list, count, code->targets[k]);
}

/* Is block `to` reached from block `from`? */
static bool leads_to(const struct program *program, uint32_t from, uint32_t to, uint8_t *reached,
                     uint32_t *list)
{
    uint32_t count = 0;
    memset(reached, 0, program->code_count);
    add_successors(program, from, reached, list, &count);
    for (uint32_t i = 0; i < count && !reached[to]; i++)
        add_successors(program, list[i], reached, list, &count);
    return reached[to];
}

/* Might a loop that the code block is in see what others write? */
static bool loop_reads(const struct program *program, uint32_t at)
{
    uint32_t codes = program->code_count, count = 0;
    uint8_t *reached = mem_zalloc(codes, 1), *scratch = mem_zalloc(codes, 1);
    uint32_t *list = mem_zalloc(codes, sizeof *list), *more = mem_zalloc(codes, sizeof *more);
    bool found = false;
    add_successors(program, at, reached, list, &count);
    for (uint32_t i = 0; i < count && !found; i++) {
        uint32_t block = list[i];
        add_successors(program, block, reached, list, &count);
        uint8_t end = program->code[block].terminator;
        bool is_opaque =
            end == TERM_CALL || end == TERM_BUILTIN || is_loading(&program->view, block);
        found = is_opaque && leads_to(program, block, at, scratch, more);
    }
    mem_free(reached);
    mem_free(scratch);
    mem_free(list);
    mem_free(more);
    return found;
}

/* Is there no other block that could change what this one reads? */
static bool has_no_others(const struct worker *worker)
{
    const struct launch *launch = worker->launch;
    if (launch->cluster_blocks) return false;
    bool ordered = launch->program->functions[0].function->ordered && !launch->options->unordered;
    return !ordered || (worker->resident == 1 && launch->next_unit >= launch->units);
}

/* Can no other block change what this one reads? */
static bool is_alone(const struct worker *worker, const struct block *block)
{
    const struct program *program = worker->launch->program;
    if (has_no_others(worker)) return true;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t i = 0; i < block->warps[w].split_count; i++) {
            const struct split *split = &block->warps[w].splits[i];
            if (split->frame->parent || split->state != SPLIT_READY ||
                loop_reads(program, split->block))
                return false;
        }
    return true;
}

enum sync_repeat sync_repeats(struct worker *worker, struct block *block)
{
    struct exec *x = &worker->exec;
    const struct program *program = x->launch->program;
    struct sync_cycle *cycle = &block->sync->cycle;
    start(x, cycle, block);
    block->sync->repeats = false;
    if (cycle->bytes) {
        struct walk walk = {.cycle = cycle, .is_same = true};
        block->sync->repeats = walk_block(&walk, program, block);
        if (block->sync->repeats && is_alone(worker, block))
            return x->polls == cycle->polls ? SYNC_ENDLESS : SYNC_POLLS;
    }
    if (cycle->rounds >= cycle->next_save) {
        struct walk walk = {.cycle = cycle, .saves = true, .is_same = true};
        walk_block(&walk, program, block);
        end_save(x, cycle, &walk);
    }
    return SYNC_GOES_ON;
}

/* Do all wait but this split, so that nobody changes what it reads? */
static bool waits_rest(const struct exec *x, const struct warp *mine, const struct split *split)
{
    const struct block *block = x->block;
    if (!has_no_others(block->worker)) return false;
    for (uint32_t n = 0; n < mine->nodes_used; n++)
        if (mine->nodes[n].used && mine->nodes[n].arrived) return false;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t i = 0; i < block->warps[w].split_count; i++) {
            const struct split *other = &block->warps[w].splits[i];
            if (other != split && other->state == SPLIT_READY) return false;
        }
    return true;
}

bool sync_spins(struct exec *x, const struct warp *warp, const struct split *split)
{
    const struct program *program = x->launch->program;
    struct sync_cycle *cycle = &x->block->sync->spin;
    if (split->frame->parent) return false;
    start(x, cycle, warp);
    if (cycle->bytes && cycle->polls == x->polls) {
        struct walk walk = {.cycle = cycle, .is_same = true};
        put(&walk, &split->block, sizeof split->block);
        put_warp(&walk, program, warp);
        if (walk.is_same && (waits_rest(x, warp, split) || !loop_reads(program, split->block)))
            return true;
    }
    if (cycle->rounds >= cycle->next_save) {
        struct walk walk = {.cycle = cycle, .saves = true, .is_same = true};
        put(&walk, &split->block, sizeof split->block);
        put_warp(&walk, program, warp);
        end_save(x, cycle, &walk);
    }
    return false;
}
