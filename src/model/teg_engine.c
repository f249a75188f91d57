// SPDX-License-Identifier: Apache-2.0
/* One event is one decision of one scheduler. Everything that an instruction needs is timed when it
 * issues, so that the next time at which a warp may issue is known; only barriers are open. */
#include "model/teg_engine.h"

#include <stdlib.h>
#include <string.h>

const struct teg_stall_info teg_stall_infos[TEG_STALL_COUNT] = {
#define STALL(name, id, text) {id, text},
    TEG_STALLS(STALL)
#undef STALL
};

enum { BARRIERS = 16 };

enum op_kind { OP_KIND_PLAIN, OP_KIND_SHARED, OP_KIND_GLOBAL, OP_KIND_BARRIER, OP_KIND_FENCE };

/* A static instruction with its price. */
struct op {
    const uint32_t *registers; /* reads, then writes */
    teg_time busy, latency, same_warp;
    uint8_t kind, read_count, write_count;
    uint8_t unit;  /* that must be free */
    uint8_t also;  /* kept busy too: arithmetic with an operand in shared memory */
    uint8_t cause; /* enum teg_stall: of who waits for its result */
    uint8_t flags; /* enum trace_flags */
};

struct warp {
    struct trace_cursor cursor;
    struct trace_step step; /* to be issued next */
    teg_time *registers;    /* when each is ready */
    uint8_t *causes;        /* what one waits for then */
    teg_time issued, again, operands, last_access, begun;
    uint64_t age;
    struct block *block;
    uint32_t index;         /* in its block */
    uint32_t left, arrived; /* lanes that have left, that have come to the open barrier */
    uint32_t threads;
    uint8_t cause, waiting_for; /* waiting_for: barrier + 1 */
    bool alive;
};

struct barrier {
    uint32_t lanes;  /* that have come */
    uint32_t wanted; /* 0: all of the block */
    bool open;
};

struct block {
    struct sm *sm;
    uint64_t index;  /* in the order of launch */
    uint64_t offset; /* added to its global addresses */
    uint32_t live_warps, live_lanes;
    struct barrier barriers[BARRIERS];
    struct warp **warps; /* [warps_per_block] */
    bool used;
};

struct scheduler {
    teg_time *next;     /* in engine.nexts: not before this can it issue */
    teg_time slot;      /* nor before this: its last issue and the interval */
    teg_time *ready;    /* by place: when the warp there may issue, but for its unit */
    uint8_t *units;     /* that it needs */
    struct warp *warps; /* by place */
    teg_time unit_free[TEG_UNIT_COUNT], unit_ready[TEG_UNIT_COUNT]; /* ready: whole cycles */
    unsigned count, last;
};

struct sm {
    unsigned index;
    struct scheduler *schedulers;
    struct block *blocks; /* resident */
    unsigned warps;       /* launched; for setup.warps_per_sm */
};

struct engine {
    const struct teg_setup *setup;
    const struct teg_machine *machine;
    const struct trace *trace;
    struct op *ops;
    struct sm *sms;
    teg_time *nexts; /* by SM and scheduler: when it can issue at the earliest */
    struct teg_memory memory;
    struct teg_access_table accesses;
    struct teg_result *out;
    uint64_t next_block, ages;
    uint32_t warps_per_block;
    unsigned running; /* blocks */
};

static inline teg_time later(teg_time a, teg_time b)
{
    return a > b ? a : b;
}

static inline teg_time whole_cycles_up(teg_time t)
{
    return (t + TEG_CYCLE - 1) / TEG_CYCLE * TEG_CYCLE;
}

static inline teg_time whole_cycles_down(teg_time t)
{
    return t / TEG_CYCLE * TEG_CYCLE;
}

/* ---- prices ---------------------------------------------------------------------------------- */

static bool is_cached_constant(const struct trace_insn *insn)
{
    return insn->space == SPACE_CONST || insn->space == SPACE_PARAM;
}

