// SPDX-License-Identifier: Apache-2.0
/* Who serves an instruction once it issues: units of the SM, its shared memory, the memory outside, and the caches
 * that its line and its parameters come from. For teg_issue.c. */
#ifndef MODEL_TEG_SERVE_H
#define MODEL_TEG_SERVE_H

#include "model/teg/teg_state.h"

/* Tells the observer of a unit that is busy, of an instruction that issues. */
void teg_watch_unit(const struct teg_engine *e, const struct teg_scheduler *s, unsigned unit,
                    teg_time begin, teg_time end);
void teg_observe(struct teg_engine *e, const struct teg_scheduler *s, const struct teg_warp *warp,
                 const struct teg_op *op, struct teg_wait wait, teg_time done);

/* Each returns when the result is there. Arithmetic with an operand in shared memory: */
teg_time teg_serve_operand(struct teg_engine *e, struct teg_scheduler *s,
                           const struct teg_warp *warp, const struct teg_op *op, teg_time now);
/* An access to global or local memory. */
teg_time teg_serve_global(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                          const struct trace_access *access, const struct trace_insn *insn,
                          teg_time now);
/* An asynchronous copy; or not one access, of an instruction that nobody executed or that reached several spaces. */
teg_time teg_serve_accesses(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                            const struct trace_slot *slot, const struct trace_insn *insn,
                            teg_time now);

/* What a step of the warp accesses; `one` is room for one. */
const struct trace_access *teg_accesses_of(const struct teg_warp *warp,
                                           const struct trace_slot *slot, struct trace_access *one,
                                           uint32_t *out_count);
/* A copy in bulk: its unit asks the memory for piece after piece, no more than that takes, beside the warps. */
teg_time teg_serve_bulk(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                        const struct trace_insn *insn, teg_time now);
/* The results, there at `done`, of a product that goes on while its warp does: it also reads shared memory. */
void teg_serve_product(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                       const struct teg_op *op, teg_time now, teg_time done);

/* When the instruction itself is there, for a warp that comes to its line at `now`. */
teg_end teg_fetch_step(struct teg_warp *warp, uint32_t line, teg_time now);
/* When its parameters are there; it asks for them when it could issue. */
teg_end teg_fetch_parameters(const struct teg_warp *warp, teg_end operands);

/* Keeps a unit busy from when it is free; returns when it begins. `index` is the unit's of the warp's
 * part of the SM. */
static inline teg_time teg_take_unit(struct teg_engine *e, struct teg_scheduler *s, unsigned unit,
                                     unsigned index, teg_time now, teg_time busy)
{
    struct teg_unit_state *state = &s->states[index];
    if (unit == TEG_NONE) return now;
    teg_time begin = later(now, state->free), until = begin + busy;
    e->out->unit_busy[unit] += busy;
    if (e->is_watched) teg_watch_unit(e, s, unit, begin, until);
    state->free = until;
    state->ready = whole_cycles_down(until);
    return begin;
}

/* Lanes of an atomic on one word take turns, unless they are counted: how many wait for others. */
static inline unsigned teg_turns_of(const struct teg_engine *e, const struct teg_request *request,
                                    const struct trace_insn *insn)
{
    bool is_counted = insn->flags & TRACE_ADDED_UP && e->machine->counts_lanes;
    return is_counted ? 0 : request->same_word - 1;
}

/* An access to shared memory. */
static inline teg_time teg_serve_shared(struct teg_engine *e, struct teg_scheduler *s,
                                        const struct trace_access *access,
                                        const struct trace_insn *insn, teg_time now)
{
    const struct teg_machine *machine = e->machine;
    const struct teg_request *request = teg_access_find(&e->accesses, access);
    unsigned turns = 0, more = request->passes - request->least_passes;
    teg_time busy = request->passes * machine->pass, latency = machine->shared_latency;
    if (insn->operation == TRACE_ATOMIC) {
        turns = teg_turns_of(e, request, insn);
        busy += turns * machine->shared_turn;
        latency += turns * later(machine->replay, machine->shared_turn);
    }
    e->out->conflicts += more + turns;
    return teg_take_unit(e, s, TEG_SHARED, TEG_SHARED, now, busy) + latency +
           more * machine->replay;
}

static inline __attribute__((always_inline)) teg_time
teg_serve_access(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp,
                 const struct trace_access *access, const struct trace_insn *insn, teg_time now)
{
    unsigned space = e->trace->patterns[access->pattern].space;
    if (space == SPACE_SHARED) return teg_serve_shared(e, s, access, insn, now);
    bool is_outside = space == SPACE_GLOBAL || space == SPACE_LOCAL;
    return is_outside ? teg_serve_global(e, s, warp, access, insn, now) : now;
}

#endif
