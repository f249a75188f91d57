// SPDX-License-Identifier: Apache-2.0
/* Runs the splits of a warp.
 *
 * Nobody starves: a split that goes round a loop with a polling access (atomic with a used result,
 * volatile or acquire load) a bounded number of times, or round any loop very often, gives the turn
 * to the split that has waited longest; then lanes that wait at a node may also go on without the
 * rest. That is what sm_70 promises to a spin lock taken by the lanes of one warp. A loop that reads a
 * clock does so, too: warps that wait for a time wait together. Everything depends on counts only, so
 * every run is the same. */
#include <string.h>

#include "emulate/abreast.h"
#include "emulate/check_sync.h"
#include "emulate/cluster.h"

/* Backward branches of one split before another gets a turn: those after a poll or clock read since it
 * changed memory, those after a poll, and all. A guess: long enough that loops of unequal length reconverge, short enough that
 * a lock is handed on soon and that waiting, which is counted, stays short. */
enum { POLL_TURNS = 16, BUSY_TURNS = 256, LOOP_TURNS = 1 << 20 };

/* ---- running one split ----------------------------------------------------------------------- */

void warp_run_body(struct exec *x, const struct code *code, bool is_whole)
{
    const struct uop *u = code->uops, *end = u + code->uop_count;
    if (x->tracks)
        defined_body(x, code, is_whole);
    else if (is_whole)
        for (; u < end; u++)
            u->full(x, u);
    else
        for (; u < end; u++)
            u->part(x, u);
}

static inline void run_body(struct exec *x, const struct code *code, uint32_t index, uint32_t dead)
{
    bool is_whole = (x->mask | dead) == UINT32_MAX;
    body_fn *body = x->engine_code ? x->engine_code->bodies[2 * (size_t)index + !is_whole] : NULL;
    if (body) {
        body(x);
        return;
    }
    if (x->checks & CHECK_SYNC && sync_has_taints(x))
        sync_taint_body(x, code, is_whole);
    else
        warp_run_body(x, code, is_whole);
}

void warp_leave(struct exec *x, struct warp *warp, uint32_t lanes)
{
    warp->dead |= lanes;
    x->block->threads_alive -= lanes_count(lanes);
    if (warp->dead == UINT32_MAX) x->block->warps_alive--;
    cluster_drop(x, warp, lanes);
}

/* Lanes `lanes` of split `at` leave the kernel. True if the split is gone. */
static bool leave(struct exec *x, struct warp *warp, uint32_t at, uint32_t lanes)
{
    struct split *split = &warp->splits[at];
    int32_t node = split->node;
    warp_leave(x, warp, lanes);
    split->mask &= ~lanes;
    bool gone = split->mask == 0;
    if (gone) split_drop(warp, at);
    nodes_leave(warp, node, lanes, -1);
    if (warp->dead == UINT32_MAX && x->checks & CHECK_SYNC) sync_leave(x, warp);
    block_recheck(x, x->block);
    return gone;
}

/* The active lanes of a split go to `count` different places; the split itself takes the first. */
struct route {
    uint32_t block, mask;
};

static void diverge(struct warp *warp, uint32_t at, const struct code *code,
                    const struct route *routes, unsigned count)
{
    struct split *split = &warp->splits[at];
    struct frame *frame = split->frame;
    struct turns turns = split->turns;
    int32_t node = split->node;
    bool has_node = node >= 0 && warp->nodes[node].block == code->reconverge &&
                    warp->nodes[node].frame == frame;
    if (code->reconverge != CODE_END && !has_node)
        node = node_add(warp, code->reconverge, split->mask, node, frame);
    frame->references++; /* keep it while the split is replaced */
    split_drop(warp, at);
    for (unsigned k = count; k-- > 0;) {
        split_add(warp, routes[k].block, routes[k].mask, node, frame, turns);
        split_arrive(warp, warp->split_count - 1);
    }
    frame_release(warp, frame);
}

/* Lanes return to the caller, or leave the kernel. True if the split is gone. */
static bool give_back(struct exec *x, struct warp *warp, uint32_t at, uint32_t lanes)
{
    bool called = warp->splits[at].frame->parent != NULL;
    return called ? split_return(x, warp, at, lanes) : leave(x, warp, at, lanes);
}

enum step { STEP_NEXT, STEP_SWITCH, STEP_FAULT };

