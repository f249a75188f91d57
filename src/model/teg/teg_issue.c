// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_state.h"

static __attribute__((noinline, cold)) void watch_unit(const struct teg_engine *e,
                                                       const struct teg_scheduler *s, unsigned unit,
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

/* Keeps a unit busy from when it is free; returns when it begins. `index` is the unit's of the warp's
 * part of the SM. */
static inline teg_time take_unit(struct teg_engine *e, struct teg_scheduler *s, unsigned unit,
                                 unsigned index, teg_time now, teg_time busy)
{
    struct teg_unit_state *state = &s->states[index];
    if (unit == TEG_NONE) return now;
    teg_time begin = later(now, state->free), until = begin + busy;
    e->out->unit_busy[unit] += busy;
    if (e->is_watched) watch_unit(e, s, unit, begin, until);
    state->free = until;
    state->ready = whole_cycles_down(until);
    return begin;
}

/* Arithmetic with an operand in shared memory. */
static __attribute__((noinline)) teg_time issue_with_operand(struct teg_engine *e,
                                                             struct teg_scheduler *s,
                                                             const struct teg_warp *warp,
                                                             const struct teg_op *op, teg_time now)
{
    teg_time latency = op->latency;
    const struct trace_slot *slot = step_slot(&warp->steps, warp->step);
    if (slot->access_count) {
        const struct teg_request *request =
            teg_access_find(&e->accesses, &warp->steps.accesses[slot->first_access]);
        unsigned more = request->passes - request->least_passes;
        e->out->conflicts += more;
        latency += more * e->machine->replay;
        take_unit(e, s, TEG_SHARED, TEG_SHARED, now, request->passes * e->machine->pass);
    }
    unsigned index = warp->first_unit + op->also;
    return take_unit(e, s, op->also, index, now, op->busy) + latency;
}

/* Lanes of an atomic on one word take turns, unless they are counted: how many wait for others. */
static unsigned turns_of(const struct teg_engine *e, const struct teg_request *request,
                         const struct trace_insn *insn)
{
    bool is_counted = insn->flags & TRACE_ADDED_UP && e->machine->counts_lanes;
    return is_counted ? 0 : request->same_word - 1;
}

static inline teg_time issue_shared(struct teg_engine *e, struct teg_scheduler *s,
                                    const struct trace_access *access,
                                    const struct trace_insn *insn, teg_time now)
{
    const struct teg_machine *machine = e->machine;
    const struct teg_request *request = teg_access_find(&e->accesses, access);
    unsigned turns = 0, more = request->passes - request->least_passes;
    teg_time busy = request->passes * machine->pass, latency = machine->shared_latency;
    if (insn->operation == TRACE_ATOMIC) {
        turns = turns_of(e, request, insn);
        busy += turns * machine->shared_turn;
        latency += turns * later(machine->replay, machine->shared_turn);
    }
    e->out->conflicts += more + turns;
    return take_unit(e, s, TEG_SHARED, TEG_SHARED, now, busy) + latency + more * machine->replay;
}

/* What an asynchronous copy stores; the banks take it in the order of issue (guess). Returns how long they do,
 * once the data are there. */
static __attribute__((noinline)) teg_time store_copy(struct teg_engine *e, struct teg_scheduler *s,
                                                     const struct trace_access *access,
                                                     teg_time now)
{
    const struct teg_request *request = teg_access_find(&e->accesses, access);
    teg_time busy = request->passes * e->machine->pass;
    e->out->conflicts += request->passes - request->least_passes;
    return later(take_unit(e, s, TEG_SHARED, TEG_SHARED, now, busy) - now, 0) + busy;
}

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

static __attribute__((noinline)) teg_time
issue_global(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
             const struct trace_access *access, const struct trace_insn *insn, teg_time now)
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
    take_unit(e, s, TEG_GLOBAL, TEG_GLOBAL, now, answer.entered - arrival.now);
    warp->last_access = later(warp->last_access, answer.done);
    return answer.done;
}

/* Through the address unit of the warp's part and over the path of the SM. The unit is free again when what the
 * instruction goes to has taken it. Returns its turn there; what it takes alone is part of its latency. */
static teg_time take_path(struct teg_engine *e, struct teg_scheduler *s,
                          const struct teg_warp *warp, enum teg_unit to, teg_time now)
{
    teg_time *path = &warp->block->sm->path, turn = later(now, *path);
    struct teg_unit_state *unit = &s->states[warp->first_unit + TEG_ADDRESS];
    *path = turn + e->machine->path.shared;
    unit->free = later(turn + e->machine->path.address, s->states[to].free);
    unit->ready = whole_cycles_down(unit->free);
    return turn;
}

