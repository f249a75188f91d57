// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_serve.h"

void teg_watch_unit(const struct teg_engine *e, const struct teg_scheduler *s, unsigned unit,
                    teg_time begin, teg_time end)
{
    struct teg_span span = {.kind = TEG_SPAN_UNIT,
                            .unit = (uint8_t)unit,
                            .sm = s->sm->index,
                            .scheduler = (unsigned)(s - s->sm->schedulers),
                            .begin = begin,
                            .end = end};
    e->setup->observer->span(e->setup->observer->self, &span);
}

void teg_observe(struct teg_engine *e, const struct teg_scheduler *s, const struct teg_warp *warp,
                 const struct teg_op *op, struct teg_wait wait, teg_time done)
{
    const struct teg_observer *observer = e->setup->observer;
    const struct teg_block *block = warp->block;
    struct teg_event event = {
        .sm = block->sm->index,
        .scheduler = (unsigned)(s - block->sm->schedulers),
        .place = (unsigned)(block - block->sm->blocks),
        .block = block->index,
        .warp = warp->index,
        .insn = warp->step->insn,
        .on = step_slot(&warp->steps, warp->step)->on,
        .unit = op->unit,
        .ready = later(warp->again, teg_end_time(warp->operands)),
        .issue = wait.ends[TEG_WAIT_PARTS - 1],
        .unit_free = s->states[teg_unit_index(warp, op)].free,
        .done = done,
        .wait = wait,
    };
    observer->issue(observer->self, &event);
}

const struct trace_access *teg_accesses_of(const struct teg_warp *warp,
                                           const struct trace_slot *slot, struct trace_access *one,
                                           uint32_t *out_count)
{
    *one = (struct trace_access){slot->pattern, slot->base};
    bool is_one = slot->pattern != TRACE_NO_PATTERN;
    *out_count = is_one ? 1 : trace_slot_count(slot);
    return is_one ? one : warp->steps.accesses + trace_slot_first(slot);
}

/* ---- shared memory --------------------------------------------------------------------------- */

teg_time teg_serve_operand(struct teg_engine *e, struct teg_scheduler *s,
                           const struct teg_warp *warp, const struct teg_op *op, teg_time now)
{
    uint32_t count;
    struct trace_access one;
    teg_time latency = op->latency;
    const struct trace_slot *slot = step_slot(&warp->steps, warp->step);
    const struct trace_access *access = teg_accesses_of(warp, slot, &one, &count);
    if (count) {
        const struct teg_request *request = teg_access_find(&e->accesses, access);
        unsigned more = request->passes - request->least_passes;
        e->out->conflicts += more;
        latency += more * e->machine->replay;
        teg_take_unit(e, s, TEG_SHARED, TEG_SHARED, now, request->passes * e->machine->pass);
    }
    unsigned index = warp->first_unit + op->also;
    return teg_take_unit(e, s, op->also, index, now, op->busy) + latency;
}

/* What an asynchronous copy stores; the banks take it in the order of issue (guess). Returns how long they do,
 * once the data are there. */
static teg_time store_copy(struct teg_engine *e, struct teg_scheduler *s,
                           const struct trace_access *access, teg_time now)
{
    const struct teg_request *request = teg_access_find(&e->accesses, access);
    teg_time busy = request->passes * e->machine->pass;
    e->out->conflicts += request->passes - request->least_passes;
    return later(teg_take_unit(e, s, TEG_SHARED, TEG_SHARED, now, busy) - now, 0) + busy;
}

/* ---- global and local memory ----------------------------------------------------------------- */

/* Local memory lies far from what is allocated, that of one resident warp behind that of the other: the next block in
 * a place has that of the one before. If it is unknown how much a thread has, each warp's lies apart. */
static uint64_t local_origin(const struct teg_engine *e, const struct teg_warp *warp)
{
    const struct teg_block *block = warp->block;
    uint64_t origin = UINT64_C(1) << 60, bytes = (e->setup->local_bytes + 3) / 4 * TEG_LINE;
    if (!bytes) return origin | (block->index * e->warps_per_block + warp->index) << 32;
    uint64_t place = (uint64_t)block->sm->index * e->setup->blocks_per_sm +
                     (uint64_t)(block - block->sm->blocks);
    return origin + (place * e->warps_per_block + warp->index) * bytes;
}

static bool looks_into_l1(const struct teg_engine *e, const struct trace_insn *insn, unsigned space)
{
    if (insn->cache_op == CACHE_CG || insn->cache_op == CACHE_CV || insn->semantics != MEM_WEAK)
        return false;
    return space == SPACE_LOCAL || e->machine->l1_loads || insn->flags & TRACE_READ_ONLY ||
           insn->cache_op == CACHE_CA;
}

/* Lanes wait for their turns at an address; as much may wait as for the DRAM, then the load/store unit takes
 * no more. */
static void take_turns(struct teg_engine *e, const struct trace_access *access,
                       const struct trace_insn *insn, teg_time now, struct teg_answer *answer)
{
    bool is_added_up = insn->flags & TRACE_ADDED_UP;
    struct teg_turn_times turns = teg_atomics_serve(&e->atomics, access, is_added_up, now);
    answer->done = later(answer->done, now + e->machine->l2.latency + turns.delay);
    answer->entered = later(answer->entered, turns.begin - e->machine->in_flight);
}