/* Are the lanes whose guard holds others than those of the mask that BRA.DIV names? */
static bool is_diverged(const struct exec *x, const struct warp *warp, const struct code *code,
                        uint32_t active, uint32_t lanes)
{
    const uint32_t *masks = operand_words(x, code->uops[code->uop_count].src[0]);
    uint32_t members = masks[__builtin_ctz(active)] ^ (uint32_t)code->uops[code->uop_count].imm;
    return lanes != (members & warp->threads & ~warp->dead);
}

static enum step branch(struct exec *x, struct warp *warp, uint32_t at, const struct code *code)
{
    struct split *split = &warp->splits[at];
    uint32_t mask = split->mask, taken = guard_lanes(x, code, mask);
    bool takes_all = code->takes_all ? taken != 0
                     : code->tests_divergence
                         ? is_diverged(x, warp, code, mask, taken) == code->wants_divergence
                         : false;
    if (code->takes_all || code->tests_divergence) taken = takes_all ? mask : 0;
    bool parts = taken && taken != mask && code->target != code->next;
    if (x->observe)
        x->observe->branch(x->observer_worker, &warp->ref, code->last_index, mask, taken,
                           parts ? 2 : 1);
    if (!parts) {
        split->block = taken ? code->target : code->next;
        return STEP_NEXT;
    }
    const struct route routes[2] = {{code->next, mask & ~taken}, {code->target, taken}};
    diverge(warp, at, code, routes, 2);
    return STEP_SWITCH;
}

/* The code block that begins at a code address of the kernel; CODE_END: none does. */
static uint32_t block_at(const struct program *program, uint64_t address)
{
    const struct native_code *native = program->native_code;
    const struct function *function = program->functions[0].function;
    const struct code_range *range = code_range_find(native->ranges, native->range_count, address);
    if (!range || (address - range->address) % 16) return CODE_END;
    uint32_t insn = range->first_insn + (uint32_t)((address - range->address) / 16);
    uint32_t block = function->block_of[insn];
    return function->blocks[block].first == insn ? block : CODE_END;
}

/* Where a function of the device runtime goes back to: R20 and R21. */
static uint64_t return_address(const struct exec *x, uint32_t lane)
{
    const uint32_t *words = (const uint32_t *)(const void *)x->base[BASE_FRAME] + 20 * WARP_LANES;
    return (uint64_t)words[WARP_LANES + lane] << 32 | words[lane];
}

/* The block of the table that the lane's index chooses; CODE_END: none. */
static uint32_t table_target(const struct exec *x, const struct code *code, uint32_t lane)
{
    uint32_t index = operand_words(x, code->uops[code->uop_count].src[0])[lane];
    return index < code->last->target_count ? code->targets[index] : CODE_END;
}

/* The block that an address was found to be, for the lanes that go there, too. */
struct known_target {
    uint64_t address; /* UINT64_MAX: none yet */
    uint32_t block;
};

/* The block at the address in the lane's pair of registers, plus imm; CODE_END: none, or a fault. */
static uint32_t address_target(struct exec *x, const struct code *code, uint32_t lane,
                               struct known_target *known)
{
    const struct uop *u = &code->uops[code->uop_count];
    const uint32_t *words = operand_words(x, u->src[0]);
    uint64_t address = (uint64_t)words[WARP_LANES + lane] << 32 | words[lane];
    address += (uint64_t)u->imm;
    if (address == known->address) return known->block;
    if (address - NATIVE_BUILTINS < 16 * BUILTIN_COUNT) {
        builtin_call(x, code, (enum builtin)((address - NATIVE_BUILTINS) / 16), 1u << lane);
        if (x->fault.kind) return CODE_END;
        return block_at(x->launch->program, return_address(x, lane));
    }
    *known = (struct known_target){address, block_at(x->launch->program, address)};
    return known->block;
}

