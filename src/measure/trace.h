// SPDX-License-Identifier: Apache-2.0
/* Warp traces: what each warp of some blocks of a launch executed, in its order, with the
 * addresses. Independent of any machine. Made by the recorder (trace_record.h), from traces of others
 * (src/replay), or by hand with a builder; walked with a cursor a warp.
 *
 *     trace -- insns[]     static instructions, after the view of instructions (isa_view.h)
 *           -- patterns[]  what accesses look like, without their base
 *           -- blocks[]    clusters of neighbours from all over the grid
 *                 -- warps[]   two byte streams (trace_writer.h), read by trace_cursor_next
 *
 *     struct trace_cursor cursor;
 *     trace_cursor_init(&cursor, trace, &trace->blocks[0], 3);
 *     for (struct trace_step step; trace_cursor_next(&cursor, &step);)
 *         use(&trace->insns[step.insn], step.on, step.accesses, step.access_count);
 *     trace_cursor_clear(&cursor);
 */
#ifndef MEASURE_TRACE_H
#define MEASURE_TRACE_H

#include "base/arena.h"
#include "base/memo.h"
#include "emulate/observer.h"
#include "isa/insn.h"
#include "measure/profile.h"

enum trace_operation { TRACE_NO_ACCESS, TRACE_LOAD, TRACE_STORE, TRACE_ATOMIC };

enum trace_barrier {
    TRACE_NO_BARRIER,
    TRACE_BARRIER_SYNC,   /* waits for the others of its block (also bar.red) */
    TRACE_BARRIER_ARRIVE, /* counts as come, goes on */
    TRACE_BARRIER_WARP    /* bar.warp.sync: lanes of the own warp only */
};
#define TRACE_BARRIER_ID_UNKNOWN 255
#define TRACE_BARRIER_ALL 0          /* count: every thread of the block */
#define TRACE_BARRIER_UNKNOWN 0xffff /* count: in a register */

enum trace_flags {
    TRACE_SHARED_OPERAND = 1, /* arithmetic that reads an operand from shared memory: its access */
    TRACE_READ_ONLY = 2,      /* ld.global.nc */
    TRACE_TO_SHARED = 4,      /* asynchronous copy: its accesses to shared memory are stores, the
                               * others loads; writes no register */
    TRACE_EXIT = 8,
    TRACE_BRANCH = 16,
    TRACE_COPY_COMMIT = 32, /* the asynchronous copies since the last one are a group */
    TRACE_COPY_WAIT = 64,   /* for all groups but the last barrier_id */
    /* Atomic that the compiler makes one of for the whole warp, or for a word of shared memory on some
     * GPUs (uniform.h). */
    TRACE_ADDED_UP = 128
};

/* What goes on when the instruction has been issued. An access to an mbarrier object has in the upper half of its base
 * (trace_phase) the phase: of a wait, the one that has ended, with how many steps of the block ended their part of it. */
enum trace_async {
    TRACE_IN_ORDER,
    TRACE_BULK, /* copy in bulk: its last access is the object, if one of the block counts its bytes; else it
                       * belongs to groups as asynchronous copies do */
    TRACE_PRODUCT,    /* wgmma: belongs to such groups */
    TRACE_PHASE,      /* an arrival at an mbarrier object */
    TRACE_PHASE_WAIT, /* a try: it may have failed, then phase 0 */
};
struct trace_phase {
    uint32_t object, number, parts;
};
enum { TRACE_PHASE_BITS = 20, TRACE_PARTS_MAX = (1 << 12) - 1 };
static inline uint64_t trace_phase_base(struct trace_phase phase)
{
    return (uint64_t)phase.parts << (32 + TRACE_PHASE_BITS) | (uint64_t)phase.number << 32 |
           phase.object;
}
static inline struct trace_phase trace_phase_of(uint64_t base)
{
    return (struct trace_phase){(uint32_t)base,
                                (uint32_t)(base >> 32) & ((1u << TRACE_PHASE_BITS) - 1),
                                (uint32_t)(base >> (32 + TRACE_PHASE_BITS))};
}

enum { TRACE_CLOCKS_MAX = 4 }; /* operands of an instruction that are clocks */

#define TRACE_NO_SITE UINT32_MAX
#define TRACE_NO_PC UINT32_MAX

