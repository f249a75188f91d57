// SPDX-License-Identifier: Apache-2.0
/* What the timing engine keeps while it runs; its parts alone see it (teg_engine.h says how to use the
 * engine).
 *
 *     teg_engine.c  SMs from event to event
 *     teg_issue.c   which scheduler decides, which warp it takes, and what that instruction costs
 *     teg_serve.c   units, memory and caches that serve an instruction
 *     teg_blocks.c  blocks and warps from launch to retirement, barriers
 *     teg_steps.c   the trace as steps, in the order in which they issue
 *     teg_copy.c    asynchronous copies of a warp
 *     teg_phases.c  phases of mbarrier objects
 *     teg_price.c   static instructions with their prices
 *     teg_words.c   native code that says itself when to issue */
#ifndef MODEL_TEG_STATE_H
#define MODEL_TEG_STATE_H

#include "model/teg/teg_atomics.h"
#include "model/teg/teg_engine.h"
#include "model/teg/teg_fetch.h"
#include "model/teg/teg_steps.h"

enum { TEG_BARRIERS = 16 };

enum op_kind {
    OP_KIND_PLAIN,
    OP_KIND_SHARED,
    OP_KIND_GLOBAL,
    OP_KIND_FENCE,
    OP_KIND_COPY_WAIT,
    OP_KIND_BARRIER, /* does more than to go on; the next, too */
    OP_KIND_COPY_COMMIT,
    OP_KIND_BULK /* copy in bulk */
};

/* What an instruction waits for besides registers: bits. */
enum { TEG_WAITS_ACCESSES = 1, TEG_WAITS_COPIES = 2, TEG_WAITS_LOADS = 4 };

/* A time and, in its low bits, who made the result that is there then (enum teg_maker) and what one waits for
 * until then (enum teg_stall): one number, so that the later of two is found without a branch. */
typedef int64_t teg_end;

/* Pipes whose results are forwarded to themselves sooner than to others; compares are of the second. */
enum teg_maker { TEG_MAKER_OTHER, TEG_MAKER_FMA, TEG_MAKER_ALU, TEG_MAKER_COMPARE };
enum { TEG_CAUSE_VALUES = 16, TEG_MAKER_VALUES = 4, TEG_END_TICK = 64 };

/* Who reads a result, and, as a bit, whether it does so as a guard. */
enum teg_reader {
    TEG_READER_OTHER,
    TEG_READER_FMA,
    TEG_READER_ALU,
    TEG_READER_SPECIAL,
    TEG_READER_MEMORY,
    TEG_READER_GUARDED = 8,
    TEG_READER_VALUES = 16
};

/* What the word of a native instruction says (isa/insn.h). */
struct teg_word {
    teg_time read;         /* from its turn until its sources are read */
    uint8_t awaited;       /* set of counters */
    uint8_t writes, reads; /* counters; TEG_SPARE_COUNTER: none */
    uint8_t reuse;
    uint8_t slots[CONTROL_SLOTS]; /* registers that it reads from the banks */
    uint8_t bank_reads[2];        /* how many, by bank, if the operand cache has none of them */
    bool has_slots;
};
enum { TEG_COUNTERS = CONTROL_COUNTERS + 1, TEG_SPARE_COUNTER = CONTROL_COUNTERS };

/* Register banks of a part: even and odd registers. Each gives one register a cycle; an instruction reads its
 * registers within three. */
enum { TEG_BANKS = 2, TEG_READ_CYCLES = 3 };
struct teg_operand {
    uint64_t warp; /* its age + 1; 0: nothing */
    uint8_t reg;
};
struct teg_banks {
    teg_time free[TEG_BANKS];
    struct teg_operand kept[TEG_BANKS][CONTROL_SLOTS];
};

/* A static instruction with its price. */
struct teg_op {
    const struct trace_insn *insn;
    teg_time *stalls; /* [TEG_STALL_COUNT] of teg_result.insn_stalls */
    const teg_end
        *forward; /* in engine.forward: what it waits longer for results; NULL: for none */
    teg_time busy, latency, same_warp;
    uint8_t kind, read_count, write_count;
    uint8_t unit;        /* that must be free */
    uint8_t part;        /* all bits: it is one of the warp's part of the SM; 0: of the whole SM */
    uint8_t also;        /* kept busy too: arithmetic with an operand in shared memory */
    uint8_t throttle;    /* enum teg_stall: stall reason of warps that wait for its unit */
    uint8_t cause;       /* and for its result */
    uint8_t flags;       /* enum trace_flags */
    uint8_t open_groups; /* of copies that are not waited for */
    uint16_t waited_count; /* of the registers, those that it waits for */
    uint8_t waits;         /* TEG_WAITS_... */
    bool acts;             /* on lanes, barriers or copies of its warp */
    bool reads_parameters; /* from the constant bank */
    uint8_t made;          /* of teg_end, of its results: enum teg_maker and cause */
    uint32_t line;         /* of the code; 0 if the fetch is not modelled */
};