static enum op_kind kind_of(const struct trace_insn *insn)
{
    if (insn->barrier == TRACE_BARRIER_SYNC || insn->barrier == TRACE_BARRIER_ARRIVE)
        return OP_KIND_BARRIER;
    if (insn->class_id == CLASS_FENCE) return OP_KIND_FENCE;
    if (insn->operation == TRACE_NO_ACCESS || is_cached_constant(insn) ||
        insn->flags & TRACE_SHARED_OPERAND)
        return OP_KIND_PLAIN;
    return insn->space == SPACE_SHARED ? OP_KIND_SHARED : OP_KIND_GLOBAL;
}

static uint8_t cause_of(const struct op *op, const struct teg_machine *machine)
{
    bool variable = machine->machine->cc_major >= 7 && op->unit == TEG_SPECIAL;
    if (op->kind == OP_KIND_GLOBAL) return TEG_STALL_LONG_SCOREBOARD;
    if (op->kind == OP_KIND_SHARED || op->unit == TEG_SHARED || op->flags & TRACE_SHARED_OPERAND ||
        variable)
        return TEG_STALL_SHORT_SCOREBOARD;
    return TEG_STALL_WAIT;
}

static void price(const struct engine *e, const struct trace_insn *insn, struct op *op)
{
    const struct teg_machine *machine = e->machine;
    const struct teg_class *class = &machine->classes[insn->class_id];
    *op = (struct op){
        .registers = e->trace->registers ? trace_reads(e->trace, insn) : NULL,
        .busy = class->busy,
        .latency = class->latency,
        .same_warp = later(class->same_warp, machine->interval),
        .kind = (uint8_t)kind_of(insn),
        .unit = class->unit,
        .read_count = insn->read_count,
        .write_count = insn->write_count,
        .flags = insn->flags,
    };
    if (insn->flags & TRACE_SHARED_OPERAND) {
        op->latency = machine->operand_latency;
        op->also = op->unit;
        op->unit = TEG_SHARED;
    }
    if (op->kind == OP_KIND_BARRIER && machine->effects_off >> EFFECT_SYNC & 1)
        op->kind = OP_KIND_PLAIN;
    if (op->kind == OP_KIND_SHARED) op->unit = TEG_SHARED;
    if (op->kind == OP_KIND_GLOBAL) op->unit = TEG_GLOBAL;
    op->cause = cause_of(op, machine);
}

/* ---- warps ----------------------------------------------------------------------------------- */

static struct scheduler *place_of(const struct engine *e, const struct sm *sm, unsigned block,
                                  uint32_t warp, unsigned *out_place)
{
    unsigned number = block * e->warps_per_block + warp;
    *out_place = number / e->machine->schedulers;
    return &sm->schedulers[number % e->machine->schedulers];
}

static struct scheduler *scheduler_of(const struct engine *e, const struct warp *warp,
                                      unsigned *out_place)
{
    const struct sm *sm = warp->block->sm;
    return place_of(e, sm, (unsigned)(warp->block - sm->blocks), warp->index, out_place);
}

static void set_ready(struct engine *e, const struct warp *warp, teg_time ready)
{
    unsigned place;
    struct scheduler *s = scheduler_of(e, warp, &place);
    s->ready[place] = ready;
    ready = later(ready, s->slot);
    if (ready < *s->next) *s->next = ready;
}

/* When the operands of the step at hand are there, and what for they were waited. */
static void find_operands(const struct engine *e, struct warp *warp)
{
    const struct op *op = &e->ops[warp->step.insn];
    unsigned count = (unsigned)op->read_count + op->write_count;
    warp->operands = 0;
    warp->cause = TEG_STALL_WAIT;
    for (unsigned i = 0; i < count; i++) {
        uint32_t reg = op->registers[i];
        if (warp->registers[reg] <= warp->operands) continue;
        warp->operands = warp->registers[reg];
        warp->cause = warp->causes[reg];
    }
    if (op->kind == OP_KIND_FENCE && warp->last_access > warp->operands) {
        warp->operands = warp->last_access;
        warp->cause = TEG_STALL_MEMBAR;
    }
}

static bool next_step(struct engine *e, struct warp *warp)
{
    if (!trace_cursor_next(&warp->cursor, &warp->step)) return false;
    find_operands(e, warp);
    return true;
}

