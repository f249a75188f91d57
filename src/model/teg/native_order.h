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

/* One step in the order in which they are issued. */
struct step_place {
    const uint32_t *registers; /* that it reads, then those it writes */
    uint32_t insn, read_count;
    uint32_t slot; /* which step of the region it is in the trace, of those that have data */
};
#define STEP_NO_SLOT UINT32_MAX

struct native_schedule {
    struct memo_entry entry; /* of trace.memo; the arrays are in the same block */
    uint32_t count, move_count;
    struct step_place *places; /* [count] */
    uint32_t *registers;       /* of the places */
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

/* Nothing moves past it. */
bool native_ends_region(const struct trace_insn *insn);
/* Of the instructions first to first + body - 1, which end a loop that may be unrolled `every` times: how many
 * iterations become one, at most `every`. */
unsigned native_unrolled(struct native_order *order, uint32_t first, unsigned body, unsigned every);
/* Of `count` steps, iterations of the `body` instructions from `first` on. */
const struct native_schedule *native_find_schedule(struct native_order *order, uint32_t first,
                                                   unsigned count, unsigned body);

#endif
