// SPDX-License-Identifier: Apache-2.0
/* A block: its warps run one after the other, each until it must wait; barriers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "emulate/abreast.h"
#include "emulate/check_sync.h"
#include "emulate/cluster.h"
#include "emulate/waiting.h"

static void create_warps(const struct launch *launch, struct block *block, bool tracks)
{
    const struct program *program = launch->program;
    block->warp_count = launch->warps_per_block;
    block->warps = mem_zalloc(block->warp_count, sizeof *block->warps);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        warp->index = w;
        warp_reset_stack(warp, program);
        warp->registers = mem_zalloc_aligned(64, program->frame_bytes_first + 64);
        warp->register_bytes = program->frame_bytes_first + 64;
        warp->parameters = mem_zalloc(WARP_LANES, program->parameter_bytes_max + 8);
        warp->locals = mem_zalloc(WARP_LANES, program->local_bytes_max + 8);
        if (tracks) warp->defined = defined_warp_create(program);
    }
}

struct block *block_take(struct worker *worker)
{
    struct block *block = worker->free_blocks;
    if (block) {
        worker->free_blocks = block->next;
        return block;
    }
    block = mem_zalloc_aligned(64, sizeof *block);
    block->shared = mem_zalloc(1, worker->launch->shared_end + 64);
    create_warps(worker->launch, block, worker->exec.tracks);
    return block;
}

void block_give(struct worker *worker, struct block *block)
{
    if (block->observed) { /* stopped by a fault: the observer may let go of it, too */
        worker->launch->options->observer->ops->block_end(worker->observed, block->observed);
        block->observed = NULL;
    }
    if (block->ordering) order_block_end(&worker->exec, block);
    block->next = worker->free_blocks;
    worker->free_blocks = block;
}

void block_keep(struct block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        mem_keep(warp->registers);
        mem_keep(warp->parameters);
        mem_keep(warp->locals);
        mem_keep(warp->nodes);
        for (struct frame *frame = warp->made_frames; frame; frame = frame->next_made)
            mem_keep(frame);
    }
    mem_keep(block->warps);
    mem_keep(block->shared);
    strbuf_clear(&block->printed.text);
    mem_keep(block);
}

void block_destroy(struct block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        mem_free(warp->registers);
        mem_free(warp->parameters);
        mem_free(warp->locals);
        mem_free(warp->nodes);
        defined_warp_destroy(warp->defined);
        for (struct frame *next, *frame = warp->made_frames; frame; frame = next) {
            next = frame->next_made;
            mem_free(frame);
        }
    }
    mem_free(block->warps);
    strbuf_clear(&block->printed.text);
    sync_destroy(block->sync);
    mem_free(block->shared);
    mem_free(block->shared_defined);
    mem_free(block);
}

uint32_t launch_total_shared(const struct launch *launch)
{
    unsigned target = launch->program->module->target;
    uint64_t unit = target >= 30 && target < 80 ? 256 : 128;
    return (uint32_t)((launch->shared_bytes + unit - 1) / unit * unit);
}

static void fill_specials(const struct launch *launch, struct block *block)
{
    const struct launch_options *options = launch->options;
    const uint32_t *grid = options->grid;
    uint64_t index = block->index;
    uint32_t values[BLOCK_SPECIALS] = {
        [BLOCK_CTAID_X] = (uint32_t)(index % grid[0]),
        [BLOCK_CTAID_Y] = (uint32_t)(index / grid[0] % grid[1]),
        [BLOCK_CTAID_Z] = (uint32_t)(index / grid[0] / grid[1]),
        [BLOCK_NTID_X] = options->block[0],
        [BLOCK_NTID_Y] = options->block[1],
        [BLOCK_NTID_Z] = options->block[2],
        [BLOCK_NCTAID_X] = grid[0],
        [BLOCK_NCTAID_Y] = grid[1],
        [BLOCK_NCTAID_Z] = grid[2],
        [BLOCK_NWARPID] = launch->warps_per_block,
        [BLOCK_DYNAMIC_SMEM] = (uint32_t)options->dynamic_shared_bytes,
        [BLOCK_TOTAL_SMEM] = launch_total_shared(launch),
        [BLOCK_AGGR_SMEM] =
            launch_total_shared(launch) + RESERVED_SHARED_BYTES, /* of sm_90 and later */
        [BLOCK_ZERO] = 0,
        [BLOCK_ONE] = 1,
        [BLOCK_WORKSPACE_HIGH] = (uint32_t)(options->grid_workspace >> 32),
        [BLOCK_WORKSPACE_LOW] = (uint32_t)options->grid_workspace,
        [BLOCK_SMID] = block->clocks.sm,
        [BLOCK_NSMID] = options->clocks ? options->clocks->sm_count : 1,
    };
    cluster_fill_specials(launch, block, values);
    for (unsigned k = 0; k < BLOCK_SPECIALS; k++) {
        if (block->specials[k][0] == values[k]) continue; /* as of the block before, or 0 */
        for (unsigned i = 0; i < WARP_LANES; i++)
            block->specials[k][i] = values[k];
    }
}