teg_time teg_serve_global(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                          const struct trace_access *access, const struct trace_insn *insn,
                          teg_time now)
{
    const struct trace_pattern *pattern = &e->trace->patterns[access->pattern];
    bool local = pattern->space == SPACE_LOCAL;
    struct trace_access moved = *access;
    if (!local) moved.base += teg_deal_shift(e->trace, insn, warp->block->shifts);
    const struct teg_request *request = teg_access_find(&e->accesses, &moved);
    e->out->scattered += request->is_scattered;
    uint64_t base = moved.base & ~UINT64_C(255);
    struct teg_arrival arrival = {
        .sm = warp->block->sm->index,
        .now = later(now, s->states[TEG_GLOBAL].free),
        .origin = local ? base / 4 * 128 + local_origin(e, warp) : base,
        .pieces = e->accesses.pieces + request->first,
        .count = request->count,
        .passes = request->passes,
        .operation = insn->operation,
        .in_l1 = looks_into_l1(e, insn, pattern->space),
    };
    struct teg_answer answer = teg_memory_access(&e->memory, &arrival);
    if (insn->operation == TRACE_ATOMIC && e->atomics.is_used && !local)
        take_turns(e, access, insn, arrival.now, &answer);
    teg_take_unit(e, s, TEG_GLOBAL, TEG_GLOBAL, now, answer.entered - arrival.now);
    warp->last_access = later(warp->last_access, answer.done);
    return answer.done;
}

/* ---- several accesses ------------------------------------------------------------------------ */

teg_time teg_serve_accesses(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                            const struct trace_slot *slot, const struct trace_insn *insn,
                            teg_time now)
{
    uint32_t count;
    struct trace_access one;
    const struct trace_access *access = teg_accesses_of(warp, slot, &one, &count);
    teg_time done = now, stored = 0;
    for (uint32_t i = 0; i < count; i++, access++) {
        bool is_stored = insn->flags & TRACE_TO_SHARED &&
                         e->trace->patterns[access->pattern].space == SPACE_SHARED;
        if (is_stored)
            stored = store_copy(e, s, access, now);
        else
            done = later(done, teg_serve_access(e, s, warp, access, insn, now));
    }
    if (insn->flags & TRACE_TO_SHARED) teg_copy_add(&warp->copies, done + stored);
    return done;
}

/* ---- instructions and constants -------------------------------------------------------------- */

teg_end teg_fetch_step(struct teg_warp *warp, uint32_t line, teg_time now)
{
    struct teg_fetch *fetch = &warp->block->sm->fetch;
    unsigned part = warp->first_unit / TEG_UNIT_COUNT;
    teg_time there = teg_fetch_line(fetch, part, line, now);
    bool begins = warp->line == TEG_NO_LINE;
    warp->line = line;
    if (!begins) return teg_end_of(there, TEG_STALL_NO_INSTRUCTION);
    teg_time read = teg_fetch_constants(fetch, part, TEG_CONSTANTS_LAUNCH, there);
    return read > there ? teg_end_of(read, TEG_STALL_IMC_MISS)
                        : teg_end_of(there, TEG_STALL_NO_INSTRUCTION);
}

teg_end teg_fetch_parameters(const struct teg_warp *warp, teg_end operands)
{
    unsigned part = warp->first_unit / TEG_UNIT_COUNT;
    teg_time asked = later(warp->again, teg_end_time(operands));
    return teg_end_of(
        teg_fetch_constants(&warp->block->sm->fetch, part, TEG_CONSTANTS_PARAMETERS, asked),
        TEG_STALL_IMC_MISS);
}

/* ---- beside the warps ------------------------------------------------------------------------ */

teg_time teg_serve_bulk(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                        const struct trace_insn *insn, teg_time now)
{
    uint32_t count;
    struct trace_access one;
    const struct trace_access *accesses =
        teg_accesses_of(warp, step_slot(&warp->steps, warp->step), &one, &count);
    struct teg_sm *sm = warp->block->sm;
    teg_time done = now, lines = 0;
    uint64_t object = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct trace_access access = accesses[i];
        if (e->trace->patterns[access.pattern].space == SPACE_SHARED) {
            object = access.base;
            continue;
        }
        access.base += teg_deal_shift(e->trace, insn, warp->block->shifts);
        const struct teg_request *request = teg_access_find(&e->accesses, &access);
        struct teg_arrival arrival = {.sm = sm->index,
                                      .now = later(now, sm->bulk),
                                      .origin = access.base & ~UINT64_C(255),
                                      .pieces = e->accesses.pieces + request->first,
                                      .count = request->count,
                                      .passes = request->passes,
                                      .operation = insn->operation};
        struct teg_answer answer = teg_memory_access(&e->memory, &arrival);
        sm->bulk = answer.entered;
        done = later(done, answer.done);
        lines += request->count;
    }
    teg_time busy = lines * e->machine->pass;
    done += later(teg_take_unit(e, s, TEG_SHARED, TEG_SHARED, now, busy) - now, 0) + busy;
    if (object)
        teg_phase_part(e, warp->block, object, done);
    else
        teg_copy_add(&warp->copies, done);
    warp->done = later(warp->done, teg_end_of(done, TEG_STALL_LONG_SCOREBOARD));
    return now;
}

void teg_serve_product(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                       const struct teg_op *op, teg_time now, teg_time done)
{
    teg_time busy = op->insn->product_bytes * e->machine->pass / TEG_LINE;
    teg_time read = teg_take_unit(e, s, TEG_SHARED, TEG_SHARED, now, busy) + busy;
    teg_copy_add(&warp->copies, later(done, read));
    warp->done = later(warp->done, teg_end_of(later(done, read), TEG_STALL_LONG_SCOREBOARD));
}
