// SPDX-License-Identifier: Apache-2.0
/* The steps of a warp as they are issued, in the order of the trace or of native code. The trace is decoded region
 * by region: steps that have the same lanes, each warp its own. What an instruction is each time it is executed is in
 * a place, which all warps share; what differs from time to time, in a slot (trace_slot). What was decoded of a warp
 * is kept with the trace for other blocks and simulations, as long as that is not too much.
 *
 *     struct step_table table;                    one a simulation
 *     struct step_cursor cursor = {0};            one a warp
 *     step_table_init(&table, trace, registers);
 *     step_cursor_begin(&cursor, &table, &trace->blocks[0], 3);
 *     for (const struct step_place *at; (at = step_next(&table, &cursor, ends));)
 *         use(at, step_slot(&cursor, at));
 */
#ifndef MODEL_TEG_STEPS_H
#define MODEL_TEG_STEPS_H

#include "model/teg/native_order.h"

struct step_table {
    const struct trace *trace;
    struct native_order native;
    bool is_native; /* the order is that of native code */
    /* By instruction. */
    struct step_place *places; /* in the order of the trace; slots are counted from its first on */
    uint32_t *data_before,
        *spills_before;     /* instructions before it that have data, that are spills */
    uint32_t *to_end;       /* steps to the end of its region, if it is executed in a row */
    uint32_t *data;         /* instructions that have data */
    uint32_t accesses_most; /* of a step */
};

struct step_region {
    const struct native_schedule *schedule; /* NULL: in the order of the trace, then: */
    uint32_t first, count;                  /* instructions */
    uint32_t active;                        /* lanes */
    uint32_t slot;                          /* the first of its slots */
};

/* Regions that a warp executes one after the other; accesses of slots are numbers among these. */
struct step_way {
    uint32_t region_count, slot_count, access_count;
    struct step_region *regions;
    struct trace_slot *slots;
    struct trace_access *accesses;
};

/* A way while it is decoded. */
struct step_decoder {
    struct trace_cursor trace;
    struct step_way way;
    uint32_t region_capacity, slot_capacity, access_capacity;
};

struct step_cursor {
    const struct step_place *next, *end; /* of the region */
    const struct trace_slot *slots;      /* of the region */
    const struct trace_access *accesses; /* of the way */
    uint32_t first_slot;     /* number of the region's first among those of its places */
    bool is_own;             /* the way is decoded region by region */
    struct trace_slot whole; /* of steps without data: the lanes of the region */
    const struct native_schedule
        *schedule; /* of the region in the order of native code; NULL: none */
    const struct step_way *way;
    const struct step_region *region, *last; /* of the way: the next, behind the last one */
    struct step_decoder *own;                /* NULL: none yet */
    int64_t *moved; /* [registers of the trace], NULL before the first: ends that move */
};

/* native_registers: of a thread, for the order of native code; 0: the order of the trace. */
void step_table_init(struct step_table *table, const struct trace *trace,
                     unsigned native_registers);
void step_table_clear(struct step_table *table);

/* Of a cursor that is all zeros, or was used on the same trace. */
void step_cursor_begin(struct step_cursor *cursor, struct step_table *table,
                       const struct trace_block *block, uint32_t warp);
void step_cursor_clear(struct step_cursor *cursor);
/* Behind step_next: the next region; false at the end of the warp. */
bool step_read_region(struct step_table *table, struct step_cursor *cursor, int64_t *ends);

/* NULL at the end of the warp. `ends`: by register and copy, when each is ready; moved as regions of native code
 * end. What an earlier step said is gone once it returns. */
static inline const struct step_place *step_next(struct step_table *table,
                                                 struct step_cursor *cursor, int64_t *ends)
{
    if (cursor->next == cursor->end && !step_read_region(table, cursor, ends)) return NULL;
    return cursor->next++;
}

static inline const struct trace_slot *step_slot(const struct step_cursor *cursor,
                                                 const struct step_place *place)
{
    if (place->slot == STEP_NO_SLOT) return &cursor->whole;
    return &cursor->slots[place->slot - cursor->first_slot];
}

#endif