void block_start(struct worker *worker, struct block *block, uint64_t index)
{
    const struct launch *launch = worker->launch;
    const struct observer *observer = launch->options->observer;
    block->index = index;
    if (!launch->cluster_blocks) cluster_start_alone(block, index, launch->threads_per_block);
    block->worker = worker;
    block->instructions = block->yielded_at = 0;
    block->warps_alive = block->warp_count;
    block->threads_alive = launch->threads_per_block;
    block->next = NULL;
    block->is_stuck = false;
    for (; block->arrivals; block->arrivals &= block->arrivals - 1) /* at which some still waited */
        block->barriers[__builtin_ctz(block->arrivals)] = (struct barrier_state){0};
    if (launch->shared_end) memset(block->shared, 0, launch->shared_end);
    block->clocks = (struct block_clocks){0};
    if (launch->options->clocks && launch->options->clocks->find)
        launch->options->clocks->find(launch->options->clocks->self, index, &block->clocks);
    fill_specials(launch, block);
    if (worker->exec.tracks) defined_block_start(&worker->exec, block);
    block->observed = observer ? observer->ops->block_begin(worker->observed, index) : NULL;
    if (worker->exec.checks & CHECK_SYNC) block->sync = sync_begin(block->sync, launch);
    if (worker->exec.checks & CHECK_RACE) order_block_begin(&worker->exec, block);
    for (uint32_t w = 0; w < block->warp_count; w++)
        warp_start(worker, block, &block->warps[w]);
}

/* ---- barriers -------------------------------------------------------------------------------- */

/* Result of bar.red for the lanes of one split. */
static void write_reduction(unsigned char *frame, const struct uop *u, uint32_t mask,
                            const struct barrier_state *barrier)
{
    uint32_t value = barrier->true_count;
    if (u->insn->sub_op == SUB_RED_POPC) {
        uint32_t *d = (uint32_t *)(void *)(frame + (u->dst[0] & 0x3fffffff));
        for (unsigned i = 0; i < WARP_LANES; i++)
            if ((mask >> i) & 1) d[i] = value;
        return;
    }
    bool holds = u->insn->sub_op == SUB_RED_AND ? value == barrier->lanes : value > 0;
    uint32_t *p = (uint32_t *)(void *)(frame + (u->dst[0] & 0x3fffffff));
    *p = (*p & ~mask) | (holds ? mask : 0);
}

static bool is_reduction(const struct insn *insn)
{
    return insn->sub_op >= SUB_RED_POPC && insn->sub_op <= SUB_RED_OR;
}

bool barrier_waits_for_all(const struct insn *insn)
{
    bool counts = insn->nsrc > 1 && insn_source(insn, 1)->kind != OPERAND_NONE;
    return !counts && !is_reduction(insn) && insn->sub_op != SUB_ARRIVE;
}

static bool barrier_complete(const struct exec *x, const struct block *block,
                             const struct barrier_state *barrier)
{
    if (!barrier->arrived) return false;
    uint32_t all = x->launch->program->warps_at_barriers ? block->warps_alive * WARP_LANES
                                                         : block->threads_alive;
    return barrier->arrived >= (barrier->expected ? barrier->expected : all);
}

/* Everyone who waits at barrier `id` goes on. */
static void release_barrier(struct exec *x, struct block *block, uint32_t id)
{
    struct barrier_state *barrier = &block->barriers[id];
    x->releases++;
    if (x->checks & CHECK_SYNC) sync_complete(x, block, id);
    if (x->checks & CHECK_RACE) order_barrier_done(x, block, id);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        for (uint32_t i = 0; i < warp->split_count; i++) {
            struct split *split = &warp->splits[i];
            if (split->state != SPLIT_AT_BARRIER || split->barrier != id) continue;
            const struct code *code = &x->launch->program->code[split->block];
            const struct uop *u = &code->uops[code->uop_count];
            if (is_reduction(u->insn) && u->dst[0] != REF_NONE)
                write_reduction(warp->registers + split->frame->registers, u, split->mask, barrier);
            split->state = SPLIT_READY;
            split->block = code->next;
        }
    }
    *barrier = (struct barrier_state){0};
    block->arrivals &= ~(1u << id);
}