/* Each lane goes to a place of its own: brx.idx by a table, native jumps by an address. */
static enum step branch_by_lane(struct exec *x, struct warp *warp, uint32_t at,
                                const struct code *code)
{
    struct split *split = &warp->splits[at];
    uint32_t mask = split->mask, lanes = guard_lanes(x, code, mask);
    struct route routes[WARP_LANES + 1];
    struct known_target known = {UINT64_MAX, CODE_END};
    unsigned count = 0;
    if (mask & ~lanes) routes[count++] = (struct route){code->next, mask & ~lanes};
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), k = 0;
        uint32_t target = code->terminator == TERM_JUMP ? address_target(x, code, lane, &known)
                                                        : table_target(x, code, lane);
        if (target == CODE_END) {
            if (!x->fault.kind) fault_at(x, FAULT_BRANCH_INDEX, code->last, 1u << lane);
            return STEP_FAULT;
        }
        while (k < count && routes[k].block != target)
            k++;
        if (k == count) routes[count++] = (struct route){target, 0};
        routes[k].mask |= 1u << lane;
    }
    if (x->observe)
        x->observe->branch(x->observer_worker, &warp->ref, code->last_index, mask, lanes, count);
    if (count == 1) {
        split->block = routes[0].block;
        return STEP_NEXT;
    }
    diverge(warp, at, code, routes, count);
    return STEP_SWITCH;
}

/* What follows the body of a code block. */
static enum step terminate(struct exec *x, struct warp *warp, uint32_t at, const struct code *code)
{
    struct split *split = &warp->splits[at];
    uint32_t lanes;
    switch (code->terminator) {
    case TERM_FALL:
        split->block = code->next;
        break;
    case TERM_BRANCH:
        return branch(x, warp, at, code);
    case TERM_BRANCH_INDEXED:
    case TERM_JUMP:
        return branch_by_lane(x, warp, at, code);
    case TERM_CALL:
        lanes = guard_lanes(x, code, split->mask);
        observe_guard(x, warp, code, split->mask, lanes);
        if (!split_call(x, warp, at, code, lanes)) return STEP_NEXT;
        return x->fault.kind ? STEP_FAULT : STEP_SWITCH;
    case TERM_BUILTIN:
        lanes = guard_lanes(x, code, split->mask);
        observe_guard(x, warp, code, split->mask, lanes);
        x->changes += lanes != 0;
        if (lanes) builtin_call(x, code, (enum builtin)code->builtin, lanes);
        if (x->fault.kind) return STEP_FAULT;
        split->block = code->next;
        break;
    case TERM_RET:
    case TERM_EXIT:
        lanes = guard_lanes(x, code, split->mask);
        observe_guard(x, warp, code, split->mask, lanes);
        split->block = code->next;
        if (!lanes) break;
        if (code->terminator == TERM_RET ? give_back(x, warp, at, lanes)
                                         : leave(x, warp, at, lanes))
            return STEP_SWITCH;
        return STEP_SWITCH;
    case TERM_TRAP:
        lanes = guard_lanes(x, code, split->mask);
        if (lanes) {
            fault_at(x, FAULT_TRAP, code->last, lanes);
            return STEP_FAULT;
        }
        split->block = code->next;
        break;
    case TERM_COLLECTIVE:
        collect(x, warp, at);
        return STEP_SWITCH;
    case TERM_RECONVERGE:
        if (converge_alone(x, warp, at)) {
            split->block = code->next;
            break;
        }
        converge(x, warp, at);
        return STEP_SWITCH;
    case TERM_BARRIER:
        return block_barrier(x, x->block, warp, split, code) ? STEP_NEXT : STEP_SWITCH;
    case TERM_CLUSTER_WAIT:
        return cluster_wait(x, warp, split, code) ? STEP_NEXT : STEP_SWITCH;
    case TERM_PRODUCTS_WAIT:
        return products_wait(x, warp, split, code) ? STEP_NEXT : STEP_SWITCH;
    default:
        meet(x, warp, at);
        return STEP_SWITCH; /* the table may have changed */
    }
    return STEP_NEXT;
}

/* The split to run: the one made last; if turns are taken, the one that has waited longest. */
static int32_t choose(const struct warp *warp, bool in_turn)
{
    int32_t best = -1;
    for (int32_t i = 0; i < (int32_t)warp->split_count; i++) {
        if (warp->splits[i].state != SPLIT_READY) continue;
        if (best < 0 || !in_turn || warp->splits[i].stamp < warp->splits[best].stamp) best = i;
    }
    return best;
}

static void note_run(struct exec *x, struct warp *warp, uint32_t block, const struct code *code,
                     uint32_t mask)
{
    if (x->observe) x->observe->run(x->observer_worker, &warp->ref, block, mask);
    x->block->instructions += code->insn_count;
    warp->instructions += code->insn_count;
    x->last = code->last;
}