static inline __attribute__((always_inline)) teg_time
issue_access(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
             const struct trace_access *access, const struct trace_insn *insn, teg_time now)
{
    unsigned space = e->trace->patterns[access->pattern].space;
    if (space == SPACE_SHARED) return issue_shared(e, s, access, insn, now);
    bool is_outside = space == SPACE_GLOBAL || space == SPACE_LOCAL;
    return is_outside ? issue_global(e, s, warp, access, insn, now) : now;
}

/* An asynchronous copy; or not one access, of an instruction that nobody executed or that reached several spaces. */
static __attribute__((noinline)) teg_time
issue_accesses(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
               const struct trace_slot *slot, const struct trace_insn *insn, teg_time now)
{
    teg_time done = now, stored = 0;
    for (uint32_t i = 0; i < slot->access_count; i++) {
        const struct trace_access *access = &warp->steps.accesses[slot->first_access + i];
        bool is_stored = insn->flags & TRACE_TO_SHARED &&
                         e->trace->patterns[access->pattern].space == SPACE_SHARED;
        if (is_stored)
            stored = store_copy(e, s, access, now);
        else
            done = later(done, issue_access(e, s, warp, access, insn, now));
    }
    if (insn->flags & TRACE_TO_SHARED) teg_copy_add(&warp->copies, done + stored);
    return done;
}

static inline __attribute__((always_inline)) teg_time
issue_memory(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
             const struct teg_op *op, teg_time now)
{
    const struct trace_insn *insn = op->insn;
    const struct trace_slot *slot = step_slot(&warp->steps, warp->step);
    if (op->unit == TEG_ADDRESS)
        now = take_path(e, s, warp, op->kind == OP_KIND_SHARED ? TEG_SHARED : TEG_GLOBAL, now);
    bool is_copy = insn->flags & TRACE_TO_SHARED, is_one = slot->access_count == 1 && !is_copy;
    const struct trace_access *access = &warp->steps.accesses[slot->first_access];
    teg_time done = is_one ? issue_access(e, s, warp, access, insn, now)
                           : issue_accesses(e, s, warp, slot, insn, now);
    if (insn->operation == TRACE_STORE)
        return insn->is_spill ? now : done; /* who loads it comes behind it in the L1 */
    if (!is_copy) warp->loads = later(warp->loads, teg_end_of(done, op->cause));
    return done;
}

/* Where the time since the warp's last issue went. Its operands and the unit are there at `now`; only the
 * second of a pair comes before its warp may issue again. */
static inline struct teg_wait split_wait(const struct teg_engine *e, const struct teg_warp *warp,
                                         const struct teg_op *op, teg_time unit_ready, teg_time now)
{
    teg_time since = sooner(warp->issued + e->interval, now);
    teg_time again = later(since, sooner(warp->again, now));
    teg_time operands = later(again, teg_end_time(warp->operands));
    teg_time ready = later(operands, unit_ready);
    return (struct teg_wait){
        since,
        {again, operands, ready, now},
        {TEG_STALL_WAIT, teg_end_cause(warp->operands), op->throttle, TEG_STALL_NOT_SELECTED}};
}

/* It belongs to the instruction that waited. */
static inline void count_stalls(teg_time *stalls, struct teg_wait wait)
{
    teg_time at = wait.since;
    for (unsigned i = 0; i < TEG_WAIT_PARTS; i++) {
        stalls[wait.causes[i]] += wait.ends[i] - at;
        at = wait.ends[i];
    }
}

