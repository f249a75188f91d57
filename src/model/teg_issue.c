// SPDX-License-Identifier: Apache-2.0
#include "model/teg_state.h"

/* Keeps a unit busy from when it is free; returns when it begins. */
static inline teg_time take_unit(struct teg_engine *e, struct teg_scheduler *s, unsigned index,
                                 teg_time now, teg_time busy)
{
    struct teg_unit_state *state = &s->states[index];
    unsigned unit = index % TEG_UNIT_COUNT;
    if (unit == TEG_NONE) return now;
    teg_time begin = later(now, state->free), until = begin + busy;
    e->out->unit_busy[unit] += busy;
    if (teg_is_watched(e))
        e->setup->observer->span(e->setup->observer->self,
                                 &(struct teg_span){.kind = TEG_SPAN_UNIT,
                                                    .unit = (uint8_t)unit,
                                                    .sm = s->sm->index,
                                                    .scheduler = (unsigned)(s - s->sm->schedulers),
                                                    .begin = begin,
                                                    .end = until});
    state->free = until;
    state->ready = whole_cycles_down(until);
    return begin;
}

/* Arithmetic, with or without an operand in shared memory. */
static teg_time issue_plain(struct teg_engine *e, struct teg_scheduler *s,
                            const struct teg_warp *warp, const struct teg_op *op, teg_time now)
{
    if (!(op->flags & TRACE_SHARED_OPERAND))
        return take_unit(e, s, teg_unit_index(warp, op), now, op->busy) + op->latency;
    teg_time latency = op->latency;
    if (warp->step.access_count) {
        const struct teg_request *request = teg_access_find(&e->accesses, &warp->step.accesses[0]);
        unsigned more = request->passes - request->least_passes;
        e->out->conflicts += more;
        latency += more * e->machine->replay;
        take_unit(e, s, TEG_SHARED, now, request->passes * e->machine->pass);
    }
    return take_unit(e, s, warp->first_unit + op->also, now, op->busy) + latency;
}

static teg_time issue_shared(struct teg_engine *e, struct teg_scheduler *s,
                             const struct trace_access *access, uint8_t operation, teg_time now)
{
    const struct teg_request *request = teg_access_find(&e->accesses, access);
    unsigned passes = request->passes;
    if (operation == TRACE_ATOMIC) passes += request->same_word - 1;
    unsigned more = passes - request->least_passes;
    e->out->conflicts += more;
    teg_time begin = take_unit(e, s, TEG_SHARED, now, passes * e->machine->pass);
    return begin + e->machine->shared_latency + more * e->machine->replay;
}

/* Local memory of each warp lies apart from all others, far from what is allocated. */
static uint64_t local_origin(const struct teg_engine *e, const struct teg_warp *warp)
{
    uint64_t number = warp->block->index * e->warps_per_block + warp->index;
    return UINT64_C(1) << 60 | number << 32;
}

static bool looks_into_l1(const struct teg_engine *e, const struct trace_insn *insn, unsigned space)
{
    if (insn->cache_op == CACHE_CG || insn->cache_op == CACHE_CV || insn->semantics != MEM_WEAK)
        return false;
    return space == SPACE_LOCAL || e->machine->l1_loads || insn->flags & TRACE_READ_ONLY ||
           insn->cache_op == CACHE_CA;
}

static teg_time issue_global(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                             const struct trace_access *access, const struct trace_insn *insn,
                             teg_time now)
{
    const struct trace_pattern *pattern = &e->trace->patterns[access->pattern];
    const struct teg_request *request = teg_access_find(&e->accesses, access);
    bool local = pattern->space == SPACE_LOCAL;
    e->out->scattered += request->is_scattered;
    uint64_t base = access->base & ~UINT64_C(255);
    struct teg_arrival arrival = {
        .sm = warp->block->sm->index,
        .now = later(now, s->states[TEG_GLOBAL].free),
        .origin = local ? base / 4 * 128 + local_origin(e, warp) : base + warp->block->offset,
        .pieces = e->accesses.pieces + request->first,
        .count = request->count,
        .operation = insn->operation,
        .in_l1 = looks_into_l1(e, insn, pattern->space),
    };
    struct teg_answer answer = teg_memory_access(&e->memory, &arrival);
    take_unit(e, s, TEG_GLOBAL, now, answer.entered - arrival.now);
    warp->last_access = later(warp->last_access, answer.done);
    return answer.done;
}