bool block_barrier(struct exec *x, struct block *block, struct warp *warp, struct split *split,
                   const struct code *code)
{
    const struct uop *u = &code->uops[code->uop_count];
    const struct insn *insn = u->insn;
    uint32_t lanes = guard_lanes(x, code, split->mask);
    observe_guard(x, warp, code, split->mask, lanes);
    if (!lanes) {
        split->block = code->next;
        return true;
    }
    unsigned sources = insn->nsrc - (is_reduction(insn) ? 1u : 0u);
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint32_t id = operand_words(x, u->src[0])[first];
    if (id >= BARRIERS) {
        fault_at(x, FAULT_BARRIER_ID, insn, lanes);
        return true;
    }
    struct barrier_state *barrier = &block->barriers[id];
    bool counted = sources > 1 && insn_source(insn, 1)->kind != OPERAND_NONE;
    uint32_t count = counted ? operand_words(x, u->src[1])[first] : 0;
    if (x->checks & CHECK_SYNC) sync_arrive(x, warp, insn, lanes, id, counted, count);
    if (counted) barrier->expected = count;
    if (x->checks & CHECK_RACE) order_arrive(x, block, warp, lanes, id, insn->sub_op != SUB_ARRIVE);
    barrier->arrived += x->launch->program->warps_at_barriers ? WARP_LANES : lanes_count(lanes);
    block->arrivals |= 1u << id;
    if (is_reduction(insn)) {
        uint32_t p = *operand_words(x, u->src[sources]);
        if ((u->negate >> sources) & 1) p = ~p;
        barrier->true_count += (uint32_t)__builtin_popcount(p & lanes);
        barrier->lanes += (uint32_t)__builtin_popcount(lanes);
    }
    bool waits = insn->sub_op != SUB_ARRIVE;
    if (x->observe) x->observe->barrier(x->observer_worker, &warp->ref, code->last_index, waits);
    if (waits) {
        split->state = SPLIT_AT_BARRIER;
        split->barrier = (uint8_t)id;
    } else {
        split->block = code->next;
    }
    if (barrier_complete(x, block, barrier)) release_barrier(x, block, id);
    return false;
}

void block_recheck(struct exec *x, struct block *block)
{
    for (uint32_t left = block->arrivals; left; left &= left - 1) {
        uint32_t id = (uint32_t)__builtin_ctz(left);
        if (barrier_complete(x, block, &block->barriers[id])) release_barrier(x, block, id);
    }
}

/* ---- running --------------------------------------------------------------------------------- */

/* Adds to the fault at hand who of the block waits, and where. */
static void tell_waiting(struct exec *x, struct block *block)
{
    struct strbuf text = {0};
    waiting_describe(x, block, &text);
    x->fault.detail = strbuf_take(&text);
}

/* Nobody of the block can proceed, ever. */
static void deadlock(struct exec *x, struct block *block, enum fault_kind kind)
{
    const struct insn *insn = x->last;
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (block->warps[w].split_count) {
            x->warp = &block->warps[w];
            insn = x->launch->program->code[block->warps[w].splits[0].block].last;
            fault_at(x, kind, insn, block->warps[w].splits[0].mask);
            break;
        }
    tell_waiting(x, block);
}

static void enter_block(struct worker *worker, struct block *block)
{
    struct exec *x = &worker->exec;
    x->block = block;
    x->cluster = block->cluster;
    x->clustered = block->cluster->size != 0;
    x->shared = block->shared;
    x->base[BASE_BLOCK] = (unsigned char *)block->specials;
}

static enum block_stop finish_block(struct worker *worker, struct block *block)
{
    struct exec *x = &worker->exec;
    if (x->checks & CHECK_SYNC) sync_end(x, block);
    if (x->checks & CHECK_RACE) order_leaves(x, block);
    if (x->observe) {
        x->observe->block_end(x->observer_worker, block->observed);
        block->observed = NULL;
    }
    worker->instructions += block->instructions;
    worker->clock_misses += clock_misses(block);
    return BLOCK_DONE;
}