/* A static instruction as it is issued. Several may come of one PTX instruction, or none. */
struct trace_insn {
    uint32_t pc;        /* of instruction_profile; launch instruction index. TRACE_NO_PC: none */
    uint32_t access_pc; /* whose access it is: pc, or that of the load that was folded into it */
    uint32_t line;      /* PTX line; 0: unknown */
    uint32_t source_line;
    const char *file; /* source file, NULL: unknown */
    const char *op;   /* mnemonic with modifiers */
    uint32_t site; /* numbers the instructions with accesses; else TRACE_NO_SITE. The builder's */
    uint32_t first_register; /* in trace.registers: read_count it reads, then those it writes. The
                              * builder's: trace_reads, trace_writes */
    uint8_t read_count, write_count; /* the builder's */
    uint8_t class_id;                /* enum insn_class */
    uint8_t operation;               /* enum trace_operation */
    uint8_t space;      /* enum mem_space as written, also GENERIC; an access knows its own */
    uint8_t bytes;      /* by lane; 0: no access */
    uint8_t cache_op;   /* enum cache_op */
    uint8_t semantics;  /* enum mem_semantics */
    uint8_t flags;      /* enum trace_flags */
    uint8_t barrier;    /* enum trace_barrier */
    uint8_t barrier_id; /* 0 to 15; of TRACE_COPY_WAIT: groups that may be under way */
    uint16_t barrier_threads;
    /* 2 to VIEW_UNROLL: issued once in so many executions, as the end of an unrolled loop; its branch: how
     * often that is unrolled. Else 0 (isa_view.h). */
    uint8_t every;
    bool reads_parameters; /* as operands, by the view */
    uint8_t clock_reads;   /* operands that are clocks: nothing moves past such an instruction */
    /* Has a guard predicate: lanes that execute are said step by step. */
    bool guarded;
    /* Stores or loads a spilled register (spill_trace.c): in a word that nothing else accesses; what links both is a
     * register of its own. Not kept in files. */
    bool is_spill;
    uint8_t async;          /* enum trace_async */
    uint16_t product_bytes; /* TRACE_PRODUCT: of shared memory, the warp's part of what four read */
    struct insn_control control; /* of native code */
};

/* The lanes of an access and their addresses relative to the lowest of them. */
struct trace_pattern {
    uint32_t mask;  /* not 0 */
    uint8_t space;  /* enum mem_space, never GENERIC */
    uint8_t bytes;  /* by lane */
    uint8_t shape;  /* enum access_shape; canonical: one lane is UNIFORM */
    bool wide;      /* GENERAL with differences beyond 32 bits */
    int64_t stride; /* STRIDED, HALVES */
    int64_t second; /* HALVES: of lane 16 */
    uint64_t first; /* GENERAL: in trace.offsets or trace.wide_offsets, 32 of them */
};

struct trace_access {
    uint32_t pattern; /* index in trace.patterns */
    uint64_t base;    /* address of the lowest lane of the pattern, in the pattern's space: device
                       * address, offset in the block's shared memory or in the thread's local */
};

/* One warp instruction as it is issued. */
/* A generic one may reach three spaces; a copy in bulk has one for 4 KiB. */
enum {
    TRACE_SPACES_MAX = 4,
    TRACE_ACCESSES_MAX = 9,
    TRACE_LANE_BYTES = 16,
    TRACE_PIECE_BYTES = 128
};
static inline unsigned trace_accesses_most(const struct trace_insn *insn)
{
    return insn->async ? TRACE_ACCESSES_MAX : TRACE_SPACES_MAX;
}
struct trace_step {
    uint32_t insn;   /* index in trace.insns */
    uint32_t active; /* lanes of the warp (split) */
    uint32_t on;     /* those whose guard is true; may be 0 */
    uint32_t access_count;
    struct trace_access accesses[TRACE_ACCESSES_MAX];
};

struct trace_warp {
    const uint8_t *runs, *data; /* trace_writer.h */
    uint64_t run_bytes, data_bytes;
    uint64_t step_count;
    uint32_t threads; /* lanes that exist */
};

struct trace_block {
    uint64_t index;              /* in the grid, x fastest */
    struct trace_warp *warps;    /* head.warps_per_block */
    const uint32_t *pattern_ids; /* from numbers in the block's streams to trace.patterns */
    uint32_t pattern_count;
    uint64_t step_count;
    uint64_t work; /* warp instructions, by the measure of trace.work; 0: unknown */
};

/* What is said of the launch. Texts are copied. */
struct trace_head {
    const char *kernel; /* display name */
    const char *isa;    /* "ptx 9.0 sm_80", "sass sm_80", "hand-written" */
    unsigned target;    /* 80; 0: unknown */
    uint8_t view;       /* enum isa_view */
    uint32_t grid[3], block[3];
    uint64_t static_shared_bytes, dynamic_shared_bytes;
    unsigned registers;       /* per thread; 0: unknown here (the profile may say) */
    uint32_t warps_per_block; /* derived */
};