_Static_assert((int)TEG_STALL_COUNT <= (int)TEG_CAUSE_VALUES, "a cause has four bits");

static inline teg_end teg_end_of(teg_time time, unsigned cause)
{
    return time * TEG_END_TICK + cause;
}

static inline teg_time teg_end_time(teg_end end)
{
    return (teg_time)((uint64_t)end / TEG_END_TICK);
}

static inline uint8_t teg_end_cause(teg_end end)
{
    return (uint8_t)((uint64_t)end % TEG_CAUSE_VALUES);
}

/* Asynchronous copies of a warp. Groups beyond those kept count as complete. */
enum { TEG_COPY_GROUPS = 16 };
struct teg_copies {
    teg_time last;                    /* the last of those so far is done */
    teg_time groups[TEG_COPY_GROUPS]; /* the same when each group was committed, in turn */
    unsigned count;
};

struct teg_warp {
    const struct step_place *step; /* to be issued next */
    const struct teg_op *op;       /* of the step */
    struct step_cursor steps;
    teg_end *registers; /* when each is ready, by register and copy */
    teg_time issued, again, last_access, begun;
    teg_end operands;               /* of the step */
    teg_end loads;                  /* the last of its loads */
    teg_end counters[TEG_COUNTERS]; /* of native code: when each is free */
    teg_end done;                   /* the last of its results; then its time as it leaves */
    uint64_t age;
    struct teg_block *block;
    uint64_t bit; /* of its place, in that word of the scheduler's sets */
    unsigned word, place;
    uint32_t index;         /* in its block */
    uint32_t left, arrived; /* lanes that have left, that have come to the open barrier */
    uint32_t threads;
    uint32_t line;       /* of the code, that it is in; TEG_NO_LINE: it begins */
    uint8_t waiting_for; /* barrier + 1; TEG_PHASE */
    uint64_t phase;      /* and which, */
    uint32_t parts;      /* of how many parts */
    uint8_t first_unit;  /* index of the first unit of its part of the SM */
    bool alive;
    struct teg_copies copies;
};

#define TEG_NO_LINE UINT32_MAX
enum { TEG_PHASE = TEG_BARRIERS + 1 };

struct teg_barrier {
    uint32_t lanes;  /* that have come */
    uint32_t wanted; /* 0: all of the block */
};

struct teg_block {
    struct teg_sm *sm;
    uint64_t index;                   /* in the order of launch */
    uint64_t *shifts;                 /* added to its global addresses (teg_deal.h) */
    const struct trace_block *traced; /* that stands for it */
    double stretch;                   /* teg_deal.h */
    teg_time begun;
    uint32_t live_warps, live_lanes;
    struct teg_barrier barriers[TEG_BARRIERS];
    uint32_t open;            /* set of barriers to which lanes have come */
    struct hash_table phases; /* of mbarrier objects: struct teg_phase */
    struct teg_warp **warps;  /* [warps_per_block] */
    bool used;
};

/* Taken until `free`; others may issue to it from `ready` on, which is that in whole cycles: what is
 * left of a cycle waits in the unit. */
struct teg_unit_state {
    teg_time free, ready;
};

/* A warp whose operands will be there. */
struct teg_sleeper {
    teg_time ready;
    unsigned place;
};

/* A warp is asleep until its operands are there, then awake; one that waits at a barrier or has left is
 * neither. Sets of places are bits of 64-bit words. */
struct teg_scheduler {
    const struct teg_sm *sm;
    teg_time slot;                 /* its last issue and the interval: it issues no sooner */
    uint64_t issued;               /* number of its last issue, of those of all schedulers */
    bool is_woken;                 /* may issue in the next round, which is at the same time */
    uint8_t *units;                /* by place: that the warp there needs */
    struct teg_warp *warps;        /* by place */
    struct teg_unit_state *states; /* of the SM, by unit index */
    unsigned count, words, last;
    unsigned blocked_by; /* unit that stalls all awake warps; 0: unknown */
    unsigned sleeper_count;
    struct teg_sleeper *sleepers; /* who wakes first is last, behind a sentinel */
    uint64_t *awake;              /* [words] */
    uint64_t *by_unit;            /* [units][words] places by the unit that they need */
    uint64_t *left;               /* [words] of those awake, who may still be chosen */
    struct teg_banks banks;
    uint64_t *younger; /* by place: of up to 64 places, those whose warp is younger */
};