/* Turns of a warp that polls, 16 attempts each, after which its wait is not expected to end any
 * more. A guess: a loop that gives up by itself after two million attempts is told too early. */
enum { IDLE_TURNS_MAX = 1 << 17 };

/* Turns of that kind, one after the other, after which an ordered block lets others run: what it waits
 * for comes from another block. Waiting costs instructions, which are counted, so it is to be short. */
enum { IDLE_TURNS_PATIENCE = 1 };

/* Only those who run here could have changed what they poll: independent blocks poll nothing but
 * their own shared memory, ordered ones all run on one host thread. */
static bool waits_in_vain(const struct worker *worker)
{
    const struct launch *launch = worker->launch;
    uint64_t warps = (uint64_t)launch->warps_per_block * worker->resident;
    return worker->exec.idle_turns > IDLE_TURNS_MAX * warps && !launch->options->unordered;
}

/* The state of the block repeats: that is the fault. */
static bool repeats(struct worker *worker, struct block *block)
{
    enum sync_repeat repeat = sync_repeats(worker, block);
    if (repeat == SYNC_GOES_ON) return false;
    deadlock(&worker->exec, block, repeat == SYNC_POLLS ? FAULT_DEADLOCK : FAULT_ENDLESS);
    return true;
}

/* Lanes that stand at a reconvergence point may be who the others wait for. */
static bool release_all(struct exec *x, struct block *block)
{
    bool moved = false;
    for (uint32_t w = 0; w < block->warp_count; w++)
        moved = (!block->warps[w].done && warp_release(x, &block->warps[w])) || moved;
    return moved;
}

/* is_first: since the block had its turn. Then its warps may stand abreast, as they may when one of them says so. */
static bool run_round(struct worker *worker, struct block *block, struct round *round,
                      bool is_first)
{
    struct exec *x = &worker->exec;
    enum warp_stop stop = is_first ? WARP_ABREAST : WARP_DONE;
    *round = round_begin(x, block);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        if (block->warps[w].done) continue;
        do {
            if (stop == WARP_ABREAST) w = abreast_run(worker, block, w, round);
            if (w == block->warp_count) return true;
            stop = warp_run(worker, block, &block->warps[w]);
        } while (stop == WARP_ABREAST);
        if (stop == WARP_FAULT) {
            if (x->fault.kind == FAULT_ENDLESS) tell_waiting(x, block);
            return false;
        }
        bool yields = stop == WARP_YIELDED || stop == WARP_WAITS;
        if (yields && waits_in_vain(worker)) {
            deadlock(x, block, FAULT_DEADLOCK);
            return false;
        }
        round->polls = round->polls || stop == WARP_YIELDED;
        round->waits = round->waits || stop == WARP_WAITS;
    }
    return true;
}

/* Has nobody come closer to what others wait for? */
static bool is_stuck(const struct exec *x, const struct block *block, const struct round *round)
{
    if (block->instructions == round->instructions) return true;
    return round->waits && !round->polls && x->changes == round->changes &&
           x->releases == round->releases;
}

void block_deadlock(struct exec *x, struct block *block)
{
    deadlock(x, block, FAULT_DEADLOCK);
}

enum block_stop block_run(struct worker *worker, struct block *block, uint64_t quantum)
{
    struct exec *x = &worker->exec;
    struct round round;
    bool is_first = true;
    enter_block(worker, block);
    for (;; is_first = false) {
        if (!run_round(worker, block, &round, is_first)) return BLOCK_FAULT;
        if (!block->warps_alive) return finish_block(worker, block);
        if (launch_cancelled(worker->launch)) {
            fault_at(x, FAULT_CANCELLED, x->last, 1);
            return BLOCK_FAULT;
        }
        bool stuck = is_stuck(x, block, &round) && !release_all(x, block);
        if (stuck && x->clustered) { /* others of the cluster may help */
            block->is_stuck = is_first;
            return BLOCK_YIELDED;
        }
        if (stuck && !round.waits) {
            deadlock(x, block, FAULT_DEADLOCK);
            return BLOCK_FAULT;
        }
        if (x->checks & CHECK_SYNC && repeats(worker, block)) return BLOCK_FAULT;
        bool in_vain = x->idle_turns >= IDLE_TURNS_PATIENCE;
        if (quantum && round.polls &&
            (in_vain || block->instructions - block->yielded_at >= quantum)) {
            block->yielded_at = block->instructions;
            block->is_stuck = false;
            return BLOCK_YIELDED;
        }
    }
}