static __attribute__((noinline, cold)) void
observe(struct teg_engine *e, const struct teg_scheduler *s, const struct teg_warp *warp,
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

/* ---- the next step --------------------------------------------------------------------------- */

/* A fence waits for the accesses of its warp, the end of copies for those; every instruction for loads, if
 * the scoreboard is like that. */
static teg_end find_accesses(const struct teg_warp *warp, const struct teg_op *op)
{
    teg_end end = op->waits & TEG_WAITS_LOADS ? warp->loads : 0;
    if (op->waits & TEG_WAITS_ACCESSES)
        end = later(end, teg_end_of(warp->last_access, TEG_STALL_MEMBAR));
    if (op->waits & TEG_WAITS_COPIES)
        end = later(end, teg_end_of(teg_copy_ready(&warp->copies, op->open_groups),
                                    TEG_STALL_LONG_SCOREBOARD));
    return end;
}

static inline teg_end forwarded(const struct teg_op *op, teg_end end)
{
    return end + op->forward[(uint64_t)end / TEG_CAUSE_VALUES % TEG_MAKER_VALUES];
}

/* When the operands of the step at hand are there, and what for they were waited. */
static inline teg_end find_operands(const struct teg_engine *e, const struct teg_warp *warp,
                                    const struct teg_op *op)
{
    if (e->words) {
        teg_end counted = teg_words_operands(warp, &e->words[warp->step->insn]);
        return op->waits ? later(counted, find_accesses(warp, op)) : counted;
    }
    unsigned waited = op->waited_count - op->read_count + warp->step->read_count;
    const uint32_t *reg = warp->step->registers, *end = reg + waited;
    teg_end operands = teg_end_of(0, TEG_STALL_WAIT);
    if (!op->forward)
        for (; reg < end; reg++)
            operands = later(operands, warp->registers[*reg]);
    else
        for (; reg < end; reg++)
            operands = later(operands, forwarded(op, warp->registers[*reg]));
    return op->waits ? later(operands, find_accesses(warp, op)) : operands;
}

static inline void set_unit(struct teg_scheduler *s, const struct teg_warp *warp, unsigned place,
                            unsigned unit)
{
    uint64_t *by_unit = s->by_unit + warp->word;
    if (s->units[place] == unit) return;
    by_unit[s->units[place] * s->words] &= ~warp->bit;
    by_unit[unit * s->words] |= warp->bit;
    s->units[place] = (uint8_t)unit;
}

/* When the instruction itself is there, for a warp that comes to its line at `now`. */
static __attribute__((noinline)) teg_end fetch_line(struct teg_warp *warp, uint32_t line,
                                                    teg_time now)
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

/* Is the line in the warp's part, where it does not have to be kept? Then it costs nothing. */
static inline bool is_at_hand(struct teg_warp *warp, uint32_t line, teg_time now)
{
    const struct teg_fetch *fetch = &warp->block->sm->fetch;
    bool begins = warp->line == TEG_NO_LINE;
    if (begins || !teg_fetch_has(fetch, warp->first_unit / TEG_UNIT_COUNT, line, now)) return false;
    warp->line = line;
    return true;
}

/* When its parameters are there; it asks for them when it could issue. */
static __attribute__((noinline)) teg_end fetch_parameters(const struct teg_warp *warp,
                                                          teg_end operands)
{
    unsigned part = warp->first_unit / TEG_UNIT_COUNT;
    teg_time asked = later(warp->again, teg_end_time(operands));
    return teg_end_of(
        teg_fetch_constants(&warp->block->sm->fetch, part, TEG_CONSTANTS_PARAMETERS, asked),
        TEG_STALL_IMC_MISS);
}

/* The next step is at hand, for a warp that comes to it at `now`. Returns false at the end: then the warp leaves. */
static inline __attribute__((always_inline)) bool
take_step(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp, teg_time now)
{
    const struct step_place *step = step_next(&e->steps, &warp->steps, warp->registers);
    if (!step) {
        teg_begin_leaving(e, warp);
        return false;
    }
    const struct teg_op *op = &e->ops[step->insn];
    warp->step = step;
    warp->op = op;
    teg_end operands = find_operands(e, warp, op);
    if (op->line != warp->line && !is_at_hand(warp, op->line, now))
        operands = later(operands, fetch_line(warp, op->line, now));
    if (op->reads_parameters) operands = later(operands, fetch_parameters(warp, operands));
    warp->operands = operands;
    set_unit(s, warp, warp->place, teg_unit_index(warp, op));
    return true;
}

void teg_begin(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp, teg_time now)
{
    if (take_step(e, s, warp, now))
        teg_put(s, warp->place, later(warp->again, teg_end_time(warp->operands)));
    if (!warp->age) e->out->begun = teg_end_time(warp->operands);
}

/* An awake warp has its next step at hand. */
static inline void stay_or_sleep(struct teg_scheduler *s, const struct teg_warp *warp)
{
    teg_time ready = later(warp->again, teg_end_time(warp->operands));
    if (warp->waiting_for)
        teg_set_out(s, warp);
    else if (ready <= s->slot)
        teg_stay_awake(s, warp->place);
    else {
        teg_set_out(s, warp);
        teg_sleep(s, warp->place, ready);
    }
}

/* Its results are there at `done`. */
static inline void write_results(struct teg_warp *warp, const struct teg_op *op, teg_time done)
{
    const uint32_t *reg = warp->step->registers + warp->step->read_count,
                   *last = reg + op->write_count;
    teg_end end = teg_end_of(done, op->made);
    if (reg == last) return;
    for (; reg < last; reg++)
        warp->registers[*reg] = end;
    warp->done = later(warp->done, end);
}

/* Of native code: counters instead of registers. Returns for how long the banks of registers hold it up. */
static __attribute__((noinline)) teg_time follow_word(struct teg_engine *e, struct teg_scheduler *s,
                                                      struct teg_warp *warp,
                                                      const struct teg_op *op, teg_time now,
                                                      teg_time done)
{
    const struct teg_word *word = &e->words[warp->step->insn];
    bool is_memory = op->kind == OP_KIND_SHARED || op->kind == OP_KIND_GLOBAL;
    teg_time turn = is_memory ? now : done - op->latency;
    if (op->unit == TEG_ADDRESS) turn = warp->block->sm->path - e->machine->path.shared;
    teg_words_issue(warp, op, word, later(turn, now), done);
    if (!word->has_slots) return 0;
    teg_time more = teg_words_read(s, warp, word, now);
    s->slot = later(s->slot, now + e->interval + more);
    return more;
}

/* What the step does beside taking its time: for the warp's lanes and copies. Returns whether barriers may open. */
static __attribute__((noinline)) bool act(struct teg_engine *e, struct teg_warp *warp,
                                          const struct teg_op *op, teg_time now)
{
    uint32_t on = step_slot(&warp->steps, warp->step)->on;
    if (op->flags & TRACE_EXIT) teg_lanes_leave(e, warp, on, now);
    if (op->kind == OP_KIND_COPY_COMMIT) teg_copy_commit(&warp->copies);
    if (op->kind != OP_KIND_BARRIER) return false;
    e->out->barrier_waits += teg_come_to_barrier(warp, op->insn, on);
    return true;
}

/* is_plain: nobody watches, and neither words nor active lanes say what takes how long. is_counted: stall reasons are
 * asked for. */
static inline __attribute__((always_inline)) void issue(struct teg_engine *e,
                                                        struct teg_scheduler *s,
                                                        struct teg_warp *warp, teg_time now,
                                                        const bool is_plain, const bool is_counted)
{
    unsigned unit = s->units[warp->place];
    struct teg_block *block = warp->block;
    const struct teg_op *op = warp->op;
    teg_time *stalls = op->stalls, done, more = 0;
    struct teg_wait wait = {.since = now};
    struct teg_op part;
    bool opens = false;
    if (is_counted && (warp->issued + e->interval != now || !is_plain)) {
        wait = split_wait(e, warp, op, s->states[unit].ready, now);
        count_stalls(stalls, wait);
    }
    if (!is_plain && e->machine->merges) {
        part = teg_price_part(warp, op);
        op = &part;
        s->slot = now + teg_lanes_part(warp, e->interval);
    }
    if (is_counted && warp->issued != now) /* else it is the second of a pair */
        stalls[TEG_STALL_SELECTED] += e->interval;
    if (op->kind == OP_KIND_SHARED || op->kind == OP_KIND_GLOBAL)
        done = issue_memory(e, s, warp, op, now);
    else if (op->flags & TRACE_SHARED_OPERAND)
        done = issue_with_operand(e, s, warp, op, now);
    else
        done = take_unit(e, s, op->unit, unit, now, op->busy) + op->latency;
    if (!is_plain && e->words)
        more = follow_word(e, s, warp, op, now, done);
    else
        write_results(warp, op, done);
    if (!is_plain && e->setup->observer) observe(e, s, warp, op, wait, done);
    e->out->issued++;
    warp->issued = now;
    warp->again = now + op->same_warp + more;
    if (op->acts) opens = act(e, warp, op, now);
    if (take_step(e, s, warp, now))
        stay_or_sleep(s, warp);
    else
        teg_set_out(s, warp);
    if (opens && block->used) teg_open_barriers(e, block, done);
}

void teg_issue(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp, teg_time now)
{
    if (!e->is_plain)
        issue(e, s, warp, now, false, true);
    else if (e->setup->without_stalls)
        issue(e, s, warp, now, true, false);
    else
        issue(e, s, warp, now, true, true);
}