struct teg_sm {
    unsigned index;
    struct teg_scheduler *schedulers; /* its part of the engine's */
    struct teg_unit_state *units;     /* by unit index */
    struct teg_block *blocks;         /* resident */
    unsigned warps;                   /* launched; for setup.warps_per_sm */
    teg_time *next_leaves;            /* in engine.leaves: when the first of `leaving` is gone */
    struct teg_fetch fetch;
    struct teg_queue *queues;  /* [parts] */
    teg_time dealt;            /* not before this does the next block begin */
    teg_time path;             /* of memory instructions: free */
    teg_time bulk;             /* the unit of copies in bulk takes the next one */
    struct teg_warp **leaving; /* have nothing more to issue, but results to wait for */
    unsigned leaving_count;
};

/* When a scheduler can issue at the earliest. */
struct teg_turn {
    teg_time next;
    struct teg_scheduler *scheduler;
};

struct teg_engine {
    const struct teg_setup *setup;
    struct step_table steps;
    size_t
        warp_registers; /* of teg_warp.registers: with a copy for each iteration in native order */
    const struct teg_machine *machine;
    const struct trace *trace;
    teg_time interval; /* machine.interval */
    struct teg_op *ops;
    struct teg_word *words; /* of native code; NULL: registers tell when an instruction may issue */
    teg_end forward[TEG_READER_VALUES][TEG_MAKER_VALUES];
    struct teg_sm *sms;
    struct teg_scheduler *schedulers; /* of all SMs, SM by SM */
    struct teg_turn *turns; /* by time; those at the same time, least recently issued first */
    teg_time *leaves;       /* by SM: when the first of its warps is gone */
    teg_time first_leaves;  /* of `leaves` */
    teg_time now;           /* of the round: each scheduler that can issue then has one turn */
    uint64_t issues, round; /* of schedulers: until now, until the round began */
    bool has_woken;         /* some scheduler is_woken */
    unsigned scheduler_count;
    struct teg_memory memory;
    struct teg_access_table accesses;
    struct teg_atomics atomics;
    struct teg_result *out;
    bool is_watched; /* somebody wants spans */
    bool is_plain;   /* nobody watches; neither words nor active lanes say what takes how long */
    uint64_t next_block, ages;
    struct teg_deal deal;
    uint32_t warps_per_block;
    unsigned running; /* blocks */
};

static inline teg_time later(teg_time a, teg_time b)
{
    return a > b ? a : b;
}

static inline teg_time sooner(teg_time a, teg_time b)
{
    return a < b ? a : b;
}

static inline teg_time whole_cycles_down(teg_time t)
{
    return (teg_time)((uint64_t)t / TEG_CYCLE * TEG_CYCLE); /* no time is negative */
}

/* Index of a unit among those of the SM: each part has its own, but for those of the whole SM, which are
 * with the first part's. */
static inline unsigned teg_unit_index(const struct teg_warp *warp, const struct teg_op *op)
{
    return op->unit + (unsigned)(warp->first_unit & op->part);
}

/* ---- teg_price.c ----------------------------------------------------------------------------- */

void teg_price(const struct teg_engine *e, const struct trace_insn *insn, struct teg_op *op);
/* What readers wait longer for results of other pipes. */
void teg_price_forwarding(struct teg_engine *e);
/* Where each instruction lies in the native code, and which read parameters; returns the number of
 * instructions there. */
uint32_t teg_lay_out_code(struct teg_engine *e);
/* Is every lane of the warp active in the step at hand? */
static inline bool teg_has_all_lanes(const struct teg_warp *warp)
{
    return !(warp->threads & ~warp->steps.whole.on);
}
/* Of `time`, what falls to the active lanes of the step at hand of a warp: effect `divergence` switched off. */
teg_time teg_lanes_part(const struct teg_warp *warp, teg_time time);
/* The step's price likewise. */
struct teg_op teg_price_part(const struct teg_warp *warp, const struct teg_op *op);

/* ---- teg_words.c ----------------------------------------------------------------------------- */

/* If the words are followed; changes the prices. */
void teg_words_init(struct teg_engine *e);
/* The last of the counters that the word waits for. */
static inline teg_end teg_words_operands(const struct teg_warp *warp, const struct teg_word *word)
{
    teg_end operands = teg_end_of(0, TEG_STALL_WAIT);
    for (unsigned left = word->awaited; left; left &= left - 1) {
        teg_end end = warp->counters[(unsigned)__builtin_ctz(left)];
        operands = operands > end ? operands : end;
    }
    return operands;
}
/* It issued: `turn` is when its unit takes it, `done` when its result is there. */
void teg_words_issue(struct teg_warp *warp, const struct teg_op *op, const struct teg_word *word,
                     teg_time turn, teg_time done);