static void open_barriers(struct engine *e, struct block *block, teg_time now);
static bool launch_block(struct engine *e, struct sm *sm, teg_time now);

static void lanes_leave(struct engine *e, struct warp *warp, uint32_t lanes, teg_time now)
{
    lanes &= warp->threads & ~warp->left;
    warp->left |= lanes;
    warp->block->live_lanes -= (uint32_t)__builtin_popcount(lanes);
    if (lanes) open_barriers(e, warp->block, now);
}

static teg_time *stalls_of(const struct engine *e, const struct warp *warp)
{
    return e->out->insn_stalls + (size_t)warp->step.insn * TEG_STALL_COUNT;
}

static void retire(struct engine *e, struct warp *warp)
{
    struct block *block = warp->block;
    teg_time now = warp->again;
    unsigned place;
    warp->alive = false;
    e->out->warp_time += now - warp->begun;
    stalls_of(e, warp)[TEG_STALL_WAIT] +=
        now - later(warp->issued + e->machine->interval, warp->begun);
    scheduler_of(e, warp, &place)->ready[place] = TEG_NEVER;
    lanes_leave(e, warp, UINT32_MAX, now);
    if (--block->live_warps) return;
    block->used = false;
    e->running--;
    e->out->block_ends[e->out->block_count++] = now;
    e->out->retired = later(e->out->retired, now);
    (void)launch_block(e, block->sm, now);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void release(struct engine *e, struct block *block, unsigned id, teg_time now)
{
    block->barriers[id] = (struct barrier){0};
    for (uint32_t i = 0; i < e->warps_per_block; i++) {
        struct warp *warp = block->warps[i];
        if (!warp->alive || warp->waiting_for != id + 1) continue;
        warp->waiting_for = 0;
        warp->arrived = 0;
        warp->operands = later(warp->operands, now);
        warp->cause = TEG_STALL_BARRIER;
        set_ready(e, warp, whole_cycles_up(later(warp->again, warp->operands)));
    }
}

static void open_barriers(struct engine *e, struct block *block, teg_time now)
{
    for (unsigned id = 0; id < BARRIERS; id++) {
        const struct barrier *barrier = &block->barriers[id];
        uint32_t wanted = barrier->wanted;
        if (!barrier->open) continue;
        if (!wanted || (e->setup->warps_per_sm && wanted > block->live_lanes))
            wanted = block->live_lanes;
        if (barrier->lanes >= wanted) release(e, block, id, now);
    }
}

/* Must the warp wait? It does when all its lanes have come; splits of it come one after the other. */
static bool come_to_barrier(struct warp *warp, const struct trace_insn *insn, uint32_t on)
{
    unsigned id = insn->barrier_id < BARRIERS ? insn->barrier_id : 0;
    struct barrier *barrier = &warp->block->barriers[id];
    bool counted = insn->barrier_threads != TRACE_BARRIER_ALL &&
                   insn->barrier_threads != TRACE_BARRIER_UNKNOWN;
    barrier->open = true;
    barrier->wanted = counted ? insn->barrier_threads : 0;
    barrier->lanes += (uint32_t)__builtin_popcount(on);
    if (insn->barrier != TRACE_BARRIER_SYNC) return false;
    warp->arrived |= on;
    if ((warp->threads & ~warp->left) & ~warp->arrived) return false;
    warp->waiting_for = (uint8_t)(id + 1);
    return true;
}

/* Goes to the step after the one that issued at `now`. */
static void advance(struct engine *e, struct scheduler *s, unsigned place)
{
    struct warp *warp = &s->warps[place];
    if (!next_step(e, warp)) {
        s->ready[place] = TEG_NEVER;
        retire(e, warp);
        return;
    }
    s->units[place] = e->ops[warp->step.insn].unit;
    s->ready[place] = whole_cycles_up(later(warp->again, warp->operands));
    if (warp->waiting_for) s->ready[place] = TEG_NEVER;
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* Keeps a unit busy from when it is free; returns when it begins. */
static teg_time take_unit(struct engine *e, struct sm *sm, struct scheduler *s, unsigned unit,
                          teg_time now, teg_time busy)
{
    teg_time begin = later(now, s->unit_free[unit]), until = begin + busy;
    unsigned first = 0, last = e->machine->schedulers;
    if (unit == TEG_NONE) return now;
    e->out->unit_busy[unit] += busy;
    if (unit != TEG_SHARED && unit != TEG_GLOBAL) {
        first = (unsigned)(s - sm->schedulers);
        last = first + 1;
    }
    for (unsigned i = first; i < last; i++) {
        sm->schedulers[i].unit_free[unit] = until;
        sm->schedulers[i].unit_ready[unit] = whole_cycles_down(until);
    }
    return begin;
}

/* Arithmetic, with or without an operand in shared memory. */
static teg_time issue_plain(struct engine *e, struct scheduler *s, const struct warp *warp,
                            const struct op *op, teg_time now)
{
    struct sm *sm = warp->block->sm;
    if (!(op->flags & TRACE_SHARED_OPERAND))
        return take_unit(e, sm, s, op->unit, now, op->busy) + op->latency;
    teg_time latency = op->latency;
    if (warp->step.access_count) {
        struct teg_request request = teg_access_find(&e->accesses, &warp->step.accesses[0]);
        unsigned more = request.passes - request.least_passes;
        e->out->conflicts += more;
        latency += more * e->machine->replay;
        take_unit(e, sm, s, TEG_SHARED, now, request.passes * e->machine->pass);
    }
    return take_unit(e, sm, s, op->also, now, op->busy) + latency;
}

static teg_time issue_shared(struct engine *e, struct scheduler *s, const struct warp *warp,
                             const struct trace_access *access, uint8_t operation, teg_time now)
{
    struct teg_request request = teg_access_find(&e->accesses, access);
    if (operation == TRACE_ATOMIC) request.passes += request.same_word - 1;
    unsigned more = request.passes - request.least_passes;
    e->out->conflicts += more;
    teg_time begin =
        take_unit(e, warp->block->sm, s, TEG_SHARED, now, request.passes * e->machine->pass);
    return begin + e->machine->shared_latency + more * e->machine->replay;
}

/* Local memory of each warp lies apart from all others, far from what is allocated. */
static uint64_t local_origin(const struct engine *e, const struct warp *warp)
{
    uint64_t number = warp->block->index * e->warps_per_block + warp->index;
    return UINT64_C(1) << 60 | number << 32;
}

static bool looks_into_l1(const struct engine *e, const struct trace_insn *insn, unsigned space)
{
    if (insn->cache_op == CACHE_CG || insn->cache_op == CACHE_CV || insn->semantics != MEM_WEAK)
        return false;
    return space == SPACE_LOCAL || e->machine->l1_loads || insn->flags & TRACE_READ_ONLY ||
           insn->cache_op == CACHE_CA;
}

static teg_time issue_global(struct engine *e, struct scheduler *s, struct warp *warp,
                             const struct trace_access *access, const struct trace_insn *insn,
                             teg_time now)
{
    const struct trace_pattern *pattern = &e->trace->patterns[access->pattern];
    struct teg_request request = teg_access_find(&e->accesses, access);
    bool local = pattern->space == SPACE_LOCAL;
    e->out->scattered += request.is_scattered;
    uint64_t base = access->base & ~UINT64_C(255);
    struct teg_arrival arrival = {
        .sm = warp->block->sm->index,
        .now = later(now, s->unit_free[TEG_GLOBAL]),
        .origin = local ? base / 4 * 128 + local_origin(e, warp) : base + warp->block->offset,
        .pieces = e->accesses.pieces + request.first,
        .count = request.count,
        .operation = insn->operation,
        .in_l1 = looks_into_l1(e, insn, pattern->space),
    };
    struct teg_answer answer = teg_memory_access(&e->memory, &arrival);
    take_unit(e, warp->block->sm, s, TEG_GLOBAL, now, answer.entered - arrival.now);
    warp->last_access = later(warp->last_access, answer.done);
    return answer.done;
}

static teg_time issue_memory(struct engine *e, struct scheduler *s, struct warp *warp,
                             const struct trace_insn *insn, teg_time now)
{
    teg_time done = now;
    for (uint32_t i = 0; i < warp->step.access_count; i++) {
        const struct trace_access *access = &warp->step.accesses[i];
        unsigned space = e->trace->patterns[access->pattern].space;
        teg_time one = now;
        if (space == SPACE_SHARED)
            one = issue_shared(e, s, warp, access, insn->operation, now);
        else if (space == SPACE_GLOBAL || space == SPACE_LOCAL)
            one = issue_global(e, s, warp, access, insn, now);
        done = later(done, one);
    }
    return done;
}

static enum teg_stall throttle_of(unsigned unit)
{
    return unit == TEG_GLOBAL   ? TEG_STALL_LG_THROTTLE
           : unit == TEG_SHARED ? TEG_STALL_MIO_THROTTLE
                                : TEG_STALL_MATH_PIPE_THROTTLE;
}

/* Where the time since the warp's last issue went: it belongs to the instruction that waited. */
static void count_stalls(struct engine *e, const struct warp *warp, const struct scheduler *s,
                         unsigned unit, teg_time now)
{
    teg_time *stalls = stalls_of(e, warp);
    teg_time at = later(warp->issued + e->machine->interval, warp->begun), next;
    if (warp->issued != now) stalls[TEG_STALL_SELECTED] += e->machine->interval;
    if (at > now) at = now; /* the second of a pair */
    next = later(at, warp->again < now ? warp->again : now);
    stalls[TEG_STALL_WAIT] += next - at;
    at = next;
    next = later(at, warp->operands < now ? warp->operands : now);
    stalls[warp->cause] += next - at;
    at = next;
    next = later(at, s->unit_ready[unit] < now ? s->unit_ready[unit] : now);
    stalls[throttle_of(unit)] += next - at;
    stalls[TEG_STALL_NOT_SELECTED] += now - next;
}

static void observe(struct engine *e, const struct scheduler *s, const struct warp *warp,
                    const struct op *op, teg_time now, teg_time done)
{
    const struct teg_observer *observer = e->setup->observer;
    const struct sm *sm = warp->block->sm;
    struct teg_event event = {
        .sm = sm->index,
        .scheduler = (unsigned)(s - sm->schedulers),
        .block = warp->block->index,
        .warp = warp->index,
        .insn = warp->step.insn,
        .unit = op->unit,
        .ready = later(warp->again, warp->operands),
        .issue = now,
        .unit_free = s->unit_free[op->unit],
        .done = done,
    };
    observer->issue(observer->self, &event);
}

static void issue(struct engine *e, struct scheduler *s, unsigned place, teg_time now)
{
    struct warp *warp = &s->warps[place];
    uint32_t number = warp->step.insn, on = warp->step.on;
    const struct op *op = &e->ops[number];
    const struct trace_insn *insn = &e->trace->insns[number];
    teg_time done;
    count_stalls(e, warp, s, op->unit, now);
    if (op->kind == OP_KIND_SHARED || op->kind == OP_KIND_GLOBAL)
        done = issue_memory(e, s, warp, insn, now);
    else
        done = issue_plain(e, s, warp, op, now);
    for (unsigned i = 0; i < op->write_count; i++) {
        uint32_t reg = op->registers[op->read_count + i];
        warp->registers[reg] = done;
        warp->causes[reg] = op->cause;
    }
    if (e->setup->observer) observe(e, s, warp, op, now, done);
    e->out->issued++;
    warp->issued = now;
    warp->again = now + op->same_warp;
    if (op->flags & TRACE_EXIT) lanes_leave(e, warp, on, now);
    struct block *block = warp->block;
    if (op->kind == OP_KIND_BARRIER && come_to_barrier(warp, insn, on)) e->out->barrier_waits++;
    advance(e, s, place);
    if (op->kind == OP_KIND_BARRIER && block->used) open_barriers(e, block, done);
}

/* ---- schedulers ------------------------------------------------------------------------------ */

/* One stretch of places. Returns at the first ready one if that is all that is asked. */
static inline int select_from(const struct scheduler *s, unsigned first, unsigned end,
                              bool first_only, teg_time now, teg_time *soonest, int best)
{
    for (unsigned place = first; place < end; place++) {
        teg_time at = later(s->ready[place], s->unit_ready[s->units[place]]);
        if (at > now) {
            if (at < *soonest) *soonest = at;
            continue;
        }
        if (first_only) return (int)place;
        if (best < 0 || s->warps[place].age < s->warps[best].age) best = (int)place;
    }
    return best;
}

/* The warp that issues at `now`; if there is none, *out_next is when one can. */
static int select_warp(const struct scheduler *s, enum teg_policy policy, teg_time now,
                       teg_time *out_next)
{
    bool in_turn = policy == TEG_ROUND_ROBIN;
    unsigned last = s->last;
    int best = -1;
    *out_next = TEG_NEVER;
    if (policy == TEG_GREEDY_OLDEST && s->ready[last] <= now &&
        s->unit_ready[s->units[last]] <= now)
        return (int)last;
    best = select_from(s, last + 1, s->count, in_turn, now, out_next, best);
    if (in_turn && best >= 0) return best;
    return select_from(s, 0, last + 1, in_turn, now, out_next, best);
}

/* One decision. Pairs of independent instructions of one warp issue together where the GPU can. */
static void decide(struct engine *e, struct scheduler *s)
{
    teg_time now = *s->next, next = TEG_NEVER;
    int place = select_warp(s, e->machine->policy, now, &next);
    if (place < 0) {
        *s->next = next;
        return;
    }
    unsigned chosen = (unsigned)place;
    const struct warp *warp = &s->warps[chosen];
    uint64_t age = warp->age;
    s->last = chosen;
    s->slot = now + e->machine->interval;
    issue(e, s, chosen, now);
    for (unsigned more = 1; more < e->machine->width; more++) {
        if (warp->age != age || s->ready[chosen] == TEG_NEVER || warp->operands > now ||
            warp->again > s->slot || s->unit_ready[s->units[chosen]] > now)
            break;
        issue(e, s, chosen, now);
    }
    *s->next = s->slot;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void start_warp(struct engine *e, struct warp *warp, const struct trace_block *block,
                       teg_time now)
{
    size_t registers = e->trace->register_count;
    memset(warp->registers, 0, registers * sizeof *warp->registers);
    memset(warp->causes, 0, registers);
    if (warp->cursor.trace)
        trace_cursor_restart(&warp->cursor, block, warp->index);
    else
        trace_cursor_init(&warp->cursor, e->trace, block, warp->index);
    warp->issued = now - e->machine->interval;
    warp->again = warp->begun = now;
    warp->last_access = 0;
    warp->left = warp->arrived = 0;
    warp->threads = block->warps[warp->index].threads;
    warp->waiting_for = 0;
    warp->age = e->ages++;
    warp->alive = true;
    warp->block->live_warps++;
    warp->block->live_lanes += (uint32_t)__builtin_popcount(warp->threads);
}

static void fill_block(struct engine *e, struct block *block, teg_time now)
{
    const struct trace_block *from = &e->trace->blocks[block->index % e->trace->block_count];
    unsigned limit = e->setup->warps_per_sm;
    block->live_warps = block->live_lanes = 0;
    memset(block->barriers, 0, sizeof block->barriers);
    for (uint32_t i = 0; i < e->warps_per_block; i++) {
        if (!from->warps[i].step_count) continue;
        if (limit && block->sm->warps == limit) break;
        block->sm->warps++;
        start_warp(e, block->warps[i], from, now);
    }
}

/* The next block of the cluster's queue on this SM, if there is one and room for it. */
static bool launch_block(struct engine *e, struct sm *sm, teg_time now)
{
    unsigned number = 0;
    while (number < e->setup->blocks_per_sm && sm->blocks[number].used)
        number++;
    if (number == e->setup->blocks_per_sm || e->next_block == e->setup->block_count) return false;
    struct block *block = &sm->blocks[number];
    block->index = e->next_block++;
    block->offset = block->index / e->trace->block_count << 44;
    block->used = true;
    e->running++;
    fill_block(e, block, now);
    if (!block->live_warps) { /* no warp of it executes anything */
        block->used = false;
        e->running--;
        e->out->block_ends[e->out->block_count++] = now;
        return true;
    }
    for (uint32_t i = 0; i < e->warps_per_block; i++) {
        unsigned place;
        if (!block->warps[i]->alive) continue;
        struct scheduler *s = place_of(e, sm, number, i, &place);
        advance(e, s, place);
        set_ready(e, block->warps[i], s->ready[place]);
    }
    return true;
}

/* ---- building -------------------------------------------------------------------------------- */

static void build_scheduler(struct engine *e, struct scheduler *s)
{
    unsigned warps = e->setup->blocks_per_sm * e->warps_per_block;
    size_t registers = e->trace->register_count + 1u;
    s->count = (warps + e->machine->schedulers - 1) / e->machine->schedulers;
    s->ready = mem_alloc((s->count + 1) * sizeof *s->ready);
    s->units = mem_zalloc(s->count + 1, 1);
    s->warps = mem_zalloc(s->count + 1, sizeof *s->warps);
    for (unsigned i = 0; i < s->count; i++) {
        s->ready[i] = TEG_NEVER;
        s->warps[i].registers = mem_zalloc(registers, sizeof(teg_time));
        s->warps[i].causes = mem_zalloc(registers, 1);
    }
    *s->next = TEG_NEVER;
    s->last = s->count - 1;
}

static void build_sm(struct engine *e, struct sm *sm, unsigned index)
{
    sm->index = index;
    sm->schedulers = mem_zalloc(e->machine->schedulers, sizeof *sm->schedulers);
    sm->blocks = mem_zalloc(e->setup->blocks_per_sm, sizeof *sm->blocks);
    for (unsigned i = 0; i < e->machine->schedulers; i++) {
        sm->schedulers[i].next = &e->nexts[index * e->machine->schedulers + i];
        build_scheduler(e, &sm->schedulers[i]);
    }
    for (unsigned b = 0; b < e->setup->blocks_per_sm; b++) {
        struct block *block = &sm->blocks[b];
        block->sm = sm;
        block->warps = mem_zalloc(e->warps_per_block, sizeof *block->warps);
        for (uint32_t w = 0; w < e->warps_per_block; w++) {
            unsigned place;
            struct scheduler *s = place_of(e, sm, b, w, &place);
            block->warps[w] = &s->warps[place];
            block->warps[w]->block = block;
            block->warps[w]->index = w;
        }
    }
}

static void clear_sm(struct engine *e, struct sm *sm)
{
    for (unsigned i = 0; i < e->machine->schedulers; i++) {
        struct scheduler *s = &sm->schedulers[i];
        for (unsigned k = 0; k < s->count; k++) {
            if (s->warps[k].cursor.trace) trace_cursor_clear(&s->warps[k].cursor);
            free(s->warps[k].registers);
            free(s->warps[k].causes);
        }
        free(s->ready);
        free(s->units);
        free(s->warps);
    }
    for (unsigned b = 0; b < e->setup->blocks_per_sm; b++)
        free(sm->blocks[b].warps);
    free(sm->schedulers);
    free(sm->blocks);
}

static void build(struct engine *e)
{
    const struct trace *trace = e->trace;
    e->ops = mem_alloc((trace->insn_count + 1) * sizeof *e->ops);
    for (uint32_t i = 0; i < trace->insn_count; i++)
        price(e, &trace->insns[i], &e->ops[i]);
    e->sms = mem_zalloc(e->setup->sms, sizeof *e->sms);
    e->nexts = mem_zalloc((size_t)e->setup->sms * e->machine->schedulers, sizeof *e->nexts);
    for (unsigned i = 0; i < e->setup->sms; i++)
        build_sm(e, &e->sms[i], i);
    teg_memory_init(&e->memory, e->machine, e->machine->cluster_sms, e->setup->dram_share);
    teg_access_init(&e->accesses, trace, e->machine);
    e->out->block_ends = mem_zalloc(e->setup->block_count + 1, sizeof *e->out->block_ends);
    e->out->insn_stalls =
        mem_zalloc((size_t)(trace->insn_count + 1) * TEG_STALL_COUNT, sizeof(teg_time));
}

static void clear(struct engine *e)
{
    for (unsigned i = 0; i < e->setup->sms; i++)
        clear_sm(e, &e->sms[i]);
    teg_memory_clear(&e->memory);
    teg_access_clear(&e->accesses);
    free(e->sms);
    free(e->nexts);
    free(e->ops);
}

/* ---- running --------------------------------------------------------------------------------- */

static struct scheduler *soonest(const struct engine *e)
{
    unsigned best = 0, count = e->setup->sms * e->machine->schedulers;
    for (unsigned i = 1; i < count; i++)
        if (e->nexts[i] < e->nexts[best]) best = i;
    return &e->sms[best / e->machine->schedulers].schedulers[best % e->machine->schedulers];
}

/* Part of a block may wait for warps that are not there: then they do not wait. */
static bool release_all(struct engine *e, teg_time now)
{
    bool any = false;
    for (unsigned i = 0; i < e->setup->sms; i++)
        for (unsigned b = 0; b < e->setup->blocks_per_sm; b++)
            for (unsigned id = 0; id < BARRIERS; id++) {
                struct block *block = &e->sms[i].blocks[b];
                if (!block->used || !block->barriers[id].open) continue;
                release(e, block, id, now);
                any = true;
            }
    return any;
}

static ws_status deadlock(struct diag *diag, const struct engine *e)
{
    for (unsigned i = 0; i < e->setup->sms; i++)
        for (unsigned b = 0; b < e->setup->blocks_per_sm; b++) {
            const struct block *block = &e->sms[i].blocks[b];
            for (uint32_t w = 0; block->used && w < e->warps_per_block; w++)
                if (block->warps[w]->alive && block->warps[w]->waiting_for)
                    return diag_error(
                        diag, WS_ERR_NO_MODEL,
                        "teg: deadlock: warp %u of block %llu waits at barrier %u, which its block "
                        "never fills",
                        w,
                        (unsigned long long)e->trace->blocks[block->index % e->trace->block_count]
                            .index,
                        block->warps[w]->waiting_for - 1u);
        }
    return diag_error(diag, WS_ERR_NO_MODEL, "teg: warps wait for each other for ever");
}

static ws_status run(struct diag *diag, struct engine *e)
{
    teg_time now = 0;
    for (unsigned round = 0; round < e->setup->blocks_per_sm; round++)
        for (unsigned i = 0; i < e->setup->sms; i++)
            (void)launch_block(e, &e->sms[i], 0);
    while (e->running) {
        struct scheduler *s = soonest(e);
        if (*s->next == TEG_NEVER) {
            if (e->setup->warps_per_sm && release_all(e, now)) continue;
            return deadlock(diag, e);
        }
        now = *s->next;
        decide(e, s);
    }
    return WS_OK;
}

ws_status teg_run(struct diag *diag, const struct teg_setup *setup, struct teg_result *out)
{
    struct engine e = {
        .setup = setup,
        .machine = setup->machine,
        .trace = setup->trace,
        .out = out,
        .warps_per_block = setup->trace->head.warps_per_block,
    };
    *out = (struct teg_result){0};
    if (!setup->trace->step_count || !setup->sms || !setup->blocks_per_sm || !setup->block_count)
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "teg: the trace has no warp that executes anything");
    build(&e);
    ws_status status = run(diag, &e);
    out->end = later(out->retired, later(e.memory.dram_free, e.memory.l2_free));
    out->memory = e.memory.counts;
    for (size_t i = 0; i < (size_t)setup->trace->insn_count * TEG_STALL_COUNT; i++)
        out->stalls[i % TEG_STALL_COUNT] += out->insn_stalls[i];
    clear(&e);
    if (status != WS_OK) teg_result_clear(out);
    return status;
}

void teg_result_clear(struct teg_result *result)
{
    free(result->block_ends);
    free(result->insn_stalls);
    *result = (struct teg_result){0};
}