struct trace {
    struct arena arena;
    uint32_t references; /* trace_share */
    struct trace_head head;
    uint32_t insn_count, site_count, register_count;
    struct trace_insn *insns;
    uint32_t *registers; /* dense: 0 to register_count - 1, predicates too */
    uint32_t pattern_count;
    struct trace_pattern *patterns;
    int32_t *offsets;
    int64_t *wide_offsets;
    uint64_t offset_count, wide_offset_count;
    uint32_t block_count;
    struct trace_block *blocks; /* by ascending index */
    uint64_t step_count, bytes; /* of all blocks: steps, memory */
    /* The grid in parts of equally many blocks: warp instructions of a block, on average, and the
     * traced block nearest in these that stands for the part's first block (trace_stand_in).
     * part_count 0: unknown. */
    uint64_t part_blocks;
    uint32_t part_count;
    float *work;
    uint32_t *stand_ins;
    struct memo *
        memo; /* what is worked out from the trace and kept with it: TRACE_MEMO_SPILLS, teg_memo.h */
    /* Bytes that accesses to global memory move by from a block to the next in x, y and z, where that is the
     * same for all traced blocks (trace_strides.c): by site an index in strides; 0: not so, or unknown.
     * NULL: not looked for. */
    uint32_t *site_strides;
    int64_t (*strides)[3];
    uint32_t stride_count;
    bool is_linear; /* that of every access to global memory is known */
};

/* First word of a key of trace.memo: the same with spilled registers (spill_trace.c). Models have the numbers below. */
enum { TRACE_MEMO_SPILLS = 256 };

/* Without instructions and blocks: for those who make one. */
struct trace *trace_create(void);
/* A trace does not change once it is made; several profiles may have it. Each share is destroyed. */
struct trace *trace_share(struct trace *trace);
void trace_destroy(struct trace *trace);
/* It outlives the call (mem_keep). */
void trace_keep(struct trace *trace);

/* The traced block, as an index of trace.blocks, that stands for a block of the grid: one that executes
 * about as many instructions, of the cluster of neighbours that is nearest in the grid. Blocks that
 * follow each other mostly get the blocks of the cluster in turn. Without part_count all traced blocks
 * in turn. */
uint32_t trace_stand_in(const struct trace *trace, uint64_t block);
/* Warp instructions of a block, the mean over the grid; 0: unknown. */
double trace_mean_work(const struct trace *trace);
/* The traced blocks first to first + count - 1 that are `block` and its neighbours in the grid. */
uint32_t trace_cluster(const struct trace *trace, uint32_t block, uint32_t *out_count);
/* Do blocks execute about as many warp instructions? */
bool trace_is_work_alike(double a, double b);
/* Do two traced blocks? */
bool trace_alike(const struct trace *trace, uint32_t a, uint32_t b);
/* Sets part_count and what belongs to it (trace_parts.c), from the instructions that were counted. */
struct grid_work;
void trace_set_parts(struct trace *trace, const struct grid_work *work);

/* Sets site_strides and what belongs to it. */
void trace_find_strides(struct trace *trace);
/* Where a block lies in the grid: x, y, z. */
void trace_place(const struct trace *trace, uint64_t block, int64_t out[3]);

/* Is it a trace of the profile's launch? */
bool trace_fits(const struct trace *trace, const struct profile *profile);

static inline const uint32_t *trace_reads(const struct trace *trace, const struct trace_insn *insn)
{
    return trace->registers + insn->first_register;
}
static inline const uint32_t *trace_writes(const struct trace *trace, const struct trace_insn *insn)
{
    return trace->registers + insn->first_register + insn->read_count;
}

/* Addresses of the pattern's lanes; the others are left as they are. */
void trace_lanes(const struct trace *trace, const struct trace_access *access,
                 uint64_t addresses[32]);

/* ---- walking --------------------------------------------------------------------------------- */

struct trace_site_state {
    uint64_t base, delta;
    uint32_t pattern; /* number in the block */
};

struct trace_cursor {
    const struct trace *trace;
    const uint32_t *pattern_ids;
    const uint8_t *run, *run_end, *data;
    uint32_t next, left; /* instruction to come, and how many of the run are left */
    uint32_t active, guard;
    struct trace_site_state *sites; /* by site */
};

void trace_cursor_init(struct trace_cursor *cursor, const struct trace *trace,
                       const struct trace_block *block, uint32_t warp);