/* Cycles for which its registers hold up the scheduler. */
teg_time teg_words_read(struct teg_scheduler *s, const struct teg_warp *warp,
                        const struct teg_word *word, teg_time now);

/* ---- asleep and awake ------------------------------------------------------------------------ */

/* Who is awake may need another unit than before. */
static inline void teg_stay_awake(struct teg_scheduler *s, unsigned place)
{
    if (s->units[place] != s->blocked_by) s->blocked_by = 0;
}

static inline void teg_set_awake(struct teg_scheduler *s, unsigned place)
{
    s->awake[place / 64] |= UINT64_C(1) << place % 64;
    teg_stay_awake(s, place);
}

/* Neither awake nor asleep. */
static inline void teg_set_out(struct teg_scheduler *s, const struct teg_warp *warp)
{
    s->awake[warp->word] &= ~warp->bit;
}

static inline void teg_sleep(struct teg_scheduler *s, unsigned place, teg_time ready)
{
    struct teg_sleeper *at = &s->sleepers[s->sleeper_count++];
    for (; at->ready < ready; at--)
        at[1] = at[0];
    at[1] = (struct teg_sleeper){ready, place};
}

/* Awake, or asleep until `ready`; it is neither yet. */
static inline void teg_put(struct teg_scheduler *s, unsigned place, teg_time ready)
{
    if (ready <= s->slot)
        teg_set_awake(s, place);
    else
        teg_sleep(s, place, ready);
}

/* The warp at `place` is the youngest now. */
static inline void teg_set_youngest(struct teg_scheduler *s, unsigned place)
{
    if (s->words > 1) return; /* by age */
    for (unsigned i = 0; i < s->count; i++)
        s->younger[i] |= UINT64_C(1) << place;
    s->younger[place] = 0;
}

/* ---- teg_phases.c ---------------------------------------------------------------------------- */

/* A step has ended its part of the phase that the base of its access tells of. */
void teg_phase_part(struct teg_engine *e, struct teg_block *block, uint64_t base, teg_time done);
/* A wait that saw the phase end: when it has; TEG_NEVER: its warp is told. */
teg_time teg_phase_wait(struct teg_warp *warp, uint64_t base, teg_time now);
/* The warp need not wait any longer. */
void teg_release_phase(struct teg_engine *e, struct teg_warp *warp, teg_time now);

/* ---- teg_blocks.c ---------------------------------------------------------------------------- */

/* Which scheduler a warp of resident block `block` belongs to, and its place there. */
struct teg_scheduler *teg_place(const struct teg_engine *e, const struct teg_sm *sm, unsigned block,
                                uint32_t warp, unsigned *out_place);
/* The warp may issue at `ready`, which its scheduler did not know. */
void teg_wake(struct teg_engine *e, const struct teg_warp *warp, teg_time ready);
/* The next block of the cluster's queue on this SM, if there is one and room for it. */
bool teg_launch_block(struct teg_engine *e, struct teg_sm *sm, teg_time now);
/* The warp has nothing more to issue. */
void teg_begin_leaving(struct teg_engine *e, struct teg_warp *warp);
/* The warps leave that have nothing to wait for any more. */
void teg_leave(struct teg_engine *e, struct teg_sm *sm, teg_time now);
/* These warps have exited; barriers no longer wait for them. */
void teg_lanes_leave(struct teg_engine *e, struct teg_warp *warp, uint32_t lanes, teg_time now);
/* Must the warp wait? It does when all its lanes have come; splits of it come one after the other. */
bool teg_come_to_barrier(struct teg_warp *warp, const struct trace_insn *insn, uint32_t on);
/* Lets the warps go on whose barrier has all that it waits for. */
void teg_open_barriers(struct teg_engine *e, struct teg_block *block, teg_time now);
void teg_release_barrier(struct teg_engine *e, struct teg_block *block, unsigned id, teg_time now);

/* ---- teg_copy.c ------------------------------------------------------------------------------ */

void teg_copy_add(struct teg_copies *copies, teg_time done);
void teg_copy_commit(struct teg_copies *copies);
/* When all groups are done but the last `open`. */
teg_time teg_copy_ready(const struct teg_copies *copies, unsigned open);

/* ---- teg_issue.c ----------------------------------------------------------------------------- */

/* The scheduler may issue at `next` already; a second turn in a round it does not get. */
void teg_bring_forward(struct teg_engine *e, struct teg_scheduler *s, teg_time next);
/* Schedulers issue from `now` on until warps leave or no scheduler can issue; returns when that is, or TEG_NEVER. */
teg_time teg_take_turns(struct teg_engine *e, teg_time now);
/* The warp's first step is at hand, at `now`. */
void teg_begin(struct teg_engine *e, struct teg_scheduler *s, struct teg_warp *warp, teg_time now);

#endif
