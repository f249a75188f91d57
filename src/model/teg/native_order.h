// SPDX-License-Identifier: Apache-2.0
/* The order of native code, for traces of the view "native" (native_view.h), which has its instructions but the
 * order of PTX. That is not the order that runs: the compiler unrolls loops, hoists loads as registers allow, and
 * keeps one end of a loop for several iterations.
 *
 * A region is what it may reorder: the steps of a warp from one branch or barrier to the next, or up to
 * NATIVE_UNROLL iterations of a loop that is one basic block. Its schedule is a list schedule by the longest path
 * of latencies, and depends on its instructions alone, so that equal regions share it. Registers are renamed:
 * each iteration writes a copy of its own. */
#ifndef MODEL_TEG_NATIVE_ORDER_H
#define MODEL_TEG_NATIVE_ORDER_H

#include "base/memo.h"
#include "measure/trace.h"

enum { NATIVE_STEPS = 256, NATIVE_COPIES = VIEW_UNROLL + 1 };

struct native_move { /* registers as the region leaves them */
    uint32_t from, to;
};

struct native_schedule {
    struct memo_entry entry; /* of trace.memo; the arrays are in the same block */
    uint32_t count, move_count;
    uint16_t *order;           /* [count] steps of the region */
    uint32_t *first_registers; /* [count] in registers: reads, then writes of the instruction */
    uint16_t *read_counts;     /* [count] */
    uint32_t *registers;
    struct native_move *moves;
};

struct native_order {
    const struct trace *trace;
    unsigned hoisted_max; /* loads under way whose value is not read yet */
    /* By first instruction: the last schedule used; iterations of a loop that become one, 0: not known yet. */
    const struct native_schedule **recent;
    uint8_t *unrolled;
};

/* registers: per thread, of the native code. Schedules are made once a trace and kept in its memo: several threads
 * may have an order each of the same trace. */
void native_order_init(struct native_order *order, const struct trace *trace, unsigned registers);
void native_order_clear(struct native_order *order);

/* A warp's way through its steps. */
struct native_cursor {
    struct trace_cursor cursor;
    struct trace_step *steps, ahead; /* of the region */
    unsigned capacity, count, next;  /* steps of the region; place in its schedule */
    unsigned spills;                 /* of the steps */
    bool has_ahead;
    const struct native_schedule *schedule;
    int64_t *moved; /* [registers of the trace], NULL before the first: ends that move */
};

void native_cursor_begin(struct native_cursor *cursor, const struct trace *trace,
                         const struct trace_block *block, uint32_t warp);
/* The next step; *out_registers: what it reads and writes, *out_reads of them reads, valid until the next call.
 * `ends`: by register and copy, when each is ready; moved as regions end. */
bool native_cursor_next(struct native_order *order, struct native_cursor *cursor,
                        struct trace_step *step, int64_t *ends, const uint32_t **out_registers,
                        unsigned *out_reads);
void native_cursor_clear(struct native_cursor *cursor);

#endif
