// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_serve.h"

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
issue_memory(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
             const struct teg_op *op, teg_time now)
{
    const struct trace_insn *insn = op->insn;
    const struct trace_slot *slot = step_slot(&warp->steps, warp->step);
    if (op->unit == TEG_ADDRESS)
        now = take_path(e, s, warp, op->kind == OP_KIND_SHARED ? TEG_SHARED : TEG_GLOBAL, now);
    const struct trace_access access = {slot->pattern, slot->base};
    bool is_copy = insn->flags & TRACE_TO_SHARED;
    bool is_one = slot->pattern != TRACE_NO_PATTERN && !is_copy;
    teg_time done = is_one ? teg_serve_access(e, s, warp, &access, insn, now)
                           : teg_serve_accesses(e, s, warp, slot, insn, now);
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
                                    const struct teg_op *op, const bool is_plain)
{
    if (!is_plain && e->words) {
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
    by_unit[s->units[place] * s->words] &= ~warp->bit;
    by_unit[unit * s->words] |= warp->bit;
    s->units[place] = (uint8_t)unit;
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

/* The next step is at hand, for a warp that comes to it at `now`. Returns false at the end: then the warp leaves. */
static inline __attribute__((always_inline)) bool take_step(struct teg_engine *e,
                                                            struct teg_scheduler *s,
                                                            struct teg_warp *warp, teg_time now,
                                                            const bool is_plain)
{
    const struct step_place *step = step_next(&e->steps, &warp->steps, warp->registers);
    if (!step) {
        teg_begin_leaving(e, warp);
        return false;
    }
    const struct teg_op *op = &e->ops[step->insn];
    warp->step = step;
    warp->op = op;
    teg_end operands = find_operands(e, warp, op, is_plain);
    if (op->line != warp->line && !is_at_hand(warp, op->line, now))
        operands = later(operands, teg_fetch_step(warp, op->line, now));
    if (op->reads_parameters) operands = later(operands, teg_fetch_parameters(warp, operands));
    warp->operands = operands;
    set_unit(s, warp, warp->place, teg_unit_index(warp, op));
    return true;
}

void teg_begin(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp, teg_time now)
{
    if (take_step(e, s, warp, now, e->is_plain))
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

/* An operation on an mbarrier object. */
static void act_on_phase(struct teg_engine *e, struct teg_warp *warp, const struct teg_op *op,
                         teg_time done)
{
    uint32_t count;
    struct trace_access one;
    const struct trace_access *accesses =
        teg_accesses_of(warp, step_slot(&warp->steps, warp->step), &one, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t base = accesses[i].base;
        if (op->insn->async == TRACE_PHASE) {
            teg_phase_part(e, warp->block, base, done);
            continue;
        }
        teg_time ended = teg_phase_wait(warp, base, done);
        if (ended == TEG_NEVER) return;
        write_results(warp, op, ended);
        if (e->words)
            warp->again = later(warp->again, ended); /* its counter is taken to be free by then */
    }
}

/* What the step does beside taking its time: for the warp's lanes and copies. Returns whether barriers may open. */
static __attribute__((noinline)) bool act(struct teg_engine *e, struct teg_scheduler *s,
                                          struct teg_warp *warp, const struct teg_op *op,
                                          teg_time now, teg_time done)
{
    uint32_t on = step_slot(&warp->steps, warp->step)->on;
    if (op->insn->async == TRACE_PRODUCT) teg_serve_product(e, s, warp, op, now, done);
    if (op->insn->async >= TRACE_PHASE) act_on_phase(e, warp, op, done);
    if (op->flags & TRACE_EXIT) teg_lanes_leave(e, warp, on, now);
    if (op->kind == OP_KIND_COPY_COMMIT) teg_copy_commit(&warp->copies);
    if (op->kind != OP_KIND_BARRIER) return false;
    e->out->barrier_waits += teg_come_to_barrier(warp, op->insn, on);
    return true;
}

/* is_plain: nobody watches, and neither words nor active lanes say what takes how long. is_counted: stall reasons are
 * asked for, or somebody watches. */
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
    if (!is_plain && e->machine->merges) s->slot = now + e->interval;
    if (!is_plain && e->machine->merges && !teg_has_all_lanes(warp)) {
        part = teg_price_part(warp, op);
        op = &part;
        s->slot = now + teg_lanes_part(warp, e->interval);
    }
    if (is_counted && warp->issued != now) /* else it is the second of a pair */
        stalls[TEG_STALL_SELECTED] += e->interval;
    if (op->kind == OP_KIND_SHARED || op->kind == OP_KIND_GLOBAL)
        done = issue_memory(e, s, warp, op, now);
    else if (op->kind == OP_KIND_BULK)
        done = teg_serve_bulk(e, s, warp, op->insn, now);
    else if (op->flags & TRACE_SHARED_OPERAND)
        done = teg_serve_operand(e, s, warp, op, now);
    else
        done = teg_take_unit(e, s, op->unit, unit, now, op->busy) + op->latency;
    if (!is_plain && e->words)
        more = follow_word(e, s, warp, op, now, done);
    else
        write_results(warp, op, done);
    if (!is_plain && e->setup->observer) teg_observe(e, s, warp, op, wait, done);
    e->out->issued++;
    warp->issued = now;
    warp->again = now + op->same_warp + more;
    if (op->acts) opens = act(e, s, warp, op, now, done);
    if (take_step(e, s, warp, now, is_plain))
        stay_or_sleep(s, warp);
    else
        teg_set_out(s, warp);
    if (opens && block->used) teg_open_barriers(e, block, done);
}

/* ---- schedulers ------------------------------------------------------------------------------ */

/* When the first of those asleep wakes. */
static inline teg_time first_wakes(const struct teg_scheduler *s)
{
    return s->sleepers[s->sleeper_count].ready;
}

/* Who has slept for long enough. */
static inline void wake_up(struct teg_scheduler *s, teg_time now)
{
    while (first_wakes(s) <= now)
        teg_set_awake(s, s->sleepers[s->sleeper_count--].place);
}

/* The first of `places` from `first` on, or -1. */
static inline int next_place(const uint64_t *places, unsigned words, unsigned first)
{
    for (unsigned word = first / 64; word < words; word++) {
        uint64_t rest = places[word];
        if (word == first / 64) rest &= ~UINT64_C(0) << first % 64;
        if (rest) return (int)(word * 64 + (unsigned)__builtin_ctzll(rest));
    }
    return -1;
}

/* The next in turn after the last one whose unit is free; *out_next is when a unit of others is. */
static int next_in_turn(struct teg_scheduler *s, teg_time now, teg_time *out_next)
{
    unsigned words = s->words;
    for (unsigned word = 0; word < words; word++)
        s->left[word] = s->awake[word];
    for (;;) {
        int place = next_place(s->left, words, s->last + 1);
        if (place < 0) place = next_place(s->left, words, 0);
        if (place < 0) return -1;
        unsigned unit = s->units[place];
        teg_time free_at = s->states[unit].ready;
        if (free_at <= now) return place;
        if (free_at < *out_next) *out_next = free_at;
        for (unsigned word = 0; word < words; word++)
            s->left[word] &= ~s->by_unit[unit * words + word];
    }
}

/* The youngest of places, at least one. */
static inline unsigned youngest_of_64(const struct teg_scheduler *s, uint64_t places)
{
    unsigned place = 63 - (unsigned)__builtin_clzll(places);
    for (uint64_t rest; (rest = places & s->younger[place]);)
        place = 63 - (unsigned)__builtin_clzll(rest);
    return place;
}

/* Behind the last one, else from the first on. */
static inline unsigned next_of_64(const struct teg_scheduler *s, uint64_t places)
{
    uint64_t behind = places & ~UINT64_C(1) << s->last;
    return (unsigned)__builtin_ctzll(behind ? behind : places);
}

/* The first of up to 64 places whose unit is free, in turn or the youngest first; *out_next is when a unit of
 * others is. */
static inline int first_of_64(struct teg_scheduler *s, bool is_youngest, teg_time now,
                              teg_time *out_next)
{
    uint64_t left = *s->awake;
    unsigned unit = 0;
    while (left) {
        unsigned place = is_youngest ? youngest_of_64(s, left) : next_of_64(s, left);
        unit = s->units[place];
        teg_time free_at = s->states[unit].ready;
        if (free_at <= now) return (int)place;
        *out_next = sooner(*out_next, free_at);
        left &= ~s->by_unit[unit];
    }
    s->blocked_by = *s->awake & ~s->by_unit[unit] ? 0 : unit;
    return -1;
}

static int by_age(const struct teg_scheduler *s, bool is_oldest, teg_time now, teg_time *out_next)
{
    int best = -1;
    for (int place = next_place(s->awake, s->words, 0); place >= 0;
         place = next_place(s->awake, s->words, (unsigned)place + 1)) {
        teg_time free_at = s->states[s->units[place]].ready;
        if (free_at > now)
            *out_next = sooner(*out_next, free_at);
        else if (best < 0 || (s->warps[place].age < s->warps[best].age) == is_oldest)
            best = place;
    }
    return best;
}

/* The warp that issues at `now`; -1: none, and *out_next is when one can. */
static inline __attribute__((always_inline)) int
select_warp(struct teg_scheduler *s, enum teg_policy policy, teg_time now, teg_time *out_next)
{
    unsigned last = s->last;
    wake_up(s, now);
    *out_next = first_wakes(s);
    if (s->blocked_by && s->states[s->blocked_by].ready > now) {
        *out_next = sooner(*out_next, s->states[s->blocked_by].ready);
        return -1;
    }
    if (policy == TEG_ROUND_ROBIN)
        return s->words == 1 ? first_of_64(s, false, now, out_next)
                             : next_in_turn(s, now, out_next);
    bool is_awake = s->awake[last / 64] >> last % 64 & 1;
    if (policy != TEG_OLDEST && is_awake && s->states[s->units[last]].ready <= now)
        return (int)last;
    if (policy == TEG_GREEDY_YOUNGEST && s->words == 1) return first_of_64(s, true, now, out_next);
    return by_age(s, policy != TEG_GREEDY_YOUNGEST, now, out_next);
}

/* Before this it cannot issue: nobody wakes, and units that those awake need are taken. `last` has issued before. */
static inline teg_time next_decision(const struct teg_scheduler *s, const struct teg_warp *last)
{
    teg_time next = first_wakes(s);
    bool is_awake = s->awake[last->word] & last->bit;
    if (is_awake && s->states[s->units[last->place]].ready <= s->slot) return s->slot;
    if (s->words > 1) return next_place(s->awake, s->words, 0) < 0 ? later(s->slot, next) : s->slot;
    for (uint64_t left = *s->awake; left && next > s->slot;) {
        unsigned unit = s->units[(unsigned)__builtin_ctzll(left)];
        next = sooner(next, s->states[unit].ready);
        left &= ~s->by_unit[unit];
    }
    return later(s->slot, next);
}

/* One decision: has anyone issued? Pairs of independent instructions of one warp issue together where the GPU can.
 * *out_next: not before this can it issue. */
static inline __attribute__((always_inline)) bool decide(struct teg_engine *e,
                                                         struct teg_scheduler *s, teg_time now,
                                                         teg_time *out_next, const bool is_plain,
                                                         const bool is_counted)
{
    int place = select_warp(s, e->machine->policy, now, out_next);
    if (place < 0) return false;
    struct teg_warp *warp = &s->warps[place];
    s->last = (unsigned)place;
    s->slot = now + e->interval;
    for (unsigned left = e->machine->width;;) {
        issue(e, s, warp, now, is_plain, is_counted);
        bool is_there = --left && warp->alive && !warp->waiting_for && warp->again <= s->slot &&
                        teg_end_time(warp->operands) <= now;
        if (!is_there || s->states[s->units[place]].ready > now) break;
    }
    *out_next = next_decision(s, warp);
    return true;
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* First the scheduler that has issued nothing for longest: they share units, and none may always be the first to take
 * them. */
static inline bool is_before(const struct teg_turn *a, const struct teg_turn *b)
{
    return a->next < b->next || (a->next == b->next && a->scheduler->issued < b->scheduler->issued);
}

/* The first turn becomes another one, behind those that come before it. */
static void move_first(struct teg_engine *e, const struct teg_turn to)
{
    struct teg_turn *at = e->turns, *last = at + e->scheduler_count - 1;
    for (; at < last && is_before(at + 1, &to); at++)
        *at = at[1];
    *at = to;
}

/* The same of one that has issued, behind all others at its time: without a branch that depends on how far that is. */
static inline void move_issued(struct teg_engine *e, struct teg_scheduler *scheduler, teg_time next)
{
    struct teg_turn *at = e->turns, *last = at + e->scheduler_count - 1;
    const teg_time own = next;
    scheduler->issued = ++e->issues;
    for (; at < last; at++) {
        teg_time other = at[1].next;
        struct teg_scheduler *of_other = at[1].scheduler;
        bool is_first = other <= own;
        at->next = is_first ? other : next;
        at->scheduler = is_first ? of_other : scheduler;
        next = is_first ? next : other;
        scheduler = is_first ? scheduler : of_other;
    }
    at->next = next;
    at->scheduler = scheduler;
}

/* A turn comes sooner. */
static void move_up(struct teg_engine *e, struct teg_turn *at, teg_time next)
{
    const struct teg_turn to = {next, at->scheduler};
    for (; at > e->turns && is_before(&to, at - 1); at--)
        *at = at[-1];
    *at = to;
}

void teg_bring_forward(struct teg_engine *e, struct teg_scheduler *s, teg_time next)
{
    struct teg_turn *turn = e->turns;
    while (turn->scheduler != s)
        turn++;
    if (next >= turn->next) return;
    bool is_over = s->issued > e->round || s->issued < e->turns->scheduler->issued;
    if (next != e->now || !is_over)
        move_up(e, turn, next);
    else
        s->is_woken = e->has_woken = true;
}

/* Those that were woken behind their turn. */
static __attribute__((noinline, cold)) void begin_again(struct teg_engine *e)
{
    for (unsigned i = 0; i < e->scheduler_count; i++) {
        bool is_woken = e->turns[i].scheduler->is_woken;
        e->turns[i].scheduler->is_woken = false;
        if (is_woken) move_up(e, &e->turns[i], e->now);
    }
    e->has_woken = false;
}

/* Rounds follow each other until warps leave. */
static inline __attribute__((always_inline)) teg_time
take_turns(struct teg_engine *e, teg_time now, const bool is_plain, const bool is_counted)
{
    for (e->now = now;; e->now = e->turns->next) {
        e->round = e->issues;
        while (e->turns->next == e->now) {
            struct teg_scheduler *s = e->turns->scheduler;
            teg_time next;
            if (decide(e, s, e->now, &next, is_plain, is_counted))
                move_issued(e, s, next);
            else
                move_first(e, (struct teg_turn){next, s});
        }
        if (e->has_woken) begin_again(e);
        if (e->first_leaves <= e->turns->next) break;
    }
    e->now = TEG_NEVER;
    return e->first_leaves;
}

teg_time teg_take_turns(struct teg_engine *e, teg_time now)
{
    bool is_counted = !e->setup->without_stalls || e->setup->observer;
    if (!e->is_plain)
        return is_counted ? take_turns(e, now, false, true) : take_turns(e, now, false, false);
    return is_counted ? take_turns(e, now, true, true) : take_turns(e, now, true, false);
}