static teg_time issue_memory(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                             const struct trace_insn *insn, teg_time now)
{
    teg_time done = now;
    for (uint32_t i = 0; i < warp->step.access_count; i++) {
        const struct trace_access *access = &warp->step.accesses[i];
        unsigned space = e->trace->patterns[access->pattern].space;
        teg_time one = now;
        if (space == SPACE_SHARED)
            one = issue_shared(e, s, access, insn->operation, now);
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

static inline teg_time between(teg_time low, teg_time t, teg_time high)
{
    return t < low ? low : t > high ? high : t;
}

/* Where the time since the warp's last issue went. */
static inline struct teg_wait split_wait(const struct teg_engine *e, const struct teg_warp *warp,
                                         const struct teg_scheduler *s, unsigned unit, teg_time now)
{
    teg_time since = later(warp->issued + e->machine->interval, warp->begun);
    if (since > now) since = now; /* the second of a pair */
    teg_time again = between(since, warp->again, now);
    teg_time operands = between(again, warp->operands, now);
    teg_time ready = between(operands, s->states[unit].ready, now);
    return (struct teg_wait){
        since,
        {again, operands, ready, now},
        {TEG_STALL_WAIT, warp->cause, (uint8_t)throttle_of(unit), TEG_STALL_NOT_SELECTED}};
}

/* It belongs to the instruction that waited. */
static inline void count_stalls(struct teg_engine *e, const struct teg_warp *warp,
                                const struct teg_wait *wait, teg_time now)
{
    teg_time *stalls = teg_stalls_of(e, warp), at = wait->since;
    if (warp->issued != now) stalls[TEG_STALL_SELECTED] += e->machine->interval;
    if (at == now) return;
    for (unsigned i = 0; i < TEG_WAIT_PARTS; i++) {
        stalls[wait->causes[i]] += wait->ends[i] - at;
        at = wait->ends[i];
    }
}

static void observe(struct teg_engine *e, const struct teg_scheduler *s,
                    const struct teg_warp *warp, const struct teg_op *op,
                    const struct teg_wait *wait, teg_time done)
{
    const struct teg_observer *observer = e->setup->observer;
    const struct teg_block *block = warp->block;
    struct teg_event event = {
        .sm = block->sm->index,
        .scheduler = (unsigned)(s - block->sm->schedulers),
        .place = (unsigned)(block - block->sm->blocks),
        .block = block->index,
        .warp = warp->index,
        .insn = warp->step.insn,
        .on = warp->step.on,
        .unit = op->unit,
        .ready = later(warp->again, warp->operands),
        .issue = wait->ends[TEG_WAIT_PARTS - 1],
        .unit_free = s->states[teg_unit_index(warp, op)].free,
        .done = done,
        .wait = *wait,
    };
    observer->issue(observer->self, &event);
}

void teg_issue(struct teg_engine *e, struct teg_scheduler *s, unsigned place, teg_time now)
{
    struct teg_warp *warp = &s->warps[place];
    uint32_t number = warp->step.insn, on = warp->step.on;
    const struct teg_op *op = &e->ops[number];
    const struct trace_insn *insn = &e->trace->insns[number];
    teg_time done;
    struct teg_wait wait = {0};
    if (warp->issued + e->machine->interval != now || e->setup->observer)
        wait = split_wait(e, warp, s, teg_unit_index(warp, op), now);
    else
        wait.since = now; /* as soon as it could */
    count_stalls(e, warp, &wait, now);
    if (op->kind == OP_KIND_SHARED || op->kind == OP_KIND_GLOBAL)
        done = issue_memory(e, s, warp, insn, now);
    else
        done = issue_plain(e, s, warp, op, now);
    for (unsigned i = 0; i < op->write_count; i++) {
        uint32_t reg = op->registers[op->read_count + i];
        warp->registers[reg] = done;
        warp->causes[reg] = op->cause;
    }
    if (op->write_count && done > warp->done) {
        warp->done = done;
        warp->done_cause = op->cause;
    }
    if (e->setup->observer) observe(e, s, warp, op, &wait, done);
    e->out->issued++;
    warp->issued = now;
    warp->again = now + op->same_warp;
    if (op->flags & TRACE_EXIT) teg_lanes_leave(e, warp, on, now);
    struct teg_block *block = warp->block;
    if (op->kind == OP_KIND_BARRIER && teg_come_to_barrier(warp, insn, on)) e->out->barrier_waits++;
    teg_advance(e, s, place);
    if (op->kind == OP_KIND_BARRIER && block->used) teg_open_barriers(e, block, done);
}