static void note_turn(struct exec *x, struct turns *turns, const struct code *code)
{
    if (x->polled || x->timed || x->waits) {
        turns->polled |= x->polled != 0;
        turns->timed |= x->timed;
        turns->waits |= x->waits;
        x->polls += x->polled;
        x->polled = 0;
        x->timed = x->waits = false;
    }
    if (code->backward) {
        turns->backward++;
        if (turns->polled || turns->timed) {
            turns->polls += turns->polled;
            turns->quiet++;
            turns->polled = turns->timed = false;
        }
    }
    if (x->changed) turns_changed(x, turns);
}

/* Who waits for an mbarrier object hands on at once: others of the block must arrive. */
static bool turn_is_over(const struct split *split)
{
    const struct turns *turns = &split->turns;
    return turns->waits || turns->backward >= LOOP_TURNS || turns->polls >= BUSY_TURNS ||
           turns->quiet >= POLL_TURNS;
}

/* A turn is over: the next begins at the end of the queue. */
static void end_turn(struct exec *x, struct warp *warp, struct split *split)
{
    x->idle_turns = split->turns.polls ? x->idle_turns + 1 : 0;
    split->turns = (struct turns){0};
    split->stamp = ++warp->stamp;
}

/* The same between two looks at whether a loop ever ends. */
enum { SPIN_INTERVAL = 1 << 16 };

/* Has the user asked to stop, or were enough instructions executed? Then that is the fault. */
static bool must_stop(struct exec *x)
{
    if (x->block->instructions > x->launch->max_instructions)
        fault_at(x, FAULT_LIMIT, x->last, x->mask);
    else if (launch_cancelled(x->launch))
        fault_at(x, FAULT_CANCELLED, x->last, x->mask);
    return x->fault.kind != FAULT_NONE;
}

/* Executes the code block of a split but for its end. Returns which: by a compiled path it may be a later one. */
static const struct code *run_code(struct exec *x, struct warp *warp, struct split *split)
{
    const struct code *codes = x->launch->program->code, *ended = x->ended;
    x->ended = NULL;
    if (ended) return ended;
    const struct engine_path *path = path_find(x, warp, split);
    if (path) return &codes[path_run(x, warp, split, path)];
    uint32_t index = split->block;
    note_run(x, warp, index, &codes[index], split->mask);
    if (x->checks & CHECK_SYNC) sync_visit(x, warp, index);
    run_body(x, &codes[index], index, warp->dead);
    return &codes[index];
}

/* Runs one split until it ends, waits or has had its turn. */
static enum warp_stop run_split(struct exec *x, struct warp *warp, uint32_t at)
{
    x->polled = 0;
    x->timed = x->waits = false;
    warp_set_frame(x, warp, warp->splits[at].frame);
    for (;;) {
        struct split *split = &warp->splits[at];
        if (split->block == CODE_END) { /* runs off the end of the code: as ret */
            give_back(x, warp, at, split->mask);
            return WARP_DONE;
        }
        warp_set_mask(x, split->mask);
        if (x->checks & CHECK_RACE && warp->ordered_lanes != split->mask)
            order_runs(x, warp, split->mask);
        const struct code *code = run_code(x, warp, split);
        if (x->fault.kind) return WARP_FAULT;
        note_turn(x, &split->turns, code);
        if (x->tracks && warp->defined->is_dirty) defined_end(x, code, split->mask);
        switch (terminate(x, warp, at, code)) {
        case STEP_FAULT:
            return WARP_FAULT;
        case STEP_SWITCH:
            return WARP_DONE;
        default:
            break;
        }
        if (warp->splits[at].node >= 0 && split_arrive(warp, at)) return WARP_DONE;
        bool merges = !x->launch->program->native_code; /* native code says where lanes meet */
        if (merges && warp->split_count > 1) at = split_merge_ready(warp, at);
        split = &warp->splits[at];
        if (!code->backward) continue;
        if (split->turns.backward % STOP_INTERVAL == 0) {
            if (must_stop(x)) return WARP_FAULT;
            compiling_look(x);
        }
        if (x->checks & CHECK_SYNC && split->turns.backward % SPIN_INTERVAL == 0 &&
            split->turns.backward && sync_spins(x, warp, split)) {
            fault_at(x, FAULT_ENDLESS, code->last, split->mask);
            return WARP_FAULT;
        }
        if (turn_is_over(split)) {
            bool waits = split->turns.waits;
            end_turn(x, warp, split);
            return waits ? WARP_WAITS : WARP_YIELDED;
        }
    }
}