/* To the beginning of a warp, perhaps another one; no memory is allocated. */
void trace_cursor_restart(struct trace_cursor *cursor, const struct trace_block *block,
                          uint32_t warp);
/* The one or the other: of a cursor that is all zeros, or was used on the same trace. */
void trace_cursor_begin(struct trace_cursor *cursor, const struct trace *trace,
                        const struct trace_block *block, uint32_t warp);
/* Does each step say more than that it was executed? */
static inline bool trace_has_data(const struct trace_insn *insn)
{
    return insn->site != TRACE_NO_SITE || insn->guarded;
}

/* Behind trace_cursor_peek: to the next run; false at the end of the warp. */
bool trace_cursor_next_run(struct trace_cursor *cursor);
/* Is there a next step? Then it and those that follow, `left` in all, are the instructions from cursor->next on,
 * with lanes cursor->active. */
static inline bool trace_cursor_peek(struct trace_cursor *cursor)
{
    return cursor->left || trace_cursor_next_run(cursor);
}
/* What the next step of those that have data says: its lanes, and its accesses, of which there is room for
 * TRACE_ACCESSES_MAX; returns how many. */
unsigned trace_cursor_decode(struct trace_cursor *cursor, const struct trace_insn *insn,
                             uint32_t *out_on, struct trace_access *accesses);
/* The same of several at once. Most have one access, of `pattern` at `base`; TRACE_NO_PATTERN: none, or
 * trace_slot_count accesses among those of all, from number trace_slot_first on. */
struct trace_slot {
    uint32_t on, pattern;
    uint64_t base;
};
#define TRACE_NO_PATTERN UINT32_MAX
static inline uint32_t trace_slot_count(const struct trace_slot *slot)
{
    return (uint32_t)(slot->base % (TRACE_ACCESSES_MAX + 1));
}
static inline uint64_t trace_slot_first(const struct trace_slot *slot)
{
    return slot->base / (TRACE_ACCESSES_MAX + 1);
}
/* Instructions `insns` follow each other among those with data. Accesses of steps with several begin at number
 * `first`; returns where they end. */
uint32_t trace_cursor_decode_all(struct trace_cursor *cursor, const uint32_t *insns, uint32_t count,
                                 struct trace_slot *out, struct trace_access *accesses,
                                 uint32_t first);
/* Past `count` steps of those left, once what they say has been decoded. */
static inline void trace_cursor_pass(struct trace_cursor *cursor, uint32_t count)
{
    cursor->next += count;
    cursor->left -= count;
}

/* All of that for one step; false at the end of the warp. */
static inline bool trace_cursor_next(struct trace_cursor *cursor, struct trace_step *step)
{
    if (!trace_cursor_peek(cursor)) return false;
    const struct trace_insn *insn = &cursor->trace->insns[cursor->next];
    step->insn = cursor->next;
    step->active = step->on = cursor->active;
    step->access_count = 0;
    if (trace_has_data(insn))
        step->access_count = trace_cursor_decode(cursor, insn, &step->on, step->accesses);
    trace_cursor_pass(cursor, 1);
    return true;
}
void trace_cursor_clear(struct trace_cursor *cursor);

/* ---- by hand --------------------------------------------------------------------------------- */

/* Blocks in ascending order, in each its warps in order, in each its steps; instructions before
 * they are used. Warps that are not begun are empty. */
struct trace_builder;
struct trace_builder *trace_builder_create(const struct trace_head *head);
/* Returns its number. Texts are copied. An instruction with an operation has `bytes`; at most 255
 * registers each. */
uint32_t trace_builder_add_insn(struct trace_builder *builder, const struct trace_insn *insn,
                                const uint32_t *reads, unsigned read_count, const uint32_t *writes,
                                unsigned write_count);
void trace_builder_begin_block(struct trace_builder *builder, uint64_t index);
void trace_builder_begin_warp(struct trace_builder *builder, uint32_t warp, uint32_t threads);
/* `on` is within `active`, and equal to it unless the instruction is guarded. Accesses as in
 * observer.h; `addresses` matter for ACCESS_GENERAL only. */
void trace_builder_step(struct trace_builder *builder, uint32_t insn, uint32_t active, uint32_t on,
                        const struct access *accesses, unsigned access_count);
/* Memory that the blocks take so far. */
uint64_t trace_builder_bytes(const struct trace_builder *builder);
/* Ends the last block and destroys the builder. trace_destroy the result. */
struct trace *trace_builder_finish(struct trace_builder *builder);
void trace_builder_cancel(struct trace_builder *builder);

#endif