/* Lanes that wait for yielding ones get a turn, too. */
static void release_waiting(struct exec *x, struct warp *warp)
{
    if (x->launch->program->native_code)
        converge_release(x, warp);
    else
        warp_release(x, warp);
}

static bool waits_to_meet(const struct warp *warp)
{
    for (uint32_t i = 0; i < warp->split_count; i++)
        if (warp->splits[i].state == SPLIT_AT_SYNC) return true;
    return false;
}

enum warp_stop warp_run(struct worker *worker, struct block *block, struct warp *warp)
{
    struct exec *x = &worker->exec;
    bool in_turn = false, polls = false;
    uint32_t yields = 0, runs = 0;
    x->warp = warp;
    x->base[BASE_WARP] = (unsigned char *)worker->launch->warp_specials[warp->index];
    x->locals = warp->locals;
    x->follows_paths = warp->follows_paths;
    compiling_look(x);
    for (;;) {
        int32_t at = choose(warp, in_turn);
        if (at < 0 && waits_to_meet(warp) && meet_again(x, warp)) continue;
        if (at < 0) break;
        /* After a barrier or a .sync operation it may stand where its lanes meet the others. */
        if (split_arrive(warp, (uint32_t)at)) continue;
        uint64_t releases = x->releases;
        enum warp_stop stop = run_split(x, warp, (uint32_t)at);
        if (stop == WARP_FAULT) return stop;
        if (block->instructions > worker->launch->max_instructions) {
            fault_at(x, FAULT_LIMIT, x->last, x->mask);
            return WARP_FAULT;
        }
        in_turn = stop == WARP_YIELDED || stop == WARP_WAITS;
        if ((in_turn || ++runs % STOP_INTERVAL == 0) && must_stop(x)) return WARP_FAULT;
        if (x->releases != releases && !yields && abreast_stand(x, block)) return WARP_ABREAST;
        if (!in_turn) continue;
        polls = polls || stop == WARP_YIELDED;
        if (stop == WARP_YIELDED) release_waiting(x, warp);
        if (++yields >= (polls ? 2 : 1) * warp->split_count) break; /* then the other warps */
    }
    if (warp->dead == UINT32_MAX) {
        warp->done = true;
        return WARP_DONE;
    }
    return polls ? WARP_YIELDED : yields ? WARP_WAITS : WARP_BLOCKED;
}

void warp_reset_stack(struct warp *warp, const struct program *program)
{
    for (uint32_t i = 0; i < WARP_LANES; i++)
        warp->stack[i] = program->stack_begin;
}

void warp_start(struct worker *worker, struct block *block, struct warp *warp)
{
    const struct launch *launch = worker->launch;
    const struct program *program = launch->program;
    uint32_t first = warp->index * WARP_LANES, left = launch->threads_per_block - first;
    warp->threads = left >= WARP_LANES ? UINT32_MAX : (1u << left) - 1;
    warp->dead = ~warp->threads;
    warp->done = false;
    warp->instructions = 0;
    warp->cluster_arrived = 0;
    warp->products = 0;
    warp->ordered_lanes = 0;
    warp->clock = (struct warp_clock){0};
    warp->carry = 0;
    if (has_alloca(program)) warp_reset_stack(warp, program);
    warp->stamp = 0;
    warp->split_count = 0;
    warp->nodes_used = warp->node_hint = 0;
    warp->live_frames = 0;
    warp->root.references = 1;
    warp->free_frames = NULL; /* after a fault some may still be held: take them all back */
    for (struct frame *frame = warp->made_frames; frame; frame = frame->next_made) {
        frame->references = 0;
        frame->parent = warp->free_frames;
        warp->free_frames = frame;
    }
    frame_zero_registers(warp->registers, &program->functions[0]);
    if (program->local_bytes_max)
        memset(warp->locals, 0, (size_t)program->local_bytes_max * WARP_LANES);
    if (worker->exec.tracks) defined_warp_start(&worker->exec, warp);
    split_add(warp, program->functions[0].first_block, warp->threads, -1, &warp->root,
              (struct turns){0});
    warp->ref = (struct warp_ref){block->observed, warp->index, warp->threads};
    const struct exec *x = &worker->exec;
    warp->follows_paths = !x->observe || !x->observe->is_ordered(x->observer_worker, &warp->ref);
}
